#!/usr/bin/env python3
"""A loop of 200 sessions of three rounds, 16 at a time, by turns with LangGraph.

  compare.py BRENNER [RUNS]    with BRENNER_BENCH_LANGGRAPH, the folder of an environment that has LangGraph

Prints rows for docs/performance.md, with medians of RUNS (5); a ratio is ours divided by LangGraph's. On both sides, three
agents in the same process answer at once in every round, with the same replies. Everything starts and ends with the process.

  ours       brenner loop run with a rehearsal script: resolves the roster, composes and counts the messages, journals each
             step before it is taken, reads the deltas in the replies, merges, lints, publishes each artifact, writes the report
  LangGraph  graph.py: collects the replies in a list, with a checkpoint in SQLite after each step
"""

import os
import shutil
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))

import bench  # noqa: E402
from bench import kib, mib  # noqa: E402

SESSIONS, ROUNDS, CONCURRENCY = 200, 3, 16


def job(brenner, runs, _only, folder):
    p = bench.Projects(brenner, folder)
    python = os.path.join(os.environ["BRENNER_BENCH_LANGGRAPH"], "bin", "python")
    replies = p.put("replies.json", bench.replies(ROUNDS))
    disk = {}

    def ours():
        project = p.loop(SESSIONS, ROUNDS, bench.script(bench.replies(ROUNDS)), bench.ROSTER)
        r = p.run(project, "loop", "run", "bench.yaml", "--quiet")
        disk["ours"] = bench.size(project + "/.brenner")
        shutil.rmtree(project)
        return r

    def theirs():
        store = os.path.join(folder, "langgraph")
        os.mkdir(store)
        r = bench.run([python, os.path.join(here, "graph.py"), replies, str(SESSIONS), str(ROUNDS), str(CONCURRENCY), store + "/store.db"], env=p.env)
        disk["theirs"] = bench.size(store)
        shutil.rmtree(store)
        return r

    a, b = bench.by_turns([ours, theirs], runs)
    each = lambda seconds: f"{seconds * 1e3 / SESSIONS:.1f} ms"
    bench.head(f"loop of {SESSIONS} sessions of three rounds, {CONCURRENCY} at a time, relative to LangGraph")
    bench.ratio("elapsed", 0.5, a.wall, b.wall, f"{each(a.wall)} for each session; LangGraph {each(b.wall)}")
    bench.ratio("CPU", 0.5, a.cpu, b.cpu, f"{each(a.cpu)}; LangGraph {each(b.cpu)}")
    bench.row("memory", "110 MiB", mib(a.memory), f"LangGraph {mib(b.memory)}", a.memory <= 110 << 20)
    bench.row("disk of a session", "–", kib(disk["ours"] / SESSIONS), f"LangGraph, which keeps only the replies, {kib(disk['theirs'] / SESSIONS)}")


if __name__ == "__main__":
    bench.main(job)
