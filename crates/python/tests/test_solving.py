"""Searches, counts and what the package shares with the command line."""

import _thread
import copy
import dataclasses
import json
import pickle
import re
import sys
import threading
import time
from base64 import b64decode
from xml.etree import ElementTree

import numpy as np
import pytest

import hyperslide

HARD = "grid:3:3 8,6,7,2,5,4,3,0,1"


def test_results_are_those_of_the_schema():
    result = hyperslide.solve(HARD)
    assert (result.status, result.length, result.optimal, result.gap) == ("solved", 31, True, 0)
    data = json.loads(result.to_json())
    assert data["length"] == 31 and data["puzzle"].startswith(HARD)
    states = result.states()
    puzzle = hyperslide.Puzzle(result.puzzle)
    assert states.shape == (32, 9) and puzzle.is_goal(states[-1:]).all()
    assert puzzle.cost_to_go(states).tolist() == list(range(31, -1, -1))
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert "31" in result._repr_html_() and "<img" in result._repr_html_()


def test_every_algorithm_and_its_settings():
    for algorithm in hyperslide.registry["algorithms"]:
        defaults = {one["name"].replace("-", "_"): one["default"] for one in algorithm["settings"]}
        result = hyperslide.solve(
            "grid:2:3 5,4,3,2,1,0", algorithm=algorithm["name"], limit_time=20, **defaults
        )
        assert result.status in ("solved", "limit-reached", "unsolvable"), algorithm["name"]
        for name in defaults:
            assert f"{name}:" in hyperslide.solve.__doc__
    assert hyperslide.solve(HARD, algorithm="weighted-astar", weight=1.5).length <= 46
    assert hyperslide.solve(HARD, algorithm="beam", width=100).seed == 0


def test_unsolvable_puzzles_have_a_reason():
    result = hyperslide.solve("grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,15,14,0")
    assert (result.status, result.reason) == ("unsolvable", "parity")
    assert result.certificate["tokens"] == 15
    with pytest.raises(ValueError, match="no solution"):
        result.states()


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"puzzle": "grid:3:3 1,1"}, hyperslide.PuzzleError, "entries"),
        ({"puzzle": "nonsense"}, hyperslide.PuzzleError, "not an instance"),
        ({"puzzle": "grid:9:9"}, hyperslide.BoardError, "at most 64"),
        ({"algorithm": "astr"}, hyperslide.SettingError, "no algorithm is called 'astr'"),
        ({"algorithm": "astar", "width": 5}, hyperslide.SettingError, "astar takes no 'width'"),
        ({"algorithm": "beam", "width": 0}, hyperslide.SettingError, "'0' is not a value of width"),
        ({"algorithm": "beam", "width": True}, hyperslide.SettingError, "width is True"),
        ({"heuristic": "x", "algorithm": "astar"}, hyperslide.SettingError, "no heuristic is called 'x'"),
        ({"limit_time": -1.0}, hyperslide.SettingError, "limit_time is -1"),
        ({"threads": 0}, hyperslide.SettingError, "threads is 0"),
        ({"admissible": True}, hyperslide.SettingError, "heuristic of your own"),
        ({"heuristic": len, "algorithm": "idastar"}, hyperslide.SettingError, "idastar takes no heuristic of your own"),
        (
            {"heuristic": len, "algorithm": "astar", "profile": "published"},
            hyperslide.SettingError,
            "astar takes no heuristic of your own with profile=published",
        ),
    ],
)
def test_bad_input_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        hyperslide.solve(**{"puzzle": HARD, **arguments})


def test_messages_are_one_line():
    with pytest.raises(hyperslide.PuzzleError) as refused:
        hyperslide.Puzzle("3x3\n\x001 2 3")
    assert str(refused.value).isprintable()


def test_settings_are_numbers_of_numpy_too():
    wide = hyperslide.solve(HARD, algorithm="beam", width=np.int64(100))
    assert wide.length == hyperslide.solve(HARD, algorithm="beam", width=100).length
    for value in [np.bool_(True), np.zeros(2), None]:
        with pytest.raises(hyperslide.SettingError, match="write a number or a text"):
            hyperslide.solve(HARD, algorithm="beam", width=value)


def test_a_slow_progress_callback_holds_nothing_up():
    told = []

    def slowly(now):
        told.append(now["expanded"])
        time.sleep(0.4)

    hyperslide.solve("korf24/50", algorithm="astar", heuristic="lone-token", limit_time=1.2, progress=slowly)
    # Some twelve reports were made; only the latest are passed on.
    assert 1 <= len(told) <= 5
    assert told == sorted(told)


