"""States a CPU-second of CayleyPy and DeepXube on the CPU, next to those of this package, in JSON lines.

CayleyPy expands states of the 15-puzzle on the tesseract. It has no boards, but the move of the empty vertex
along one dimension is a permutation in coordinates relative to the empty vertex. DeepXube steps, checks and
expands states of the 15-puzzle on the 4x4 grid in its own domain.

    pip install cayleypy==0.2.0 deepxube==0.3.2
    python crates/python/benches/torch_peers.py
"""

from __future__ import annotations

import importlib.metadata
import json
import time
from typing import Any

import numpy as np

import hyperslide


def report(name: str, count: int, states: int, work: Any) -> None:
    """Print the states in a second of CPU time, the best of five runs."""
    work()
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    print(json.dumps({"name": name, "batch": count, "per_cpu_s": round(states / best)}), flush=True)


def cayleypy(count: int) -> None:
    import torch
    from cayleypy import CayleyGraph, CayleyGraphDef

    torch.set_num_threads(1)
    generators = []
    for dimension in range(4):
        step = 1 << dimension
        generators.append([at if at in (0, step) else at ^ step for at in range(16)])
    graph = CayleyGraph(CayleyGraphDef.create(generators, central_state=list(range(16))), device="cpu")
    walks = torch.stack([torch.randperm(15) + 1 for _ in range(count)])
    states = torch.cat([torch.zeros((count, 1), dtype=torch.int64), walks], dim=1)
    encoded = graph.encode_states(states)
    children = graph.decode_states(graph.get_neighbors(encoded))
    assert children.shape == (4 * count, 16)
    report("cayleypy, 4 children of a state, in its own encoding", count, count, lambda: graph.get_neighbors(encoded))
    report("cayleypy, 4 children of a state, decoded", count, count, lambda: graph.decode_states(graph.get_neighbors(encoded)))


def deepxube(count: int) -> None:
    from deepxube.domains.npuzzle import NPAction, NPState, NPuzzle

    domain = NPuzzle(4)
    puzzle = hyperslide.Puzzle("grid:4:4")
    states = [NPState(state) for state in puzzle.sample(count, walk=100)]
    goals = domain.sample_goalstate_goal_pairs(count)[1]
    actions = [NPAction(int(action)) for action in np.random.default_rng(1).integers(0, 4, count)]

    def step() -> None:
        domain.is_solved(domain.next_state(states, actions)[0], goals)

    report("deepxube, one step and the check of the goal", count, count, step)
    report("deepxube, expand", count, count, lambda: domain.expand(states))


def own(count: int) -> None:
    tesseract = hyperslide.Puzzle("cube:4:1")
    states = tesseract.sample(count, walk=100)
    report("hyperslide, tesseract, expand", count, count, lambda: tesseract.expand(states))
    grid = hyperslide.Puzzle("grid:4:4")
    states = grid.sample(count, walk=100)
    actions = np.random.default_rng(1).integers(0, 4, count)

    def step() -> None:
        grid.is_goal(grid.step_batch(states, actions)[0])

    report("hyperslide, 15-puzzle, one step and the check of the goal", count, count, step)
    report("hyperslide, 15-puzzle, expand", count, count, lambda: grid.expand(states))


def main() -> None:
    versions = {name: importlib.metadata.version(name) for name in ("cayleypy", "deepxube", "torch", "numpy")}
    print(json.dumps(versions), flush=True)
    for count in (1_000, 100_000):
        for work in (cayleypy, deepxube, own):
            try:
                work(count)
            except ImportError as missing:
                print(json.dumps({"name": work.__name__, "missing": str(missing)}), flush=True)


if __name__ == "__main__":
    main()
