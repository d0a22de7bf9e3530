# SPDX-License-Identifier: Apache-2.0
"""A real API server as tools/kube-test/up leaves it: requests with the administrator's certificate."""

import http.client
import json
import os
import re
import ssl
import time

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Server:
    """One connection to the server of a folder. Not for several threads."""

    def __init__(self, folder):
        self.kubeconfig = os.path.join(folder, "kubeconfig")
        with open(self.kubeconfig) as config:
            self.address = re.search(r"server: https://(\S+)", config.read()).group(1)
        self.tls = ssl.create_default_context(cafile=os.path.join(folder, "pki/ca.crt"))
        self.tls.load_cert_chain(os.path.join(folder, "pki/admin.crt"), os.path.join(folder, "pki/admin.key"))
        self.connection = http.client.HTTPSConnection(self.address, context=self.tls, timeout=120)

    def ask(self, method, path, body=None, content="application/json"):
        """Status and answer, a mapping. Throttling is waited out, a few times."""
        text = None if body is None else json.dumps(body)
        for _ in range(5):
            self.connection.request(method, path, text, {"Content-Type": content, "Accept": "application/json"})
            answer = self.connection.getresponse()
            data = answer.read()
            if answer.status != 429:
                break
            time.sleep(float(answer.headers.get("Retry-After", 1)))
        try:
            return answer.status, json.loads(data)
        except ValueError:  # a path that nothing serves is answered in plain text
            return answer.status, {"message": data.decode(errors="replace")}

    def must(self, method, path, body=None, content="application/json"):
        """The answer; anything but success ends the test."""
        status, answer = self.ask(method, path, body, content)
        if status >= 300:
            raise AssertionError(f"{method} {path}: {status} {answer.get('message')}")
        return answer


class Counter:
    """Counts checks and shows what failed."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, text):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {text}"[:2000])

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")


def wait_until(seconds, check, every=0.2):
    """Whether check() became true in time."""
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            return False
        time.sleep(every)
    return True


def forget_azure(server):
    """Removes Azure's kinds: an operator watches what is there, and may lack the rights for what a test left."""
    for definition in server.must("GET", DEFINITIONS)["items"]:
        if definition["spec"]["group"].endswith(".azure.com"):
            server.ask("DELETE", f"{DEFINITIONS}/{definition['metadata']['name']}")
    # The server goes on listing their groups for a while, without being able to serve them.
    listed = lambda: [g for g in server.must("GET", "/apis")["groups"] if g["name"].endswith(".azure.com")]
    return wait_until(120, lambda: not listed())
