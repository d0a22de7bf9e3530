#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_fleet.py PLUMB FOLDER - contexts of a kubeconfig as the sites of a fleet, on the API server of FOLDER.

editions: full

Two contexts reach the server (client certificate, token), one may not read, one leads nowhere. Prints failures
and, last, "N passed, M failed".
"""

import json
import os
import subprocess
import sys
import tempfile

from server import Server

SPACES, MAPS = 3, 60
passed, failed = 0, 0


def check(ok, text):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {text}"[:2000])


def write_reference(folder):
    os.makedirs(folder)
    with open(os.path.join(folder, "metadata.yaml"), "w") as f:
        f.write("apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    anyOf:\n    - path: cm.yaml\n")
    with open(os.path.join(folder, "cm.yaml"), "w") as f:
        f.write("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .metadata.name }}\n"
                "  namespace: {{ .metadata.namespace }}\ndata:\n  a: \"1\"\n")


def write_objects(server):
    for i in range(SPACES):
        server.must("POST", "/api/v1/namespaces", {"metadata": {"name": f"fleet-{i}"}})
    for i in range(MAPS):
        server.must("POST", f"/api/v1/namespaces/fleet-{i % SPACES}/configmaps",
                    {"metadata": {"name": f"map-{i}"}, "data": {"a": "2" if i == 17 else "1"}})


def write_kubeconfig(folder, server, path):
    with open(os.path.join(folder, "pki/token")) as f:
        token = f.read().strip()
    pki = os.path.abspath(os.path.join(folder, "pki"))
    certificate = {"client-certificate": f"{pki}/admin.crt", "client-key": f"{pki}/admin.key"}
    clusters = {"real": {"server": f"https://{server.address}", "certificate-authority": f"{pki}/ca.crt"},
                "dead": {"server": "http://127.0.0.1:1"}}
    users = {"admin": certificate, "bearer": {"token": token}, "nobody": {**certificate, "as": "nobody"}}
    contexts = {"edge/admin": ("real", "admin"), "edge/bearer": ("real", "bearer"),
                "edge/denied": ("real", "nobody"), "edge/dead": ("dead", "admin"), "core": ("dead", "admin")}
    config = {"apiVersion": "v1", "kind": "Config",
              "clusters": [{"name": n, "cluster": c} for n, c in clusters.items()],
              "users": [{"name": n, "user": u} for n, u in users.items()],
              "contexts": [{"name": n, "context": {"cluster": c, "user": u}} for n, (c, u) in contexts.items()]}
    with open(path, "w") as f:
        json.dump(config, f)


def run_fleet(plumb, folder, config, *options):
    run = subprocess.run([plumb, "compare", "reference", "--kubeconfig", config, "-n", "fleet-2", *options, "-o", "json"],
                         capture_output=True, text=True, cwd=folder)
    return run, json.loads(run.stdout) if run.stdout else {}


def check_fleet(plumb, folder, config):
    run, report = run_fleet(plumb, folder, config, "--fleet", "contexts:edge/*")
    sites = {site["Name"]: site for site in report.get("Sites", [])}
    check(run.returncode == 2, f"status {run.returncode}: {run.stderr}")
    check(sorted(sites) == ["edge/admin", "edge/bearer", "edge/dead", "edge/denied"], f"sites: {sorted(sites)}")
    for name in ("edge/admin", "edge/bearer"):
        check(sites[name]["State"] == "drift" and sites[name]["NumDiffCRs"] >= 1, f"{name}: {sites[name]}")
        check(sites[name]["TotalCRs"] >= MAPS // SPACES, f"{name}: {sites[name]}")
    check("connection refused" in sites["edge/dead"].get("Error", ""), f"dead: {sites['edge/dead']}")
    check("forbidden" in sites["edge/denied"].get("Error", ""), f"denied: {sites['edge/denied']}")
    # The server puts a map of its own into each namespace, which differs too.
    found = {finding["CRName"]: finding["Sites"] for finding in report["Findings"]}
    check(found.get("v1_ConfigMap_fleet-2_map-17") == ["edge/admin", "edge/bearer"], f"findings: {found}")
    run, report = run_fleet(plumb, folder, config, "--fleet", "contexts:edge/admin,edge/bearer", "--concurrency", "1")
    check(run.returncode == 1 and not run.stderr, f"status {run.returncode}: {run.stderr}")


def main():
    plumb, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    if os.path.exists(os.path.join(folder, "pki/token")):
        server = Server(folder)
        with tempfile.TemporaryDirectory() as work:
            write_reference(os.path.join(work, "reference"))
            write_objects(server)
            config = os.path.join(work, "config")
            write_kubeconfig(folder, server, config)
            check_fleet(plumb, work, config)
    print(f"{passed} passed, {failed} failed")


main()