def test_limits_and_progress():
    told = []
    result = hyperslide.solve(
        "korf24/50", algorithm="astar", heuristic="lone-token", limit_time=0.6, progress=told.append
    )
    assert (result.status, result.limit) == ("limit-reached", "time")
    assert told and told[-1]["expanded"] > 0
    assert hyperslide.solve("korf15/1", algorithm="astar", limit_nodes=100).limit == "nodes"

    def fail(_):
        raise RuntimeError("stop it")

    with pytest.raises(RuntimeError, match="stop it"):
        hyperslide.solve("korf24/50", algorithm="astar", heuristic="lone-token", progress=fail)


@pytest.mark.parametrize(
    "work",
    [
        lambda: hyperslide.solve("korf24/50", algorithm="idastar", heuristic="lone-token"),
        lambda: hyperslide.layers("grid:3:4 1,2,3,4,5,6,7,8,9,10,0,0 -> 1,2,3,4,5,6,7,8,9,10,0,0"),
        # Ten million occupied sets.
        lambda: hyperslide.classify("cube:5:2 " + "a," * 23 + "a" + ",0" * 8, limit=10**9),
        lambda: hyperslide.census("cube:5:2", 8),
    ],
)
def test_ctrl_c_ends_it(work):
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work()
        time.sleep(5)
    assert time.monotonic() - began < 20


def test_a_heuristic_of_ones_own():
    puzzle = hyperslide.Puzzle(HARD)
    sizes = []

    def manhattan(states):
        assert states.dtype == np.uint8 and states.shape[1] == 9
        sizes.append(len(states))
        return puzzle.heuristic(states, "lone-token")

    found = hyperslide.solve(puzzle, algorithm="astar", heuristic=manhattan, batch=64, admissible=True)
    assert (found.length, found.optimal) == (31, True)
    assert 1 <= min(sizes) and max(sizes) <= 64
    found = hyperslide.solve(puzzle, algorithm="astar", heuristic=manhattan)
    assert (found.length, found.optimal) == (31, False)
    for algorithm, more in [("greedy", {}), ("beam", {"width": 200}), ("weighted-astar", {"weight": 2})]:
        found = hyperslide.solve(puzzle, algorithm=algorithm, heuristic=manhattan, **more)
        assert found.status == "solved" and not found.optimal
        assert hyperslide.Puzzle(found.puzzle).is_goal(found.states()[-1:]).all()


@pytest.mark.parametrize(
    "heuristic, error, message",
    [
        (lambda states: np.zeros(len(states) + 1), hyperslide.ArrayError, "what the heuristic returns"),
        (lambda states: [0.0] * len(states), hyperslide.ArrayError, "list"),
        (lambda states: np.full(len(states), np.nan), hyperslide.SettingError, "not a number"),
        (lambda states: 1 / 0, ZeroDivisionError, "division"),
        (lambda: 0, TypeError, "positional"),
    ],
)
@pytest.mark.parametrize("algorithm", ["astar", "beam", "greedy"])
def test_heuristics_that_fail(heuristic, error, message, algorithm):
    with pytest.raises(error, match=message):
        hyperslide.solve(HARD, algorithm=algorithm, heuristic=heuristic)


def test_layers_and_censuses():
    layers = hyperslide.layers("grid:3:3", farthest=5)
    assert (layers.total, layers.depth, len(layers.farthest)) == (181440, 31, 2)
    assert "<img" in layers._repr_html_() and layers.to_svg().startswith("<svg")
    census = hyperslide.census("cube:3:2", 4)
    assert census.components[0].size == 672 and census.components[0].diameter == 10
    assert census.configurations == 1680 and "672" in census._repr_html_()
    with pytest.raises(hyperslide.CensusError, match="cannot be empty"):
        hyperslide.census("cube:3:2", 9)
    found = hyperslide.classify("grid:3:3")
    assert (found.regime, found.size, found.count) == ("mobile", 181440, 2)


