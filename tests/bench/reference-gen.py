#!/usr/bin/env python3
"""Writes a reference of the size of real ones, and objects for it.

usage: reference-gen.py DIR [TEMPLATES [OBJECTS]]

DIR/reference/metadata.yaml   a v2 reference: 100 templates of 30 to 150 lines in 20 folders, four
                              function files with named templates that call themselves, groups of
                              omitted fields that include each other, fields with functions of their own
DIR/resources/*.yaml          70 objects, one a file: most as expected, some with drift
DIR/empty/                    no objects: what remains is the cost of loading
The same arguments always give the same files.
"""
import os
import random
import sys

FOLDERS = 20
SHARED_KINDS = 12  # kinds that have several templates without a fixed name
OPERATORS = ["storage", "logging", "network", "sriov", "ptp", "tuned", "backup", "cert", "mesh", "gitops"]

FUNCTIONS = {
    "tree.tmpl": r'''
{{- /* A map as YAML, keys in order, nested maps and lists by the same template. */ -}}
{{- define "tree.map" -}}
{{- $depth := index . 0 -}}
{{- range $key, $value := index . 1 }}
{{ repeat $depth "  " }}{{ $key }}:
{{- if kindIs "map" $value }}
{{- template "tree.map" (list (add1 $depth | int) $value) }}
{{- else if kindIs "slice" $value }}
{{- template "tree.list" (list (add1 $depth | int) $value) }}
{{- else if kindIs "string" $value }} {{ $value | quote }}
{{- else }} {{ $value }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "tree.list" -}}
{{- $depth := index . 0 -}}
{{- range $item := index . 1 }}
{{- if kindIs "map" $item }}
{{ repeat $depth "  " }}-
{{- template "tree.map" (list (add1 $depth | int) $item) }}
{{- else if kindIs "slice" $item }}
{{ repeat $depth "  " }}-
{{- template "tree.list" (list (add1 $depth | int) $item) }}
{{- else if kindIs "string" $item }}
{{ repeat $depth "  " }}- {{ $item | quote }}
{{- else }}
{{ repeat $depth "  " }}- {{ $item }}
{{- end }}
{{- end }}
{{- end -}}
''',
    "subset.tmpl": r'''
{{- /* What is expected, and whatever else the object has beside it. */ -}}
{{- define "subset.map" -}}
{{- $depth := index . 0 -}}
{{- $want := index . 1 | default dict -}}
{{- $have := index . 2 | default dict -}}
{{- range $key, $value := $want }}
{{- $other := get $have $key }}
{{ repeat $depth "  " }}{{ $key }}:
{{- if and (kindIs "map" $value) (kindIs "map" $other) }}
{{- template "subset.map" (list (add1 $depth | int) $value $other) }}
{{- else if kindIs "map" $value }}
{{- template "tree.map" (list (add1 $depth | int) $value) }}
{{- else }} {{ $value | toJson }}
{{- end }}
{{- end }}
{{- range $key, $value := $have }}
{{- if not (hasKey $want $key) }}
{{ repeat $depth "  " }}{{ $key }}:
{{- if kindIs "map" $value }}
{{- template "tree.map" (list (add1 $depth | int) $value) }}
{{- else }} {{ $value | toJson }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "subset.words" -}}
{{- $want := splitList " " (index . 0) -}}
{{- $have := splitList " " (index . 1 | default "") -}}
{{- $all := $want -}}
{{- range $have }}
{{- if and . (not (has . $all)) }}
{{- $all = append $all . }}
{{- end }}
{{- end }}
{{- $all | join " " | trim }}
{{- end -}}
''',
    "ranges.tmpl": r'''
{{- /* Sets of processors such as 0-3,8: how many, one piece after the other. */ -}}
{{- define "cpus.count" -}}
{{- $pieces := index . 0 -}}
{{- $sum := index . 1 -}}
{{- if $pieces }}
{{- $bounds := splitList "-" (first $pieces) }}
{{- if eq (len $bounds) 2 }}
{{- $sum = add $sum (sub (index $bounds 1 | int) (index $bounds 0 | int)) 1 }}
{{- else if first $bounds }}
{{- $sum = add1 $sum }}
{{- end }}
{{- template "cpus.count" (list (rest $pieces) $sum) }}
{{- else }}
{{- $sum }}
{{- end }}
{{- end -}}

{{- define "cpus.first" -}}
{{- $pieces := index . 0 -}}
{{- $lowest := index . 1 -}}
{{- range $pieces }}
{{- $low := splitList "-" . | first | int }}
{{- if lt $low ($lowest | int) }}
{{- $lowest = $low }}
{{- end }}
{{- end }}
{{- if gt ($lowest | int) 1024 }}
{{- template "cpus.first" (list (list "0-1") 1024) }}
{{- else }}
{{- $lowest }}
{{- end }}
{{- end -}}

{{- define "cpus.valid" -}}
{{- if regexMatch "^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$" (. | default "" | toString) }}
{{- . }}
{{- else }}
{{- "a set of processors such as 0-3,8" | quote }}
{{- end }}
{{- end -}}
''',
    "names.tmpl": r'''
{{- /* Names and references between objects. */ -}}
{{- define "name.checked" -}}
{{- $name := index . 0 | default "" | toString -}}
{{- $longest := index . 1 -}}
{{- if gt (len $name) $longest }}
{{- trunc $longest $name | trimSuffix "-" }}
{{- else if hasPrefix "-" $name }}
{{- template "name.checked" (list (trimPrefix "-" $name) $longest) }}
{{- else }}
{{- $name | lower }}
{{- end }}
{{- end -}}

{{- define "conditions.known" -}}
{{- range . }}
{{- if has .type (list "Available" "Degraded" "Progressing" "Upgradeable") }}
  - type: {{ .type }}
    status: {{ .status | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "image.of" -}}
{{- if regexMatch "^registry\\.example(:[0-9]+)?/" (. | default "" | toString) }}
{{- . }}
{{- else }}
{{- "an image of registry.example" }}
{{- end }}
{{- end -}}
''',
}

