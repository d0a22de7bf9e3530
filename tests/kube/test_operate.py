#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_operate.py PLUMB FOLDER - the operator on a real control plane, with the simulated Azure behind a socket.

editions: full
takes: 50 s

The operator is killed again and again while the objects of examples/operate are made; whatever it was doing, the
next one goes on: every object becomes Ready, a second operator stays away while the
first one leads, what is changed in Azure is corrected, and deleting the group leaves nothing, here and there. The
server's garbage collector does its part. Last line: "N passed, M failed".
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from operating import SUBSCRIPTION, Azure, Operator, is_ready
from server import Counter, Server, forget_azure, wait_until

KILLS = 20
SHOP = os.path.join(os.path.dirname(__file__), "../../examples/operate/shop.yaml")
KINDS = "resources*/ResourceGroup,network.azure.com/VirtualNetwork*,storage*/StorageAccount,sql*/Server,sql*/ServersDatabase"


def documents(plumb):
    text = subprocess.run([plumb, "convert", "-o", "json-compact", SHOP], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in text.stdout.splitlines()]


def place(document):
    version = document["apiVersion"]
    return f"/{'apis' if '/' in version else 'api'}/{version}/namespaces/default/{document['kind'].lower()}s"


def ready(server, document):
    status, found = server.ask("GET", place(document) + "/" + document["metadata"]["name"])
    return status == 200 and is_ready(found)


def main():
    plumb, folder = sys.argv[1], sys.argv[2]
    server, counter = Server(folder), Counter()
    azure = Azure(plumb)
    random.seed(1)
    with tempfile.TemporaryFile() as log:
        operator = Operator(plumb, folder, azure, log, KINDS, "--no-lease")
        try:
            shop = documents(plumb)
            objects = [document for document in shop if document["kind"] != "Secret"]
            for document in objects:
                wait_until(60, lambda: server.ask("GET", place(document))[0] == 200)
            random.shuffle(shop)
            for i in range(KILLS):
                if i < len(shop):
                    server.must("POST", place(shop[i]), shop[i])
                time.sleep(random.uniform(0.05, 0.6))
                operator.end(signal.SIGKILL)
                operator = Operator(plumb, folder, azure, log, KINDS, "--no-lease")
            for document in objects:
                name = f"{document['kind']}/{document['metadata']['name']}"
                counter.check(wait_until(60, lambda: ready(server, document)), f"{name} is not Ready")

            # The lease: a second one waits, and goes on when the first has ended.
            operator.end()
            operator = Operator(plumb, folder, azure, log, KINDS)
            lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/controllers-leader-election-azinfra-generated"
            held = lambda: server.ask("GET", lease)[1].get("spec", {}).get("holderIdentity")
            counter.check(wait_until(30, lambda: bool(held())), "nobody leads")
            first = held()
            second = Operator(plumb, folder, azure, log, KINDS)
            time.sleep(3)
            counter.check(held() == first, "the second operator leads, too")
            counter.check(operator.end() == 0, "the first operator did not end well")
            operator = second
            counter.check(wait_until(30, lambda: bool(held()) and held() != first), "the second never leads")

            account = next(document for document in objects if document["kind"] == "StorageAccount")
            path = f"{place(account)}/{account['metadata']['name']}"
            identity = server.must("GET", path)["status"]["id"] + "?api-version=2023-01-01"
            azure.ask("PATCH", identity, {"properties": {"accessTier": "Cool"}})
            tier = lambda: azure.ask("GET", identity)[1].get("properties", {}).get("accessTier")
            counter.check(wait_until(60, lambda: tier() == "Hot"), "the change in Azure was not corrected")

            group = next(document for document in objects if document["kind"] == "ResourceGroup")
            server.must("DELETE", f"{place(group)}/{group['metadata']['name']}")
            for document in objects:
                name = f"{place(document)}/{document['metadata']['name']}"
                counter.check(wait_until(60, lambda: server.ask("GET", name)[0] == 404), f"{name} is left")
            status = azure.ask("GET", f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop?api-version=2020-06-01")[0]
            counter.check(status == 404, f"the group is left in Azure: {status}")
        finally:
            operator.end(signal.SIGKILL)
            azure.end()
            for document in documents(plumb):
                if document["kind"] == "Secret":
                    server.ask("DELETE", f"{place(document)}/{document['metadata']['name']}")
            forget_azure(server)
            if counter.failed:
                log.seek(0)
                print(log.read().decode(errors="replace")[-4000:])
    counter.end()


main()