def test_puzzles_boards_and_instances():
    board = hyperslide.Board("cube:4:2")
    assert (board.dimension, board.k, len(board.faces), len(board.edges)) == (4, 2, 24, 32)
    assert board == pickle.loads(pickle.dumps(board)) and board != hyperslide.Board("cube:4:2", metric="edge")
    assert hyperslide.Board("grid:2:3").destinations(0, [1]) == [3]
    puzzle = hyperslide.Puzzle("cubical/d4-level4", rule=3)
    assert puzzle.labels == ["b", "g", "p", "r", "y"]
    assert puzzle == pickle.loads(pickle.dumps(puzzle)) and len({puzzle, hyperslide.Puzzle(str(puzzle))}) == 1
    assert puzzle.decode(puzzle.start)[13] == "b"
    assert "<img" in puzzle._repr_html_()
    names = {one.name: one for one in hyperslide.instances()}
    assert names["korf15/1"].length == 57
    assert names["korf15/1"].puzzle().board == hyperslide.Board("grid:4:4")
    drawn = hyperslide.random("cube:4:2", 3, tokens=6, seed=1)
    assert len(drawn) == 3 and drawn == hyperslide.random("cube:4:2", 3, tokens=6, seed=1)
    far = hyperslide.random("grid:3:3", distance=31)[0]
    assert hyperslide.solve(far).length == 31


def pictures(html):
    """Return the roots of the pictures in HTML, each of which is well-formed SVG with a title or a description."""
    found = re.findall(r'<img alt="[^"]+" src="data:image/svg\+xml;base64,([^"]+)">', html)
    roots = [ElementTree.fromstring(b64decode(one)) for one in found]
    assert all(root.tag == "{http://www.w3.org/2000/svg}svg" for root in roots)
    return roots


def test_what_notebooks_show():
    """Boards, puzzles, results and layers as pictures, censuses as tables, all of them well-formed."""
    shown = {
        "a grid": (hyperslide.Board("grid:2:3"), 1),
        "a torus": (hyperslide.Board("torus:3:3"), 1),
        "a cube": (hyperslide.Board("cube:4:2", metric="edge"), 1),
        "a graph": (hyperslide.Board("graph:petersen"), 1),
        "a puzzle": (hyperslide.Puzzle("cubical/d4-level4"), 2),
        "a result": (hyperslide.solve("grid:2:3 5,4,3,2,1,0"), None),
        "layers": (hyperslide.layers("grid:2:3"), 1),
        "a census": (hyperslide.census("cube:3:2", 4), 0),
        "a census with labels": (hyperslide.census("torus:3:3", tokens="5xa,3xb"), 0),
    }
    for name, (one, count) in shown.items():
        html = one._repr_html_()
        closed = re.sub(r"(<(?:img|br|hr)\b[^>]*)>", r"\1/>", html)
        ElementTree.fromstring(f"<body>{closed}</body>")
        roots = pictures(html)
        assert len(roots) == count if count is not None else roots, name
    board = hyperslide.Board("graph:petersen")
    texts = [node.text for node in ElementTree.fromstring(board.to_svg()).iter() if node.tag.endswith("text")]
    assert sorted(texts, key=int) == [str(vertex) for vertex in range(10)]


def test_files(tmp_path):
    path = tmp_path / "ring.toml"
    path.write_text("vertices = 5\nedges = [[0,1],[1,2],[2,3],[3,4],[4,0]]\n")
    board = hyperslide.Board(f"graph:{path}")
    assert (board.vertices, len(board.edges)) == (5, 5)
    assert pickle.loads(pickle.dumps(board)) == board
    with pytest.raises(hyperslide.BoardError, match="cannot read"):
        hyperslide.Board("graph:nowhere.toml")


def test_experiments(tmp_path):
    assert {"name", "title", "table", "cpu_s"} <= set(hyperslide.experiments()[0])
    with pytest.raises(hyperslide.ExperimentError, match="no experiment is called 'x'"):
        hyperslide.experiment("x")
    with pytest.raises(hyperslide.ExperimentError, match="nowhere.toml"):
        hyperslide.experiment(tmp_path / "nowhere.toml")
    with pytest.raises(hyperslide.SettingError, match="threads is 0"):
        hyperslide.experiment("cubical-instances", threads=0)


def test_a_whole_experiment():
    told = []
    found = hyperslide.experiment("cubical-table-2", threads=2, progress=lambda *now: told.append(now))
    assert found.name == "cubical-table-2"
    # The numbers of tasks that are done rise, below the number of all.
    done = [now[0] for now in told]
    assert told and done == sorted(done) and all(total is None or first < total for first, total, _ in told)
    assert all(isinstance(title, str) and title for *_, title in told)
    assert found.text.strip() and found.text in str(found)
    # What was found again is what the committed records say: nothing that the paper prints is missed.
    verdicts = json.dumps(found.data)
    assert "equal" in verdicts and "missing" not in verdicts


