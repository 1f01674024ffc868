"""The command line and the package say and draw the same.

Each case of bad input is the arguments of `hyperslide` and the call of Python; both refuse it in the same words. The
program comes from `HYPERSLIDE_PROGRAM`, or from where cargo puts it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import hyperslide

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(os.environ.get("HYPERSLIDE_PROGRAM", ROOT / "target" / "debug" / "hyperslide"))
HARD = "grid:3:3 8,6,7,2,5,4,3,0,1"

# The boards and puzzles that are wrong in themselves: the message is the whole message in both.
BOARDS = [
    "grid:9:9",
    "grid:0:3",
    "grid:3",
    "grid:x:3",
    "nonsense:3",
    "cube:7:2",
    "cube:3:0",
    "cube:3:4",
    "graph:petersn",
    "graph:nowhere.toml",
    "graph:3:0-1,1-7",
    "graph:3:0-1,1-x",
    "graph:3:0-0",
    "faces:4:0-1-9",
    "faces:nowhere.json",
    "graph6:~~~",
    "graph6:D",
    "sparse6:x",
]
PUZZLES = [
    "grid:3:3 1,1",
    "grid:3:3 1,2,3,4,5,6,7,8,9",
    "grid:3:3 1,2,3,4,5,6,7,8,0 -> 1,2,3,4,5,6,7,9,0",
    "grid:3:3 1,2,3,4,5,6,7,8,0 ->",
    "grid:3:3 side 1,2,3,4,5,6,7,8,0",
    "cube:3:2 a=0,a=1,b=3",
    "cube:3:2 a=0,b=9 -> a=1,b=0",
    "cube:3:2 a=0,b=0 -> a=1,b=0",
    "cube:3:2 a=0,b=1",
    "cube:3:2 a=0,=1 -> a=1,b=0",
    "cube:3:2 a=x -> a=1",
    "cube:9:2 a=0 -> a=1",
    "graph:nowhere.toml 1,2,0",
    "korf15",
    "korf15/101",
]


def said(*arguments: str, status: int = 2) -> str:
    """Return the one line with which the command line refuses something."""
    found = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    lines = found.stderr.splitlines()
    assert (found.returncode, len(lines)) == (status, 1), (arguments, found)
    return lines[0].removeprefix("hyperslide: ")


def raised(call) -> str:
    """Return the message of the exception that a call raises."""
    with pytest.raises(hyperslide.HyperslideError) as refused:
        call()
    assert not isinstance(refused.value, hyperslide.InternalError)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def reason(message: str) -> str:
    """Return what a message says after naming the option and its value, which are written otherwise in Python."""
    option = re.fullmatch(r"invalid value '.*?' for '--.*?': (.*) \(see --help\)", message)
    return option[1] if option else message


@pytest.mark.parametrize("board", BOARDS)
def test_boards(board):
    assert raised(lambda: hyperslide.Board(board)) == said("boards", board)


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_puzzles(puzzle):
    assert raised(lambda: hyperslide.solve(puzzle)) == said("solve", puzzle)


@pytest.mark.parametrize("text", ["nonsense", "korf", "korf15/x", "cubicl/d4-level4"])
def test_nothing_of_that_name(text):
    """Both end with where the names are listed, and a board is a puzzle only here, and a file only there."""
    ours, theirs = raised(lambda: hyperslide.Puzzle(text)), said("solve", text)
    assert ours.endswith("See: hyperslide.instances(), and help(hyperslide.Puzzle)")
    theirs = theirs.replace("a file or", "a board or").split(" See: ")[0]
    assert ours.split(" See: ")[0] == theirs


SETTINGS = [
    (["--algorithm", "astar", "--width", "5"], {"algorithm": "astar", "width": 5}),
    (["--algorithm", "beam", "--width", "0"], {"algorithm": "beam", "width": 0}),
    (["--algorithm", "beam", "--width", "-3"], {"algorithm": "beam", "width": -3}),
    (["--algorithm", "beam", "--width", "many"], {"algorithm": "beam", "width": "many"}),
    (["--algorithm", "weighted-astar", "--weight", "-1"], {"algorithm": "weighted-astar", "weight": -1}),
    (["--algorithm", "weighted-astar", "--weight", "nan"], {"algorithm": "weighted-astar", "weight": float("nan")}),
    (["--algorithm", "astar", "--heuristic", "x"], {"algorithm": "astar", "heuristic": "x"}),
    (["--algorithm", "astar", "--heuristic", "patterns:9-9"], {"algorithm": "astar", "heuristic": "patterns:9-9"}),
    (["--algorithm", "breadth-first", "--heuristic", "blind"], {"algorithm": "breadth-first", "heuristic": "blind"}),
    (["--limit-time", "-1"], {"limit_time": -1.0}),
    (["--limit-time", "nan"], {"limit_time": float("nan")}),
    (["--limit-time", "inf"], {"limit_time": float("inf")}),
    (["--limit-time", "1e300"], {"limit_time": 1e300}),
]


@pytest.mark.parametrize("options, arguments", SETTINGS, ids=lambda one: " ".join(map(str, one)))
def test_settings_and_limits(options, arguments):
    ours, theirs = raised(lambda: hyperslide.solve(HARD, **arguments)), said("solve", HARD, *options)
    if "limit_time" in arguments:
        ours = ours.removeprefix(f"limit_time is {arguments['limit_time']:g}: ".replace("1e+300", "1" + "0" * 300).replace("nan", "NaN"))
    assert ours == reason(theirs)


def test_algorithms():
    """The command line's parser lists the names in words of its own."""
    ours = raised(lambda: hyperslide.solve(HARD, algorithm="astr"))
    theirs = said("solve", HARD, "--algorithm", "astr")
    names = ", ".join(one["name"] for one in hyperslide.registry["algorithms"])
    assert f"[possible values: {names}]" in theirs and names in ours
    assert "'astr'" in ours and "'astr'" in theirs


