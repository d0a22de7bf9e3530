# SPDX-License-Identifier: Apache-2.0
"""test_watch.py PLUMB FOLDER - plumb compare --watch on the real API server of FOLDER.

takes: 20 s

  changes   objects that begin to differ, change and are fixed, what goes missing and comes back
  restart   the API server is killed and started again: what changed meanwhile and later is told
  storm     many changes of few objects cost few comparisons, and no memory
  metrics   the file and the address have the verdict
  end       SIGTERM ends it with the status of the last verdict
  warnings  deprecated types of the full edition are warned of, once, as kubectl does

Each check counts. Prints failures and, last, "N passed, M failed".
"""

import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from server import DEFINITIONS, Server, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
GROUP = "watch.example.com"
WIDGETS = f"/apis/{GROUP}/v1/namespaces/default/widgets"
PATCH = "application/merge-patch+json"

passed, failed = 0, 0


def check(ok, text):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {text}"[:1000])


# ---- The cluster and the reference. -------------------------------------------------------------------------


def define(server):
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    server.must("POST", DEFINITIONS, {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
                 "versions": [{"name": "v1", "served": True, "storage": True,
                               "schema": {"openAPIV3Schema": schema}}]}})
    wait_until(60, lambda: server.ask("GET", WIDGETS)[0] == 200)


def create(server, name, size):
    server.must("POST", WIDGETS, {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": name},
                                  "spec": {"size": size}})


def resize(server, name, size):
    server.must("PATCH", f"{WIDGETS}/{name}", {"spec": {"size": size}}, PATCH)


def write_reference(folder, templates):
    with open(os.path.join(folder, "metadata.yaml"), "w") as file:
        file.write("apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    allOf:\n")
        file.writelines(f"    - path: {name}\n" for name in templates)
    for name, text in templates.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


def widget(name, size):
    return (f"apiVersion: {GROUP}/v1\nkind: Widget\nmetadata:\n  name: {name}\n  namespace: default\n"
            f"spec:\n  size: {size}\n")


# ---- The program. -------------------------------------------------------------------------------------------


