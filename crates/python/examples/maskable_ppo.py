"""MaskablePPO of sb3-contrib learns the 8-puzzle, with action masks and exact distances as its reward.

    python crates/python/examples/maskable_ppo.py

Prints a line of JSON for each evaluation: the share of 1,000 uniformly drawn puzzles that the policy
solves within 100 moves, choosing the likeliest legal action each time, and how far its solutions are from
the shortest ones. Needs sb3-contrib and PyTorch.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

import hyperslide


def one_hot(states: np.ndarray) -> np.ndarray:
    """Return what the network sees: a one for each vertex and the cell on it."""
    return np.eye(states.shape[1], dtype=np.float32)[states].reshape(len(states), -1)


class Environments(VecEnv):
    """A native vector environment as Stable-Baselines3 wants it."""

    def __init__(self, envs: hyperslide.SlidingVectorEnv, seed: int) -> None:
        vertices = envs.puzzle.vertices
        space = gymnasium.spaces.Box(0, 1, (vertices * vertices,), np.float32)
        super().__init__(envs.num_envs, space, envs.single_action_space)
        self.envs, self.seed_now = envs, seed

    def reset(self) -> np.ndarray:
        states, infos = self.envs.reset(seed=self.seed_now)
        self.masks = infos["action_mask"]
        return one_hot(states)

    def step_async(self, actions: np.ndarray) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        states, rewards, terminated, truncated, infos = self.envs.step(self.actions)
        self.masks = infos["action_mask"]
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for number in np.flatnonzero(terminated | truncated):
            last = one_hot(infos["final_obs"][number][None])[0]
            told[number] = {"terminal_observation": last, "TimeLimit.truncated": not terminated[number]}
        return one_hot(states), rewards.astype(np.float32), terminated | truncated, told

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        assert method_name == "action_masks"
        return list(self.masks)

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> Any:
        if attr_name == "render_mode":
            return [None] * self.num_envs
        if attr_name == "action_masks":
            return list(self.masks)
        raise AttributeError(attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(attr_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        self.envs.close()


def evaluate(model: MaskablePPO, puzzle: hyperslide.Puzzle, count: int = 1000) -> tuple[float, float | None]:
    """Return the share of solved puzzles, and the mean moves above the shortest among those, if any."""
    states = puzzle.sample(count, seed=12345)
    shortest = puzzle.cost_to_go(states)
    moves = np.full(count, -1)
    moves[shortest == 0] = 0
    for step in range(1, 101):
        mask = puzzle.legal_mask(states)
        actions, _ = model.predict(one_hot(states), action_masks=mask, deterministic=True)
        states, _ = puzzle.step_batch(states, actions)
        moves[(moves < 0) & puzzle.is_goal(states)] = step
    solved = moves >= 0
    above = round(float((moves - shortest)[solved].mean()), 2) if solved.any() else None
    return float(solved.mean()), above


class Watch(BaseCallback):
    """Evaluates now and then, and ends the training at the wanted rate or at the limit of time."""

    def __init__(self, puzzle: hyperslide.Puzzle, every: int, wanted: float, seconds: float) -> None:
        super().__init__()
        self.puzzle, self.every, self.wanted, self.seconds = puzzle, every, wanted, seconds
        self.began, self.next, self.rate = time.monotonic(), every, 0.0

    def _on_step(self) -> bool:
        if self.num_timesteps < self.next:
            return True
        self.next += self.every
        self.rate, above = evaluate(self.model, self.puzzle)
        seconds = time.monotonic() - self.began
        told = {
            "steps": self.num_timesteps,
            "seconds": round(seconds),
            "cpu_s": round(time.process_time()),
            "solved": self.rate,
            "above_shortest": above,
        }
        print(json.dumps(told), flush=True)
        return self.rate < self.wanted and seconds < self.seconds


def train(steps: int, wanted: float, seconds: float, seed: int = 0, threads: int = 1) -> float:
    """Train and return the last share of solved puzzles."""
    torch.set_num_threads(threads)
    puzzle = hyperslide.Puzzle("grid:3:3")
    envs = hyperslide.SlidingVectorEnv(
        puzzle, 128, reward="distance", autoreset_mode="same-step", max_episode_steps=60
    )
    model = MaskablePPO(
        "MlpPolicy",
        Environments(envs, seed),
        n_steps=64,
        batch_size=1024,
        n_epochs=6,
        learning_rate=lambda left: 1e-3 * left + 1e-5,
        # The reward of a step is by how much the exact distance falls, and says all about the step:
        # what comes later would only add noise.
        gamma=0.0,
        gae_lambda=0.0,
        ent_coef=0.003,
        policy_kwargs={"net_arch": [256, 256]},
        seed=seed,
        device="cpu",
    )
    watch = Watch(puzzle, 65_536, wanted, seconds)
    model.learn(steps, callback=watch)
    return watch.rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=3_000_000, help="the most steps of all environments together")
    parser.add_argument("--seconds", type=float, default=2400, help="the most seconds")
    parser.add_argument("--wanted", type=float, default=0.9, help="the share of solved puzzles at which it ends")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rate = train(arguments.steps, arguments.wanted, arguments.seconds, arguments.seed)
    if rate < arguments.wanted:
        raise SystemExit(f"{rate:.1%} of the puzzles are solved, and not {arguments.wanted:.0%}")


if __name__ == "__main__":
    main()
