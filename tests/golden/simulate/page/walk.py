# SPDX-License-Identifier: Apache-2.0
"""walk.py PAGE - runs the commands of a page's section "Five minutes".

A line that begins with "$ " is a command; the lines after it are what it prints, where "..." alone is
any number of lines, and inside a line any text. The first command is the simulator, which is started on a
free port instead of the one on the page.
"""
import re
import subprocess
import sys

PORT = "127.0.0.1:8642"


def commands(page):
    section = page.split("## Five minutes")[1].split("\n## ")[0]
    for block in re.findall(r"```\n(.*?)```", section, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, wanted = part.partition("\n")
            yield command, wanted.rstrip("\n").split("\n") if wanted.strip() else []


def pattern(wanted):
    lines = []
    for line in wanted:
        if line == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(".*".join(re.escape(x) for x in line.split("...")) + r"\n")
    return "".join(lines)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        steps = list(commands(f.read()))
    first, wanted = steps.pop(0)
    server = subprocess.Popen(first.split() + ["--port", "0"], stdout=subprocess.PIPE, text=True)
    bad = 0
    try:
        said = server.stdout.readline()
        address = re.search(r"127\.0\.0\.1:\d+", said)[0]
        bad += said.replace(address, PORT).split("\n")[:1] != wanted
        shell = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for command, wanted in steps:
            shell.stdin.write(command.replace(PORT, address) + "\necho\necho @@@@\n")
            shell.stdin.flush()
            got = ""
            while not got.endswith("@@@@\n"):
                line = shell.stdout.readline()
                if not line:
                    break
                got += line
            got = got[: -len("@@@@\n")].replace("\r", "").replace(address, PORT).rstrip("\n") + "\n"
            if not re.fullmatch(pattern(wanted), got) and not (not wanted and got == "\n"):
                bad += 1
                print("$ %s\nwanted:\n%s\ngot:\n%s" % (command, "\n".join(wanted), got))
        shell.stdin.close()
        shell.wait(timeout=20)
    finally:
        server.terminate()
        server.wait(timeout=20)
    print("%s, %d commands" % ("not as on the page" if bad else "as on the page", len(steps) + 1))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
