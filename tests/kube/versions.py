# SPDX-License-Identifier: Apache-2.0
"""Which API version a user applied, asked of a real server.

Objects are read in the version in which they are stored, as the operator reads them, and planned: the
api-version of the request is that of the version applied.
"""

import json
import subprocess
import time

GROUP, PLURAL, KIND = "network.azure.com", "routetables", "RouteTable"
ANNOTATION = "plumb.azure.com/api-version"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"


class Table:
    """One route table on the server. Entries have times in seconds: writers wait for the next one."""

    def __init__(self, server, plumb, stored, name):
        self.server, self.plumb, self.stored, self.name = server, plumb, stored, name

    def path(self, version, rest=""):
        return f"/apis/{GROUP}/{version}/namespaces/default/{PLURAL}{rest}"

    def body(self, version, location):
        return {"apiVersion": f"{GROUP}/{version}", "kind": KIND,
                "metadata": {"name": self.name, "namespace": "default"},
                "spec": {"owner": {"name": "group"}, "location": location}}

    def apply(self, version, location, manager="user"):
        self.server.must("PATCH", self.path(version, f"/{self.name}?fieldManager={manager}&force=true"),
                         self.body(version, location), APPLY)

    def create(self, version, location):
        self.server.must("POST", self.path(version, "?fieldManager=creator"), self.body(version, location))

    def patch(self, version, change, manager, rest=""):
        self.server.must("PATCH", self.path(version, f"/{self.name}{rest}?fieldManager={manager}"), change, MERGE)

    def planned(self):
        """The api-version of the request for the object as it is served."""
        thing = self.server.must("GET", self.path(self.stored, f"/{self.name}"))
        run = subprocess.run([self.plumb, "plan", "--offline", "-o", "json", "-f", "-"], input=json.dumps(thing),
                             capture_output=True, text=True)
        return json.loads(run.stdout)[0]["apiVersion"] if run.returncode == 1 else run.stderr


def next_second():
    time.sleep(1.1)


def arm(version):
    """v1api20240101 -> 2024-01-01"""
    digits = version[-8:]
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"


def checks(server, plumb):
    """Pairs of a sentence and whether it is true."""
    crd = server.must("GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{PLURAL}.{GROUP}")
    stored = next(v["name"] for v in crd["spec"]["versions"] if v["storage"])
    old = next(v["name"] for v in crd["spec"]["versions"] if arm(v["name"]) != arm(stored))
    yield from applied(Table(server, plumb, stored, "applied"), old, stored)
    yield from updated(Table(server, plumb, stored, "updated"), old, stored)


def expect(table, sentence, version):
    got = table.planned()
    return f"{sentence}: planned in {got}, not {arm(version)}", got == arm(version)


def applied(t, old, new):
    t.apply(old, "westeurope")
    yield expect(t, "what was applied decides", old)
    next_second()
    t.patch(new, {"metadata": {"finalizers": ["plumb.azure.com/test"]}}, "operator")
    t.patch(new, {"status": {"operatorStatus": {"attempt": 1}}}, "operator", "/status")
    yield expect(t, "the operator's own writes change nothing", old)
    t.apply(new, "northeurope")
    yield expect(t, "applying another version takes that", new)
    next_second()
    t.apply(old, "northeurope")
    yield expect(t, "applying the same fields in the old version takes the old one", old)
    t.patch(new, {"metadata": {"annotations": {ANNOTATION: old}}}, "operator")
    next_second()
    t.apply(new, "westeurope")
    yield expect(t, "what is applied after the claim decides", new)
    t.patch(new, {"metadata": {"managedFields": [{}]}}, "operator")
    yield expect(t, "without entries the claim decides", old)
    t.patch(new, {"metadata": {"annotations": {ANNOTATION: None}}}, "operator")
    yield expect(t, "without the annotation it is the stored version", new)
    t.patch(new, {"metadata": {"finalizers": None}}, "operator")


def updated(t, old, new):
    t.create(old, "westeurope")
    yield expect(t, "what was created decides", old)
    next_second()
    t.patch(new, {"spec": {"location": "northeurope"}}, "editor")
    yield expect(t, "an editor of the spec is the newest", new)
    t.patch(new, {"metadata": {"managedFields": [{}]}}, "editor")
    yield expect(t, "without entries it is the stored version", new)
