#!/usr/bin/env python3
"""Whole commands, by turns with the least that plain Python does for the same work.

  commands.py BRENNER [RUNS [ONLY]]    ONLY: a regular expression over merge, read, render, start, list, session

Prints rows for docs/performance.md, with medians of RUNS (5). A ratio is ours divided by theirs; absolute times depend on
the machine. The inputs are the same in every run. What Python does is in least.py.
"""

import json
import os
import random
import shutil
import statistics
import sys

import bench
from bench import kib, mib, ms

AGENTS = ("BlueLake", "GreenValley", "RedCreek")
SECTIONS = {"hypothesis_slate": ("H", "claim"), "assumption_ledger": ("A", "statement"), "anomaly_register": ("X", "observation")}
WORDS = "axis border cleavage clone contact current daughter egg fold graft layer margin mother nucleus organ pole ring stem tissue yolk".split()


class Inputs:
    """Artifacts, deltas and replies, from a fixed seed."""

    def __init__(self):
        self.random = random.Random(20251230)

    def text(self, words):
        return " ".join(self.random.choices(WORDS, k=words)).capitalize() + "."

    def item(self, section):
        return {"name": self.text(4), SECTIONS[section][1]: self.text(30), "anchors": ["inference"]}

    def artifact(self, items):
        sections = {s: [{"id": f"{prefix}{n + 1}", **self.item(s)} for n in range(items // 3)] for s, (prefix, _) in SECTIONS.items()}
        return {"metadata": {"session_id": "RS-20251230-bench", "version": 1}, "sections": sections}

    def deltas(self, count, items, operations):
        """Deltas to an artifact with as many items. Nothing is added to the hypotheses, which are limited."""
        return [self.delta(n, items // 3, self.random.choice(operations)) for n in range(count)]

    def delta(self, n, items, operation):
        add = operation == "ADD"
        section = self.random.choice(list(SECTIONS)[1 if add else 0:])
        prefix, field = SECTIONS[section]
        second = n // 1000
        return {
            "delta_id": f"d-{n:06d}", "agent": self.random.choice(AGENTS),
            "timestamp": f"2025-12-30T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{n % 1000:03d}Z",
            "operation": operation, "section": section, "target_id": None if add else f"{prefix}{self.random.randint(1, items)}",
            "payload": self.item(section) if add else {"reason": self.text(10)} if operation == "KILL" else {field: self.text(14)},
            "rationale": self.text(8),
        }

    def blocks(self):
        delta = lambda: {"operation": "ADD", "section": "anomaly_register", "payload": {"observation": self.text(14), "anchors": ["inference"]}}
        return "\n\n".join(f"{self.text(20)}\n\n```delta\n{json.dumps(delta())}\n```" for _ in range(30000))

    def prose(self):
        return "\n".join(self.text(60) for _ in range(25000))


def python(*arguments):
    r = bench.run([sys.executable, "-I", os.path.join(os.path.dirname(__file__), "least.py"), *arguments])
    r.wall = float(r.said)
    return r


def beside_python(p, runs, what, goal, command, arguments, memory=None):
    """The row of a command, compared with Python."""
    ours, theirs = bench.by_turns([lambda: p.run(p.root, *command, codes=(0, 1)), lambda: python(*arguments)], runs)
    bench.ratio(what, goal, ours.wall, theirs.wall, f"{ms(ours.wall)}, {mib(ours.memory)}; Python {ms(theirs.wall)}, {mib(theirs.memory)}")
    if memory:
        bench.row("… memory", mib(memory), mib(ours.memory), "", ours.memory <= memory)


def files(p, runs, only):
    """merge, delta check, artifact render."""
    made = Inputs()
    for what, goal, items, count, operations, memory in (
        ("merge 10,000 mixed deltas", 1, 999, 10_000, ["EDIT"] * 7 + ["ADD"] * 2 + ["KILL"], None),
        ("merge 100,000 edits", 1, 999, 100_000, ["EDIT"], 180 << 20),
        ("merge 10,000 adds", 1, 30, 10_000, ["ADD"], None),
    ):
        if only.search(what):
            base, deltas = p.put("base.json", made.artifact(items)), p.put("deltas.json", made.deltas(count, items, operations))
            out = p.root + "/out.json"
            beside_python(p, runs, what, goal, ["merge", "--base", base, "--deltas", deltas, "--quiet", "--out", out], ["merge", base, deltas, out], memory)
    for what, goal, text in (("read 10 MB of blocks", 0.4, made.blocks), ("read 10 MB of prose", 0.3, made.prose)):
        if only.search(what):
            reply = p.put("reply.md", text())
            beside_python(p, runs, what, goal, ["delta", "check", reply, "--quiet"], ["read", reply])
    if only.search("render 30,000 items"):
        art = p.put("artifact.json", made.artifact(30_000))
        beside_python(p, runs, "render 30,000 items", 0.8, ["artifact", "render", art], ["render", art])


def start(p, runs):
    """brenner version beside git --version. They take little time, so they run more often."""
    git = shutil.which("git")
    ours, theirs = bench.by_turns([lambda: p.run(p.root, "version"), lambda: bench.run([git, "--version"])], runs * 4)
    bench.ratio("`brenner version`, relative to `git --version`", 4, ours.wall, theirs.wall, f"{ms(ours.wall)}; git {ms(theirs.wall)}")
    bench.row("… memory", "12 MB", f"{ours.memory / 1e6:.0f} MB", "", ours.memory <= 12e6)


def lists(p, runs):
    """session list of many sessions of one agent and one round, beside a store without sessions."""
    empty = p.new({"note.md": "A note.\n"})
    p.run(empty, "store", "put", "note.md", "--type", "paper_note", "--module", "bench")
    folders = [empty]
    for sessions in (1_000, 10_000):
        folders.append(p.loop(sessions, 1, bench.script({"hypothesis_generator": ["NO CHANGES"]}), bench.ROSTER[:1]))
        p.run(folders[-1], "loop", "run", "bench.yaml", "--quiet")
    none, *some = bench.by_turns([lambda f=f: p.run(f, "session", "list") for f in folders], runs)
    for what, goal, r in zip(("1,000", "10,000"), (4, 25), some):
        bench.ratio(f"`session list` of {what}, relative to a store without sessions", goal, r.wall, none.wall, f"{ms(r.wall)}, {mib(r.memory)}; without {ms(none.wall)}")


def sessions(p, runs):
    """Sessions of 3 and 50 rounds with scripted agents that answer at once, each in a new project."""
    sizes = {}

    def session(rounds):
        folder = p.new({"script.yaml": bench.script(bench.replies(rounds))})
        r = p.run(folder, "session", "start", "--script", "script.yaml", "--preset", "default-3-agent", "--rounds", str(rounds), "--budget-tokens", "0", "--quiet")
        sizes.setdefault(rounds, []).append(bench.size(folder + "/.brenner"))
        return r

    few, middle, many = bench.by_turns([lambda n=n: session(n) for n in (3, 25, 50)], runs)
    disk = {n: statistics.median(s) for n, s in sizes.items()}
    bench.ratio("session of 50 rounds: CPU, relative to one of 3", 8, many.cpu, few.cpu, f"{ms(many.cpu)}; 3 rounds {ms(few.cpu)}")
    # The artifact grows by two items in each round, so a later round has more to do.
    late, early = (many.cpu - middle.cpu) / 25, (middle.cpu - few.cpu) / 22
    bench.row("… CPU of each of rounds 26 to 50, relative to each of 4 to 25", "linear", f"{late / early:.2f} ×", f"{ms(late)}; {ms(early)}")
    late, early = (disk[50] - disk[25]) / 25, (disk[25] - disk[3]) / 22
    bench.row("… disk of the same", "linear", f"{late / early:.2f} ×", f"{kib(late)}; {kib(early)}")

    folder = p.new()
    rehearsal = ("session", "start", "--via", "rehearsal", "--preset", "default-3-agent", "--quiet")
    after = []
    for _ in range(2):
        p.run(folder, *rehearsal, codes=(0, 5))
        after.append(bench.size(folder + "/.brenner"))
    bench.row("session of three rounds (built-in rehearsal): disk", "160 KiB", kib(after[1] - after[0]), f"the second of a store; with the empty store {kib(after[0])}", after[1] - after[0] <= 160 << 10)


def job(brenner, runs, only, folder):
    p = bench.Projects(brenner, folder)
    bench.head("whole command")
    files(p, runs, only)
    if only.search("start"):
        start(p, runs)
    if only.search("list"):
        lists(p, runs)
    if only.search("session"):
        sessions(p, runs)


if __name__ == "__main__":
    bench.main(job)
