#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_store.py PLUMB FOLDER - the same script of API interactions on a real API server and on plumb serve.

takes: 60 s

Each step is one request (or a wait for a state) whose status and answer are kept; both transcripts must be equal
once uids, times, versions and tokens are replaced by names. Steps that differ on purpose are in DIFFERENCES, each
with the reason; docs/serve.md tells of them. One that does not differ any more is a failure, too. Then the kubectl of
the edition has a session with plumb serve, and on the full edition objects are moved by kubectl, both ways.
"test_store.py --show PLUMB FOLDER" prints both answers of every step that differs. Last line: "N passed, M failed".
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from server import DEFINITIONS as CRDS, Counter, Server, wait_until

# What differs, by step: the editions it differs on, and why.
OLD = "1.20 words it otherwise; the store follows current versions"
STATUS = ("1.20 has no entry of its own for the status in managedFields, and counts what a write of the status "
          "sends without effect")
DIFFERENCES = {
    "definition: two storage versions": (("full", "crds"), "a real server prints the versions, as structs of Go"),
    "definition: a stored version stays": (("full",), OLD),
    "create: invalid type": (("full",), OLD),
    "create: invalid fraction": (("full", "crds"), "1.20 words it otherwise; current versions check formats a second time"),
    "create: invalid format": (("full",), OLD),
    "create: invalid map": (("full",), OLD),
    "update: no version": (("full",), OLD),
    "definition: old objects stay valid": (("full",), "1.20 checks what a write leaves as it was, too"),
    "create: invalid length": (("full",), OLD),
    "create: invalid items": (("full",), OLD),
    "create: invalid key": (("full",), OLD),
    "create: invalid texts": (("full",), OLD),
    "update: other uid": (("full", "crds"), "the text names a key of etcd, which the store does not have"),
    "status: by PUT": (("full",), STATUS),
    "status: by PATCH": (("full",), STATUS),
    "patch: merge": (("full",), STATUS),
    "patch: JSON": (("full",), STATUS),
    "patch: what the other version did not know": (("full",), STATUS),
    "watch: too old": (("full", "crds"), "the store's history reaches back to its start, also for types that came later"),
    "finalizers: none can be added": (("full", "crds"), "a real server validates twice and lists the cause twice"),
}

WIDGETS = "/apis/store.test/v1/namespaces/default/widgets"
MERGE, JSON, STRATEGIC = ("application/merge-patch+json", "application/json-patch+json",
                          "application/strategic-merge-patch+json")
TIMEOUT = 60


def schema(spec):
    return {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
        "spec": spec, "status": {"type": "object", "properties": {"phase": {"type": "string"}}}}}}


SPEC = {"type": "object", "required": ["size"], "properties": {
    "size": {"type": "integer", "minimum": 1, "maximum": 100},
    "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
    "code": {"type": "string", "pattern": "^a+$", "maxLength": 5},
    "when": {"type": "string", "format": "date-time"},
    "tags": {"type": "array", "maxItems": 3, "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
    "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
              "items": {"type": "object", "required": ["name"], "properties": {
                  "name": {"type": "string"}, "count": {"type": "integer", "default": 1}}}},
    "more": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "port": {"x-kubernetes-int-or-string": True},
    "step": {"type": "integer", "multipleOf": 7}, "share": {"type": "number", "multipleOf": 0.1},
    "texts": {"type": "object", "additionalProperties": {"type": "string"}}}}
SMALL = {"type": "object", "properties": {"size": {"type": "integer"}}}


def definition(plural="widgets", kind="Widget", **changes):
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
           "metadata": {"name": plural + ".store.test"},
           "spec": {"group": "store.test", "scope": "Namespaced", "names": {"plural": plural, "kind": kind},
                    "versions": [
                        {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                         "schema": schema(SPEC), "additionalPrinterColumns": [
                             {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                             {"name": "Color", "type": "string", "jsonPath": ".spec.color"}]},
                        {"name": "v2", "served": True, "storage": False, "subresources": {"status": {}},
                         "schema": schema(SMALL)}]}}
    crd["spec"].update(changes)
    return crd


def widget(name, spec=None, **meta):
    return {"apiVersion": "store.test/v1", "kind": "Widget", "metadata": dict(name=name, **meta),
            "spec": {"size": 1} if spec is None else spec}


def config_map(name, owners=(), **more):
    meta = {"name": name, "ownerReferences": list(owners)} if owners else {"name": name}
    meta.update(more.pop("meta", {}))
    return dict({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}, **more)