def test_an_experiment_continues_from_its_records(tmp_path):
    file = tmp_path / "runs.jsonl"
    first = hyperslide.experiment("cubical-table-2", quick=True, records=file)
    whole = file.read_text().splitlines()
    assert all(json.loads(line)["experiment"] == "cubical-table-2" for line in whole)
    # As if it had been stopped after five tasks: these are not run again.
    file.write_text("\n".join(whole[:5]) + "\n")
    told = []
    hyperslide.experiment("cubical-table-2", quick=True, records=str(file), progress=lambda *now: told.append(now))
    again = file.read_text().splitlines()
    assert told[0][:2] == (5, len(whole)) and len(again) == len(whole) and again[:5] == whole[:5]
    # All of it is there now, and nothing is run.
    told.clear()
    read = hyperslide.experiment("cubical-table-2", quick=True, records=file, progress=lambda *now: told.append(now))
    assert not told and file.read_text().splitlines() == again
    assert read.data["verdicts"] == first.data["verdicts"]
    file.write_text("nothing\n" + file.read_text())
    with pytest.raises(hyperslide.ExperimentError, match="line 1: not a record"):
        hyperslide.experiment("cubical-table-2", quick=True, records=file)
    with pytest.raises(hyperslide.ExperimentError, match="nowhere"):
        hyperslide.experiment("cubical-table-2", quick=True, records=tmp_path / "nowhere" / "runs.jsonl")


def test_ctrl_c_ends_an_experiment():
    def interrupt(*_):
        _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        hyperslide.experiment("sliding-block-study", threads=1, progress=interrupt)
        time.sleep(5)


def test_other_threads_run_during_a_search():
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    # The interpreter takes no turns by itself, so that the other thread counts only where the
    # library lets it; a short call may end before it does, so each has many tries.
    interval = sys.getswitchinterval()
    thread = threading.Thread(target=count)
    thread.start()
    sys.setswitchinterval(1000)
    try:
        for work in [
            lambda: hyperslide.solve("korf24/50", algorithm="astar", heuristic="lone-token", limit_time=0.5),
            lambda: hyperslide.Table.build(hyperslide.Puzzle("grid:3:3")),
            lambda: hyperslide.layers("grid:3:3"),
        ]:
            before, tries = counted[0], 0
            while counted[0] == before and tries < 100:
                work()
                tries += 1
            assert counted[0] > before
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()


def test_what_is_no_result_is_refused():
    for text in ["{}", "x", "[]", '{"status": "solved", "moves": 3}', '{"status": 3}', '{"status": "done"}']:
        with pytest.raises(hyperslide.InputError, match="not the result of a search"):
            hyperslide.Result.from_json(text)
    unsolvable = hyperslide.solve("grid:3:3 2,1,3,4,5,6,7,8,0")
    with pytest.raises(hyperslide.InputError, match="there is no solution"):
        unsolvable.states()


def test_data_sets_that_cannot_be_written(tmp_path):
    drawn = hyperslide.dataset("grid:2:3", 3)
    for ending in [".npz", ".parquet"]:
        with pytest.raises(hyperslide.TableError, match="cannot write .*No such file"):
            drawn.save(tmp_path / "nowhere" / f"x{ending}")
        for name, array in [("cost_to_go", np.zeros(2, np.int16)), ("optimal_actions", np.zeros((3, 3), bool))]:
            with pytest.raises(hyperslide.ArrayError):
                dataclasses.replace(drawn, **{name: array}).save(tmp_path / f"x{ending}")
    with pytest.raises(hyperslide.SettingError, match="that of another puzzle"):
        hyperslide.dataset("grid:3:3", 3, table=hyperslide.Table.build(hyperslide.Puzzle("grid:2:3")))


def test_graphs_of_texts():
    matrix, states = hyperslide.to_scipy_sparse("grid:2:2")
    assert matrix.shape == (12, 12) and states.shape == (12, 4)


@pytest.mark.parametrize("kind", ["Result", "Layers", "Census", "LabelledCensus", "Classification"])
def test_texts_that_are_no_results_name_what_is_missing(kind):
    read = getattr(hyperslide, kind).from_json
    with pytest.raises(hyperslide.InputError, match="this is not .* in JSON: it has no '[a-z]+'"):
        read("{}")
    for text in ["", "3", "[]", "null", '"x"', '{"report": 3}']:
        with pytest.raises(hyperslide.InputError, match="this is not .* in JSON: "):
            read(text)


