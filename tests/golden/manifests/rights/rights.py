# SPDX-License-Identifier: Apache-2.0
"""rights.py ROOT - runs plumb operate behind a proxy that allows what the rules of plumb manifests allow."""
import http.client
import http.server
import json
import os
import re
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

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


class Rights:
    """The rules of a role and a cluster role, and which of them were used."""

    def __init__(self, objects):
        self.rules, self.used, self.denied = [], set(), set()
        for role in objects:
            if role["kind"] not in ("ClusterRole", "Role"):
                continue
            namespace = role["metadata"].get("namespace")
            for rule in role["rules"]:
                for resource in rule["resources"]:
                    for verb in rule["verbs"]:
                        self.rules.append((namespace, rule["apiGroups"][0], resource, verb))

    def allow(self, method, path, query):
        parts = path.strip("/").split("/")
        if parts[0] == "api":
            group, rest = "", parts[2:]
        elif parts[0] == "apis":
            group, rest = parts[1] if len(parts) > 1 else "", parts[3:]
        else:
            return True  # version, openapi
        if not rest:
            return True  # discovery, which everybody may
        namespace = None
        if rest[0] == "namespaces" and len(rest) > 2:
            namespace, rest = rest[1], rest[2:]
        resource, name = rest[0], len(rest) > 1
        if len(rest) > 2:
            resource += "/" + rest[2]
        verb = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}.get(method)
        if not verb:
            verb = "get" if name else "watch" if "watch=" in query else "list"
        for rule in self.rules:
            if rule[1:] == (group, resource, verb) and rule[0] in (None, namespace):
                self.used.add(rule)
                return True
        self.denied.add(f"{verb} {resource} of {group or 'core'}" + (f" in {namespace}" if namespace else ""))
        return False

    def unused(self):
        """Rules nobody used. finalizers are for OwnerReferencesPermissionEnforcement, which not all servers have."""
        for rule in self.rules:
            if rule not in self.used and rule[1:] not in ELSEWHERE and not rule[2].endswith("/finalizers"):
                yield rule


def proxy(rights, host, tls, token):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args):
            pass

        def refuse(self, code, reason, message):
            text = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
                               "reason": reason, "message": message}).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def forward(self):
            url = urllib.parse.urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.close_connection = True
            if not rights.allow(self.command, url.path, url.query):
                return self.refuse(403, "Forbidden", "denied by the rules")
            if "sendInitialEvents" in url.query:  # as servers do that know no watch-list: lists are used, too
                return self.refuse(422, "Invalid", "sendInitialEvents is forbidden for watch")
            there = http.client.HTTPSConnection(host, context=tls, timeout=60)
            kept = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "accept-encoding")}
            kept["Authorization"] = "Bearer " + token  # clients send none to plain servers
            try:
                there.request(self.command, self.path, body or None, kept)
                answer = there.getresponse()
                self.send_response(answer.status)
                for key, value in answer.getheaders():
                    if key.lower() not in ("transfer-encoding", "connection", "content-length"):
                        self.send_header(key, value)
                self.send_header("Connection", "close")
                self.end_headers()
                while data := answer.read1(65536):
                    self.wfile.write(data)
                    self.wfile.flush()
            except (OSError, http.client.HTTPException):
                pass  # one of the two has left
            finally:
                there.close()

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


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
    print("never used:", sorted(rights.unused(), key=str))


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
