#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_changes.py PLUMB FOLDER - a watch while others make changes and the API server dies.

editions: full
takes: 45 s

One process follows 2,000 objects, three others change each of them five times. In the middle of it the follower
is suspended and the API server is killed (-9) and started again; the others go on, the server is killed and started
once more, and then the follower wakes up. What has still reached it on its way is older than what happened between
the two, and a server that was started knows nothing of what was before: the place where the follower wants to go
on is forgotten (410), and it must list anew while changes go on. Every object has a number that each change raises
by one, so that the follower sees what is missing and what comes twice. Last line: "N passed, M failed".
"""

import json
import os
import signal
import subprocess
import sys
import time

from server import Counter, Server, wait_until

OBJECTS, ROUNDS, WRITERS = 2000, 5, 3
UNSEEN = 500
CHANGES = OBJECTS * ROUNDS
GROWTH_KIB = 8 * 1024
HERE = os.path.dirname(os.path.abspath(__file__))


class Follower:
    def __init__(self, client, env):
        self.process = subprocess.Popen([client, "follow"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=env, text=True, bufsize=1)

    def ask(self):
        """Its figures; waits until it has a whole list."""
        self.process.stdin.write("?\n")
        return json.loads(self.process.stdout.readline())

    def memory(self):
        """KiB in use."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=60)


def in_parts(client, env, *words):
    """One process per writer, each with its share of the objects."""
    edges = [OBJECTS * i // WRITERS for i in range(WRITERS + 1)]
    return [subprocess.Popen([client, words[0], str(edges[i]), str(edges[i + 1]), *words[1:]], env=env,
                             stdout=subprocess.PIPE, text=True) for i in range(WRITERS)]


def version_of(server):
    """The resource version of all ConfigMaps; each change raises it."""
    status, answer = server.ask("GET", "/api/v1/namespaces/plumb-client/configmaps?limit=1")
    return int(answer["metadata"]["resourceVersion"]) if status == 200 else 0


def is_back(folder):
    """Whether the API server answers, from its store."""
    try:
        return version_of(Server(folder)) > 0
    except OSError:
        return False


def restart(folder, count):
    """Kills the API server and waits for the new one."""
    subprocess.run([os.path.join(HERE, "restart"), folder], check=True)
    count.check(wait_until(120, lambda: is_back(folder)), "the API server does not come back")


def main():
    plumb, folder = sys.argv[1:3]
    client = os.path.join(os.path.dirname(plumb), "kube/client")
    env = dict(os.environ, KUBECONFIG=os.path.join(folder, "kubeconfig"))
    count = Counter()
    Server(folder).ask("POST", "/api/v1/namespaces", {"metadata": {"name": "plumb-client"}})
    count.check(all(p.wait() == 0 for p in in_parts(client, env, "make")), "the objects could not be made")

    follower = Follower(client, env)
    start = follower.ask()
    before = follower.memory()
    count.check(start["objects"] == OBJECTS and start["lists"] >= 1, f"at the beginning: {start}")

    began = time.monotonic()
    writers = in_parts(client, env, "write", str(ROUNDS))
    wait_until(60, lambda: follower.ask()["sum"] >= CHANGES // 3)
    server = Server(folder)
    asleep = follower.ask()
    follower.process.send_signal(signal.SIGSTOP)
    restart(folder, count)
    seen = version_of(server)
    count.check(wait_until(60, lambda: version_of(server) >= seen + UNSEEN), "the writers do not get on")
    restart(folder, count)
    follower.process.send_signal(signal.SIGCONT)
    failures = [int(p.communicate()[0] or -1) for p in writers]
    count.check(all(p.returncode == 0 for p in writers), f"the writers failed: {failures}")
    count.check(sum(failures) > 0, "the writers did not notice that the server was killed")

    wait_until(60, lambda: follower.ask()["sum"] >= CHANGES)
    end = follower.ask()
    grown = follower.memory() - before
    took = time.monotonic() - began
    print(f"{CHANGES} changes in {took:.1f} s, {sum(failures)} requests failed meanwhile; the follower: {end}, "
          f"{before} KiB and then {grown:+} KiB")
    count.check(end["objects"] == OBJECTS and end["sum"] == CHANGES, f"changes are missing: {end}")
    count.check(end["lost"] == 0, f"events were lost: {end}")
    count.check(end["twice"] == 0, f"events were applied twice: {end}")
    count.check(end["lists"] > asleep["lists"], f"what was forgotten was not listed again: {asleep}, then {end}")
    count.check(end["changes"] + end["skipped"] == CHANGES, f"the figures do not add up: {end}")
    count.check(grown < GROWTH_KIB, f"memory grew by {grown} KiB")
    count.check(follower.end() == 0, "the follower did not end well")
    count.end()


main()
