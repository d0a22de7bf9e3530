#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_plugin.py PLUMB FOLDER - plumb as a plugin of the server's own kubectl.

What `make install` installs is found along PATH as "kubectl cluster-compare", and kubectl (from 1.26 on)
completes its words. Last line: "N passed, M failed".
"""

import os
import re
import subprocess
import sys
import tempfile

from reference import run, write_reference
from server import Counter, Server

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def main():
    plumb, folder = sys.argv[1:3]
    kubectl = os.path.join(folder, "bin/kubectl")
    count = Counter()
    is_full = os.path.exists(os.path.join(folder, "bin/kube-apiserver"))
    if is_full:
        Server(folder).ask("POST", "/api/v1/namespaces/default/configmaps",
                           {"metadata": {"name": "wanted"}, "data": {"colour": "green"}})
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([f"{ROOT}/tools/install-files", os.path.dirname(plumb), work, "/usr"], check=True,
                       capture_output=True)
        metadata = write_reference(os.path.join(work, "reference"))
        path = f"{work}/usr/bin:{os.path.dirname(kubectl)}:{os.environ['PATH']}"

        def ask(*words):
            return run([kubectl, *words], PATH=path, HOME=work, KUBECONFIG=os.path.join(folder, "kubeconfig"))

        got = ask("plugin", "list")
        count.check("/kubectl-cluster_compare" in got.stdout, f"plugin list: {got}")
        got = ask("cluster-compare", "--help")
        count.check(got.returncode == 0 and "kubectl cluster-compare -r" in got.stdout, f"help: {got}")
        got = ask("cluster-compare", "-r", metadata, "-f", os.path.join(work, "reference/map.yaml"))
        count.check(got.returncode == 0 and "Summary" in got.stdout, f"files: {got}")
        if is_full:
            got = ask("cluster-compare", "-r", metadata)
            count.check(got.returncode == 0 and "Summary" in got.stdout, f"live: {got}")
        minor = int(re.search(r"v1\.(\d+)\.", ask("version", "--client").stdout).group(1))
        if minor >= 26:
            got = ask("__complete", "cluster-compare", "-o", "j")
            count.check(got.stdout == "json\njunit\n:4\n", f"completing -o j: {got}")
            got = ask("__complete", "cluster-compare", "--refer")
            count.check("--reference\t" in got.stdout and got.stdout.endswith(":4\n"), f"completing --refer: {got}")
        else:
            print(f"kubectl 1.{minor} does not complete the words of plugins: not asked")
    count.end()


main()
