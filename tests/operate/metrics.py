# SPDX-License-Identifier: Apache-2.0
"""metrics.py PLUMB PAGE - /metrics of a running operator, and secrets in nothing that it leaves behind.

plumb serve, plumb simulate and plumb operate run as three processes, the last with rules from a ConfigMap. The names at /metrics are those that the page
lists, and some values are known. Then Azure quotes what was planted: in the credential of the operator, in an input
Secret, in keys that are exported, in signed addresses; it is searched for in the log (with -vv), Events, objects,
metrics and the file of --keep-decisions. Last line: N passed, M failed.
"""
import base64
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from situations import KINDS, SUBSCRIPTION, Cluster, account, database, group, wait_for_kinds

MARK = "planted-secret"
# Without a sample as long as nothing of the kind has happened.
SILENT = {"azure_failed_requests_total", "plumb_drift_total"}


RULES = {"rules": "kind", "kind": "storage.azure.com/StorageAccount",
         "errors": [{"id": "quotes", "match": {"code": ["Quotes"]}, "class": "fatal"}]}


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, text):
        self.passed += bool(ok)
        self.failed += not ok
        if not ok:
            print("FAILED", text[:2000].replace(MARK, "(a secret)"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def read_metrics(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        return answer.read().decode()


def value(text, sample):
    found = re.search("^" + re.escape(sample) + r" (\S+)$", text, re.M)
    return float(found[1]) if found else None


def until(seconds, check):
    end = time.monotonic() + seconds
    while not check() and time.monotonic() < end:
        time.sleep(0.2)
    return check()


def documented(page):
    """The names in the section about metrics."""
    section = page[page.index("\n## Metrics\n"):]
    return set(re.findall(r"`((?:azure|leader_election|plumb|workqueue)_[a-z_]+)`", section))


def state(kind, state_name, api):
    return f'plumb_objects_by_state{{group="{api}",kind="{kind}",state="{state_name}"}}'


def check_metrics(checks, c, port, page):
    accounts = lambda name: state("StorageAccount", name, "storage.azure.com")
    wanted = {accounts("Ready"): 2, accounts("Waiting"): 1, state("ResourceGroup", "Ready", "resources.azure.com"): 1,
              state("Server", "Ready", "sql.azure.com"): 1, "leader_election_master_status": 1,
              'plumb_writes_total{cause="absent"}': 4, "plumb_objects": 5, "plumb_noop_writes_total": 0,
              'workqueue_depth{name="operator"}': 0, "plumb_requests_in_flight": 0}
    fits = lambda: all(value(read_metrics(port), sample) == n for sample, n in wanted.items())
    checks.check(until(60, fits), "values: " + str(
        {sample: (value(read_metrics(port), sample), n) for sample, n in wanted.items()}))

    # An account waits, and has since it was made.
    age = lambda: value(read_metrics(port), "plumb_unsynced_age_seconds")
    checks.check(until(60, lambda: 2 < (age() or 0) < 600), f"the age of what is not Ready: {age()}")

    # A password is never shown: to Azure it is the same resource afterwards.
    c.kubectl("patch", "secret", "admin", "--type=merge", "-p", json.dumps({"stringData": {"password": MARK + "-rotated"}}))
    checks.check(until(60, lambda: value(read_metrics(port), "plumb_noop_writes_total") == 1), "a no-op write is not counted")
    text = read_metrics(port)
    checks.check(value(text, 'plumb_writes_total{cause="payload"}') == 1, "the cause of a rotation is not counted")
    checks.check(until(60, lambda: (value(read_metrics(port), "plumb_writes_avoided_total") or 0) > 0),
                 "looks that lead to no write are not counted")
    budget = re.findall(r'^plumb_budget_remaining\{subscription="([^"]*)".*verb="write"\} (\S+)$', text, re.M)
    sizes = re.findall(r'^plumb_budget_size\{.*verb="write"\} (\S+)$', text, re.M)
    checks.check(budget and budget[0][0] == SUBSCRIPTION and 0 < float(budget[0][1]) <= float(sizes[0]),
                 f"budget: {budget} of {sizes}")

    heads = set(re.findall(r"^# TYPE (\S+)", text, re.M))
    checks.check(heads == documented(page), f"not in the page: {sorted(heads - documented(page))}; "
                 f"not at /metrics: {sorted(documented(page) - heads)}")
    silent = {name for name in heads if not re.search(rf"^{name}(_bucket)?[{{ ]", text, re.M)}
    checks.check(silent <= SILENT, f"without a sample: {sorted(silent - SILENT)}")


def check_secrets(checks, c, port, home):
    keys = json.loads(c.kubectl("get", "secret", "keys", "-o", "json"))["data"]
    key = base64.b64decode(keys["first"]).decode()
    c.fault({"kind": "fail", "method": "PUT", "type": "Microsoft.Storage*", "status": 400, "code": "Quotes",
             "message": f"bad {key}, https://x.blob/a?sv=1&sig={MARK}&se=2, AccountName=n;AccountKey={MARK}==", "count": 0},
            {"kind": "operation", "method": "PUT", "type": "Microsoft.Sql*", "code": "Quotes",
             "message": f"bad {MARK}-third, {MARK}-third", "count": 0})
    c.kubectl("patch", "storageaccount", "exporting", "--type=merge", "-p", '{"spec":{"accessTier":"Cool"}}')
    c.kubectl("patch", "secret", "admin", "--type=merge", "-p", json.dumps({"stringData": {"password": MARK + "-third"}}))
    for what in ("storageaccount/exporting", "server/db"):
        c.wait(what, ("Quotes",))
        shown = c.kubectl("get", what)
        # Only a rule of the ConfigMap says that the account is not to be tried again.
        checks.check((" Error " in shown) == ("account" in what), f"the rules are not those of the ConfigMap: {shown}")
        checks.check("Quotes" in shown and "bad ***" in shown, f"{what}: {shown}")
    places = {name: c.kubectl("get", name, "-o", "json", "--show-managed-fields")
              for name in ("storageaccounts", "servers", "events", "configmaps", "leases")}
    places["metrics"] = read_metrics(port)
    checks.check(value(places["metrics"], state("StorageAccount", "Stopped", "storage.azure.com")) == 1, "none is Stopped")
    for name in ("operator.log", "decisions"):
        with open(os.path.join(home, name), errors="replace") as file:
            places[name] = file.read()
    checks.check(len(places["operator.log"]) > 1000 and places["decisions"], "there is no log, or no decisions")
    for name, text in places.items():
        for secret in (MARK, base64.b64encode(MARK.encode()).decode()[:16], key):
            at = text.find(secret)
            checks.check(at < 0, f"a secret is in {name}: {text[max(0, at - 300):at + 40]!r}".replace(key, "(a key)"))


def main():
    plumb, path = os.path.abspath(sys.argv[1]), sys.argv[2]
    checks, home, port = Checks(), tempfile.mkdtemp(prefix="plumb-metrics-"), free_port()
    with open(path, encoding="utf-8") as file:
        page = file.read()
    azure = subprocess.Popen([plumb, "simulate", "--port", "0", "--auth", "--preset", "quick"], stdout=subprocess.PIPE,
                             text=True)
    c = Cluster(plumb, home)
    c.azure = re.search(r"http://\S+", azure.stdout.readline()).group()
    env = dict(c.env, AZURE_SUBSCRIPTION_ID=SUBSCRIPTION, AZURE_TENANT_ID="t", AZURE_CLIENT_ID="c",
               AZURE_CLIENT_SECRET=MARK + "-client", AZURE_RESOURCE_MANAGER_ENDPOINT=c.azure,
               AZURE_RESOURCE_MANAGER_AUDIENCE=c.azure, AZURE_AUTHORITY_HOST=c.azure + "/")
    operator = None
    command = [plumb, "-vv", "operate", "--no-lease", "--crd-pattern", KINDS, "--operator-namespace", "default",
               "--health-addr", f"127.0.0.1:{port}", "--keep-decisions", home + "/decisions", "--sync-period", "5s",
               "--rules", "configmap/rules"]
    try:
        run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
        checks.check(run.returncode not in (0, -6, -11) and "ConfigMap default/rules" in run.stderr, f"no ConfigMap: {run.stderr}")
        c.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "rules"},
                 "data": {"storage.json": json.dumps(RULES), "notes": "not a rule"}})
        with open(home + "/operator.log", "wb") as log:
            operator = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=log)
        wait_for_kinds(c)
        exporting = account("exporting")
        exporting["spec"]["operatorSpec"] = {"secrets": {"key1": {"name": "keys", "key": "first"}}}
        c.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "admin"},
                 "stringData": {"password": MARK + "-password"}},
                group("rg"), account("plain"), exporting, account("early", "missing"), database())
        check_metrics(checks, c, port, page)
        check_secrets(checks, c, port, home)
    finally:
        for process in (operator, azure):
            if process:
                process.terminate()
                process.wait(timeout=60)
        c.end()
        shutil.rmtree(home, ignore_errors=True)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