OMIT = """\
fieldsToOmit:
  defaultOmitRef: usual
  items:
    usual:
    - include: cluster-compare-built-in
    - include: annotations
    - pathToKey: spec.generatedBy
    annotations:
    - pathToKey: metadata.annotations."example.com/applied-at"
    - pathToKey: metadata.annotations."example.com/applied-by"
    - pathToKey: metadata.annotations."ran.example.com/ztp-deploy-wave"
    - pathToKey: metadata.annotations."include.release.example.com/"
      isPrefix: true
    - pathToKey: metadata.labels."app.kubernetes.io/"
      isPrefix: true
    workloads:
    - include: usual
    - pathToKey: spec.template.metadata.annotations
    - pathToKey: spec.progressDeadlineSeconds
    - pathToKey: spec.strategy.rollingUpdate
    machines:
    - include: usual
    - pathToKey: spec.osImageURL
    - pathToKey: metadata.labels."machineconfiguration.example.com/"
      isPrefix: true
"""


def head(api, kind, name, namespace):
    text = f"apiVersion: {api}\nkind: {kind}\nmetadata:\n  name: {name}\n"
    return text + (f"  namespace: {namespace}\n" if namespace else "")


def conditional(n, name):
    return (f"  {{{{- if hasKey (.spec | default dict) \"optional{n}\" }}}}\n  optional{n}:\n    enabled: true\n"
            f"    name: {name}\n    {{{{- if ((.spec).optional{n}).level }}}}\n"
            f"    level: {{{{ .spec.optional{n}.level | default \"info\" | lower | quote }}}}\n"
            f"    {{{{- else }}}}\n    level: \"info\"\n    {{{{- end }}}}\n  {{{{- end }}}}\n")


def optional(n, name, rnd):
    if rnd.randrange(2):
        return ""
    return f"  optional{n}:\n    enabled: true\n    name: {name}\n    level: {rnd.choice(['info', 'debug'])}\n"


def containers(n, name):
    return (f"  workers{n}:\n  {{{{- range $i, $w := ((.spec).workers{n}) | default (list (dict \"name\" \"{name}\")) }}}}\n"
            f"  - name: {{{{ template \"name.checked\" (list $w.name 40) }}}}\n"
            f"    image: {{{{ template \"image.of\" $w.image }}}}\n    port: {{{{ add 8000 $i }}}}\n"
            "    args: [\"--log=info\", \"--max=512\"]\n"
            "    resources:\n      requests:\n        cpu: 100m\n        memory: 128Mi\n  {{- end }}\n")


