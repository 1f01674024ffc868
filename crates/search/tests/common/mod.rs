//! What several test programs need.

use hyperslide_puzzle::{Label, Move, Puzzle, State, Vertex};
use hyperslide_search::{Config, Control, Limits, Report, solve};
use hyperslide_testkit::{PlainPuzzle, Random};
use rustc_hash::FxHashMap;

/// The puzzle of a line.
pub fn puzzle(line: &str) -> Puzzle {
    Puzzle::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// A puzzle whose start is a random walk away from its goal.
pub fn walked(board: &str, goal: &str, slides: usize, random: &mut Random) -> Puzzle {
    let solved = puzzle(&format!("{board} {goal} -> {goal}"));
    let mut state = *solved.start();
    for _ in 0..slides {
        let moves: Vec<_> = solved.board().legal_moves(&state).into_iter().collect();
        state.slide(moves[random.below(moves.len())]);
    }
    puzzle(&format!("{board} {} -> {goal}", solved.write_state(&state)))
}

/// Runs a search within limits.
pub fn run(puzzle: &Puzzle, config: &Config, limits: Limits) -> Report {
    solve(puzzle, config, &Control { limits, ..Control::default() }).unwrap()
}

/// A state that a start leads to.
pub struct Reached {
    pub state: State,
    pub depth: usize,
    /// Each legal move with its token and the number of the state that it leads to.
    pub moves: Vec<(Label, Move, usize)>,
}

/// All states that the start leads to, by a plain search, and what joins them.
pub fn reached(puzzle: &Puzzle) -> Vec<Reached> {
    let board = puzzle.board();
    let state = |(cells, depth): (Vec<Option<usize>>, usize)| {
        let token = |v: Vertex| Some((v, Label::new(cells[v.index()]?)?));
        (board.vertices().filter_map(token).collect(), depth)
    };
    let states: Vec<(State, usize)> =
        PlainPuzzle::new(puzzle).depths().into_iter().map(state).collect();
    let numbers: FxHashMap<State, usize> =
        states.iter().map(|(state, _)| *state).zip(0..).collect();
    let reached = |(state, depth): (State, usize)| {
        let moved = |mv: Move| {
            let next = board.play(&state, mv).unwrap();
            (state.label_at(mv.from).unwrap(), mv, numbers[&next])
        };
        let moves = board.legal_moves(&state).into_iter().map(moved).collect();
        Reached { state, depth, moves }
    };
    states.into_iter().map(reached).collect()
}
