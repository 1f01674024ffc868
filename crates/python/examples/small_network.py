"""A small network, trained on exact distances, that beats weighted conflicts on the 8-puzzle.

It needs NumPy only, and takes some seconds:

    python crates/python/examples/small_network.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

import hyperslide


class Network:
    """One hidden layer of rectified units over the one-hot cells of a state."""

    def __init__(self, vertices: int, cells: int, hidden: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        inputs = vertices * cells
        self.identity = np.eye(cells, dtype=np.float32)
        self.weights = [
            random.normal(0, (2 / vertices) ** 0.5, (inputs, hidden)).astype(np.float32),
            np.zeros(hidden, dtype=np.float32),
            random.normal(0, hidden**-0.5, hidden).astype(np.float32),
            np.zeros(1, dtype=np.float32),
        ]

    def hidden(self, inputs: Any) -> Any:
        return np.maximum(inputs @ self.weights[0] + self.weights[1], 0)

    def inputs(self, states: Any) -> Any:
        return self.identity[states].reshape(len(states), -1)

    def __call__(self, states: Any) -> Any:
        return self.hidden(self.inputs(states)) @ self.weights[2] + self.weights[3][0]

    def train(self, states: Any, targets: Any, epochs: int, seed: int) -> None:
        """Minimise the squared error by Adam with a falling rate."""
        random = np.random.default_rng(seed)
        means = [np.zeros_like(weight) for weight in self.weights]
        squares = [np.zeros_like(weight) for weight in self.weights]
        steps, batch = 0, 256
        every = epochs * (len(states) // batch)
        for _ in range(epochs):
            for chosen in np.array_split(random.permutation(len(states)), len(states) // batch):
                inputs = self.inputs(states[chosen])
                hidden = self.hidden(inputs)
                error = hidden @ self.weights[2] + self.weights[3][0] - targets[chosen]
                error = (2 / len(chosen)) * error.astype(np.float32)
                back = np.outer(error, self.weights[2]) * (hidden > 0)
                gradients = [inputs.T @ back, back.sum(0), hidden.T @ error, error.sum(keepdims=True)]
                steps += 1
                rate = 0.004 * (1 - steps / (every + 1))
                for weight, mean, square, gradient in zip(self.weights, means, squares, gradients):
                    mean += 0.1 * (gradient - mean)
                    square += 0.001 * (gradient * gradient - square)
                    scale = rate * (1 - 0.999**steps) ** 0.5 / (1 - 0.9**steps)
                    weight -= scale * mean / (np.sqrt(square) + 1e-8)


def main(states: int = 60_000, epochs: int = 12, puzzles: int = 200) -> dict[str, tuple[float, float]]:
    """Train on random states and solve others by beams of five states; return mean lengths and expansions."""
    puzzle = hyperslide.Puzzle("grid:3:3")
    # Uniform states are hardly ever near the goal, where the last moves are decided.
    parts = [hyperslide.dataset(puzzle, states // 2, by, seed=1) for by in ("uniform", "distance")]
    examples = np.concatenate([part.states for part in parts])
    costs = np.concatenate([part.cost_to_go for part in parts]).astype(np.float32)
    network = Network(puzzle.vertices, len(puzzle.labels) + 1, hidden=128, seed=2)
    network.train(examples, costs, epochs, seed=3)
    starts = puzzle.sample(puzzles, seed=4)
    shortest = puzzle.cost_to_go(starts)
    error = float(np.abs(network(starts) - shortest).mean())
    print(f"the network is wrong by {error:.2f} moves in the mean")
    print(f"{'heuristic':20} {'solved':>6} {'mean length':>12} {'expanded':>9}   (shortest: {shortest.mean():.2f})")
    found = {}
    heuristics: dict[str, str | Network] = {"weighted-conflicts": "weighted-conflicts", "the network": network}
    for name, heuristic in heuristics.items():
        results = [
            hyperslide.solve(
                puzzle.with_start(start), algorithm="beam", width=5, heuristic=heuristic
            )
            for start in starts
        ]
        results = [result for result in results if result.status == "solved"]
        length = float(np.mean([result.length for result in results]))
        expanded = float(np.mean([result.stats.expanded for result in results]))
        found[name] = (length, expanded)
        print(f"{name:20} {len(results):6} {length:12.2f} {expanded:9.1f}")
    return found


if __name__ == "__main__":
    main()
