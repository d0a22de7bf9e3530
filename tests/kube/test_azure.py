#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_azure.py PLUMB FOLDER - plumb's definitions and versions on the real API server of FOLDER.

takes: 300 s, sampled 60 s

  definitions   all of `plumb crd --apply` are accepted, established, and structural
  valid         the least object of every kind is accepted, by the server and by `plumb plan --offline`;
                so are the recorded objects of ../shared/corpus/arm-put, by the server, when they are there,
                with the letters of their fields put right where the plan says so
  broken        200 objects with one fault each are refused, by the server or by the plan, with a message
                that names the field
  claims        an object of an older version can be written through the version it is stored in
  versions      the version that a user applied is the one that a plan for the served object has

Each check counts. Prints failures and, last, "N passed, M failed". Everything is a dry run except the
definitions, the objects of claims, which are deleted again, and the few whose versions are looked at.

A server of 1.20 works its description of all types out anew for every definition, so that all of them take it
minutes: KUBE_TEST_KINDS=N picks N kinds that lie far apart. The others are counted as skipped.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import objects
import versions
from server import DEFINITIONS, Server, wait_until

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
CORPUS = os.path.join(ROOT, "../shared/corpus/arm-put")
BROKEN_PER_FAULT, BROKEN_LEAST = 11, 200

passed, failed, skipped = 0, 0, 0


def check(ok, text):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {text}"[:1000])


# ---- Definitions. -------------------------------------------------------------------------------------------


def full_kind(crd):
    """As plumb crd --kinds takes it."""
    return f"{crd['spec']['group']}/{crd['spec']['names']['kind']}"


