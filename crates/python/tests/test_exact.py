"""Exact distances against `layers` and against a plain breadth-first search."""

from itertools import permutations

import numpy as np
import plain
import pytest

import hyperslide

PUZZLES = [
    "grid:2:3",
    "cube:3:1 1=0,2=1,3=2,4=4 -> 1=1,2=0,3=2,4=4",
    "cube:3:2 1=0,2=3,3=5,4=6 -> 1=0,2=3,3=6,4=5",
    "cube:3:3 1=0 -> 1=7",
    "cube:3:2 a=0+3,c=5 -> a=1+0,c=4",
    "grid:3:3 1,2,3,4,5,6,7,8,0",
]


@pytest.mark.parametrize("line", PUZZLES)
@pytest.mark.parametrize("bits", [8, 2])
def test_every_state(line, bits):
    puzzle = hyperslide.Puzzle(line)
    known = plain.distances(puzzle)
    if bits == 2 and len(known) > 50_000:
        keys = list(known)[::20]
    else:
        keys = list(known)
    states = np.array(keys, dtype=np.uint8)
    table = hyperslide.Table.build(puzzle, bits=bits)
    costs = table.cost_to_go(states)
    assert costs.dtype == np.int16
    assert costs.tolist() == [known[key] for key in keys]

    counted = hyperslide.layers(puzzle, to_goal=True)
    assert counted.complete
    assert counted.total == len(known)
    assert table.layers.tolist() == counted.states.tolist()
    assert counted.states.tolist() == np.bincount(list(known.values())).tolist()

    optimal = table.optimal_actions(states)
    few = range(0, len(keys), max(1, len(keys) // 2000))
    for number in few:
        key = keys[number]
        expected = {
            plain.action(puzzle, key, *move)
            for move in plain.moves(puzzle.board.faces, key)
            if known[plain.after(key, *move)] == known[key] - 1
        }
        assert set(np.flatnonzero(optimal[number]).tolist()) == expected


def arrangements(puzzle):
    """Return every way in which the cells of a puzzle can be arranged, solvable or not."""
    return sorted(set(permutations(puzzle.start.tolist())))


@pytest.mark.parametrize("bits", [8, 2])
def test_all_states_of_the_8_puzzle(bits):
    """Those of half of all arrangements are the layers, and the others have no distance."""
    puzzle = hyperslide.Puzzle("grid:3:3")
    states = np.array(list(permutations(range(9))), dtype=np.uint8)
    costs = hyperslide.Table.build(puzzle, bits=bits).cost_to_go(states)
    layers = hyperslide.layers(puzzle, to_goal=True)
    assert np.bincount(costs[costs >= 0]).tolist() == layers.states.tolist()
    assert (costs == -1).sum() == layers.total == 181440
    assert bits == 2 or np.array_equal(puzzle.cost_to_go(states), costs)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("tokens", [1, 2, 3, 4, 5, 6, 7])
def test_all_states_of_cubes_of_every_rule(k, tokens):
    try:
        puzzle = hyperslide.Puzzle(f"cube:3:{k}", empty=8 - tokens)
    except hyperslide.PuzzleError as error:
        assert "no token can move" in str(error)
        return
    known = plain.distances(puzzle)
    states = arrangements(puzzle)
    costs = puzzle.cost_to_go(np.array(states, dtype=np.uint8))
    assert costs.tolist() == [known.get(state, -1) for state in states]
    layers = hyperslide.layers(puzzle, to_goal=True)
    assert np.bincount(costs[costs >= 0]).tolist() == layers.states.tolist()


def test_what_is_unknown_is_never_guessed():
    puzzle = hyperslide.Puzzle("grid:3:3")
    states = np.array([[1, 2, 3, 4, 5, 6, 8, 7, 0], [1, 2, 3, 4, 5, 6, 7, 8, 0]], dtype=np.uint8)
    assert puzzle.cost_to_go(states).tolist() == [-1, 0]
    assert not puzzle.optimal_actions(states).any()


def test_tables_are_kept_and_closed(tmp_path):
    puzzle = hyperslide.Puzzle("grid:2:3")
    states = puzzle.sample(50, seed=2)
    told = []
    table = hyperslide.Table.build(puzzle, progress=lambda *now: told.append(now))
    assert told[-1][1] == 360
    path = tmp_path / "table.hst"
    table.save(path)
    with hyperslide.Table.open(path) as again:
        assert again.puzzle == puzzle
        assert again.cost_to_go(states).tolist() == table.cost_to_go(states).tolist()
        state = again.sample_at(np.array([21]), seed=1)[0]
        moves = again.solution(state)
        assert len(moves) == 21
        assert puzzle.is_goal(puzzle.with_start(state).play(moves)[None]).all()
    assert again.closed
    with pytest.raises(hyperslide.TableError, match="closed"):
        again.cost_to_go(states)
    (tmp_path / "bad").write_bytes(b"nothing")
    with pytest.raises(hyperslide.TableError):
        hyperslide.Table.open(tmp_path / "bad")
    with pytest.raises(hyperslide.TableError, match="missing"):
        hyperslide.Table.open(tmp_path / "missing")


def test_memory_is_limited():
    puzzle = hyperslide.Puzzle("grid:4:4")
    with pytest.raises(hyperslide.TableError):
        puzzle.cost_to_go(puzzle.start[None])
    small = hyperslide.Puzzle("grid:3:3")
    with pytest.raises(hyperslide.TableError, match="only 1000 may be used"):
        small.cost_to_go(small.start[None], memory=1000)


@pytest.mark.parametrize("by", ["uniform", "distance"])
def test_data_sets(by, tmp_path):
    data = hyperslide.dataset("grid:3:3", 500, by, seed=4)
    assert (data.cost_to_go >= 0).all()
    assert (data.optimal_actions.any(axis=1) == (data.cost_to_go > 0)).all()
    for action in range(4):
        chosen = data.optimal_actions[:, action]
        states, legal = data.puzzle.step_batch(data.states[chosen], np.full(chosen.sum(), action))
        assert legal.all()
        assert (data.puzzle.cost_to_go(states) == data.cost_to_go[chosen] - 1).all()
    for name in ["data.npz", "data.parquet"]:
        data.save(tmp_path / name)
        again = hyperslide.Dataset.load(tmp_path / name)
        assert again.puzzle == data.puzzle
        for array in ["states", "cost_to_go", "optimal_actions"]:
            one, other = getattr(again, array), getattr(data, array)
            assert one.dtype == other.dtype and (one == other).all()
    if by == "distance":
        assert np.bincount(data.cost_to_go).min() > 0


def test_parquet_is_read_by_others(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    data = hyperslide.dataset("cube:3:2 a=0,b=3,c=5 -> a=1,b=0,c=4", 100, seed=4)
    data.save(tmp_path / "data.parquet")
    table = parquet.read_table(tmp_path / "data.parquet")
    assert (np.array(table["states"].to_pylist()) == data.states).all()
    assert (table["cost_to_go"].to_numpy() == data.cost_to_go).all()
    assert (np.array(table["optimal_actions"].to_pylist()) == data.optimal_actions).all()
    assert table.schema.metadata[b"hyperslide.puzzle"].decode() == str(data.puzzle)
    # What others write again is read, too.
    parquet.write_table(table, tmp_path / "again.parquet")
    again = hyperslide.Dataset.load(tmp_path / "again.parquet")
    assert (again.states == data.states).all() and again.puzzle == data.puzzle
    parquet.write_table(table.drop_columns(["cost_to_go"]), tmp_path / "less.parquet")
    with pytest.raises(hyperslide.TableError, match="column cost_to_go is missing"):
        hyperslide.Dataset.load(tmp_path / "less.parquet")


def test_wrong_data_sets_are_refused(tmp_path):
    data = hyperslide.dataset("grid:2:3", 20)
    for name in ["data", "data.csv"]:
        with pytest.raises(hyperslide.SettingError, match="ends in .npz or .parquet"):
            data.save(tmp_path / name)
    for name in ["bad.npz", "bad.parquet"]:
        (tmp_path / name).write_bytes(b"nothing")
        with pytest.raises(hyperslide.TableError, match="cannot read"):
            hyperslide.Dataset.load(tmp_path / name)
    np.savez(tmp_path / "other.npz", states=data.states)
    with pytest.raises(hyperslide.TableError, match="cannot read"):
        hyperslide.Dataset.load(tmp_path / "other.npz")
    for name in ["data.npz", "data.parquet"]:
        data.save(tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        for length in range(0, len(whole), 97):
            (tmp_path / name).write_bytes(whole[:length])
            with pytest.raises(hyperslide.TableError, match="cannot read"):
                hyperslide.Dataset.load(tmp_path / name)
    states = data.states.copy()
    states[3, :2] = 9
    wrong = hyperslide.Dataset(data.puzzle, states, data.cost_to_go, data.optimal_actions)
    with pytest.raises(hyperslide.ArrayError, match="state 3"):
        wrong.save(tmp_path / "wrong.parquet")


def test_damaged_data_sets_are_refused(tmp_path, capfd):
    """One bit of each byte is changed: what loads is what was saved, and no panic shows."""
    data = hyperslide.dataset("grid:2:3", 20, by="distance", seed=3)
    path = tmp_path / "data.parquet"
    data.save(path)
    whole = path.read_bytes()
    refused, panics = 0, 0
    for place in range(0, len(whole), 2):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            read = hyperslide.Dataset.load(path)
        except hyperslide.TableError as problem:
            refused += 1
            panics += "it is damaged (" in str(problem)
            assert str(problem).startswith(f"cannot read {path}: ")
            continue
        assert read.puzzle == data.puzzle
        for array in ["states", "cost_to_go", "optimal_actions"]:
            assert (getattr(read, array) == getattr(data, array)).all(), place
    assert refused > 100 and panics > 0
    assert capfd.readouterr().err == ""


def test_what_other_programs_make_of_a_data_set_is_read(tmp_path):
    """They keep the digest of rows that they leave out; files that are older have none."""
    parquet = pytest.importorskip("pyarrow.parquet")
    data = hyperslide.dataset("grid:2:3", 20, seed=3)
    data.save(tmp_path / "data.parquet")
    table = parquet.read_table(tmp_path / "data.parquet")
    assert b"hyperslide.sha256" in table.schema.metadata
    parquet.write_table(table.slice(5), tmp_path / "less.parquet")
    less = hyperslide.Dataset.load(tmp_path / "less.parquet")
    assert (less.states == data.states[5:]).all()
    for metadata in [{b"hyperslide.puzzle": b"grid:2:3 5,4,3,2,1,1"}, {b"hyperslide.puzzle": b"grid:3:3"}]:
        parquet.write_table(table.replace_schema_metadata(metadata), tmp_path / "other.parquet")
        with pytest.raises(hyperslide.TableError, match="cannot read .*other.parquet: "):
            hyperslide.Dataset.load(tmp_path / "other.parquet")


@pytest.mark.parametrize("ending", [".npz", ".parquet"])
def test_wrong_states_in_a_file_name_it(tmp_path, ending):
    data = hyperslide.dataset("grid:2:3", 20, seed=3)
    path = tmp_path / f"data{ending}"
    if ending == ".npz":
        arrays = {"states": data.states, "cost_to_go": data.cost_to_go, "optimal_actions": data.optimal_actions}
        np.savez(path, puzzle=np.frombuffer(b"grid:2:3 1,1,2,3,4,0 -> 1,1,2,3,4,0", np.uint8), **arrays)
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        pyarrow = pytest.importorskip("pyarrow")
        data.save(path)
        line = {b"hyperslide.puzzle": b"grid:2:3 1,2,3,4,0,0 -> 1,2,3,4,0,0"}
        table = parquet.read_table(path).replace_schema_metadata(line)
        optimal = pyarrow.array([[False] * 24] * 20)
        parquet.write_table(table.set_column(2, "optimal_actions", optimal), path)
    with pytest.raises(hyperslide.ArrayError, match=r"cannot read .*data\.\w+: state 0 has"):
        hyperslide.Dataset.load(path)


def test_graphs_of_components():
    networkx = pytest.importorskip("networkx")
    pytest.importorskip("scipy")
    puzzle = hyperslide.Puzzle("grid:2:2")
    graph = hyperslide.to_networkx(puzzle)
    assert networkx.is_isomorphic(graph, networkx.cycle_graph(12))
    matrix, states = hyperslide.to_scipy_sparse(puzzle)
    assert (matrix != matrix.T).nnz == 0
    assert matrix.sum() == 24
    assert puzzle.cost_to_go(states).max() == 6
