"""Censuses with repeated labels and groups of closed walks, against a plain reading of the rule."""

from __future__ import annotations

import math
from collections import Counter, deque
from itertools import permutations

import plain
import pytest

import hyperslide


def states_of(board, counts):
    """Every arrangement of tokens with these numbers of each label on a board."""
    cells = [label for label, count in enumerate(counts, 1) for _ in range(count)]
    cells += [0] * (board.vertices - len(cells))
    return sorted(set(permutations(cells)))


def reached(board, start):
    """The distance of every state that can be reached; in the edge metric by moves to neighbours."""
    near = {*board.edges, *((b, a) for a, b in board.edges)} if board.metric == "edge" else None
    found, queue = {start: 0}, deque([start])
    while queue:
        state = queue.popleft()
        for move in plain.moves(board.faces, state):
            child = plain.after(state, *move)
            if child not in found and (near is None or move in near):
                found[child] = found[state] + 1
                queue.append(child)
    return found


@pytest.mark.parametrize(
    "line, metric, tokens, counts",
    [
        ("grid:2:3", "face", "3xa,2xb", [3, 2]),
        ("cube:3:2", "face", "2xa,b", [2, 1]),
        ("cube:3:2", "edge", "a,b,a", [2, 1]),
        ("cube:3:1", "face", "3xa,4xb", [4, 3]),
        ("grid:2:2", "face", "2xa,b", [2, 1]),
        ("graph:theta0", "face", "6xa", [6]),
    ],
)
def test_repeated_labels(line, metric, tokens, counts):
    board = hyperslide.Board(line, metric=metric)
    census = hyperslide.census(board, tokens=tokens)
    assert (census.complete, census.metric, census.labels) == (True, metric, tuple(counts))
    states = states_of(board, counts)
    assert census.configurations == len(states)
    # For each component its size, and how many of its states have each eccentricity.
    found, seen = Counter(), set()
    for state in states:
        if state not in seen:
            component = reached(board, state)
            seen |= component.keys()
            depths = Counter(max(reached(board, each).values()) for each in component)
            found[len(component), tuple(sorted(depths.items()))] += 1
    listed = Counter()
    for one in census.components:
        listed[one.size, tuple(sorted(one.eccentricities.items()))] += one.count
        assert one.diameter == max(one.eccentricities) and one.radius == min(one.eccentricities)
    assert listed == found
    assert census.board in census._repr_html_()


def test_repeated_labels_that_were_counted_before():
    """The 3x3 torus of the guide; and tokens that all differ, as in the cubical paper's Table 1."""
    census = hyperslide.census("torus:3:3", tokens="5xa,3xb")
    (one,) = census.components
    assert (one.size, one.diameter, one.radius) == (504, 11, 8)
    assert one.eccentricities == {8: 36, 9: 108, 10: 180, 11: 180}
    plain_census = hyperslide.census("cube:3:2", 4)
    distinct = hyperslide.census("cube:3:2", tokens="a,b,c,d", empty=4)
    assert distinct.configurations == plain_census.configurations == 1680
    key = [(one.size, one.count, one.diameter, one.regime) for one in plain_census.components]
    assert sorted(key) == sorted(
        (one.size, one.count, one.diameter, one.regime) for one in distinct.components
    )


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({}, hyperslide.SettingError, "how many vertices are empty"),
        ({"tokens": "2x"}, hyperslide.SettingError, "'2x' is not a label"),
        ({"tokens": "65xa"}, hyperslide.SettingError, "1 to 64 tokens"),
        ({"tokens": ""}, hyperslide.SettingError, "is not a label"),
        ({"tokens": "7xa,2xb"}, hyperslide.CensusError, "too few for 9 tokens"),
        ({"tokens": "2xa", "empty": 5}, hyperslide.SettingError, "leave it out"),
        ({"tokens": "2xa", "limit_time": -1.0}, hyperslide.SettingError, "limit_time is -1"),
    ],
)
def test_bad_labels_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        hyperslide.census("cube:3:2", **arguments)
    with pytest.raises(hyperslide.CensusError, match="100000000"):
        hyperslide.census("grid:5:5", tokens="8xa,8xb")


