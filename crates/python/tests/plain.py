"""A plain reading of the rule, from the faces of a board alone: what everything is compared with."""

from __future__ import annotations

from collections import deque
from itertools import permutations

import hyperslide

State = tuple[int, ...]


def moves(faces: list[list[int]], state: State) -> list[tuple[int, int]]:
    """A token may slide over a face whose other vertices are all empty."""
    found = set()
    for face in faces:
        tokens = [vertex for vertex in face if state[vertex]]
        if len(tokens) == 1:
            found.update((tokens[0], to) for to in face if to != tokens[0])
    return sorted(found)


def after(state: State, source: int, target: int) -> State:
    cells = list(state)
    cells[source], cells[target] = cells[target], cells[source]
    return tuple(cells)


def meets(state: State, goal: list[int]) -> bool:
    """Say whether a state has what the goal wants on each vertex; 255 is anything."""
    return all(wanted in (255, cell) for cell, wanted in zip(state, goal))


def distances(puzzle: hyperslide.Puzzle) -> dict[State, int]:
    """The distance of every state from which the goal can be reached, by breadth-first search."""
    faces = puzzle.board.faces
    wanted = puzzle.goal.tolist()
    goals = [tuple(wanted)]
    if 255 in wanted:
        states = set(permutations(puzzle.start.tolist()))
        goals = [state for state in states if meets(state, wanted)]
    found = dict.fromkeys(goals, 0)
    queue = deque(goals)
    while queue:
        state = queue.popleft()
        for move in moves(faces, state):
            child = after(state, *move)
            if child not in found:
                found[child] = found[state] + 1
                queue.append(child)
    return found


def action(puzzle: hyperslide.Puzzle, state: State, source: int, target: int) -> int:
    """The documented number of a move."""
    if puzzle.action_scheme == "blank":
        columns = puzzle.board.columns
        assert columns is not None
        return {-columns: 0, 1: 1, columns: 2, -1: 3}[source - target]
    if puzzle.action_scheme == "token":
        return (state[source] - 1) * puzzle.vertices + target
    return source * puzzle.vertices + target
