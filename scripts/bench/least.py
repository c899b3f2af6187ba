"""The least that Python does for the work of a command; see commands.py.

  least.py merge BASE DELTAS OUT   load both, sort by timestamp, set the fields by id, dump the artifact
  least.py read REPLY              a regular expression over the reply, json.loads of each fence
  least.py render ARTIFACT         load it, write each field of each item

It validates nothing and keeps no positions and no provenance. Prints the seconds it took to standard error, without the
time to start Python.
"""

import json
import re
import sys
import time


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def merge(base, deltas, out):
    artifact, changes = load(base), load(deltas)
    changes.sort(key=lambda d: d["timestamp"])
    items = {i["id"]: i for s in artifact["sections"].values() for i in s}
    for d in changes:
        if d["target_id"] in items:
            items[d["target_id"]].update(d["payload"])
        else:
            artifact["sections"][d["section"]].append(d["payload"])
    with open(out, "w", encoding="utf-8") as f:
        json.dump(artifact, f)


def read(reply):
    with open(reply, encoding="utf-8") as f:
        return [json.loads(m) for m in re.findall(r"^```delta\n(.*?)\n```", f.read(), re.M | re.S)]


def render(artifact):
    for section in load(artifact)["sections"].values():
        for item in section:
            sys.stdout.write(f"### {item['id']}: {item['name']}\n" + "\n".join(f"**{k}**: {v}" for k, v in item.items()) + "\n")


start = time.perf_counter()
{"merge": merge, "read": read, "render": render}[sys.argv[1]](*sys.argv[2:])
print(time.perf_counter() - start, file=sys.stderr)