class Store(Server):
    """plumb serve in a folder that looks like one of tools/kube-test/up."""

    def __init__(self, plumb, folder):
        self.process = subprocess.Popen([plumb, "serve", "--data", folder, "--port", "0"], stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.process.stdout.readline()
        os.mkdir(folder + "/pki")
        with open(folder + "/kubeconfig") as f:
            text = f.read()
        for key, name in (("certificate-authority", "ca.crt"), ("client-certificate", "admin.crt"), ("client-key", "admin.key")):
            with open(f"{folder}/pki/{name}", "wb") as f:
                f.write(base64.b64decode(re.search(key + r"-data: (\S+)", text)[1]))
        super().__init__(folder)

    def end(self):
        self.process.terminate()
        return self.process.wait(timeout=60)


class Normal:
    """Replaces what is different on every run by names, the same for the same thing."""

    def __init__(self):
        self.names = {}

    def name(self, kind, text):
        known = self.names.setdefault(kind, {})
        return known.setdefault(text, f"{kind}-{len(known) + 1}")

    def text(self, s):
        s = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", lambda m: self.name("uid", m[0]), s)
        s = re.sub(r"in record \(\d+\)", "in record (VERSION)", s)
        return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME", s)

    def value(self, v, key=""):
        if key in ("resourceVersion", "continue") and v:
            return key.upper()
        if isinstance(v, dict):
            return {k: self.value(x, k) for k, x in sorted(v.items()) if k not in ("selfLink", "remainingItemCount")}
        if isinstance(v, list):
            items = [self.value(x, key) for x in v]
            if key in ("managedFields", "causes", "conditions", "columnDefinitions"):
                items.sort(key=lambda x: json.dumps(x, sort_keys=True))
            return items
        return self.text(v) if isinstance(v, str) else v


class Script:
    """The steps on one server."""

    def __init__(self, server, full):
        self.server, self.full = server, full
        self.normal = Normal()
        self.steps = []
        self.last = None

    def keep(self, label, status, answer):
        self.steps.append((label, status, self.normal.value(answer)))

    def do(self, label, method, path, body=None, content="application/json", only=None, accept=None):
        """One request; only picks what is kept of the answer."""
        if accept:
            status, answer = self.ask_as(accept, path)
        else:
            status, answer = self.server.ask(method, path, body, content)
        self.last = answer
        self.keep(label, status, only(answer) if only else answer)
        return answer

    def ask_as(self, accept, path):
        self.server.connection.request("GET", path, None, {"Accept": accept})
        answer = self.server.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def reach(self, label, check):
        """A state that must come, on its own time."""
        self.keep(label, wait_until(TIMEOUT, check, 0.05), None)

    def exists(self, path):
        return self.server.ask("GET", path)[0] == 200

    def get(self, path):
        return self.server.must("GET", path)

    def events(self, label, path, count):
        """The first events of a watch."""
        seen = []
        self.server.connection.request("GET", path + "&timeoutSeconds=20", None, {"Accept": "application/json"})
        answer = self.server.connection.getresponse()
        while len(seen) < count:
            line = answer.readline()
            if not line:
                break
            seen.append(json.loads(line))
        self.server.connection.close()
        self.keep(label, answer.status, seen)
        return seen


def message(answer):
    return {k: answer.get(k) for k in ("reason", "message")}


def status_only(_):
    return None


# ---- Definitions and custom resources: every edition.

def definitions(s):
    s.do("definition: wrong name", "POST", CRDS, dict(definition(), metadata={"name": "wrong.store.test"}), only=message)
    bad = definition("gears", "Gear")
    bad["spec"]["versions"][1]["storage"] = True
    s.do("definition: two storage versions", "POST", CRDS, bad, only=message)
    s.do("definition: unknown scope", "POST", CRDS, definition("gears", "Gear", scope="Galaxy"), only=message)
    s.do("definition: create", "POST", CRDS, definition(), only=lambda x: x.get("spec"))
    s.reach("definition: established", lambda: s.exists(WIDGETS))
    s.do("definition: status", "GET", CRDS + "/widgets.store.test", only=lambda x: {
        "names": x["status"]["acceptedNames"], "stored": x["status"]["storedVersions"],
        "conditions": [(c["type"], c["status"], c["reason"]) for c in x["status"]["conditions"]]})
    changed = s.get(CRDS + "/widgets.store.test")
    changed["spec"]["scope"] = "Cluster"
    s.do("definition: scope is immutable", "PUT", CRDS + "/widgets.store.test", changed, only=message)
    s.do("discovery: resources", "GET", "/apis/store.test/v1", only=lambda x: sorted(
        (r["name"], r["kind"], r["namespaced"], sorted(r["verbs"])) for r in x["resources"]))
    s.do("discovery: group", "GET", "/apis/store.test")


def creating(s):
    s.do("create: defaults and pruning", "POST", WIDGETS, widget("a", {
        "size": 2, "unknown": 1, "more": {"kept": [1]}, "parts": [{"name": "p", "gone": 1}], "port": "http"}))
    s.do("get", "GET", WIDGETS + "/a")
    s.do("get: not found", "GET", WIDGETS + "/missing")
    s.do("get in another version", "GET", WIDGETS.replace("v1", "v2") + "/a")
    s.do("create: exists", "POST", WIDGETS, widget("a"))
    s.do("create: required", "POST", WIDGETS, widget("b", {}))
    for label, spec in (("minimum", {"size": 0}), ("maximum", {"size": 101}), ("type", {"size": "x"}),
                        ("fraction", {"size": 1.5}), ("enum", {"size": 1, "color": "green"}),
                        ("pattern", {"size": 1, "code": "b"}), ("length", {"size": 1, "code": "aaaaaa"}),
                        ("format", {"size": 1, "when": "noon"}), ("items", {"size": 1, "tags": ["a", "b", "c", "d"]}),
                        ("set", {"size": 1, "tags": ["a", "a"]}), ("map", {"size": 1, "parts": [{"name": "p"}, {"name": "p"}]}),
                        ("key", {"size": 1, "parts": [{"count": 1}]}), ("texts", {"size": 1, "texts": {"a": 1}}),
                        ("several", {"size": 0, "color": "green", "code": "b"})):
        # The order of several errors is that of a Go map.
        s.do("create: invalid " + label, "POST", WIDGETS, widget("b", spec),
             only=(lambda x: x["details"]) if label == "several" else None)
    for label, spec in (("a large multiple", {"step": 9223372036854775807}), ("next to a large multiple", {"step": 9223372036854775806}),
                        ("no multiple", {"step": 22}), ("a fraction's multiple", {"share": 0.3}), ("no fraction's multiple", {"share": 0.35}),
                        ("a multiple beyond integers", {"share": 1e30})):
        s.do("create: " + label, "POST", WIDGETS + "?dryRun=All", widget("b", dict(spec, size=1)), only=lambda x: x.get("message"))
    s.do("create: bad name", "POST", WIDGETS, widget("B_"))
    s.do("create: no name", "POST", WIDGETS, widget(""))
    s.do("create: bad label", "POST", WIDGETS, widget("b", labels={"a b": "c"}))
    s.do("create: other namespace", "POST", WIDGETS, widget("b", namespace="other"), only=message)
    s.do("create: wrong kind", "POST", WIDGETS, dict(widget("b"), kind="Gear"), only=status_only)
    s.do("create: wrong version", "POST", WIDGETS, dict(widget("b"), apiVersion="store.test/v9"), only=status_only)
    s.do("create: not JSON", "POST", WIDGETS, "text", only=status_only)
    s.do("create: resourceVersion", "POST", WIDGETS, widget("b", resourceVersion="1"), only=message)
    s.do("create: generateName", "POST", WIDGETS, {**widget(""), "metadata": {"generateName": "gen-"}},
         only=lambda x: [len(x["metadata"]["name"]), x["metadata"]["name"][:4], x["metadata"]["generateName"]])
    s.do("create: dry run", "POST", WIDGETS + "?dryRun=All", widget("dry"), only=lambda x: x.get("spec"))
    s.do("create: dry run leaves nothing", "GET", WIDGETS + "/dry")
    s.do("create: dry run, bad value", "POST", WIDGETS + "?dryRun=Some", widget("dry"), only=status_only)
    s.do("create: on a name", "POST", WIDGETS + "/a", widget("a"), only=status_only)


def updating(s):
    old = s.get(WIDGETS + "/a")
    s.do("update", "PUT", WIDGETS + "/a", dict(old, spec=dict(old["spec"], size=3)))
    s.do("update: conflict", "PUT", WIDGETS + "/a", dict(old, spec={"size": 4}))
    now = s.get(WIDGETS + "/a")
    s.do("update: nothing changes", "PUT", WIDGETS + "/a", now,
         only=lambda x: [x["metadata"]["generation"], x["metadata"]["resourceVersion"] == now["metadata"]["resourceVersion"]])
    free = json.loads(json.dumps(now))
    del free["metadata"]["resourceVersion"]
    s.do("update: no version", "PUT", WIDGETS + "/a", free)
    s.do("update: other name", "PUT", WIDGETS + "/a", widget("b", resourceVersion=now["metadata"]["resourceVersion"]), only=message)
    wrong = json.loads(json.dumps(now))
    wrong["metadata"]["uid"] = "11111111-1111-1111-1111-111111111111"
    s.do("update: other uid", "PUT", WIDGETS + "/a", wrong)
    s.do("update: not found", "PUT", WIDGETS + "/missing", dict(widget("missing", resourceVersion="1")), only=status_only)
    s.do("update: invalid", "PUT", WIDGETS + "/a", dict(now, spec={"size": 500}))
    s.do("update: metadata leaves the generation", "PATCH", WIDGETS + "/a", {"metadata": {"labels": {"l": "1"}}}, MERGE,
         only=lambda x: x["metadata"]["generation"])
    s.do("status: by PUT", "PUT", WIDGETS + "/a/status", dict(s.get(WIDGETS + "/a"), status={"phase": "x", "no": 1}, spec={"size": 77}))
    s.do("status: by PATCH", "PATCH", WIDGETS + "/a/status", {"status": {"phase": "y"}, "metadata": {"labels": {"n": "no"}}}, MERGE)
    s.do("status: not by PUT of the object", "PATCH", WIDGETS + "/a", {"status": {"phase": "z"}}, MERGE, only=lambda x: x["status"])
    s.do("status: get", "GET", WIDGETS + "/a/status", only=lambda x: x["status"])


def patching(s):
    s.do("patch: merge", "PATCH", WIDGETS + "/a", {"spec": {"color": "blue", "more": None}}, MERGE)
    s.do("patch: JSON", "PATCH", WIDGETS + "/a", [{"op": "replace", "path": "/spec/size", "value": 9},
                                                  {"op": "add", "path": "/spec/tags", "value": ["t"]}], JSON)
    s.do("patch: JSON, test fails", "PATCH", WIDGETS + "/a", [{"op": "test", "path": "/spec/size", "value": 1}], JSON, only=status_only)
    s.do("patch: JSON, no such path", "PATCH", WIDGETS + "/a", [{"op": "remove", "path": "/spec/nothing"}], JSON, only=status_only)
    s.do("patch: strategic", "PATCH", WIDGETS + "/a", {"spec": {"size": 1}}, STRATEGIC, only=lambda x: x.get("reason"))
    s.do("patch: invalid", "PATCH", WIDGETS + "/a", {"spec": {"size": 0}}, MERGE)
    s.do("patch: stale version", "PATCH", WIDGETS + "/a", {"metadata": {"resourceVersion": "1"}}, MERGE)
    s.do("patch: not found", "PATCH", WIDGETS + "/missing", {}, MERGE)
    s.do("patch: the name stays", "PATCH", WIDGETS + "/a", {"metadata": {"name": "b"}}, MERGE, only=status_only)
    s.do("patch: in another version", "PATCH", WIDGETS.replace("v1", "v2") + "/a", {"spec": {"size": 10}}, MERGE,
         only=lambda x: [x["apiVersion"], x["spec"], x["metadata"]["generation"]])
    s.do("patch: what the other version did not know", "GET", WIDGETS + "/a")


def listing(s):
    for i in range(5):
        s.server.must("POST", WIDGETS, widget(f"l{i}", labels={"set": "list", "odd": str(i % 2)}))
    names = lambda x: [i["metadata"]["name"] for i in x["items"]]
    s.do("list: by label", "GET", WIDGETS + "?labelSelector=set%3Dlist,odd%3D1", only=names)
    s.do("list: by labels", "GET", WIDGETS + "?labelSelector=set+in+(list),odd+notin+(1),!no", only=names)
    s.do("list: bad selector", "GET", WIDGETS + "?labelSelector=a+b", only=status_only)
    s.do("list: by field", "GET", WIDGETS + "?fieldSelector=metadata.name%3Dl2", only=names)
    s.do("list: unknown field", "GET", WIDGETS + "?fieldSelector=spec.size%3D1", only=message)
    first = s.do("list: first page", "GET", WIDGETS + "?labelSelector=set%3Dlist&limit=2",
                 only=lambda x: [names(x), "continue" in x["metadata"]])
    s.server.must("POST", WIDGETS, widget("l22", labels={"set": "list"}))
    second = s.do("list: next page of the same state", "GET",
                  WIDGETS + "?labelSelector=set%3Dlist&limit=2&continue=" + first["metadata"]["continue"], only=names)
    s.do("list: last page", "GET", WIDGETS + "?labelSelector=set%3Dlist&limit=2&continue=" + second["metadata"]["continue"],
         only=lambda x: [names(x), x["metadata"].get("continue", "")])
    s.do("list: bad continue", "GET", WIDGETS + "?limit=2&continue=abc", only=status_only)
    version = first["metadata"]["resourceVersion"]
    s.do("list: exact version", "GET", WIDGETS + f"?labelSelector=set%3Dlist&resourceVersion={version}&resourceVersionMatch=Exact", only=names)
    s.do("list: match without version", "GET", WIDGETS + "?resourceVersionMatch=Exact", only=status_only)
    s.do("list: kind", "GET", WIDGETS + "?labelSelector=none", only=lambda x: [x["kind"], x["apiVersion"], x["items"]])
    s.do("metadata: one", "GET", WIDGETS + "/l1", accept="application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")
    s.do("metadata: list", "GET", WIDGETS + "?labelSelector=set%3Dlist", accept="application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
         only=lambda x: [x["kind"], x["apiVersion"], names(x)])
    s.do("table", "GET", WIDGETS + "?labelSelector=set%3Dlist", accept="application/json;as=Table;v=v1;g=meta.k8s.io",
         only=lambda x: [[c["name"] for c in x["columnDefinitions"]], [r["cells"] for r in x["rows"]], x["rows"][0]["object"]["kind"]])


def watching(s):
    brief = lambda e: [e["type"], e["object"].get("metadata", {}).get("name"), e["object"].get("spec"), e["object"].get("code")]
    start = s.get(WIDGETS + "?labelSelector=set%3Dlist")["metadata"]["resourceVersion"]
    s.server.must("POST", WIDGETS, widget("w1", labels={"set": "watch"}))
    middle = s.server.must("PATCH", WIDGETS + "/w1", {"spec": {"size": 2}}, MERGE)["metadata"]["resourceVersion"]
    s.server.must("PATCH", WIDGETS + "/w1", {"spec": {"size": 3}}, MERGE)
    s.server.must("PATCH", WIDGETS + "/w1", {"metadata": {"labels": {"set": "other"}}}, MERGE)
    s.server.must("PATCH", WIDGETS + "/w1", {"metadata": {"labels": {"set": "watch"}}}, MERGE)
    s.server.must("DELETE", WIDGETS + "/w1")
    for label, query, count in (("watch: all", "", 6), ("watch: what is selected", "&labelSelector=set%3Dwatch", 6)):
        events = s.events(label, f"{WIDGETS}?watch=true&resourceVersion={start}{query}", count)
        s.steps[-1] = (label, 200, [brief(e) for e in events])
    events = s.events("watch: resumed", f"{WIDGETS}?watch=true&resourceVersion={middle}", 4)
    s.steps[-1] = ("watch: resumed", 200, [brief(e) for e in events])
    events = s.events("watch: initial state", f"{WIDGETS}?watch=true&fieldSelector=metadata.name%3Da", 1)
    s.steps[-1] = ("watch: initial state", 200, [brief(e) for e in events])
    events = s.events("watch: too old", f"{WIDGETS}?watch=true&resourceVersion=1", 1)
    s.steps[-1] = ("watch: too old", 200, [brief(e)[::3] for e in events])


def deleting(s):
    gone = lambda name: lambda: not s.exists(f"{WIDGETS}/{name}")
    s.do("delete: not found", "DELETE", WIDGETS + "/missing")
    s.do("delete: other uid", "DELETE", WIDGETS + "/l0", {"preconditions": {"uid": "11111111-1111-1111-1111-111111111111"}})
    s.do("delete: other version", "DELETE", WIDGETS + "/l0", {"preconditions": {"resourceVersion": "1"}}, only=message)
    s.do("delete", "DELETE", WIDGETS + "/l0")
    s.do("delete: gone", "GET", WIDGETS + "/l0")
    s.do("delete: dry run", "DELETE", WIDGETS + "/l1?dryRun=All", only=status_only)
    s.do("delete: dry run leaves it", "GET", WIDGETS + "/l1", only=status_only)
    s.server.must("POST", WIDGETS, widget("f", finalizers=["store.test/hold"]))
    s.do("finalizers: deletion waits", "DELETE", WIDGETS + "/f")
    s.do("finalizers: deleted twice", "DELETE", WIDGETS + "/f", only=lambda x: x["metadata"]["generation"])
    s.do("finalizers: none can be added", "PATCH", WIDGETS + "/f", {"metadata": {"finalizers": ["store.test/hold", "store.test/new"]}}, MERGE)
    s.do("finalizers: the last one goes", "PATCH", WIDGETS + "/f", {"metadata": {"finalizers": None}}, MERGE, only=status_only)
    s.reach("finalizers: gone", gone("f"))
    s.do("delete: by label", "DELETE", WIDGETS + "?labelSelector=odd%3D1", only=lambda x: x["kind"])
    s.do("delete: those are gone", "GET", WIDGETS + "?labelSelector=odd%3D1", only=lambda x: x["items"])
    s.do("delete: policy", "DELETE", WIDGETS + "/l2", {"propagationPolicy": "Sideways"}, only=status_only)


def changing_definitions(s):
    crd = s.get(CRDS + "/widgets.store.test")
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]["maximum"] = 5
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["extra"] = {"type": "string", "default": "new"}
    s.do("definition: another schema", "PUT", CRDS + "/widgets.store.test", crd, only=lambda x: x["metadata"]["generation"])
    s.reach("definition: defaults on read", lambda: s.get(WIDGETS + "/a")["spec"].get("extra") == "new")
    s.do("definition: read as it is now", "GET", WIDGETS + "/a", only=lambda x: x["spec"])
    s.do("definition: old objects stay valid", "PATCH", WIDGETS + "/a", {"metadata": {"labels": {"x": "y"}}}, MERGE, only=message)
    crd = s.get(CRDS + "/widgets.store.test")
    del crd["spec"]["versions"][0]
    crd["spec"]["versions"][0]["storage"] = True
    s.do("definition: a stored version stays", "PUT", CRDS + "/widgets.store.test", crd, only=message)
    s.do("definition: delete", "DELETE", CRDS + "/widgets.store.test", only=status_only)
    s.reach("definition: gone", lambda: not s.exists(CRDS + "/widgets.store.test"))
    s.do("definition: and its objects", "GET", WIDGETS + "/a", only=status_only)