def test_metrics_and_rules(tmp_path):
    ours = raised(lambda: hyperslide.Puzzle(HARD, metric="side"))
    assert ours == reason(said("solve", HARD, "--metric", "side"))
    for name, rule in [("cubical/d4-level4", 9), ("korf15/1", 2), ("cubical/d4-level4:3", 2), (HARD, 2)]:
        ours = raised(lambda: hyperslide.Puzzle(name, rule=rule))  # noqa: B023
        assert ours.replace(f"rule={rule}", f"--rule {rule}") == said("solve", name, "--rule", str(rule))


def test_files(tmp_path):
    files = {
        "empty.toml": b"",
        "cut.toml": b"vertices = ",
        "odd.toml": b"vertices = 3\nedges = [[0,9]]\nx = 1\n",
        "text.toml": b"\xff\xfe",
        "cut.json": b"{",
        "bad.g6": b"~~~",
    }
    for name, content in files.items():
        path = tmp_path / name
        path.write_bytes(content)
        board = f"graph:{path}"
        assert raised(lambda: hyperslide.Board(board)) == said("boards", board)  # noqa: B023
        if path.suffix == ".toml":
            assert raised(lambda: hyperslide.Puzzle.from_file(path)) == said("solve", str(path))  # noqa: B023
    folder = f"graph:{tmp_path}"
    assert raised(lambda: hyperslide.Board(folder)) == said("boards", folder)
    # A board in a file next to the puzzle's.
    (tmp_path / "puzzle.toml").write_text('board = "graph:ring.toml"\nstart = "1,2,0"\ngoal = "2,1,0"\n')
    puzzle = tmp_path / "puzzle.toml"
    assert raised(lambda: hyperslide.Puzzle.from_file(puzzle)) == said("solve", str(puzzle))
    (tmp_path / "ring.toml").write_text("vertices = 3\nedges = [[0,1],[1,2],[2,0]]\n")
    assert hyperslide.Puzzle.from_file(puzzle).vertices == 3


def test_tables(tmp_path):
    missing, other = tmp_path / "missing", tmp_path / "other"
    other.write_bytes(b"nothing of the kind")
    for path in (missing, other, tmp_path):
        assert raised(lambda: hyperslide.Table.open(path)) == said("table", "info", str(path))  # noqa: B023
    ours = raised(lambda: hyperslide.Table.build(hyperslide.Puzzle("grid:4:4"), memory=1000))
    theirs = said("table", "build", "grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0", "--limit-memory", "1000", "--out", str(tmp_path / "new"))
    assert ours == theirs
    whole = tmp_path / "whole"
    hyperslide.Table.build(hyperslide.Puzzle("grid:2:3")).save(whole)
    whole.write_bytes(whole.read_bytes()[:-7])
    assert raised(lambda: hyperslide.Table.open(whole)) == said("table", "info", str(whole))


def test_censuses():
    for board, empty in [("cube:3:2", 9), ("grid:9:9", 1), ("cube:6:2", 40)]:
        ours = raised(lambda: hyperslide.census(board, empty, limit_memory=10_000_000))  # noqa: B023
        theirs = said("census", board, "--empty", str(empty), "--limit-memory", "10000000")
        assert ours == theirs.replace("write --empty 0", "write 0")
    for tokens in ["5xa,3x", "5xa,9xb", "", "0xa"]:
        ours = raised(lambda: hyperslide.census("torus:3:3", tokens=tokens))  # noqa: B023
        assert re.sub("^tokens: ", "--tokens: ", ours) == said("census", "torus:3:3", "--tokens", tokens)
    ours = raised(lambda: hyperslide.census("torus:3:3", 4, tokens="2xa,b"))
    theirs = said("census", "torus:3:3", "--empty", "4", "--tokens", "2xa,b")
    assert ours.replace("empty=4", "--empty 4") == theirs
    for start in ["cube:3:2 a=0,a=1,b=3", "cube:3:2 a=9"]:
        assert raised(lambda: hyperslide.classify(start)) == said("classify", start)  # noqa: B023


