"""Registers the environments with Gymnasium, where it is installed."""

from __future__ import annotations


def register() -> None:
    """Register `hyperslide/Sliding-v0`, once."""
    try:
        import gymnasium
    except ModuleNotFoundError:
        return
    name = "hyperslide/Sliding-v0"
    if name not in gymnasium.registry:
        gymnasium.register(
            id=name,
            entry_point="hyperslide._environments:SlidingEnv",
            vector_entry_point="hyperslide._environments:SlidingVectorEnv",
            max_episode_steps=1000,
        )
