# SPDX-License-Identifier: Apache-2.0
"""The operator under test: plumb operate beside a simulated Azure, and what becomes of objects."""

import json
import os
import re
import signal
import subprocess
import urllib.error
import urllib.request

SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"


class Azure:
    """plumb simulate, and what it has."""

    def __init__(self, plumb):
        self.process = subprocess.Popen(
            [plumb, "simulate", "--port", "0", "--preset", "quick,unlimited"], stdout=subprocess.PIPE, text=True
        )
        self.url = re.search(r"http://\S+", self.process.stdout.readline()).group()

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else {}
        except urllib.error.HTTPError as e:
            return e.code, {}

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=30)


class Operator:
    """plumb operate for these kinds, in the cluster of a folder."""

    def __init__(self, plumb, folder, azure, log, kinds, *options, subscription=SUBSCRIPTION):
        env = dict(
            os.environ,
            AZURE_SUBSCRIPTION_ID=subscription,
            AZURE_TENANT_ID="tenant",
            AZURE_CLIENT_ID="client",
            AZURE_CLIENT_SECRET="secret",
            AZURE_RESOURCE_MANAGER_ENDPOINT=azure.url,
            AZURE_RESOURCE_MANAGER_AUDIENCE=azure.url,
            AZURE_AUTHORITY_HOST=azure.url + "/",
        )
        command = [plumb, "-v", "operate", "--kubeconfig", os.path.join(folder, "kubeconfig"), "--sync-period", "3s"]
        command += ["--crd-pattern", kinds, "--operator-namespace", "default", *options]
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=log)

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait(timeout=30)


def is_ready(found):
    """Whether an object, as the server returns it, is Ready at its generation."""
    for condition in found.get("status", {}).get("conditions", []):
        if condition["type"] == "Ready":
            return condition["status"] == "True" and condition["observedGeneration"] == found["metadata"]["generation"]
    return False