def pick(crds):
    """All of them, or as many as KUBE_TEST_KINDS says, evenly spread, with the one whose versions are looked at."""
    global skipped
    wanted = int(os.environ.get("KUBE_TEST_KINDS") or len(crds))
    if not 0 < wanted < len(crds):
        return crds
    chosen = {i * len(crds) // wanted for i in range(wanted)}
    picked = [crd for i, crd in enumerate(crds)
              if i in chosen or full_kind(crd) == f"{versions.GROUP}/{versions.KIND}"]
    skipped += len(crds) - len(picked)
    print(f"SKIPPED {len(crds) - len(picked)} of {len(crds)} kinds: KUBE_TEST_KINDS is {wanted}")
    return picked


def conditions(crd):
    return {c["type"]: c["status"] for c in crd.get("status", {}).get("conditions") or []}


def load_definitions(server, plumb, crds):
    kinds = ",".join(full_kind(crd) for crd in crds)
    run = subprocess.run([plumb, "crd", "--apply", "--kinds", kinds, "--kubeconfig", server.kubeconfig],
                         capture_output=True, text=True)
    names = [crd["metadata"]["name"] for crd in crds]
    check(run.returncode == 0 and run.stdout.split() == names, f"crd --apply: {run.stderr}")

    def state():
        return {c["metadata"]["name"]: conditions(c) for c in server.must("GET", DEFINITIONS)["items"]}

    def settled():
        now = state()
        return all(now.get(name, {}).get("Established") == "True" for name in names)

    # Each look takes the server a second, and it is busy enough.
    wait_until(600, settled, every=5)
    final = state()
    for crd in crds:
        have = final.get(crd["metadata"]["name"], {})
        check(have.get("Established") == "True" and have.get("NonStructuralSchema") != "True",
              f"{crd['metadata']['name']} is not established: {have}")


def owners():
    """(group, version, kind) to what the model says about its owner."""
    found = {}
    for name in glob.glob(os.path.join(ROOT, "api/model/*/*.json")):
        with open(name) as file:
            model = json.load(file)
        for kind, resource in model["resources"].items():
            found[model["group"], model["version"], kind] = resource.get("owner")
    return found


def kinds_of(crds):
    known = owners()
    for crd in crds:
        for version in crd["spec"]["versions"]:
            key = crd["spec"]["group"], version["name"], crd["spec"]["names"]["kind"]
            yield objects.Kind(crd, version, known[key])


# ---- Plans. -------------------------------------------------------------------------------------------------


def findings(plumb, things):
    """What `plumb plan --offline` says about each of these, one list of lines per object."""
    with tempfile.TemporaryDirectory() as folder:
        for i, thing in enumerate(things):
            # Nothing else is in a namespace of its own: no two of these meet.
            thing = dict(thing, metadata=dict(thing["metadata"], namespace=f"n{i}"))
            with open(os.path.join(folder, f"{i:04}.json"), "w") as file:
                json.dump(thing, file)
        run = subprocess.run([plumb, "plan", "--offline", "-R", "-f", folder], capture_output=True, text=True)
    said = [[] for _ in things]
    for line in run.stderr.splitlines():
        place = re.search(r"/(\d{4})\.json:\d+:\d+: (.*)", line)
        if place:
            said[int(place.group(1))].append(place.group(2))
    check(run.returncode == (2 if any(said) else 1), f"plan ends with {run.returncode}: {run.stderr[:300]}")
    return said


# ---- Objects. -----------------------------------------------------------------------------------------------


def create(server, path, thing):
    return server.ask("POST", path + "?dryRun=All", thing)


def check_valid(server, plumb, kinds):
    made = []
    for kind in kinds:
        try:
            made.append((kind, kind.least()))
        except objects.CannotMake as e:
            check(False, f"{kind.group} {kind.version} {kind.name}: no text fits {e}")
    for (kind, thing), said in zip(made, findings(plumb, [thing for _, thing in made])):
        status, answer = create(server, kind.path, thing)
        name = f"{kind.group} {kind.version} {kind.name}"
        check(status == 201, f"{name}: {answer.get('message')}")
        check(status != 201 or answer["spec"] == thing["spec"], f"{name}: fields were dropped")
        # The stored version requires only what all versions require; the plan knows what its own does.
        loose = kind.stored and all(line.endswith("is required") for line in said)
        check(not said or loose, f"{name}: plan: {said[:1]}")


def recorded_objects():
    """The objects of the corpus, each once, with the names of the recording."""
    seen = {}
    for name in sorted(glob.glob(os.path.join(CORPUS, "*.json"))):
        with open(name) as file:
            case = json.load(file)
        text = json.dumps(case["docs"])
        for placeholder, value in case.get("placeholders", {}).items():
            text = text.replace(placeholder, value)
        for thing in json.loads(text):
            seen.setdefault(json.dumps(thing, sort_keys=True), (os.path.basename(name), thing))
    return list(seen.values())


def mend(thing, said):
    """Spells fields as the plan advises. The recorded operator reads names in any letters and sends its own
    spelling; a server drops what it does not know, and refuses the object when the field is required."""
    for line in said:
        advice = re.fullmatch(r'(\S+): unknown field: did you mean "([^"]+)"\?', line)
        if not advice:
            continue
        *way, last = re.findall(r"[^.\[\]]+", advice.group(1))
        holder = thing
        for step in way:
            holder = holder[int(step) if isinstance(holder, list) else step]
        holder[advice.group(2)] = holder.pop(last)


def check_recorded(server, plumb, crds, left_out):
    """Every recorded object is accepted, with the letters of its fields put right where the plan says so.
    Objects of kinds that are left out do not count."""
    plural = {(c["spec"]["group"], c["spec"]["names"]["kind"]): c["spec"]["names"]["plural"] for c in crds}
    recorded = [(name, thing) for name, thing in recorded_objects()
                if f"{thing['apiVersion'].partition('/')[0]}/{thing['kind']}" not in left_out]
    pruned = mended = 0
    for (name, thing), said in zip(recorded, findings(plumb, [thing for _, thing in recorded])):
        group, _, version = thing["apiVersion"].partition("/")
        if (group, thing["kind"]) not in plural:
            check(False, f"{name}: there is no definition of {group} {thing['kind']}")
            continue
        before = json.dumps(thing)
        mend(thing, said)
        mended += json.dumps(thing) != before
        thing["metadata"]["namespace"] = "default"
        status, answer = create(
            server, f"/apis/{group}/{version}/namespaces/default/{plural[group, thing['kind']]}", thing)
        check(status == 201, f"{name}: {thing['kind']} {answer.get('message')}")
        if status == 201 and answer["spec"] != thing["spec"]:
            pruned += 1
            check(any("unknown field" in line for line in said),
                  f"{name}: {thing['kind']}: the server drops fields and the plan does not say so")
    print(f"{len(recorded)} recorded objects, {mended} with letters put right; of {pruned} the server drops "
          "fields that no version of the type has")


def check_claims(server, crds, left_out):
    """A recorded object of each version that is not the stored one, written as the operator writes: its metadata,
    through the stored version. The server checks the whole object by that version then."""
    stored, claimed = {}, set()
    for crd in crds:
        names, group = crd["spec"]["names"], crd["spec"]["group"]
        version = next(v["name"] for v in crd["spec"]["versions"] if v["storage"])
        stored[group, names["kind"]] = version, names["plural"]
    for name, thing in recorded_objects():
        group, _, version = thing["apiVersion"].partition("/")
        key = group, version, thing["kind"]
        if f"{group}/{thing['kind']}" in left_out or (group, thing["kind"]) not in stored or key in claimed:
            continue
        hub, plural = stored[group, thing["kind"]]
        if version == hub:
            continue
        thing["metadata"].update(namespace="default", name=f"claim-{len(claimed)}")
        status, _ = server.ask("POST", f"/apis/{group}/{version}/namespaces/default/{plural}", thing)
        if status != 201:  # letters that the plan would put right
            continue
        claimed.add(key)
        path = f"/apis/{group}/{hub}/namespaces/default/{plural}/{thing['metadata']['name']}"
        status, answer = server.ask("PATCH", path, {"metadata": {"annotations": {"a": "b"}}},
                                    "application/merge-patch+json")
        check(status == 200, f"{name}: {version} through {hub}: {answer.get('message')}")
        ready = (answer.get("status") or {}).get("conditions") or [{}]
        check(ready[0].get("reason") == "Pending", f"{name}: {thing['kind']} is not Pending: {ready}")
        server.must("DELETE", path)
    print(f"{len(claimed)} versions that are not stored were claimed")


def named(field, message):
    """Whether the message names the field; the server quotes some, and words others without their index."""
    text = message.replace('"', "")
    return field in text or re.sub(r"\[\d+\]", "", field) in text


def check_broken(server, plumb, kinds):
    made = list(objects.all_broken(kinds, BROKEN_PER_FAULT))
    check(len(made) >= BROKEN_LEAST, f"only {len(made)} broken objects")
    by = {"server": 0, "plan": 0}
    for (fault, kind, field, thing), said in zip(made, findings(plumb, [m[3] for m in made])):
        status, answer = create(server, kind.path, thing)
        message = answer.get("message", "")
        refused = status in (400, 422) and named(field, message)
        found = any(named(field, line) for line in said)
        by["server"] += refused
        by["plan"] += found
        check(refused or found, f"{fault}: {kind.group} {kind.version} {kind.name} {field}: "
              f"server {status} {message[:200]}; plan {said[:1]}")
    print(f"{len(made)} broken objects: {by['server']} refused by the server, {by['plan']} by the plan")


def main(plumb, folder):
    server = Server(folder)
    text = subprocess.run([plumb, "crd", "--format", "json"], capture_output=True, text=True, check=True).stdout
    every = [json.loads(line) for line in text.splitlines()]
    crds = pick(every)
    load_definitions(server, plumb, crds)
    kinds = list(kinds_of(crds))
    print(f"{len(crds)} definitions, {len(kinds)} versions of kinds")
    check_valid(server, plumb, kinds)
    check_recorded(server, plumb, crds, {full_kind(c) for c in every} - {full_kind(c) for c in crds})
    check_claims(server, crds, {full_kind(c) for c in every} - {full_kind(c) for c in crds})
    check_broken(server, plumb, kinds)
    for text, ok in versions.checks(server, plumb):
        check(ok, text)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))