def test_a_labelled_census_tells_and_ends():
    told = []
    whole = hyperslide.census("torus:3:3", tokens="5xa,3xb", progress=lambda *now: told.append(now))
    assert told[-1] == (10, 10) and whole.complete
    cut = hyperslide.census("torus:3:3", tokens="5xa,3xb", limit_time=1e-9)
    assert not cut.complete and cut.configurations == 504
    (one,) = cut.components
    # Bounds of what is known.
    assert isinstance(one.diameter, tuple) and one.diameter[0] <= 11

    def fail(*_):
        raise RuntimeError("stop it")

    with pytest.raises(RuntimeError, match="stop it"):
        hyperslide.census("torus:3:3", tokens="5xa,3xb", progress=fail)


@pytest.mark.parametrize(
    "line, order, name",
    [
        # Wilson (1974): the alternating group on bipartite graphs, the symmetric one on others, and one
        # exception.
        ("graph:theta0 1,2,3,4,5,6,0", 120, "PGL(2,5)"),
        ("grid:3:3", math.factorial(8) // 2, "A_8"),
        ("grid:4:4", math.factorial(15) // 2, "A_15"),
        ("graph:petersen 1,2,3,4,5,6,7,8,9,0", math.factorial(9), "S_9"),
    ],
)
def test_published_groups(line, order, name):
    found = hyperslide.classify(line, group=True)
    assert (found.group.order, found.group.name) == (order, name)
    assert found.group.reason
    assert hyperslide.classify(line).group is None


@pytest.mark.parametrize(
    "line",
    [
        "graph:theta0 1,2,3,4,5,6,0",
        "grid:2:3 1,2,3,4,5,0",
        "cube:3:1 a=0,b=1,c=2,d=3,e=4,f=5,g=6 -> a=0,b=1,c=2,d=3,e=4,f=5,g=6",
        "cube:3:2 a=0,b=3,c=5,d=6 -> a=0,b=3,c=5,d=6",
        "cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4",
        "cube:3:2 a=0+3,c=5 -> a=1+0,c=4",
        "cube:3:3 a=0,b=1,c=2,d=3,e=4 -> a=0,b=1,c=2,d=3,e=4",
    ],
)
def test_groups(line):
    group = hyperslide.classify(line, group=True).group
    puzzle = hyperslide.Puzzle(line if "->" in line or "theta" not in line else f"{line} -> {line.split()[1]}")
    assert hyperslide.classify(puzzle, group=True).group == group
    start = puzzle.start.tolist()
    vertices = [vertex for vertex, cell in enumerate(start) if cell]
    # The arrangements of distinguishable tokens on the start's own vertices that walks can reach.
    distinct = [0] * len(start)
    for token, vertex in enumerate(vertices):
        distinct[vertex] = token + 1
    arrangements = {
        tuple(state[vertex] - 1 for vertex in vertices)
        for state in reached(puzzle.board, tuple(distinct))
        if all(state[vertex] for vertex in vertices)
    }
    # The state in which the token i stands where the token images[i] did.
    walked = set()
    for state in arrangements:
        images = [0] * len(state)
        for place, token in enumerate(state):
            images[token] = place
        walked.add(tuple(images))
    # Everything that the generators make.
    made, queue = {tuple(range(len(vertices)))}, [tuple(range(len(vertices)))]
    while queue:
        images = queue.pop()
        for generator in group.permutations:
            product = tuple(generator[image] for image in images)
            if product not in made:
                made.add(product)
                queue.append(product)
    assert made == walked
    assert group.order == len(made)
    moved = {token for images in made for token, image in enumerate(images) if token != image}
    assert {token for orbit in group.orbits for token in orbit} == {group.tokens[token] for token in moved}
    assert len(group.tokens) == len(vertices) == len(set(group.tokens))
    for cycles, images in zip(group.generators, group.permutations):
        for cycle in cycles.strip("()").split(")("):
            names = [group.tokens.index(name) for name in cycle.split()]
            assert all(images[a] == b for a, b in zip(names, names[1:] + names[:1]))
    gap = group.to_gap()
    assert gap.startswith("# The group of closed walks of ") and f"Size(G) = {group.order}," in gap


def test_groups_that_are_not_known():
    found = hyperslide.classify("grid:3:3", limit=2, group=True)
    assert found.group is None and found.size is None


def test_vertices_of_stuck_tokens():
    """Their vertices only: the labels are those of the puzzle."""
    found = hyperslide.classify("cube:3:2 a=0,b=1,c=2,d=3,e=7 -> a=0,b=1,c=2,d=3,e=7")
    assert (found.regime, found.stuck) == ("semi-isolated", (0, 1, 2, 3))
