#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_leader.py PLUMB FOLDER - leader election among processes that are killed and suspended.

editions: full
takes: 20 s

Each process says every 20 ms whether it believes to lead; two that do at the same time are a failure. The
record is read with kubectl, whose types are client-go's. Last line: "N passed, M failed".
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

from server import Counter, Server, wait_until

DURATION = 3
MICRO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")


class Candidate:
    def __init__(self, client, env, lease, name):
        self.name = name
        self.held = []
        self.lost = []
        self.process = subprocess.Popen([client, "lead", lease, name], env=env, stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            at, what = line.split()
            (self.held if what == "held" else self.lost).append(float(at))

    def leads(self, since=0.0):
        return any(at > since for at in self.held[-3:])

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(timeout=30)
        self.reader.join()
        return status


def overlap(first, second):
    """When both believed to lead, or None: beliefs of one between two of the other that are close."""
    for one, other in ((first, second), (second, first)):
        for a, b in zip(one.held, one.held[1:]):
            if b - a < 0.1:
                for at in other.held:
                    if a < at < b:
                        return at
    return None


def main():
    plumb, folder = sys.argv[1:3]
    client = os.path.join(os.path.dirname(plumb), "kube/client")
    env = dict(os.environ, KUBECONFIG=os.path.join(folder, "kubeconfig"))
    count = Counter()
    Server(folder).ask("POST", "/api/v1/namespaces", {"metadata": {"name": "plumb-client"}})

    def record():
        text = subprocess.run([os.path.join(folder, "bin/kubectl"), "get", "lease", "leader", "-n", "plumb-client",
                               "-o", "json"], env=env, capture_output=True, text=True, check=True).stdout
        return json.loads(text)["spec"]

    def candidate(name):
        return Candidate(client, env, "leader", name)

    first = candidate("first")
    count.check(wait_until(20, first.leads), "the first one does not lead")
    spec = record()
    count.check(spec["holderIdentity"] == "first" and spec["leaseDurationSeconds"] == DURATION
                and spec["leaseTransitions"] == 0 and set(spec) == {"holderIdentity", "leaseDurationSeconds",
                                                                    "leaseTransitions", "acquireTime", "renewTime"}
                and MICRO_TIME.match(spec["acquireTime"]) and MICRO_TIME.match(spec["renewTime"]), f"record: {spec}")
    second = candidate("second")
    time.sleep(1)
    count.check(not second.held, "the second one leads beside the first")
    renewed = record()
    count.check(renewed["renewTime"] > spec["renewTime"] and renewed["acquireTime"] == spec["acquireTime"],
                f"it is not renewed: {spec}, {renewed}")

    # Killed: the other one follows once the duration is over, and not before.
    killed = time.monotonic()
    first.end(signal.SIGKILL)
    count.check(wait_until(20, second.leads), "nobody follows a leader that was killed")
    waited = second.held[0] - killed
    count.check(DURATION - 1 < waited < 2 * DURATION + 1, f"the second one leads after {waited:.1f} s")
    spec = record()
    count.check(spec["holderIdentity"] == "second" and spec["leaseTransitions"] == 1, f"record: {spec}")

    # Suspended: when it wakes up it knows at once that it leads no more.
    third = candidate("third")
    wait_until(5, lambda: third.process.poll() is None)
    time.sleep(1)
    second.process.send_signal(signal.SIGSTOP)
    stopped = time.monotonic()
    count.check(wait_until(20, third.leads), "nobody follows a leader that is suspended")
    woken = time.monotonic()
    second.process.send_signal(signal.SIGCONT)
    time.sleep(1.5)
    late = [at for at in second.held if at > woken]
    count.check(not late, f"it believed to lead {len(late)} times after it woke up")
    count.check(len(second.lost) == 1 and second.lost[0] > stopped, f"it did not notice: {second.lost}")
    count.check(third.leads(woken), "the third one gave up when the second woke up")

    # Ended in order: the lease is free at once.
    ended = time.monotonic()
    third.end()
    count.check(wait_until(20, lambda: second.leads(ended)), "a lease that was given back is not taken")
    waited = next((at for at in second.held if at > ended), ended + 99) - ended
    count.check(waited < DURATION, f"a lease that was given back is taken after {waited:.1f} s")
    second.end()
    spec = record()
    count.check(spec.get("holderIdentity", "") == "" and spec["leaseTransitions"] == 3, f"record: {spec}")
    for one, other in ((first, second), (second, third), (first, third)):
        at = overlap(one, other)
        count.check(at is None, f"{one.name} and {other.name} both lead at {at}")
    count.end()


main()