def test_results_have_the_fields_of_the_schema():
    result = hyperslide.solve("korf15/1", limit_time=0.01)
    schema = json.loads(result.to_json())
    assert result.choice == schema["choice"] and result.choice
    assert hyperslide.solve("grid:2:2", algorithm="astar").choice is None
    text = '{"status": "solved", "heuristic": "patterns:4-4"}'
    assert hyperslide.Result.from_json(text).heuristic == "patterns:4-4"


def test_results_are_compared_and_hashed():
    unsolvable = "grid:2:2 2,1,3,0"
    for make in [
        lambda: hyperslide.layers("grid:2:2"),
        lambda: hyperslide.solve("grid:2:2 2,3,1,0", algorithm="astar"),
        lambda: hyperslide.solve(unsolvable, algorithm="astar"),
        lambda: hyperslide.classify("grid:2:2", group=True),
    ]:
        one = make()
        other = copy.deepcopy(one)
        assert one == other and hash(one) == hash(other) and one != 3
    assert hyperslide.layers("grid:2:2") != hyperslide.layers("grid:2:3")
    assert hyperslide.layers("grid:2:3") != dataclasses.replace(hyperslide.layers("grid:2:3"), complete=False)
    census = hyperslide.census("cube:3:2", empty=4)
    assert census == copy.deepcopy(census)
    with pytest.raises(TypeError, match="unhashable"):
        hash(census)


def test_states_are_counted_with_their_labels():
    text = "grid:2:3 a,a,b,b,0,0"
    alike = hyperslide.classify(text)
    assert alike.size == 360 and alike.states == hyperslide.layers(f"{text} -> {text.split()[1]}").total == 90
    grouped = hyperslide.classify(text, group=True)
    assert grouped.states == 90 and grouped.group is not None and alike.group is None
    apart = hyperslide.classify("grid:2:3 1,2,3,4,5,0")
    assert apart.size == apart.states == 360
    limited = hyperslide.classify("grid:4:4 1,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0", limit=3)
    assert limited.size is None and limited.states is None


def test_negative_estimates_count_as_zero_and_infinite_ones_give_up():
    puzzle = "grid:3:3 8,6,7,2,5,4,3,0,1"
    below = hyperslide.solve(puzzle, algorithm="astar", heuristic=lambda states: np.full(len(states), -1.5))
    assert below.length == 31
    given_up = hyperslide.solve(puzzle, algorithm="astar", heuristic=lambda states: np.full(len(states), np.inf))
    assert (given_up.status, given_up.limit) == ("limit-reached", "width")
    assert hyperslide.solve(puzzle, algorithm="astar", heuristic=lambda states: np.full(len(states), -0.0)).length == 31


def test_boards_and_puzzles_are_taken_where_they_are_meant():
    board, puzzle = hyperslide.Board("grid:2:2"), hyperslide.Puzzle("grid:2:2")
    for one in (board, puzzle, "grid:2:2"):
        assert hyperslide.to_networkx(one).number_of_nodes() == 12
        assert hyperslide.to_scipy_sparse(one)[1].shape == (12, 4)
        assert len(hyperslide.dataset(one, 3)) == 3
        assert hyperslide.solve(one).length == 0
        assert hyperslide.layers(one).total == 12
        assert hyperslide.classify(one).size == 12
        assert hyperslide.SlidingEnv(one).puzzle == hyperslide.SlidingVectorEnv(one, 2).puzzle == puzzle
    for one in (board, "grid:2:2"):
        assert len(hyperslide.random(one)) == 1
        assert hyperslide.SlidingEnv(one, empty=2).puzzle.tokens == 2
    for call, message in [
        (hyperslide.solve, "puzzle is 3: write a Puzzle, a Board, or the text of either"),
        (hyperslide.to_networkx, "puzzle is 3: write a Puzzle"),
        (hyperslide.classify, "puzzle is 3: write a Puzzle"),
        (hyperslide.SlidingEnv, "board is 3: write a Puzzle"),
        (hyperslide.random, "board is 3: write a Board, or its text"),
        (lambda one: hyperslide.census(one, 2), "board is 3: write a Board, or its text"),
        (hyperslide.Puzzle, "text is 3: write a str, as in 'grid:3:3'"),
        (hyperslide.Board, "text is 3: write a str, as in 'grid:3:3'"),
    ]:
        with pytest.raises(TypeError, match=message):
            call(3)
    with pytest.raises(TypeError, match="board is Puzzle.*: write a Board"):
        hyperslide.random(puzzle)
    with pytest.raises(TypeError, match="text is Board.*: write a str"):
        hyperslide.Puzzle(board)
