#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_access.py PLUMB FOLDER - ways to sign in to a real API server, and what it says to those who may not.

editions: full

Each way is a kubeconfig with which `plumb compare` looks at the cluster. Last line: "N passed, M failed".
"""

import json
import os
import subprocess
import sys
import tempfile

from reference import run, write_reference
from server import Counter, Server


def kubeconfig(server, folder, user, **cluster):
    """As JSON, which is YAML; files are named, where ways with data are those of the administrator."""
    return json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "x",
        "clusters": [{"name": "c", "cluster": {"server": f"https://{server.address}",
                                               "certificate-authority": f"{folder}/pki/ca.crt", **cluster}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "default"}}]})


def make_user(folder, work, name, *groups):
    """A certificate of the cluster's authority. Answers the user of a kubeconfig."""
    files = [os.path.join(work, f"{name}.{end}") for end in ("key", "csr", "crt")]
    subject = "".join(f"/O={group}" for group in groups) + f"/CN={name}"
    for words in (["ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", files[0]],
                  ["req", "-new", "-key", files[0], "-subj", subject, "-out", files[1]],
                  ["x509", "-req", "-in", files[1], "-CA", f"{folder}/pki/ca.crt", "-CAkey", f"{folder}/pki/ca.key",
                   "-set_serial", "77", "-days", "2", "-out", files[2]]):
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    return {"client-certificate": files[2], "client-key": files[0]}


PLUGIN = """#!/bin/sh
echo run >>"{log}"
case $KUBERNETES_EXEC_INFO in *'"apiVersion":"{version}"'*) ;; *) exit 9 ;; esac
token=good
[ $(wc -l <"{log}") -gt {bad} ] || token=refused
[ $token = refused ] || token=$(cat "{folder}/pki/token")
echo '{{"apiVersion":"{version}","kind":"ExecCredential","status":{{"token":"'$token'"}}}}'
"""


def make_plugin(folder, work, name, version, bad=0):
    """A credential plugin whose first answers are tokens that the server refuses."""
    path, log = os.path.join(work, name), os.path.join(work, name + ".log")
    with open(path, "w") as file:
        file.write(PLUGIN.format(log=log, version=version, folder=folder, bad=bad))
    os.chmod(path, 0o755)
    return log, {"exec": {"apiVersion": version, "command": path, "interactiveMode": "IfAvailable"}}


def ways_in(folder, work):
    with open(f"{folder}/pki/token") as file:
        token = file.read().strip()
    pki = f"{folder}/pki"
    yield "certificate files", {"client-certificate": f"{pki}/admin.crt", "client-key": f"{pki}/admin.key"}
    yield "a certificate made here", make_user(folder, work, "jane", "system:masters")
    yield "a token", {"token": token}
    yield "a token file", {"tokenFile": f"{pki}/token"}
    yield "a plugin, v1", make_plugin(folder, work, "plugin1", "client.authentication.k8s.io/v1")[1]
    yield "a plugin, v1beta1", make_plugin(folder, work, "plugin2", "client.authentication.k8s.io/v1beta1")[1]
    yield "a plugin whose first token is refused", make_plugin(folder, work, "plugin3",
                                                               "client.authentication.k8s.io/v1", 1)[1]


def main():
    plumb, folder = sys.argv[1:3]
    count = Counter()
    server = Server(folder)
    server.ask("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "wanted"},
                                                                "data": {"colour": "green"}})
    with tempfile.TemporaryDirectory() as work:
        metadata = write_reference(os.path.join(work, "reference"))

        def compare(user, *words, **cluster):
            with open(os.path.join(work, "config"), "w") as file:
                file.write(kubeconfig(server, folder, user, **cluster))
            return run([plumb, "compare", "-r", metadata, "--kubeconfig", file.name, *words], HOME=work)

        for name, user in ways_in(folder, work):
            got = compare(user)
            count.check(got.returncode == 0, f"{name}: {got.returncode} {got.stdout} {got.stderr}")

        # Those who may not.
        nobody = make_user(folder, work, "nobody")
        forbidden = 'configmaps is forbidden: User "nobody" cannot list resource "configmaps" in API group "" at the' \
                    ' cluster scope'
        got = compare(nobody)
        count.check(got.returncode > 1 and forbidden in got.stdout + got.stderr, f"no rights: {got}")
        got = compare({"token": "wrong"})
        count.check(got.returncode > 1 and "Unauthorized" in got.stderr, f"a wrong token: {got}")
        got = compare({})
        count.check(got.returncode > 1 and ("forbidden" in got.stderr or "Unauthorized" in got.stderr), f"nobody: {got}")
        admin = {"tokenFile": f"{folder}/pki/token"}
        got = compare(admin, "--as", "nobody")
        count.check(got.returncode > 1 and forbidden in got.stdout + got.stderr, f"as somebody: {got}")
        got = compare(make_plugin(folder, work, "plugin4", "client.authentication.k8s.io/v1", 99)[1])
        count.check(got.returncode > 1 and "Unauthorized" in got.stderr, f"a plugin with wrong tokens: {got}")
        with open(os.path.join(work, "plugin4.log")) as log:
            runs = len(log.readlines())
        count.check(runs == 2, f"a plugin that is of no use is run {runs} times")

        # A server that cannot be trusted, or only by another name.
        other = make_user(folder, work, "other")["client-certificate"]
        got = compare(admin, **{"certificate-authority": other})
        count.check(got.returncode > 1 and "certificate" in got.stderr, f"another authority: {got}")
        got = compare(admin, **{"tls-server-name": "localhost"})
        count.check(got.returncode == 0, f"by another name: {got}")
        got = compare(admin, **{"tls-server-name": "elsewhere"})
        count.check(got.returncode > 1 and "elsewhere" in got.stderr, f"by a wrong name: {got}")
    count.end()


main()
