# SPDX-License-Identifier: Apache-2.0
"""session.py [--accept] PLUMB PAGE - runs the commands of a page with a plumb serve of its own and a real kubectl.

A line that begins with "$ " in a block of the page is a command; what follows it is its output, both streams
together. The first command starts the server, on a free port instead of the one on the page. Commands are run in
the root of the project, in one shell, with a home of their own. Ages, times, uids and blanks between columns may
differ, and so may the order in which kubectl lists the keys of a Secret: that of a Go map. --accept writes what was printed to the page, for review. Last line: N passed, M failed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ADDRESS = "127.0.0.1:8643"
HOME = "~"
END = "@@@@ end"


def normal(text):
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( \+0000|Z)?", "TIME", text)
    text = re.sub(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b", "UID", text)
    text = re.sub(r"\b(\d+[smhdy]){1,2}\b", "AGE", text)
    text = re.sub(r"/tmp/(LIVE|MERGED)-\d+", r"/tmp/\1", text)
    text = re.sub(r"(Client|Kustomize) Version: .*", r"\1 Version", text)
    lines = [re.sub(r"[ \t]+", " ", line).rstrip() for line in text.strip("\n").split("\n")]
    keys = [i for i, line in enumerate(lines) if re.fullmatch(r"\S+: \d+ bytes", line)]
    for i, line in zip(keys, sorted(lines[i] for i in keys)):
        lines[i] = line
    return lines


class Shell:
    """One bash for all commands."""

    def __init__(self, env):
        self.process = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, cwd=ROOT, env=env)

    def run(self, command):
        self.process.stdin.write("{ %s\n} 2>&1 </dev/null\necho\necho '%s'\n" % (command, END))
        self.process.stdin.flush()
        got = []
        while True:
            line = self.process.stdout.readline()
            if not line or line == END + "\n":
                return "".join(got).rstrip("\n")
            got.append(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


class Session:
    def __init__(self, plumb, home):
        self.home = home
        self.env = {"HOME": home, "PATH": os.path.dirname(plumb) + ":" + os.environ["PATH"], "LC_ALL": "C",
                    "EDITOR": "true", "KUBECTL_EXTERNAL_DIFF": "diff -u -N"}
        self.plumb = plumb
        self.server = None
        self.address = None
        self.shell = Shell(self.env)

    def public(self, text):
        return text.replace(self.address, ADDRESS).replace(self.home, HOME)

    def start(self):
        self.server = subprocess.Popen([self.plumb, "serve", "--data", self.home + "/plumb", "--port", "0"],
                                       stdout=subprocess.PIPE, text=True, env=self.env)
        said = self.server.stdout.readline() + self.server.stdout.readline()
        self.address = re.search(r"127\.0\.0\.1:\d+", said)[0]
        return self.public(said.rstrip("\n"))

    def run(self, command):
        if command.startswith("plumb serve"):
            return self.start()
        return self.public(self.shell.run(command))

    def end(self):
        self.shell.end()
        self.server.terminate()
        return self.server.wait(timeout=60)


def steps(page):
    """(start, end, command, wanted) of each command, positions of its output in the page."""
    for block in re.finditer(r"^```\n(.*?)^```$", page, re.S | re.M):
        for part in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block[1], re.M):
            at = block.start(1)
            yield at + part.start(2), at + part.end(2), part[1], part[2]


def main():
    accept = sys.argv[1] == "--accept"
    plumb, path = os.path.abspath(sys.argv[-2]), sys.argv[-1]
    with open(path, encoding="utf-8") as f:
        page = f.read()
    home = tempfile.mkdtemp(prefix="plumb-session-")
    passed = failed = shift = 0
    new = page
    try:
        session = Session(plumb, home)
        for start, end, command, wanted in steps(page):
            got = session.run(command)
            text = "".join(line.rstrip() + "\n" for line in got.split("\n")) if got else ""
            new = new[:start + shift] + text + new[end + shift:]
            shift += len(text) - (end - start)
            if accept or normal(got) == normal(wanted):
                passed += 1
            else:
                failed += 1
                print("$ %s\nwanted:\n%sgot:\n%s" % (command, wanted, got))
        if session.end() != 0:
            failed += 1
            print("the server did not end well")
        checked = subprocess.run([plumb, "store", "check", "--data", home + "/plumb"], capture_output=True, text=True)
        if checked.returncode or "nothing wrong" not in checked.stdout:
            failed += 1
            print(checked.stdout + checked.stderr)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    if accept:
        with open(path, "w", encoding="utf-8") as f:
            f.write(new)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
