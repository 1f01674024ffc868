"""Speeds of the package, per second of CPU time, in JSON lines.

    python crates/python/benches/batches.py [--large]

Each figure is the best of several runs. `--large` adds the 3x4 puzzle, whose table takes 240 MB.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable

import numpy as np

import hyperslide


def rate(name: str, count: int, work: Callable[[], object], bar: float | None = None) -> None:
    """Print how many of `count` things are done in a second of CPU time."""
    best = float("inf")
    work()
    for _ in range(5):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    print(json.dumps({"name": name, "per_cpu_s": round(count / best), "bar": bar}), flush=True)


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main() -> None:
    machine = {
        "processor": processor(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "hyperslide": hyperslide.__version__,
    }
    print(json.dumps({"machine": machine}), flush=True)
    fifteen = hyperslide.Puzzle("grid:4:4")
    n = 100_000
    states = fifteen.sample(n, walk=(50, 100), seed=1)
    actions = np.random.default_rng(1).integers(4, size=n)
    rate("15-puzzle, step_batch", n, lambda: fifteen.step_batch(states, actions), 2e7)
    rate("15-puzzle, legal_mask", n, lambda: fifteen.legal_mask(states))
    rate("15-puzzle, expand", n, lambda: fifteen.expand(states))
    rate("15-puzzle, sample uniform", n, lambda: fifteen.sample(n))

    env = hyperslide.SlidingEnv("grid:4:4")
    env.reset(seed=1)
    some = actions[:20_000].tolist()

    def episode() -> None:
        for action in some:
            env.step(action)

    rate("15-puzzle, one environment, step", len(some), episode, 1e6)
    for count in (1_000, 100_000):
        envs = hyperslide.SlidingVectorEnv("grid:4:4", count, walk=(50, 100))
        envs.reset(seed=1)
        rate(f"15-puzzle, {count:,} environments, step", count, lambda: envs.step(actions[:count]))  # noqa: B023

    cube = hyperslide.Puzzle("cubical/d4-level4", rule=3)
    states = cube.sample(20_000, walk=20, seed=1)
    moves = np.random.default_rng(1).integers(cube.actions, size=len(states))
    rate("cube:4:3, step_batch", len(states), lambda: cube.step_batch(states, moves))
    rate("cube:4:3, expand", len(states), lambda: cube.expand(states))

    sizes = [("3x3", "grid:3:3")] + ([("3x4", "grid:3:4")] if "--large" in sys.argv else [])
    for name, board in sizes:
        puzzle = hyperslide.Puzzle(board)
        states = puzzle.sample(n, seed=1)
        for bits, few in ((8, n), (2, 2_000)):
            table = hyperslide.Table.build(puzzle, bits=bits)
            bar = 1e7 if bits == 8 else None
            rate(f"{name}, {bits} bits, cost_to_go", few, lambda: table.cost_to_go(states[:few]), bar)  # noqa: B023
            rate(f"{name}, {bits} bits, optimal_actions", few, lambda: table.optimal_actions(states[:few]))  # noqa: B023
            table.close()


if __name__ == "__main__":
    main()