# ---- Built-in types and the collector: the full edition.

NS = "/api/v1/namespaces"
MAPS = NS + "/story/configmaps"


def built_in(s):
    s.do("namespace: create", "POST", NS, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "story"}},
         only=lambda x: [x["spec"], x["status"]])
    s.do("namespace: bad name", "POST", NS, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a.b"}})
    s.do("secret: create", "POST", NS + "/story/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"},
                                                           "data": {"a": "eA=="}, "stringData": {"b": "y"}},
         only=lambda x: [x["data"], x["type"], x.get("stringData")])
    s.do("secret: not base 64", "POST", NS + "/story/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "t"},
                                                                "data": {"a": "?"}}, only=status_only)
    s.do("secret: the type stays", "PATCH", NS + "/story/secrets/s", {"type": "x/y"}, MERGE)
    s.do("map: bad key", "POST", MAPS, config_map("m", data={"a b": "1"}))
    s.do("map: create", "POST", MAPS, config_map("m", data={"a": "1", "b": "2"}))
    s.do("map: strategic patch", "PATCH", MAPS + "/m", {"data": {"b": None, "c": "3"}}, STRATEGIC)
    s.do("map: strategic patch merges finalizers", "PATCH", MAPS + "/m", {"metadata": {"finalizers": ["x.y/b"]}}, STRATEGIC,
         only=lambda x: x["metadata"]["finalizers"])
    s.do("map: and another", "PATCH", MAPS + "/m", {"metadata": {"finalizers": ["x.y/a"]}}, STRATEGIC,
         only=lambda x: sorted(x["metadata"]["finalizers"]))
    s.do("map: finalizers go", "PATCH", MAPS + "/m", {"metadata": {"finalizers": None}}, MERGE, only=lambda x: x["metadata"].get("finalizers"))
    s.do("map: update without a version", "PUT", MAPS + "/m", config_map("m", data={"z": "1"}), only=lambda x: x["data"])
    s.do("map: immutable", "PATCH", MAPS + "/m", {"immutable": True}, MERGE, only=lambda x: x["immutable"])
    s.do("map: stays as it is", "PATCH", MAPS + "/m", {"data": {"z": "2"}}, MERGE)
    s.do("map: namespace that is not there", "POST", NS + "/nowhere/configmaps", config_map("m"))
    s.do("lease: create", "POST", "/apis/coordination.k8s.io/v1/namespaces/story/leases",
         {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"},
          "spec": {"holderIdentity": "me", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T00:00:00.000000Z"}}, only=lambda x: x["spec"])
    s.do("namespace: default stays", "DELETE", NS + "/default", only=message)


def owner(answer, **more):
    return dict({"apiVersion": "v1", "kind": "ConfigMap", "name": answer["metadata"]["name"], "uid": answer["metadata"]["uid"]}, **more)


def collecting(s):
    make = lambda *a, **k: s.server.must("POST", MAPS, config_map(*a, **k))
    gone = lambda *names: lambda: not any(s.exists(f"{MAPS}/{n}") for n in names)
    path = lambda n: f"{MAPS}/{n}"

    top = make("top")
    make("child", [owner(top)])
    make("grandchild", [owner(s.get(path("child")))])
    s.do("collector: background", "DELETE", path("top"), {"propagationPolicy": "Background"}, only=lambda x: x["status"])
    s.reach("collector: all below is gone", gone("top", "child", "grandchild"))

    old = make("again")
    make("of-old", [owner(old)])
    s.server.must("DELETE", path("again"), {"propagationPolicy": "Background"})
    new = make("again")
    make("of-new", [owner(new)])
    s.reach("collector: of the owner before", gone("of-old"))
    s.do("collector: recreated at once", "GET", path("of-new"), only=status_only)

    top = make("front")
    make("blocks", [owner(top, blockOwnerDeletion=True)], meta={"finalizers": ["x.y/z"]})
    s.do("collector: foreground", "DELETE", path("front"), {"propagationPolicy": "Foreground"}, only=lambda x: x["metadata"]["finalizers"])
    s.reach("collector: the dependent is deleted", lambda: "deletionTimestamp" in s.get(path("blocks"))["metadata"])
    s.do("collector: the owner waits", "GET", path("front"), only=lambda x: x["metadata"]["finalizers"])
    s.do("collector: the dependent goes", "PATCH", path("blocks"), {"metadata": {"finalizers": None}}, MERGE, only=status_only)
    s.reach("collector: and then the owner", gone("front", "blocks"))

    top = make("parent")
    make("orphan", [owner(top)])
    s.do("collector: orphan", "DELETE", path("parent"), {"propagationPolicy": "Orphan"}, only=status_only)
    s.reach("collector: the owner is gone", gone("parent"))
    s.do("collector: the orphan has no owner", "GET", path("orphan"), only=lambda x: x["metadata"].get("ownerReferences"))

    one, two = make("one"), make("two")
    make("shared", [owner(one), owner(two)])
    s.do("collector: one of two owners", "DELETE", path("one"), {"propagationPolicy": "Background"}, only=status_only)
    s.reach("collector: its reference is gone", lambda: len(s.get(path("shared"))["metadata"]["ownerReferences"]) == 1)
    s.do("collector: the other one is left", "GET", path("shared"), only=lambda x: x["metadata"]["ownerReferences"])

    make("lost", [dict(owner(two), name="never", uid="11111111-1111-1111-1111-111111111111")])
    s.reach("collector: of nobody", gone("lost"))

    x = make("x")
    y = make("y", [owner(x)])
    s.server.must("PATCH", path("x"), {"metadata": {"ownerReferences": [owner(y)]}}, MERGE)
    s.do("collector: a cycle", "DELETE", path("x"), {"propagationPolicy": "Background"}, only=status_only)
    s.reach("collector: the cycle is gone", gone("x", "y"))

    top = make("many")
    for i in range(1000):
        make(f"many-{i}", [owner(top)], meta={"labels": {"of": "many"}})
    s.do("collector: a thousand", "DELETE", path("many"), {"propagationPolicy": "Background"}, only=status_only)
    s.reach("collector: a thousand are gone", lambda: not s.get(MAPS + "?labelSelector=of%3Dmany&limit=1")["items"])


def ending(s):
    make = s.server.must
    make("POST", MAPS, config_map("held", meta={"finalizers": ["x.y/z"]}))
    s.do("namespace: delete", "DELETE", NS + "/story", only=lambda x: x["status"]["phase"])
    s.reach("namespace: its contents are deleted", lambda: "deletionTimestamp" in s.get(MAPS + "/held")["metadata"])
    s.do("namespace: nothing new", "POST", MAPS, config_map("late"))
    s.do("namespace: the last object goes", "PATCH", MAPS + "/held", {"metadata": {"finalizers": None}}, MERGE, only=status_only)
    s.reach("namespace: gone", lambda: not s.exists(NS + "/story"))


# ---- Moving between the two with kubectl, both ways.

def moved(kubectl, from_, to, name):
    """What kubectl gets here and applies there: the texts of errors, and both objects as far as users write them."""
    env = lambda server: dict(os.environ, KUBECONFIG=server.kubeconfig)
    flags = [] if kubectl == "kubectl" else ["--validate=false"]
    errors = ""
    for what in (["crd", name + ".store.test"], ["namespace", "moving-" + name], ["-n", "moving-" + name, f"configmaps/m,secrets/s,{name}.store.test/w"]):
        names = what[:-1] + what[-1].split(",")
        got = subprocess.run([kubectl, "get", "-o", "yaml", *names], env=env(from_), capture_output=True, text=True)
        put = subprocess.run([kubectl, "apply", *flags, "-f", "-"], env=env(to), input=got.stdout, capture_output=True, text=True)
        errors += got.stderr + (put.stderr if put.returncode else "")
        wait_until(TIMEOUT, lambda: to.ask("GET", f"/apis/store.test/v1/{name}")[0] == 200 or "crd" not in what)
    return errors, [[strip(x.get(path)) for path in paths(name)] for x in (Getter(from_), Getter(to))]


class Getter:
    def __init__(self, server):
        self.server = server

    def get(self, path):
        return self.server.ask("GET", path)[1]


def paths(name):
    space = f"/namespaces/moving-{name}"
    return [f"{CRDS}/{name}.store.test", f"/api/v1{space}", f"/api/v1{space}/configmaps/m", f"/api/v1{space}/secrets/s",
            f"/apis/store.test/v1{space}/{name}/w"]


def strip(v):
    """What a user has written."""
    meta = {k: x for k, x in v.get("metadata", {}).items() if k in ("name", "namespace", "labels")}
    meta.get("labels", {}).pop("kubernetes.io/metadata.name", None)
    return dict({k: x for k, x in v.items() if k not in ("metadata", "status")},
                metadata={k: x for k, x in meta.items() if x})


def plant(server, name):
    space = f"/namespaces/moving-{name}"
    # In one version: kubectl gets objects in the preferred one, which would lose what only the other knows.
    server.must("POST", CRDS, definition(name, name.capitalize(), versions=definition()["spec"]["versions"][:1]))
    server.must("POST", NS, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "moving-" + name, "labels": {"a": "b"}}})
    server.must("POST", f"/api/v1{space}/configmaps", config_map("m", data={"a": "1"}))
    server.must("POST", f"/api/v1{space}/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"k": "v"}})
    wait_until(TIMEOUT, lambda: server.ask("GET", f"/apis/store.test/v1/{name}")[0] == 200)
    server.must("POST", f"/apis/store.test/v1{space}/{name}", dict(widget("w", {"size": 7, "tags": ["x"]}), kind=name.capitalize()))


def moving(count, store, real, kubectl):
    for server in (store, real):
        server.connection.close()  # it was idle meanwhile, and may be closed at the other end
    for from_, to, name in ((store, real, "ups"), (real, store, "downs")):
        plant(from_, name)
        errors, (here, there) = moved(kubectl, from_, to, name)
        count.check(not errors, f"moving {name}: {errors}")
        for x, y in zip(here, there):
            count.check(x == y, f"moving {name}: {x} became {y}")


# ---- A session with the kubectl that comes with the server; docs/serve.md has one with that of the machine.

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/serve/")
SESSION = (
    ("version", "Server Version: "),
    ("get namespaces", "default       Active"),
    ("apply -f definition.yaml", "widgets.example.com created"),
    ("get crd widgets.example.com -o name", "customresourcedefinition.apiextensions.k8s.io/widgets.example.com"),
    ("api-resources --api-group=example.com", "widgets   wg"),
    ("api-versions", "example.com/v1"),
    ("apply -f widgets.yaml", "widget.example.com/large created"),
    ("get widgets", "small   3"),
    ("get wg -o wide", "large   40     blue"),
    ("get all", "small"),
    ("apply -f widgets-changed.yaml", "widget.example.com/small configured"),
    ("apply -f widgets-changed.yaml", "widget.example.com/small unchanged"),
    ("get wg small -o jsonpath={.spec.size}/{.metadata.generation}", "5/2"),
    ("label wg small tier=db", "labeled"),
    ("annotate wg small note=hello", "annotated"),
    ("get wg -l tier=db -o name", "widget.example.com/small"),
    ("patch wg small --type=merge -p {\"spec\":{\"size\":101}}", "should be less than or equal to 100"),
    ("patch wg small --type=json -p [{\"op\":\"replace\",\"path\":\"/spec/size\",\"value\":6}]", "patched"),
    ("edit wg small", "edited"),
    ("describe wg small", "Size:   7"),
    ("create namespace team", "namespace/team created"),
    ("-n team create secret generic login --from-literal=user=ann", "secret/login created"),
    ("-n team apply -f settings.yaml", "configmap/settings created"),
    ("-n team apply -f settings-changed.yaml", "configmap/settings configured"),
    ("-n team get secrets,configmaps", "secret/login   Opaque   1"),
    ("-n team describe secret login", "user:  3 bytes"),
    ("delete namespace team", "namespace \"team\" deleted"),
    ("get namespace team", "NotFound"),
    ("wait --for=condition=Ready wg/small --timeout=1s", "timed out waiting for the condition"),
    ("delete wg large", "widget.example.com \"large\" deleted"),
    ("delete wg --all", "widget.example.com \"small\" deleted"),
    ("delete -f definition.yaml", "deleted"),
    ("get pods", "the server doesn't have a resource type \"pods\""),
)


def session(count, store, kubectl, home):
    env = dict(os.environ, KUBECONFIG=store.kubeconfig, HOME=home, EDITOR="sed -i s/size:.6/size:\\ 7/")
    for command, want in SESSION:
        ran = subprocess.run([kubectl, *command.split()], cwd=EXAMPLES, env=env, capture_output=True, text=True)
        count.check(want in ran.stdout + ran.stderr, f"kubectl {command}: {ran.stdout}{ran.stderr}")


def run(server, full):
    s = Script(server, full)
    parts = [definitions, creating, updating, patching, listing, watching, deleting, changing_definitions]
    for part in parts + ([built_in, collecting, ending] if full else []):
        part(s)
    return s.steps


def main():
    show = sys.argv[1] == "--show"
    plumb, folder = sys.argv[-2:]
    real = Server(folder)
    full = real.ask("GET", NS)[0] == 200
    edition = "full" if full else "crds"
    count = Counter()
    with tempfile.TemporaryDirectory() as data:
        store = Store(plumb, data)
        try:
            ours = run(store, full)
            theirs = run(real, full)
            if os.path.exists(folder + "/bin/kubectl"):
                session(count, store, folder + "/bin/kubectl", data)
            if full:
                moving(count, store, real, "kubectl" if shutil.which("kubectl") else folder + "/bin/kubectl")
        finally:
            ended = store.end()
        count.check(ended == 0, "plumb serve ends well")
        checked = subprocess.run([plumb, "store", "check", "--data", data], capture_output=True, text=True)
        count.check(checked.returncode == 0, checked.stdout + checked.stderr)
    count.check([x[0] for x in ours] == [x[0] for x in theirs], "both have the same steps")
    for mine, other in zip(ours, theirs):
        label = mine[0]
        known = edition in DIFFERENCES.get(label, ((), ""))[0]
        same = mine == other
        if show and not same:
            print(f"--- {label}{' (known)' if known else ''}\nstore {mine[1]} {json.dumps(mine[2])}\nreal  {other[1]} {json.dumps(other[2])}")
        count.check(same != known, f"{label}: {'does not differ any more' if same else f'store {mine[1:]} real {other[1:]}'}")
    count.end()
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
