#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_manifests.py PLUMB FOLDER - what plumb manifests prints, on a real control plane.

editions: full
takes: 60 s

  apply     the server takes every object
  operate   the operator runs with the rights of its ServiceAccount alone: nothing is denied
  rules     without any one of the rules something is denied
  watch     the same for compare --watch

The server checks who may block the deletion of owners, too (OwnerReferencesPermissionEnforcement). A proxy sees what
is asked for and what is denied. Last line: "N passed, M failed".
"""

import json
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import time

from reference import write_reference
from rights import Rights, proxy
from server import Counter, Server, forget_azure, wait_until

KINDS = "resources*/ResourceGroup,storage*/StorageAccount,sql*/Server,sql*/ServersDatabase"
SHOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/operate/shop.yaml")
RBAC = "/apis/rbac.authorization.k8s.io/v1"
PATCH = "application/merge-patch+json"
# What a version of 1.20 does not have yet.
VERSIONS = {"policy/v1": "policy/v1beta1"}


def documents(plumb, text):
    out = subprocess.run([plumb, "convert", "-o", "json-compact"], input=text, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in out.stdout.splitlines()]


def manifests(plumb, *words):
    out = subprocess.run([plumb, "manifests", *words], check=True, capture_output=True, text=True)
    return documents(plumb, out.stdout)


def place(document):
    version = VERSIONS.get(document["apiVersion"], document["apiVersion"])
    kind = document["kind"].lower()
    plural = kind[:-1] + "ies" if kind.endswith("y") else kind + "s"
    namespace = document["metadata"].get("namespace")
    return f"/{'apis' if '/' in version else 'api'}/{version}" + (f"/namespaces/{namespace}" if namespace else "") + "/" + plural


def apply(server, count, objects):
    for document in objects:
        document["apiVersion"] = VERSIONS.get(document["apiVersion"], document["apiVersion"])
        status, answer = server.ask("POST", place(document), document)
        count.check(status == 201, f"{document['kind']} {document['metadata']['name']}: {status} {answer.get('message')}")


def remove(server, objects):
    for document in reversed(objects):
        server.ask("DELETE", f"{place(document)}/{document['metadata']['name']}")


def token_of(server, namespace, name):
    answer = server.must("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token",
                         {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    return answer["status"]["token"]


class Program:
    """plumb with the arguments of a Deployment and the rights of its ServiceAccount."""

    def __init__(self, plumb, server, work, objects, *words, **env):
        deployment = next(o for o in objects if o["kind"] == "Deployment")
        container = deployment["spec"]["template"]["spec"]["containers"][0]
        namespace, name = account_of(objects)
        self.rights = Rights(objects)
        token = token_of(server, namespace, name)
        address = proxy(self.rights, server.address, plain_tls(server), token, enforce=False)
        path = os.path.join(work, "kubeconfig")
        with open(path, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "x",
                       "clusters": [{"name": "x", "cluster": {"server": address}}],
                       "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}],
                       "users": [{"name": "x", "user": {}}]}, file)
        self.log = tempfile.TemporaryFile("w+")
        args = [re.sub(r"^(--(?:health|metrics)-addr)=:\d+$", r"\1=127.0.0.1:0", arg) for arg in container["args"]]
        self.process = subprocess.Popen([plumb, *args, "--kubeconfig", path, *words], stdout=self.log, stderr=self.log,
                                        env=dict(os.environ, POD_NAMESPACE=namespace, **env))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.seek(0)
        return self.log.read()


def plain_tls(server):
    """Without the administrator's certificate."""
    return ssl.create_default_context(cafile=os.path.join(os.path.dirname(server.kubeconfig), "pki/ca.crt"))


# ---- The operator. ----------------------------------------------------------------------------------------------