def container_objects(n, name, rnd):
    text = f"  workers{n}:\n"
    for i in range(rnd.randrange(1, 4)):
        text += (f"  - name: {name}\n    image: registry.example/{name}:{rnd.randrange(9)}\n    port: {8000 + i}\n"
                 "    args: [\"--log=info\", \"--max=512\"]\n"
                 "    resources:\n      requests:\n        cpu: 100m\n        memory: 128Mi\n")
    return text


def selector(n, name):
    return (f"  selector{n}:\n    matchLabels:\n"
            f"      {{{{- template \"subset.map\" (list 3 (dict \"app\" \"{name}\" \"tier\" \"t{n}\") "
            f"((((.spec).selector{n}).matchLabels) | default dict)) }}}}\n"
            "    policy:\n      effect: NoSchedule\n      operator: Equal\n")


def selector_object(n, name, rnd):
    extra = "      owner: team\n" if rnd.randrange(2) else ""
    return (f"  selector{n}:\n    matchLabels:\n      app: {name}\n      tier: t{n}\n{extra}"
            "    policy:\n      effect: NoSchedule\n      operator: Equal\n")


def kernel(n, name):
    return (f"  kernel{n}:\n    isolated: {{{{ template \"cpus.valid\" ((.spec).kernel{n}).isolated }}}}\n"
            f"    count: {{{{ template \"cpus.count\" (list (splitList \",\" (((.spec).kernel{n}).isolated | default \"\")) 0) }}}}\n"
            f"    first: {{{{ template \"cpus.first\" (list (splitList \",\" (((.spec).kernel{n}).isolated | default \"\")) 64) }}}}\n"
            f"    arguments: {{{{ template \"subset.words\" (list \"nohz rcu_nocbs {name}\" (((.spec).kernel{n}).arguments)) }}}}\n"
            "    hugepages:\n    - size: 1G\n      count: 32\n      node: 0\n    - size: 2M\n      count: 1024\n      node: 1\n")


def kernel_object(n, name, rnd):
    return (f"  kernel{n}:\n    isolated: 2-19,22\n    count: 19\n    first: 2\n    arguments: nohz rcu_nocbs {name}"
            f"{' audit=0' if rnd.randrange(2) else ''}\n"
            "    hugepages:\n    - size: 1G\n      count: 32\n      node: 0\n    - size: 2M\n      count: 1024\n      node: 1\n")


def data(n, name):
    return (f"  data{n}:\n    {{{{- $extra := (((.spec).data{n}).extra) | default dict }}}}\n"
            f"    file: |\n      [{name}]\n" + "".join(f"      option.{i} = {i * 3 + n}\n" for i in range(8)) +
            "    {{- if $extra }}\n    extra:\n      {{- template \"tree.map\" (list 3 $extra) }}\n    {{- end }}\n")


def data_object(n, name, rnd):
    text = f"  data{n}:\n    file: |\n      [{name}]\n" + "".join(f"      option.{i} = {i * 3 + n}\n" for i in range(8))
    if rnd.randrange(2):
        text += "    extra:\n      a: \"1\"\n      nested:\n        b: \"x\"\n        list:\n        - \"1\"\n        - \"2\"\n"
    return text


def plain(n, name):
    return (f"  settings{n}:\n    mode: strict\n    retries: {n + 3}\n    interval: 30s\n    endpoint: https://{name}.example\n"
            "    features:\n" + "".join(f"    - name: feature-{i}\n      enabled: {'true' if i % 2 else 'false'}\n" for i in range(3)))


SECTIONS = [(plain, lambda n, name, rnd: plain(n, name)), (conditional, optional), (containers, container_objects),
            (selector, selector_object), (kernel, kernel_object), (data, data_object)]


