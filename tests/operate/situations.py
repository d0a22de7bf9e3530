# SPDX-License-Identifier: Apache-2.0
"""situations.py PLUMB PAGE - what a user sees of the operator with a real kubectl, as a page shows it.

The section "What you see" of the page has a block of commands for each situation. Each situation is made with plumb
serve --operate --simulate, its commands are run by a real kubectl, and what they print is compared with the page:
"..." stands for anything, blanks between columns may differ, and so may the order of Events and the number of
attempts: on a slow machine kubectl sees the second. Of kubectl describe the page shows the conditions, what the
operator remembers of a failure, and the Events. Commands that wait do so for two seconds, all at once. Last line: N
passed, M failed.
"""
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KINDS = ("resources*/ResourceGroup,network.azure.com/VirtualNetwork*,network.azure.com/RouteTable,"
         "network.azure.com/NatGateway,storage*/StorageAccount,sql*/Server")
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg"
POLICY = "serviceoperator.azure.com/reconcile-policy"
REMEMBERED = ("Attempt", "Class", "Next Retry", "Request Id", "Rule")


# ---- Objects. -----------------------------------------------------------------------------------------------


def thing(api, kind, name, spec, annotations=None):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "annotations": annotations or {}}, "spec": spec}


def group(name):
    return thing("resources.azure.com/v1api20200601", "ResourceGroup", name, {"location": "westus2"})


def account(name, owner="rg", policy=None):
    owner = {"armId": owner} if owner.startswith("/") else {"name": owner}
    spec = {"location": "westus2", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "accessTier": "Hot", "owner": owner}
    return thing("storage.azure.com/v20230101", "StorageAccount", name, spec, policy and {POLICY: policy})


def account_id(name):
    return f"{GROUP}/providers/Microsoft.Storage/storageAccounts/{name}"


def network(name):
    return thing("network.azure.com/v20250301", "VirtualNetwork", name, {
        "location": "westus2", "owner": {"name": "rg"}, "addressSpace": {"addressPrefixes": ["10.0.0.0/8"]}})


def subnet():
    def to(kind, name):
        return {"reference": {"group": "network.azure.com", "kind": kind, "name": name}}
    return thing("network.azure.com/v20250301", "VirtualNetworksSubnet", "front", {
        "owner": {"name": "vnet"}, "addressPrefix": "10.0.0.0/24",
        "routeTable": to("RouteTable", "routes"), "natGateway": to("NatGateway", "nat")})


def database():
    return thing("sql.azure.com/v20211101", "Server", "db", {
        "location": "westus2", "owner": {"name": "rg"}, "administratorLogin": "me", "version": "12.0",
        "administratorLoginPassword": {"name": "admin", "key": "password"}})


def secret():
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "admin"}, "stringData": {"user": "me"}}


def refusal(name, status, code, message, method="PUT", **more):
    return dict({"kind": "fail", "method": method, "id": account_id(name), "status": status, "code": code,
                 "message": message, "count": 0}, **more)


# ---- Processes. ---------------------------------------------------------------------------------------------


class Cluster:
    """A plumb serve of its own, and kubectl for it."""

    def __init__(self, plumb, home, *options):
        self.env = dict(os.environ, HOME=home, LC_ALL="C", KUBECONFIG=home + "/data/kubeconfig")
        self.log = open(home + "/log", "wb")
        self.process = subprocess.Popen([plumb, "serve", "--data", home + "/data", "--port", "0", *options],
                                        stdout=subprocess.PIPE, stderr=self.log, text=True, env=self.env)
        self.azure = None
        while True:
            line = self.process.stdout.readline()
            if not line or line.startswith("export"):
                break
            if "simulated Azure" in line:
                self.azure = re.search(r"http://\S+", line).group()

    def kubectl(self, *words, stdin=None):
        run = subprocess.run(["kubectl", *words], env=self.env, input=stdin, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=120)
        return run.stdout

    def apply(self, *things):
        self.kubectl("create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(things)}))

    def ask_azure(self, method, path, body):
        request = urllib.request.Request(self.azure + path, json.dumps(body).encode(),
                                         {"Content-Type": "application/json"}, method=method)
        urllib.request.urlopen(request, timeout=30).read()

    def fault(self, *faults):
        self.ask_azure("POST", "/_sim/faults", {"faults": list(faults)})

    def wait(self, what, reasons, seconds=60):
        """Until the condition Ready of an object has one of the reasons; "" while it has none."""
        query = 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}'
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.kubectl("get", what, "-o", query) in reasons:
                return
            time.sleep(0.1)

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.log.close()


class Refusing(http.server.BaseHTTPRequestHandler):
    """A token endpoint that accepts no secret."""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.dumps({"error": "invalid_client", "error_codes": [7000215],
                           "error_description": "AADSTS7000215: Invalid client secret provided."}).encode()
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


