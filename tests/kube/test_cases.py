#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_cases.py PLUMB FOLDER - recorded cases of many services on a real control plane.

editions: full
takes: 100 s

Twenty cases of ../shared/corpus/arm-put are applied in random order, all in one resource group, with the
simulated Azure behind a socket, and the operator is killed twenty times meanwhile. Every object becomes Ready,
Azure created each resource once, and deleting the object of the group leaves nothing: Azure removes what is
in it, and the server's garbage collector the objects. Without the corpus everything is skipped.
Last line: "N passed, M failed".
"""

import glob
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter as Tally

from operating import Azure, Operator, is_ready
from server import Counter, Server, wait_until

KILLS = 20
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/corpus/arm-put")
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"  # the one that ids in the cases name
GROUP = "cases"
# Of the kinds whose status never holds an empty text: the server of tools/kube-test takes one for null, which it
# rejects, since it is built by a compiler much newer than itself.
CASES = [
    "alertsmanagement_v1api20230301__v1api20230301_prometheusrulegroup",
    "batch_v20240701__v20240701_batchaccount",
    "cache_v20250401__v20250401_redisenterprisedatabase",
    "communication_v20230401__v20230401_domain",
    "compute_v1api20250401__v1api20250401_capacityreservation",
    "containerregistry_v1api20230701__v1api20230701_registry",
    "containerservice_v1api20250301__v1api20250301_fleetsautoupgradeprofile",
    "datafactory_v20180601__v20180601_factory",
    "documentdb_mongodb_v1api20240815__v1api20240815_mongodbdatabasecollection",
    "eventgrid_v20200601__v20200601_topic",
    "eventhub_v1api20240101__v1api20240101_namespaceseventhubsauthorizationrule",
    "insights_v1api20210501preview__v1api20210501preview_diagnosticsetting",
    "managedidentity_v1api20230131__v1api20230131_userassignedidentity",
    "monitor_v1api20230403__v1api20230403_account",
    "network_v1api20220401__v1api20220401_trafficmanagerprofilesnestedendpoint",
    "notificationhubs_v1api20230901__v1api20230901_notificationhub",
    "sql_v20211101__v20211101_serversvirtualnetworkrule",
    "storage_v1api20210401__v1api20210401_storageaccountsqueueservicesqueue",
    "storage_v1api20220901__v1api20220901_storageaccountsblobservicescontainer",
    "web_v1api20220301__v1api20220301_serverfarm",
]


# ---- What is applied. ---------------------------------------------------------------------------------------


def identity(thing):
    return thing["apiVersion"].partition("/")[0], thing["kind"], thing["metadata"]["name"]


def is_azure(thing):
    return "/" in thing["apiVersion"]


def read_case(name):
    """The documents of a case, all in the one group."""
    with open(os.path.join(CORPUS, name + ".json")) as file:
        case = json.load(file)
    text = json.dumps({"docs": case["docs"], "Secret": case.get("secrets", {}), "ConfigMap": case.get("configMaps", {})})
    for placeholder, value in case.get("placeholders", {}).items():
        text = text.replace(placeholder, GROUP if placeholder == "{{RG}}" else value)
    return json.loads(text)


def values(kind, name, data):
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "default"},
            "stringData" if kind == "Secret" else "data": data}


def needed(at, field=""):
    """The keys of Secrets and ConfigMaps that a spec names: (kind, name, key)."""
    if isinstance(at, list):
        for element in at:
            yield from needed(element, field)
    elif isinstance(at, dict) and set(at) == {"name", "key"}:
        yield "ConfigMap" if field.endswith("FromConfig") else "Secret", at["name"], at["key"]
    elif isinstance(at, dict):
        for name, value in at.items():
            if name != "operatorSpec":
                yield from needed(value, name)


def exported(things):
    """The names of Secrets and ConfigMaps that objects of the set write."""
    for thing in things:
        ours = thing.get("spec", {}).get("operatorSpec", {})
        for kind, member in (("Secret", "secrets"), ("ConfigMap", "configMaps")):
            for target in ours.get(member, {}).values():
                yield kind, target["name"]


def the_set():
    """Everything to apply, each object once, and keys for whatever a document needs and no case brings along."""
    found, inputs = {}, {}
    for name in CASES:
        case = read_case(name)
        for thing in case["docs"]:
            found.setdefault(identity(thing), thing)
        for kind in ("Secret", "ConfigMap"):
            for target, data in case[kind].items():
                inputs.setdefault((kind, target), {}).update(data)
    written = set(exported(found.values()))
    for thing in found.values():
        for kind, name, key in needed(thing["spec"]):
            inputs.setdefault((kind, name), {}).setdefault(key, "cGx1bWI=")
    return list(found.values()) + [values(*target, data) for target, data in inputs.items() if target not in written]


# ---- The cluster. -------------------------------------------------------------------------------------------


class Places:
    """Where the objects of each kind are."""

    def __init__(self, server):
        self.server, self.plurals = server, {}

    def of(self, thing):
        """The collection, or None while the server does not have it."""
        version, kind = thing["apiVersion"], thing["kind"]
        base = f"/apis/{version}" if is_azure(thing) else f"/api/{version}"
        if (version, kind) not in self.plurals:
            for row in self.server.ask("GET", base)[1].get("resources", []):
                if "/" not in row["name"]:
                    self.plurals[version, row["kind"]] = row["name"]
        plural = self.plurals.get((version, kind))
        return plural and f"{base}/namespaces/default/{plural}"

    def get(self, thing):
        return self.server.ask("GET", f"{self.of(thing)}/{thing['metadata']['name']}")


def say(found):
    """Why an object is not Ready."""
    for condition in found.get("status", {}).get("conditions", []):
        if condition["type"] == "Ready":
            return f"{condition.get('reason')} {condition.get('message')}"
    return "no condition"


class Watchdog:
    """The one operator, which is started again whenever it was killed."""

    def __init__(self, start):
        self.start, self.operator = start, start()

    def kill(self):
        self.operator.end(signal.SIGKILL)
        self.operator = self.start()

    def end(self):
        self.operator.end(signal.SIGKILL)


def create_and_kill(server, places, things, watchdog):
    """Creates the objects, some between each two kills."""
    share = -(-len(things) // KILLS)
    for i in range(KILLS):
        for thing in things[i * share:(i + 1) * share]:
            server.must("POST", places.of(thing), thing)
        time.sleep(random.uniform(0.05, 0.6))
        watchdog.kill()


def check_created_once(counter, azure, objects):
    """However often the operator died, each object has one resource, which was created by one PUT. The status of an
    answer does not show it: topics of Event Grid answer updates with 201 as well."""
    created, written = Tally(), set()
    for line in azure.ask("GET", "/_sim/log")[1]:
        if line["method"] == "PUT" and line["status"] in (200, 201, 202):
            written.add(line["path"].lower())
            created[line["path"].lower()] += line.get("created", False)
    twice = [path for path, count in created.items() if count > 1]
    counter.check(not twice, f"created more than once: {twice}")
    counter.check(+created, "nothing was created")
    counter.check(len(written) == len(objects), f"{len(written)} resources were written for {len(objects)} objects")


def check_deleted(counter, azure, places, objects):
    group = next(thing for thing in objects if thing["kind"] == "ResourceGroup")
    places.server.must("DELETE", f"{places.of(group)}/{GROUP}")
    for thing in objects:
        name = f"{thing['kind']}/{thing['metadata']['name']}"
        gone = wait_until(90, lambda: places.get(thing)[0] == 404)
        counter.check(gone, gone or f"{name} is left: {say(places.get(thing)[1])}")
    left = azure.ask("GET", "/_sim/resources")[1]
    counter.check(GROUP not in json.dumps(left), f"left in Azure: {left}")


def main():
    plumb, folder = sys.argv[1], sys.argv[2]
    if not glob.glob(os.path.join(CORPUS, "*.json")):
        print("SKIPPED the corpus arm-put is not here\n0 passed, 0 failed, 1 skipped")
        return
    server, counter, azure = Server(folder), Counter(), Azure(plumb)
    places, things = Places(server), the_set()
    objects = [thing for thing in things if is_azure(thing)]
    kinds = ",".join(sorted({f"{thing['apiVersion'].partition('/')[0]}/{thing['kind']}" for thing in objects}))
    services = {name.partition("_")[0] for name in CASES}
    random.seed(1)
    random.shuffle(things)
    with tempfile.TemporaryFile() as log:
        def start():
            return Operator(plumb, folder, azure, log, kinds, "--no-lease", subscription=SUBSCRIPTION)

        watchdog = Watchdog(start)
        try:
            for thing in objects:
                counter.check(wait_until(120, lambda: places.of(thing)), f"{thing['kind']} is not served")
            create_and_kill(server, places, things, watchdog)
            for thing in objects:
                name = f"{thing['kind']}/{thing['metadata']['name']}"
                ready = wait_until(120, lambda: is_ready(places.get(thing)[1]))
                counter.check(ready, ready or f"{name} is not Ready: {say(places.get(thing)[1])}")
            check_created_once(counter, azure, objects)
            print(f"{len(CASES)} cases of {len(services)} services: {len(objects)} objects of "
                  f"{kinds.count(',') + 1} kinds, {KILLS} kills")
            check_deleted(counter, azure, places, objects)
        finally:
            watchdog.end()
            azure.end()
            for thing in things:
                if not is_azure(thing):
                    server.ask("DELETE", f"{places.of(thing)}/{thing['metadata']['name']}")
            if counter.failed:
                log.seek(0)
                print(log.read().decode(errors="replace")[-4000:])
    counter.end()


main()
