# SPDX-License-Identifier: Apache-2.0
"""A small reference, for runs of compare on a live cluster."""

import os
import subprocess

METADATA = """\
parts:
- name: p
  components:
  - name: c
    type: Required
    requiredTemplates:
    - path: map.yaml
"""
TEMPLATE = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: wanted
  namespace: default
data:
  colour: green
"""


def write_reference(folder):
    """A reference with one ConfigMap, default/wanted; answers the path of its metadata."""
    os.makedirs(folder)
    for name, text in (("metadata.yaml", METADATA), ("map.yaml", TEMPLATE)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    return os.path.join(folder, "metadata.yaml")


def run(words, timeout=60, **env):
    """Runs a program; env is added to ours, None takes away."""
    whole = {k: v for k, v in {**os.environ, **env}.items() if v is not None}
    return subprocess.run(words, capture_output=True, text=True, env=whole, timeout=timeout)