# ---- The situations. ----------------------------------------------------------------------------------------


def make_situations(c):
    """All but the wrong credential. Small waits make sure that each is what it is meant to be."""
    c.ask_azure("PUT", GROUP + "?api-version=2020-06-01", {"location": "westus2"})
    c.ask_azure("PUT", account_id("theirs") + "?api-version=2023-01-01",
                {"location": "westus2", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}})
    c.apply(group("old"), *(account(name, "old") for name in ("old1", "old2", "old3")))
    c.fault(
        refusal("busy", 429, "TooManyRequests", "The request is being throttled: too many writes in this subscription.",
                retryAfter=17),
        refusal("many", 409, "QuotaExceeded",
                "The subscription has 250 storage accounts in westus2, which is the maximum."),
        refusal("public", 403, "RequestDisallowedByPolicy", "Resource public was disallowed by policy no-public-access."),
        refusal("wrong", 400, "InvalidParameterValue",
                "The value Hot is not allowed for accessTier of this kind of account."),
        refusal("locked", 409, "ScopeLocked", "The scope has lock keep-it and cannot be deleted.", method="DELETE"))
    c.apply(group("rg"))
    c.wait("resourcegroup/rg", ("Succeeded",))
    c.apply(account("early", "missing"), account("kept"), account("locked"), network("vnet"),
            network("gone"), secret())
    for what in ("storageaccount/old1", "storageaccount/old2", "storageaccount/old3", "storageaccount/kept",
                 "storageaccount/locked", "virtualnetwork/vnet", "virtualnetwork/gone"):
        c.wait(what, ("Succeeded",))
    c.kubectl("delete", "resourcegroup", "old", "--wait=false")
    c.wait("resourcegroup/old", ("WaitingForConfirmation",))
    c.apply(subnet(), database(), account("theirs", policy="skip"))
    c.wait("storageaccount/theirs", ("Succeeded",))
    c.kubectl("annotate", "storageaccount", "kept", POLICY + "=detach-on-delete")
    c.kubectl("delete", "storageaccount", "kept")
    c.fault({"kind": "slow", "type": "*", "factor": 1000})
    c.apply(account("new"))
    c.kubectl("delete", "virtualnetwork", "gone", "--wait=false")
    c.kubectl("delete", "storageaccount", "locked", "--wait=false")
    c.wait("storageaccount/locked", ("ScopeLocked",))
    c.wait("virtualnetwork/gone", ("Deleting",))
    c.wait("storageaccount/new", ("Reconciling",))


# Those whose attempts are counted are looked at as soon as they have failed once.
SHORT = {"many": "QuotaExceeded", "public": "RequestDisallowedByPolicy",
         "wrong": "InvalidParameterValue", "absent": "AzureResourceNotFound", "busy": "Throttled"}


def make_short(c, name):
    c.apply(account(name, policy="skip" if name == "absent" else None))
    c.wait(f"storageaccount/{name}", (SHORT[name],))


# ---- What is compared. --------------------------------------------------------------------------------------


def reduce(text, with_conditions):
    """Of kubectl describe: the conditions if they are wanted, a part of the operator's memory, the Events."""
    kept, at, inside = [], None, False
    for line in text.split("\n"):
        deep = len(line) - len(line.lstrip())
        if deep == 0:
            at = line
        if deep == 2 and at == "Status:":
            inside = line.strip()
        if at == "Status:" and inside == "Conditions:" and with_conditions:
            kept += ["Status:"] * (line.strip() == "Conditions:") + [line]
        elif at == "Status:" and inside == "Operator Status:" and deep == 4 and line.strip().startswith(REMEMBERED):
            kept += ["  Operator Status:"] * ("  Operator Status:" not in kept) + [line]
        elif at and at.startswith("Events:"):
            kept.append(line)
    return "\n".join(["..."] + kept)


def normal(text):
    # What kubectl says of its own watch, which the end of a short wait may interrupt.
    text = re.sub(r"^[EW]\d{4} .*reflector\.go.*\n", "", text, flags=re.M)
    text = re.sub(r" (\d+[smh])+ \(x\d+ over (\d+[smh])+\) ", " ... ", text)
    text = re.sub(r"(^| )(<invalid>|<unknown>|(\d+[smh]){1,2}) ", r"\1... ", text, flags=re.M)
    text = re.sub(r"((Attempt|Last Transition Time|Next Retry|Request Id): *)\S+", r"\1...", text)
    lines = [re.sub(r"\s+", " ", line).strip() for line in text.strip("\n").split("\n")]
    lines = [re.sub(r"^(-+ )+-+$", "-", line) for line in lines]
    if "Events:" in lines:
        begin = lines.index("Events:") + 3
        lines[begin:] = sorted(lines[begin:])
    return lines