class Watch:
    """A running plumb compare --watch, and its lines as they come."""

    def __init__(self, plumb, server, reference, *options):
        self.process = subprocess.Popen(
            [plumb, "compare", "-r", reference, "--watch", "--watch-interval", "200ms", "-o", "json",
             "--kubeconfig", server.kubeconfig, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines, self.said = queue.Queue(), []
        for stream, take in ((self.process.stdout, self.lines.put), (self.process.stderr, self.said.append)):
            threading.Thread(target=self.read, args=(stream, take), daemon=True).start()

    @staticmethod
    def read(stream, take):
        for line in stream:
            take(line)

    def next(self, seconds=60):
        """The next change as "kind name", or "" when none comes."""
        try:
            change = json.loads(self.lines.get(timeout=seconds))
        except queue.Empty:
            return ""
        return f"{change['change']} {change.get('object', '').split('_')[-1] or change.get('template', '')}".strip()

    def memory(self):
        """Resident KiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def number(text, name):
    found = re.search(rf"^plumb_compare_{name} (\d+)$", text, re.M)
    return int(found.group(1)) if found else None


# ---- Checks. ------------------------------------------------------------------------------------------------


def expect(watch, want, what, seconds=60):
    got = [watch.next(seconds) for _ in want]
    check(got == want, f"{what}: {got}, not {want}; {watch.said[-3:]}")


def check_changes(server, watch):
    expect(watch, ["start", "drift a", "missing b.yaml"], "the start")
    resize(server, "a", 3)
    expect(watch, ["changed a"], "a changes")
    create(server, "b", 2)
    expect(watch, ["present b.yaml"], "b comes")
    resize(server, "a", 1)
    expect(watch, ["fixed a"], "a is fixed")
    server.must("DELETE", f"{WIDGETS}/b")
    expect(watch, ["missing b.yaml"], "b goes")
    create(server, "unknown", 2)
    check(watch.next(1) == "", "what no template is for is told")


def check_storm(server, watch, metrics):
    before = watch.memory()
    compared, events = number(read(metrics), "comparisons_total"), number(read(metrics), "events_total")
    for i in range(200):
        resize(server, "a", 100 + i % 2)
        resize(server, "unknown", i)
    resize(server, "a", 1)
    wait_until(20, lambda: number(read(metrics), "events_total") >= events + 401)
    wait_until(20, lambda: number(read(metrics), "drifting_objects") == 0)
    text = read(metrics)
    check(number(text, "events_total") >= events + 401, f"events: {number(text, 'events_total') - events}")
    check(number(text, "comparisons_total") - compared <= 100,
          f"{number(text, 'comparisons_total') - compared} comparisons")
    check(watch.memory() < before + 8 * 1024, f"memory grew from {before} to {watch.memory()} KiB")
    while watch.next(1):
        pass


def read(name):
    with open(name) as file:
        return file.read()


def check_restart(folder, server, watch, metrics):
    subprocess.run([os.path.join(HERE, "restart"), folder], check=True, stdin=subprocess.DEVNULL)

    def is_up():
        nonlocal server
        try:
            server = Server(folder)
            return server.ask("GET", WIDGETS)[0] == 200
        except OSError:
            return False

    check(wait_until(60, is_up), "the API server does not come back")
    resize(server, "a", 7)
    expect(watch, ["drift a"], "a drifts after the restart", 120)
    create(server, "b", 2)
    expect(watch, ["present b.yaml"], "b comes after the restart")
    check(number(read(metrics), "errors_total") > 0, "the outage is no error")
    check(wait_until(10, lambda: number(read(metrics), "types_failing") == 0), "types are still failing")
    synced = number(read(metrics), "last_sync_timestamp_seconds")
    check(abs(time.time() - synced) < 30, f"last sync is {time.time() - synced} s old")
    return server


def check_address(watch):
    address = re.search(r"http://\S+/metrics", "".join(watch.said))
    check(bool(address), f"no address of metrics: {watch.said}")
    if not address:
        return
    proxyless = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with proxyless.open(address.group(0), timeout=10) as answer:
        text = answer.read().decode()
    check(number(text, "drifting_objects") == 1, "the address has another verdict")
    check('plumb_compare_template_drifting_objects{part="p",component="c",template="a.yaml"} 1\n' in text,
          "the drift of the template is not there")


def check_watch(server, plumb, folder, place):
    write_reference(place, {"a.yaml": widget("a", 1), "b.yaml": widget("b", 2)})
    metrics = os.path.join(place, "verdict.prom")
    watch = Watch(plumb, server, place, "--metrics-file", metrics, "--metrics-addr", "0")
    try:
        check_changes(server, watch)
        check_storm(server, watch, metrics)
        server = check_restart(folder, server, watch, metrics)
        check_address(watch)
    finally:
        status = watch.end()
    check(status == 1, f"the status is {status}: {watch.said[-3:]}")
    expect(watch, ["end"], "the end", 5)
    return server


def check_quick_end(server, plumb, place):
    resize(server, "a", 1)
    watch = Watch(plumb, server, place)
    expect(watch, ["start"], "a cluster that is as it should be")
    check(watch.end() == 0, "the status of a cluster that is as it should be")


def check_warnings(server, plumb, place):
    """Component statuses are deprecated, and all that there is of their kind."""
    write_reference(place, {"s.yaml": "apiVersion: v1\nkind: ComponentStatus\nmetadata:\n  name: s\n"})
    text = "v1 ComponentStatus is deprecated"
    command = [plumb, "compare", "-r", os.path.join(place, "metadata.yaml"), "--kubeconfig", server.kubeconfig]
    said = subprocess.run(command, capture_output=True, text=True).stderr
    check(len(re.findall(f"^Warning: {text}", said, re.M)) == 1, f"warnings: {said}")
    said = subprocess.run(command + ["--compat"], capture_output=True, text=True).stderr
    check(re.search(rf'^I\d{{4}} .*\] "Warning: {text}', said, re.M), f"warnings as client-go logs them: {said}")


def main(plumb, folder):
    server = Server(folder)
    groups = [group["name"] for group in server.must("GET", "/apis")["groups"]]
    define(server)
    create(server, "a", 2)
    with tempfile.TemporaryDirectory() as place:
        server = check_watch(server, plumb, folder, place)
        check_quick_end(server, plumb, place)
        if "apps" in groups:
            check_warnings(server, plumb, place)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))