class Template:
    """One template of the reference, and the objects that fit it."""

    def __init__(self, i, rnd):
        operator = OPERATORS[i // 2 % len(OPERATORS)]
        self.shared = i % 5 == 4  # one of several candidates of its kind
        self.folder = f"{i % FOLDERS:02d}-{operator}"
        self.name = f"{operator}-{i}"
        self.kind = f"{operator.title()}{'Shared' if self.shared else 'Config'}{i // 5 % SHARED_KINDS if self.shared else i}"
        self.api = f"{operator}.example.com/v1"
        self.namespace = "" if i % 3 == 0 else f"{operator}-system"
        self.path = f"{self.folder}/{self.name}.yaml"
        self.regex = i % 4 == 1
        self.wanted = rnd.randrange(30, 150)
        self.sections = []
        lines = 20
        while lines < self.wanted - 8:
            section = rnd.randrange(len(SECTIONS))
            self.sections.append(section)
            lines += SECTIONS[section][0](0, "x").count("\n")
        if self.shared:
            self.kind = f"Shared{i // 5 % SHARED_KINDS}"
            self.api = "shared.example.com/v1"

    def text(self):
        name = "{{ .metadata.name }}" if self.shared else self.name
        text = head(self.api, self.kind, name, self.namespace)
        text += ("  labels:\n    operator: " + self.name + "\n"
                 "    {{- if (.metadata.labels).owner }}\n    owner: {{ .metadata.labels.owner }}\n    {{- end }}\n"
                 "  {{- with (.metadata).annotations }}\n  annotations:\n    {{- . | toYaml | nindent 4 }}\n  {{- end }}\n")
        text += "spec:\n  channel: {{ ((.spec).channel) | default \"stable\" | trimSuffix \".\" }}\n"
        text += "  version: " + (r"v4\.[0-9]+\.[0-9]+" if self.regex else "{{ ((.spec).version) | default \"v4.16.0\" }}") + "\n"
        for n, section in enumerate(self.sections):
            text += SECTIONS[section][0](n, self.name)
        return text + "  {{- if (.status).conditions }}\n  conditions: []\n  {{- end }}\n"

    def object(self, serial, rnd, drift):
        name = f"{self.name}-{serial}" if self.shared else self.name
        text = head(self.api, self.kind, name, self.namespace)
        text += (f"  uid: \"{rnd.getrandbits(64):016x}\"\n  resourceVersion: \"{rnd.randrange(10**7)}\"\n"
                 "  creationTimestamp: \"2026-01-01T00:00:00Z\"\n  generation: 3\n"
                 f"  labels:\n    operator: {self.name}\n    owner: team-{rnd.randrange(9)}\n    app.kubernetes.io/part-of: x\n"
                 "  annotations:\n    example.com/applied-at: \"2026-01-01\"\n    note: kept\n")
        text += f"spec:\n  channel: stable\n  version: v4.16.{rnd.randrange(30)}\n"
        for n, section in enumerate(self.sections):
            piece = SECTIONS[section][1](n, self.name, rnd)
            text += piece.replace("enabled: true", "enabled: false", 1).replace("512", "1024") if drift else piece
        if self.kind.endswith("7") or not self.sections:
            text += "  generatedBy: someone\n"
        return text


def config(t, i):
    """The entry of a template in the metadata file."""
    text = f"    - path: {t.path}\n"
    lines = []
    if i % 6 != 0:
        lines.append("        ignore-unspecified-fields: true\n")
    if i % 7 == 2:
        lines.append("        fieldsToOmitRefs: [workloads, machines]\n")
    if t.regex:
        lines.append("        perField:\n        - pathToKey: spec.version\n          inlineDiffFunc: regex\n")
    return text + ("      config:\n" + "".join(lines) if lines else "")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def write_metadata(root, templates):
    groups = ["allOf", "anyOf", "allOrNoneOf", "anyOf"]
    text = "apiVersion: v2\nparts:\n"
    for f in range(FOLDERS):
        inside = [(i, t) for i, t in enumerate(templates) if i % FOLDERS == f]
        if not inside:
            continue
        if f % 4 == 0:
            text += f"- name: part-{f // 4}\n  description: What part {f // 4} is for\n  components:\n"
        text += f"  - name: {inside[0][1].folder}\n    {groups[f % 4]}:\n"
        text += "".join(config(t, i) for i, t in inside)
    text += "templateFunctionFiles:\n" + "".join(f"- functions/{name}\n" for name in sorted(FUNCTIONS))
    write(f"{root}/reference/metadata.yaml", text + OMIT)


def main():
    root = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    objects = int(sys.argv[3]) if len(sys.argv) > 3 else 70
    rnd = random.Random(7)
    templates = [Template(i, rnd) for i in range(count)]
    for t in templates:
        write(f"{root}/reference/{t.path}", t.text())
    for name, text in FUNCTIONS.items():
        write(f"{root}/reference/functions/{name}", text.lstrip("\n"))
    write_metadata(root, templates)
    for i in range(objects):
        t = templates[i * 7 % count]
        write(f"{root}/resources/{i:03d}.yaml", t.object(i, rnd, i % 5 == 0))
    os.makedirs(f"{root}/empty", exist_ok=True)


main()