def blocks(page):
    """(heading, command, wanted) of the section."""
    section = page[page.index("\n## What you see\n"):]
    section = section[:section.index("\n## ", 5)]
    for part in re.split(r"^### ", section, flags=re.M)[1:]:
        heading, _, rest = part.partition("\n")
        for block in re.finditer(r"^```\n(.*?)^```$", rest, re.S | re.M):
            for one in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block[1], re.M):
                yield heading, one[1], one[2]


def look_until(c, command, wanted, seconds=20):
    """What a command prints; a try that is just being made again shows something else, for a moment."""
    end = time.monotonic() + seconds
    while True:
        got = look(c, command, wanted)
        if normal(got) == normal(wanted) or time.monotonic() > end:
            return got
        time.sleep(0.2)


def look(c, command, wanted):
    """What a command prints, as far as the page shows it."""
    got = c.kubectl(*command.replace("--timeout=10s", "--timeout=2s").split()[1:])
    return reduce(got, "Conditions:" in wanted) if command.startswith("kubectl describe") else got


class Tester:
    def __init__(self, page):
        self.todo = list(blocks(page))
        self.passed = self.failed = 0

    def check(self, c, fits):
        """Runs the commands that are about what fits, those that wait last and at once."""
        mine = [one for one in self.todo if fits(one[1])]
        self.todo = [one for one in self.todo if one not in mine]
        waits = [one for one in mine if one[1].startswith("kubectl wait")]
        for one in mine:
            if one not in waits:
                self.compare(one, look_until(c, one[1], one[2]))
        got = {}
        threads = [threading.Thread(target=lambda one=one: got.update({one: look(c, one[1], one[2])})) for one in waits]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one in waits:
            self.compare(one, got.get(one, ""))

    def compare(self, one, got):
        heading, command, wanted = one
        if normal(got) == normal(wanted):
            self.passed += 1
            return
        self.failed += 1
        print(f"{heading}\n$ {command}\nwanted:\n{wanted}got:\n{got}")


def names(*wanted):
    return lambda command: any(re.search(rf"[ /]{name}$", command) for name in wanted)


def check_wrong_credential(tester, plumb, home):
    os.mkdir(home)
    endpoint = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{endpoint.server_port}"
    c = Cluster(plumb, home)
    env = dict(c.env, AZURE_SUBSCRIPTION_ID=SUBSCRIPTION, AZURE_TENANT_ID="contoso.onmicrosoft.com",
               AZURE_CLIENT_ID="55555555-0000-0000-0000-000000000000",
               AZURE_CLIENT_SECRET="planted-secret-wrong", AZURE_RESOURCE_MANAGER_ENDPOINT=url,
               AZURE_RESOURCE_MANAGER_AUDIENCE=url, AZURE_AUTHORITY_HOST=url + "/")
    operator = subprocess.Popen([plumb, "operate", "--no-lease", "--crd-pattern", KINDS, "--operator-namespace",
                                 "default"], env=env, stdout=subprocess.DEVNULL, stderr=c.log)
    try:
        wait_for_kinds(c)
        c.apply(account("denied", GROUP))
        c.wait("storageaccount/denied", ("CredentialRejected",))
        tester.check(c, names("denied"))
    finally:
        operator.terminate()
        operator.wait(timeout=60)
        c.end()
        endpoint.shutdown()


def wait_for_kinds(c):
    end = time.monotonic() + 60
    while "condition met" not in c.kubectl("wait", "--for=condition=Established", "--timeout=5s", "crd",
                                           "virtualnetworkssubnets.network.azure.com") and time.monotonic() < end:
        time.sleep(0.2)


def main():
    plumb, path = os.path.abspath(sys.argv[1]), sys.argv[2]
    with open(path, encoding="utf-8") as page:
        tester = Tester(page.read())
    home = tempfile.mkdtemp(prefix="plumb-situations-")
    try:
        c = Cluster(plumb, home, "--azure-port", "0", "--operate", "--simulate", "--confirm-deletes", "3",
                    "--crd-pattern", KINDS)
        try:
            wait_for_kinds(c)
            make_situations(c)
            tester.check(c, names("early", "front", "db", "new", "gone", "locked", "theirs", "kept", "old"))
            for name in SHORT:
                make_short(c, name)
                tester.check(c, names(name))
        finally:
            c.end()
        check_wrong_credential(tester, plumb, home + "/second")
    finally:
        shutil.rmtree(home, ignore_errors=True)
    for heading, command, _ in tester.todo:
        tester.failed += 1
        print(f"{heading}: nobody made the situation of: {command}")
    print(f"{tester.passed} passed, {tester.failed} failed")
    return 1 if tester.failed else 0


if __name__ == "__main__":
    sys.exit(main())
