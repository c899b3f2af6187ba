"""What the benchmarks of whole commands share: run, repeat, and print rows of a Markdown table."""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

# A process keeps the peak memory of the process that started it. The launcher needs about 9 MiB; smaller peaks do not show.
LAUNCHER = r"""
import posix, sys, time
actions = [(posix.POSIX_SPAWN_OPEN, 0, "/dev/null", posix.O_RDONLY, 0), (posix.POSIX_SPAWN_OPEN, 1, "/dev/null", posix.O_WRONLY, 0)]
start = time.perf_counter()
pid = posix.posix_spawn(sys.argv[1], sys.argv[1:], posix.environ, file_actions=actions)
_, status, used = posix.wait4(pid, 0)
wall = time.perf_counter() - start
print(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024), status)
"""


@dataclass
class Run:
    """One run of a command, in seconds and bytes. said is its standard error."""

    wall: float
    cpu: float
    memory: int
    said: str


def run(command, folder=None, codes=(0,), env=None):
    """Run a command to its end. Any other exit code than these ends the benchmark."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, *command], cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr[-1000:]}")
    wall, cpu, memory, status = done.stdout.split()
    code = os.waitstatus_to_exitcode(int(status))
    if code not in codes:
        sys.exit(f"{' '.join(command)}: exit {code}\n{done.stderr[-1000:]}")
    return Run(float(wall), float(cpu), int(memory), done.stderr)


def by_turns(sides, runs):
    """Run all sides once in each turn. Return the median of every value of each side."""
    turns = [[side() for side in sides] for _ in range(runs)]
    return [
        Run(*(statistics.median(getattr(r, key) for r in column) for key in ("wall", "cpu", "memory")), column[-1].said)
        for column in zip(*turns)
    ]


def ms(seconds):
    """Milliseconds, with one decimal below 20."""
    return f"{seconds * 1e3:.1f} ms" if seconds < 0.02 else f"{seconds * 1e3:,.0f} ms"


def mib(size):
    return f"{size / 2**20:.0f} MiB"


def kib(size):
    return f"{size / 2**10:,.0f} KiB"


def row(what, goal, last, detail, met=True):
    """Print a row. A figure that misses its goal is bold."""
    print(f"| {what} | {goal} | {last if met else f'**{last}**'} | {detail} |", flush=True)


def ratio(what, goal, ours, theirs, detail):
    """Print the row of a ratio that is to be at most the goal."""
    row(what, f"{goal:g} ×", f"{ours / theirs:.2f} ×", detail, ours / theirs <= goal)


def head(title):
    print(f"\n| {title} | goal | last | |\n|---|---|---|---|", flush=True)


def size(folder):
    """The bytes of all files below a folder."""
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(folder) for f in files)


class Projects:
    """Projects in a temporary folder."""

    def __init__(self, brenner, root):
        self.brenner, self.root = brenner, root
        self.env = {"PATH": os.environ["PATH"], "HOME": root, "NO_COLOR": "1"}
        self.count = 0

    def put(self, name, value):
        """Write a file, as JSON unless it is a text. Return its path."""
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(value if isinstance(value, str) else json.dumps(value))
        return path

    def new(self, files=()):
        """Make a project with these files. Return its folder."""
        self.count += 1
        name = f"project-{self.count}"
        self.put(f"{name}/brenner.yaml", "question: Why?\n")
        for file, value in dict(files).items():
            self.put(f"{name}/{file}", value)
        return os.path.join(self.root, name)

    def run(self, folder, *arguments, codes=(0,)):
        return run([self.brenner, *arguments], folder, codes, self.env)

    def loop(self, sessions, rounds, script, entries):
        """Make a project with a plan of equal rehearsal sessions, 16 at a time. Return its folder."""
        return self.new({
            "script.yaml": script,
            "bench.yaml": {  # JSON is YAML
                "schema": "brenner.loop.plan/v1", "name": "bench", "via": "rehearsal", "script": "script.yaml",
                "questions": [{"id": "q", "question": "Why?"}], "rosters": [{"id": "r", "mode": "role_separated", "entries": entries}],
                "sessions": [{"question": "q", "roster": "r", "repeat": sessions}],
                "concurrency": 16, "session": {"rounds": rounds, "quiet_rounds": 0},
            },
        })


ROSTER = [
    {"agentName": "BlueLake", "role": "hypothesis_generator"},
    {"agentName": "PurpleMountain", "role": "test_designer"},
    {"agentName": "GreenValley", "role": "adversarial_critic"},
]


def replies(rounds):
    """The replies of the three agents. The first edits one hypothesis, the others add an item, in every round."""
    out = {}
    for entry, section, field in zip(ROSTER, ("hypothesis_slate", "assumption_ledger", "anomaly_register"), ("claim", "statement", "observation")):
        texts = []
        for n in range(1, rounds + 1):
            text = f"In trial {n}, the cells of lineage {n % 7} divide {n} times before the signal of the source reaches them."
            delta = {"operation": "ADD", "section": section, "payload": {"name": f"Trial {n}", field: text, "anchors": ["inference"]}, "rationale": "It was seen."}
            if section == "hypothesis_slate" and n > 1:
                delta.update(operation="EDIT", target_id="H1", payload={field: text})
            texts.append(f"I looked at trial {n} again, and compared it with the trials before it.\n\n```delta\n{json.dumps(delta)}\n```\n")
        out[entry["role"]] = texts
    return out


def script(parts):
    """A rehearsal script with these replies."""
    return json.dumps({
        "schema": "brenner.rehearsal/v1", "title": "Benchmark", "question": "Why?",
        "agents": [{"role": role, "rounds": [{"reply": text} for text in texts]} for role, texts in parts.items()],
    })


def main(job):
    """job(brenner, runs, only, folder), from the arguments BRENNER [RUNS [ONLY]]. ONLY is a regular expression."""
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} BRENNER [RUNS [ONLY]]")
    brenner, runs, only = os.path.abspath(sys.argv[1]), int((sys.argv + ["", ""])[2] or 5), (sys.argv + ["", ""])[3]
    with tempfile.TemporaryDirectory(prefix="brenner-bench-") as folder:
        job(brenner, runs, re.compile(only or "."), folder)