def shop(plumb):
    with open(SHOP) as file:
        wanted = [d for d in documents(plumb, file.read())
                  if d["kind"] in ("Secret", "ResourceGroup", "StorageAccount", "Server", "ServersDatabase")]
    for document in wanted:
        document["metadata"]["namespace"] = "default"
        document["metadata"]["annotations"] = {"plumb.azure.com/block-owner-deletion": "true"}
        if document["kind"] == "StorageAccount":
            document["spec"]["operatorSpec"] = {"secrets": {"key1": {"name": "files", "key": "key"}}}
        if document["kind"] == "Server":
            document["spec"]["operatorSpec"] = {
                "configMaps": {"fullyQualifiedDomainName": {"name": "database", "key": "host"}}}
    return wanted


def ready(server, document):
    found = server.ask("GET", f"{place(document)}/{document['metadata']['name']}")[1]
    return any(c["type"] == "Ready" and c["status"] == "True" for c in found.get("status", {}).get("conditions", []))


def operate(plumb, server, work, objects, azure):
    """One run: objects are made, exported from and deleted. Ends early, with False, when something is denied."""
    env = {"AZURE_RESOURCE_MANAGER_ENDPOINT": azure, "AZURE_RESOURCE_MANAGER_AUDIENCE": azure,
           "AZURE_AUTHORITY_HOST": azure + "/", "AZURE_SUBSCRIPTION_ID": "11111111-2222-3333-4444-555555555555",
           "AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "client", "AZURE_CLIENT_SECRET": "secret"}
    program = Program(plumb, server, work, objects, **env)
    wanted = shop(plumb)
    azures = [d for d in wanted if d["kind"] != "Secret"]

    def reached(check):
        return wait_until(60, lambda: bool(program.rights.denied) or check(), 0.05) and not program.rights.denied

    ok = all(reached(lambda: server.ask("GET", place(d))[0] == 200) for d in wanted)
    for document in wanted if ok else []:
        server.ask("POST", place(document), document)
    ok = ok and all(reached(lambda: ready(server, d)) for d in azures)
    for kind, name in (("secrets", "files"), ("configmaps", "database")):
        ok = ok and reached(lambda: server.ask("GET", f"/api/v1/namespaces/default/{kind}/{name}")[0] == 200)
    group = next(d for d in azures if d["kind"] == "ResourceGroup")
    server.ask("DELETE", f"{place(group)}/{group['metadata']['name']}")
    ok = ok and all(reached(lambda: server.ask("GET", f"{place(d)}/{d['metadata']['name']}")[0] == 404) for d in azures)
    return ok, program, program.end()


def role_place(role):
    return f"{place(role)}/{role['metadata']['name']}"


def clear(plumb, server):
    """Whatever is left of a run that was stuck."""
    for document in reversed(shop(plumb)):
        path = f"{place(document)}/{document['metadata']['name']}"
        server.ask("PATCH", path, {"metadata": {"finalizers": None}}, PATCH)
        server.ask("DELETE", path)
    for path in ("secrets/files", "configmaps/database"):
        server.ask("DELETE", f"/api/v1/namespaces/default/{path}")
    gone = lambda d: server.ask("GET", f"{place(d)}/{d['metadata']['name']}")[0] == 404
    wait_until(30, lambda: all(gone(d) for d in shop(plumb)))


def account_of(objects):
    deployment = next(o for o in objects if o["kind"] == "Deployment")
    return deployment["metadata"]["namespace"], deployment["spec"]["template"]["spec"]["serviceAccountName"]


def is_lost(server, account, role, rule):
    """Whether the server knows no such rule. No two rules allow the same."""
    resource, _, part = rule["resources"][0].partition("/")
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
              "spec": {"user": "system:serviceaccount:%s:%s" % account,
                       "resourceAttributes": {"group": rule["apiGroups"][0], "resource": resource, "subresource": part,
                                              "verb": rule["verbs"][0], "name": rule.get("resourceNames", [""])[0],
                                              "namespace": role["metadata"].get("namespace", "")}}}
    return not server.must("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)["status"]["allowed"]


def roles_of(objects):
    return [o for o in objects if o["kind"] in ("ClusterRole", "Role")]


def await_rights(server, objects, without=None):
    """Rights reach the server through a watch of its own, which takes its time when the server is busy."""
    account = account_of(objects)
    rules = [(role, rule) for role in roles_of(objects) for rule in role["rules"]]
    return wait_until(60, lambda: all(is_lost(server, account, role, rule) == (rule is without) for role, rule in rules))


def check_rules(plumb, server, work, objects, count, run, seen):
    """Each rule in turn is taken away: a run must be denied what only it allowed."""
    for role in roles_of(objects):
        whole = role["rules"]
        for i, rule in enumerate(whole):
            name = f"{rule['apiGroups'][0] or 'core'} {','.join(rule['resources'])}"
            if not seen(rule):
                count.check(False, f"nothing uses the rule for {name}")
                continue
            server.must("PATCH", role_place(role), {"rules": whole[:i] + whole[i + 1:]}, PATCH)
            count.check(await_rights(server, objects, rule), f"the rule for {name} is not taken away")
            denied = run()
            resources = [f"{resource} of {rule['apiGroups'][0] or 'core'}" for resource in rule["resources"]]
            # What writes of an owner need is denied with the write of what it owns.
            indirect = rule["resources"][0].endswith("/finalizers") and denied
            count.check(indirect or any(resource in one for resource in resources for one in denied),
                        f"without the rule for {name}: denied {sorted(denied)}")
            server.must("PATCH", role_place(role), {"rules": whole}, PATCH)


def check_operator(plumb, server, work, azure, count):
    objects = manifests(plumb, "--kinds", KINDS)
    count.check(forget_azure(server), "kinds of another test are still served")
    apply(server, count, objects)
    count.check(await_rights(server, objects), "the rights of the operator do not arrive")
    ok, program, log = operate(plumb, server, work, objects, azure)
    count.check(ok, f"the operator with its rights alone: {log[-1500:]}")
    count.check(not program.rights.denied, f"denied: {sorted(program.rights.denied)}")
    used = {(group, resource) for _, group, resource, _ in program.rights.used}

    def run():
        ok, program, _ = operate(plumb, server, work, objects, azure)
        clear(plumb, server)
        return program.rights.denied

    # That a rule of finalizers is used shows only when it lacks.
    seen = lambda rule: rule["resources"][0].endswith("/finalizers") or (rule["apiGroups"][0], rule["resources"][0]) in used
    check_rules(plumb, server, work, objects, count, run, seen)
    clear(plumb, server)
    remove(server, objects)


# ---- compare --watch. -------------------------------------------------------------------------------------------


def check_watch(plumb, server, work, count):
    folder = os.path.join(work, "reference")
    write_reference(folder)
    objects = manifests(plumb, "watch", folder, "--at", "https://reference.example.com/metadata.yaml", "--name", "watcher",
                        "--namespace", "watching")
    apply(server, count, objects)
    count.check(await_rights(server, objects), "the rights of the watcher do not arrive")
    deployment = next(o for o in objects if o["kind"] == "Deployment")
    args = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
    args[args.index("--reference=https://reference.example.com/metadata.yaml")] = "--reference=" + folder

    def run():
        program = Program(plumb, server, work, objects)
        wait_until(20, lambda: bool(program.rights.denied) or len(program.rights.used) == len(program.rights.rules), 0.05)
        log = program.end()
        return program.rights, log

    rights, log = run()
    count.check(not rights.denied, f"watch: denied {sorted(rights.denied)}: {log[-500:]}")
    count.check(set(rights.rules) == rights.used, f"watch: unused {set(rights.rules) - rights.used}: {log[-500:]}")
    check_rules(plumb, server, work, objects, count, lambda: run()[0].denied, lambda rule: True)
    remove(server, objects)


def main():
    plumb, folder = sys.argv[1:3]
    count, server = Counter(), Server(folder)
    azure = subprocess.Popen([plumb, "simulate", "--port", "0", "--preset", "quick,unlimited"], stdout=subprocess.PIPE,
                             text=True)
    try:
        address = re.search(r"http://\S+", azure.stdout.readline()).group()
        with tempfile.TemporaryDirectory() as work:
            started = time.monotonic()
            check_watch(plumb, server, work, count)
            check_operator(plumb, server, work, address, count)
            print(f"{time.monotonic() - started:.0f} s")
    finally:
        azure.terminate()
        azure.wait(timeout=30)
    count.end()


main()
