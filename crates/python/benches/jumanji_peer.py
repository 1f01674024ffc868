"""Batched steps of the 15-puzzle in jumanji on the CPU, next to those of this package, in JSON lines.

Both play 100 random actions in each of many environments and compute the action masks.

    pip install jumanji==1.1.2
    python crates/python/benches/jumanji_peer.py
"""

from __future__ import annotations

import json
import time
from typing import Any

import jax
import jumanji
import numpy as np
from jumanji.environments import SlidingTilePuzzle
from jumanji.environments.logic.sliding_tile_puzzle.generator import RandomWalkGenerator

import hyperslide

STEPS = 100


def report(name: str, count: int, work: Any) -> None:
    """Print the steps in a second of CPU time, the best of five runs."""
    work()
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    print(json.dumps({"name": name, "environments": count, "per_cpu_s": round(count * STEPS / best)}))


def main() -> None:
    print(json.dumps({"jumanji": jumanji.__version__, "jax": jax.__version__, "numpy": np.__version__}))
    env = SlidingTilePuzzle(generator=RandomWalkGenerator(grid_size=4, num_random_moves=100))
    for count in (64, 1_024, 4_096):
        states, _ = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.PRNGKey(0), count))
        actions = jax.random.randint(jax.random.PRNGKey(1), (STEPS, count), 0, 4)

        @jax.jit
        def play(states: Any, actions: Any) -> Any:
            def one(states: Any, actions: Any) -> Any:
                states, timestep = jax.vmap(env.step)(states, actions)
                return states, (timestep.reward.sum(), timestep.observation.action_mask.sum())

            return jax.lax.scan(one, states, actions)

        report("jumanji", count, lambda: jax.block_until_ready(play(states, actions)))  # noqa: B023

        puzzle = hyperslide.Puzzle("grid:4:4")
        own = puzzle.sample(count, walk=100)
        chosen = np.asarray(actions)

        def batches() -> None:
            states = own  # noqa: B023
            for actions in chosen:  # noqa: B023
                states, _ = puzzle.step_batch(states, actions)  # noqa: B023
                puzzle.legal_mask(states)  # noqa: B023

        report("hyperslide, step_batch and legal_mask", count, batches)
        envs = hyperslide.SlidingVectorEnv(puzzle, count, walk=100)
        envs.reset(seed=1)

        def environments() -> None:
            for actions in chosen:  # noqa: B023
                envs.step(actions)  # noqa: B023

        report("hyperslide, vector environment", count, environments)


if __name__ == "__main__":
    main()
