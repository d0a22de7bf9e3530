# SPDX-License-Identifier: Apache-2.0
"""run.py ROOT - runs plumb operate behind a proxy that allows what the rules of plumb manifests allow."""
import http.client
import json
import os
import re
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(sys.argv[1], "tests/kube"))
from rights import Rights, proxy

KINDS = "resources*/ResourceGroup,storage*/StorageAccount,sql*/Server"
NAMESPACE = "plumb-system"
# Rights for what does not happen here, and why they are needed.
ELSEWHERE = {
    ("apiextensions.k8s.io", "customresourcedefinitions", "update"): "a definition of an earlier version is there",
    ("", "events", "patch"): "an event happens again",
    **{
        (group, plural, "get"): "an object is read anew after a conflict"
        for group, plural in (
            ("resources.azure.com", "resourcegroups"),
            ("sql.azure.com", "servers"),
            ("storage.azure.com", "storageaccounts"),
        )
    },
}


def documents(text):
    out = subprocess.run(["plumb", "convert", "-o", "json-compact"], input=text, capture_output=True, text=True)
    return [json.loads(line) for line in out.stdout.splitlines()]


def unused(rights):
    """Rules nobody used; finalizers and delete are for OwnerReferencesPermissionEnforcement: tests/kube/test_manifests.py."""
    for rule in rights.rules:
        enforced = rule[2].endswith("/finalizers") or rule[3] == "delete"
        if rule not in rights.used and rule[1:] not in ELSEWHERE and not enforced:
            yield rule


class Api:
    def __init__(self, host, tls, token):
        self.host, self.tls, self.token = host, tls, token

    def ask(self, method, path, body=None):
        connection = http.client.HTTPSConnection(self.host, context=self.tls, timeout=60)
        connection.request(method, path, json.dumps(body) if body else None,
                           {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")


def place(document):
    prefix = "apis" if "/" in document["apiVersion"] else "api"
    return f"/{prefix}/{document['apiVersion']}/namespaces/default/{document['kind'].lower()}s"


def until(what, seconds=60):
    end = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > end:
            return None
        time.sleep(0.1)
    return found


def ready(api, document):
    status, found = api.ask("GET", f"{place(document)}/{document['metadata']['name']}")
    conditions = found.get("status", {}).get("conditions", []) if status == 200 else []
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def address_of(processes, *command):
    """Starts a server; returns where it listens."""
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    processes.append(server)
    for line in server.stdout:
        if match := re.search(r"https?://[^\s/]+", line):
            return match.group()
    raise SystemExit(f"{command[:2]} ended")


def check(root, folder, processes):
    made = subprocess.run(["plumb", "manifests", "--kinds", KINDS], capture_output=True, text=True, check=True)
    rights = Rights(documents(made.stdout))
    data = os.path.join(folder, "data")
    azure = address_of(processes, "plumb", "simulate", "--port", "0", "--preset", "quick,unlimited")
    host = address_of(processes, "plumb", "serve", "--data", data, "--port", "0").removeprefix("https://")
    tls = ssl.create_default_context(cafile=os.path.join(data, "ca.crt"))
    token = open(os.path.join(data, "token")).read().strip()
    api = Api(host, tls, token)
    api.ask("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    config = {"apiVersion": "v1", "kind": "Config", "current-context": "x",
              "clusters": [{"name": "x", "cluster": {"server": proxy(rights, host, tls, token)}}],
              "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}],
              "users": [{"name": "x", "user": {"token": token}}]}
    path = os.path.join(folder, "kubeconfig")
    with open(path, "w") as file:
        json.dump(config, file)
    env = dict(os.environ, AZURE_SUBSCRIPTION_ID="11111111-2222-3333-4444-555555555555", AZURE_TENANT_ID="tenant",
               AZURE_CLIENT_ID="client", AZURE_CLIENT_SECRET="planted-secret-rights",
               AZURE_RESOURCE_MANAGER_ENDPOINT=azure, AZURE_RESOURCE_MANAGER_AUDIENCE=azure,
               AZURE_AUTHORITY_HOST=azure + "/")
    log = open(os.path.join(folder, "log"), "w")
    operator = subprocess.Popen(["plumb", *(["-vv"] if os.environ.get("SHOW_LOG") else []), "operate", "--kubeconfig", path, "--operator-namespace", NAMESPACE,
                                 "--crd-pattern", KINDS], env=env, stdout=subprocess.DEVNULL, stderr=log)
    processes.append(operator)

    with open(os.path.join(root, "examples/operate/shop.yaml")) as file:
        shop = [d for d in documents(file.read()) if d["kind"] in ("Secret", "ResourceGroup", "StorageAccount", "Server")]
    for document in shop:
        if document["kind"] == "StorageAccount":
            document["spec"]["operatorSpec"] = {"secrets": {"key1": {"name": "files", "key": "key"}}}
        if document["kind"] == "Server":
            document["spec"]["operatorSpec"] = {
                "configMaps": {"fullyQualifiedDomainName": {"name": "database", "key": "host"}}}
        until(lambda: api.ask("GET", place(document))[0] == 200)
        api.ask("POST", place(document), document)
    objects = [d for d in shop if d["kind"] != "Secret"]
    print("all Ready:", all(until(lambda: ready(api, d)) for d in objects))
    exported = [("secrets", "files"), ("configmaps", "database")]
    there = lambda kind, name: api.ask("GET", f"/api/v1/namespaces/default/{kind}/{name}")[0] == 200
    print("exported:", all(until(lambda: there(*one)) for one in exported))
    # What it wrote is changed by somebody, and put right.
    for kind, name in exported:
        one = f"/api/v1/namespaces/default/{kind}/{name}"
        found = api.ask("GET", one)[1]
        found["data"] = {}
        api.ask("PUT", one, found)
    print("exported again:", bool(until(lambda: all(
        api.ask("GET", f"/api/v1/namespaces/default/{kind}/{name}")[1].get("data") for kind, name in exported))))
    group = next(d for d in objects if d["kind"] == "ResourceGroup")
    api.ask("DELETE", f"{place(group)}/{group['metadata']['name']}")
    gone = lambda d: api.ask("GET", f"{place(d)}/{d['metadata']['name']}")[0] == 404
    print("gone:", all(until(lambda: gone(d)) for d in objects))
    operator.terminate()
    operator.wait(timeout=30)
    print("denied:", sorted(rights.denied))
    print("never used:", sorted(unused(rights), key=str))


with tempfile.TemporaryDirectory() as folder:
    processes = []
    try:
        check(sys.argv[1], folder, processes)
    finally:
        if os.environ.get("SHOW_LOG"):
            print(open(os.path.join(folder, "log")).read()[-3000:])
        for process in processes:
            process.kill()
            process.wait()