def test_random_puzzles():
    for arguments, options in [
        ({"distance": 40}, ["--distance", "40"]),
        ({"tokens": 99}, ["--tokens", "99"]),
        ({"tokens": 0}, ["--tokens", "0"]),
        ({"goal": "1,2"}, ["--goal", "1,2"]),
        ({"goal": "1,,2"}, ["--goal", "1,,2"]),
    ]:
        ours = raised(lambda: hyperslide.random("grid:3:3", **arguments))  # noqa: B023
        assert ours == said("random", "--board", "grid:3:3", *options)
    assert raised(lambda: hyperslide.random("grid:3:3", tokens="2x")).startswith("'2x' is not a label")
    (alike,) = hyperslide.random("grid:3:3", tokens="4xa,4xb", seed=5)
    command = [PROGRAM, "random", "--board", "grid:3:3", "--tokens", "4xa,4xb", "--seed", "5"]
    assert str(alike) == subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_experiments(tmp_path):
    damaged = tmp_path / "damaged.toml"
    damaged.write_text("name = ")
    for name in ["cubical-tabel-2", "nowhere.toml", str(damaged)]:
        assert raised(lambda: hyperslide.experiment(name)) == said("experiment", name)  # noqa: B023
    # All of them at once are for the command line only.
    ours, theirs = raised(lambda: hyperslide.experiment("x")), said("experiment", "x")
    assert ours == theirs.replace(", all, or a file", ", or a file")


def test_data_sets(tmp_path):
    drawn = hyperslide.dataset("grid:2:3", 2)
    for name in ["data", "data.csv"]:
        path = tmp_path / name
        assert raised(lambda: drawn.save(path)) == said("dataset", "grid:2:3 1,2,3,4,5,0", "--out", str(path))  # noqa: B023


def test_heuristics_in_batches():
    puzzle = hyperslide.Puzzle(HARD)
    for name in ["x", "patterns:9-9", "walking-distance"]:
        line = "cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4" if name == "walking-distance" else HARD
        puzzle = hyperslide.Puzzle(line)
        ours = raised(lambda: puzzle.heuristic(puzzle.start[None], name))  # noqa: B023
        assert ours == reason(said("solve", line, "--algorithm", "astar", "--heuristic", name))


def test_illegal_moves():
    puzzle = hyperslide.Puzzle(HARD)
    for move in [(0, 1), (0, 7), (99, 0)]:
        ours = raised(lambda: puzzle.play([move]))  # noqa: B023
        theirs = said("replay", HARD, f"{move[0]}-{move[1]}")
        assert ours.removeprefix("move 0: ") in theirs or "99" in theirs and "99" in ours


def test_states_are_checked_in_words_of_their_own():
    """No array is typed at a command line."""
    assert "state 0 has 9 empty" in raised(lambda: hyperslide.Puzzle("grid:3:3").rank(np.zeros((1, 9), dtype=np.uint8)))


@pytest.mark.parametrize("ending", ["npz", "parquet"])
@pytest.mark.parametrize("by", ["uniform", "distance"])
@pytest.mark.parametrize("line", ["grid:2:3 1,2,3,4,5,0", "cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4"])
def test_both_draw_the_same_data_sets(tmp_path, line, by, ending):
    ours = hyperslide.dataset(line, 200, by, seed=7)
    path = tmp_path / f"theirs.{ending}"
    subprocess.run(
        [PROGRAM, "dataset", line, "--count", "200", "--by", by, "--seed", "7", "--out", path], check=True, capture_output=True
    )
    theirs = hyperslide.Dataset.load(path)
    for name in ("states", "cost_to_go", "optimal_actions"):
        one, other = getattr(ours, name), getattr(theirs, name)
        assert one.dtype == other.dtype and np.array_equal(one, other)
    assert ours.puzzle == theirs.puzzle
    if ending == "parquet":
        ours.save(tmp_path / "ours.parquet")
        assert (tmp_path / "ours.parquet").read_bytes() == path.read_bytes()
    else:
        with np.load(path) as arrays:
            assert sorted(arrays) == ["cost_to_go", "optimal_actions", "puzzle", "states"]


@pytest.mark.parametrize("line", ["grid:3:3 8,6,7,2,5,4,3,0,1", "cubical/d4-level4", "cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4"])
def test_both_find_the_same(line):
    """The JSON of a search, but for its times."""
    found = subprocess.run([PROGRAM, "solve", line, "--algorithm", "astar", "--format", "json"], capture_output=True, text=True)
    theirs = json.loads(found.stdout)
    ours = json.loads(hyperslide.solve(line, algorithm="astar").to_json())
    for one in (ours, theirs):
        one["stats"] = {name: value for name, value in one["stats"].items() if name in ("expanded", "generated")}
    assert {name: ours[name] for name in theirs if name in ours} == {name: theirs[name] for name in theirs if name in ours}
    assert {"puzzle", "status", "length", "optimal", "moves", "stats"} <= set(ours) & set(theirs)
