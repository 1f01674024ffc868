//! Random play on random boards: whatever a search keeps of a state and changes with each move is
//! compared with the same computed anew.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use hyperslide_puzzle::{Metric, Puzzle, State};
use hyperslide_search::{
    HEURISTICS, Heuristic, HeuristicChoice, HeuristicEntry, Incremental, Resources,
};
use hyperslide_table::{
    Abstraction, BuildOptions, CursorState, DistanceTable, Encoding, PatternCursor, Rest,
    SearchOptions, Signals, Space, SpaceOptions,
};

/// Heuristics in addition to each alone: the greatest of several, and pattern databases of one
/// token each.
const COMBINED: [&str; 3] =
    ["linear-conflict,walking-distance", "patterns,linear-conflict", "misplaced,patterns,blind"];
/// States are numbered where at most this many tokens move: preparing the arrangements of more of
/// them takes seconds.
const MOST_TOKENS: usize = 7;
/// Whole tables are built of puzzles with at most this many numbered states.
const MOST_STATES: u128 = 10_000;

/// What was compared, so that a caller can see that nothing was left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Moves played.
    pub moves: usize,
    /// Estimates after a move that were compared.
    pub estimates: usize,
    /// Estimates that were also summed up from the costs of tokens.
    pub sums: usize,
    /// States whose rank was compared.
    pub ranks: usize,
    /// States that were looked up in whole tables.
    pub distances: usize,
    /// Slides that a cursor over a pattern database followed.
    pub slides: usize,
}

/// Reads a board, a goal, a start and moves from bytes, plays the moves, and compares after each of
/// them all incremental values with fresh ones, and ranks with their states.
///
/// # Panics
///
/// When two of them differ.
pub fn play(data: &[u8]) -> Played {
    let mut played = Played::default();
    let mut choices = Choices(data);
    let Some(puzzle) = draw(&mut choices) else { return played };
    let mut state = *puzzle.start();
    let mut estimates = Estimate::all(&puzzle);
    let mut numbers = Numbers::new(&puzzle);
    let mut tables = numbers.as_ref().and_then(|numbers| Tables::new(&puzzle, &numbers.space));
    while !choices.0.is_empty() {
        let moves = puzzle.board().legal_moves(&state);
        if moves.is_empty() {
            break;
        }
        let mv = moves[choices.below(moves.len())];
        let label = state.label_at(mv.from).expect("a move starts at a token");
        let mut next = state;
        next.slide(mv);
        let what = || format!("{mv} in {} of {puzzle}", puzzle.write_state(&state));
        for estimate in &mut estimates {
            let name = &estimate.name;
            let anew = estimate.heuristic.estimate(&next);
            if let Some(before) = estimate.value {
                let after = estimate.heuristic.after_move(before, &state, label, mv);
                assert_eq!(after, anew, "{name}: {}", what());
                played.estimates += 1;
            }
            played.sums += usize::from(estimate.check(&puzzle, &next, anew));
            estimate.value = anew;
        }
        if let Some(numbers) = &mut numbers {
            numbers.check(&next);
            played.ranks += 1;
        }
        if let Some(tables) = &mut tables {
            tables.step(&state, &next, &estimates);
            played.distances += 1;
            played.slides += usize::from(tables.followed.is_some());
        }
        played.moves += 1;
        state = next;
    }
    played
}

/// Bytes as a source of choices.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    /// A number below `bound`; 0 when no byte is left.
    fn below(&mut self, bound: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(first) % bound
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// A board of at most 12 vertices, or a cube of 16.
fn draw_board(choices: &mut Choices<'_>) -> (String, usize) {
    match choices.below(4) {
        0 => {
            let (rows, columns) = (1 + choices.below(3), 2 + choices.below(3));
            (format!("grid:{rows}:{columns}"), rows * columns)
        }
        1 => {
            let d = 2 + choices.below(3);
            (format!("cube:{d}:{}", 1 + choices.below(d)), 1 << d)
        }
        2 => {
            let vertices = 3 + choices.below(6);
            let mut edges: Vec<[usize; 2]> = (1..vertices).map(|v| [v - 1, v]).collect();
            for _ in 0..choices.below(6) {
                let mut edge = [choices.below(vertices), choices.below(vertices)];
                edge.sort_unstable();
                if edge[0] < edge[1] && !edges.contains(&edge) {
                    edges.push(edge);
                }
            }
            let edges: Vec<String> = edges.iter().map(|[a, b]| format!("{a}-{b}")).collect();
            (format!("graph:{vertices}:{}", edges.join(",")), vertices)
        }
        _ => {
            let vertices = 4 + choices.below(4);
            let mut faces: Vec<Vec<usize>> = Vec::new();
            for _ in 0..2 + choices.below(5) {
                let mut face: Vec<usize> = (0..vertices).collect();
                choices.shuffle(&mut face);
                face.truncate(2 + choices.below(3));
                face.sort_unstable();
                if !faces.contains(&face) {
                    faces.push(face);
                }
            }
            let join =
                |face: &Vec<usize>| face.iter().map(usize::to_string).collect::<Vec<_>>().join("-");
            let faces: Vec<String> = faces.iter().map(join).collect();
            (format!("faces:{vertices}:{}", faces.join(",")), vertices)
        }
    }
}

/// A puzzle, often with one empty vertex, for which some heuristics and tables have ways of their
/// own. `None` where the choices make none, such as a board whose faces hold each other.
fn draw(choices: &mut Choices<'_>) -> Option<Puzzle> {
    let (board, vertices) = draw_board(choices);
    let metric = Metric::ALL[choices.below(Metric::ALL.len())];
    let is_full = choices.below(2) == 0;
    let tokens = if is_full { vertices - 1 } else { 1 + choices.below(vertices - 1) };
    // Distinct tokens, or several with each label.
    let labels = if choices.below(4) == 0 { 1 + choices.below(3) } else { tokens };
    let mut cells: Vec<usize> =
        (0..vertices).map(|v| if v < tokens { v % labels + 1 } else { 0 }).collect();
    choices.shuffle(&mut cells);
    let mut goal: Vec<String> = cells.iter().map(usize::to_string).collect();
    if choices.below(8) == 0 {
        let any = choices.below(vertices);
        // A free token may be anywhere that the goal leaves open.
        goal.iter_mut().skip(any).for_each(|cell| "*".clone_into(cell));
    }
    choices.shuffle(&mut cells);
    let mut line = format!("{board} {metric} ");
    for (number, cell) in cells.iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        write!(line, "{comma}{cell}").expect("strings are written to");
    }
    Puzzle::from_line(&format!("{line} -> {}", goal.join(","))).ok()
}

/// A heuristic that is followed along the moves.
struct Estimate {
    name: String,
    heuristic: Box<dyn Heuristic>,
    admissible: bool,
    consistent: bool,
    value: Option<u32>,
}

impl Estimate {
    /// All heuristics that are for the puzzle and need little memory.
    fn all(puzzle: &Puzzle) -> Vec<Estimate> {
        let names = HEURISTICS.iter().map(|entry| entry.name).chain(COMBINED);
        names.filter_map(|name| Estimate::new(puzzle, name)).collect()
    }

    fn new(puzzle: &Puzzle, name: &str) -> Option<Estimate> {
        let choice: HeuristicChoice = name.parse().expect("heuristics have these names");
        let resources = Resources { memory: 4 << 20, threads: 1, ..Resources::default() };
        let heuristic = choice.build(puzzle, &resources).ok()?;
        let is_part = |entry: &&HeuristicEntry| name.split(',').any(|part| part == entry.name);
        let consistent = HEURISTICS.iter().filter(is_part).all(|entry| entry.consistent);
        let value = heuristic.estimate(puzzle.start());
        let admissible = choice.is_admissible();
        Some(Estimate { name: name.to_owned(), heuristic, admissible, consistent, value })
    }

    /// Compares the estimate for the state after a move with what is known of it. Returns whether
    /// it is a sum of costs.
    fn check(&self, puzzle: &Puzzle, next: &State, anew: Option<u32>) -> bool {
        let what = || format!("{} in {} of {puzzle}", self.name, puzzle.write_state(next));
        if self.admissible && puzzle.goal().is_met(next) {
            assert_eq!(anew, Some(0), "{}", what());
        }
        if let (true, Some(before), Some(after)) = (self.consistent, self.value, anew) {
            assert!(before.abs_diff(after) <= 1, "{before}, {after}: {}", what());
        }
        if let (Some(Incremental::TokenCosts(costs)), Some(anew)) =
            (self.heuristic.incremental(), anew)
        {
            let sum: u32 =
                next.tokens().map(|(vertex, label)| u32::from(costs.get(label, vertex))).sum();
            assert_eq!(sum, anew, "{}", what());
            return true;
        }
        false
    }
}

/// The numbers of the states on the way.
struct Numbers {
    space: Space,
    seen: HashMap<u128, State>,
}

impl Numbers {
    fn new(puzzle: &Puzzle) -> Option<Numbers> {
        if puzzle.start().occupied().len() > MOST_TOKENS {
            return None;
        }
        let options = SpaceOptions { max_sets: 1 << 14, ..SpaceOptions::default() };
        let space = Space::new(puzzle.board(), puzzle.start(), &options).ok()?;
        Some(Numbers { space, seen: HashMap::new() })
    }

    /// Every state has a number of its own, from which it comes back.
    fn check(&mut self, state: &State) {
        let rank = self.space.rank(state).expect("reachable states are numbered");
        assert!(rank < self.space.states(), "{rank} of {}", self.space.states());
        assert_eq!(self.space.unrank(rank), *state, "rank {rank}");
        assert_eq!(self.seen.entry(rank).or_insert(*state), state, "rank {rank}");
    }
}

/// All distances twice, and a pattern database that is followed.
struct Tables {
    bytes: DistanceTable,
    two_bits: DistanceTable,
    followed: Option<(PatternCursor, CursorState)>,
}

impl Tables {
    fn new(puzzle: &Puzzle, space: &Space) -> Option<Tables> {
        if space.states() > MOST_STATES {
            return None;
        }
        let whole = Abstraction::whole(puzzle).ok()?;
        Some(Tables {
            bytes: build(whole.clone(), Encoding::Byte)?,
            two_bits: build(whole, Encoding::Mod3)?,
            followed: Self::follow(puzzle),
        })
    }

    /// A cursor over the pattern database of half the tokens, where the puzzle is of its kind.
    fn follow(puzzle: &Puzzle) -> Option<(PatternCursor, CursorState)> {
        let names = puzzle.labels().iter().map(|(_, name)| name.to_owned());
        let kept: Vec<String> = names.take(puzzle.labels().len().div_ceil(2)).collect();
        let abstraction = Abstraction::new(puzzle, &kept, &[], Rest::Free).ok()?;
        let table = Arc::new(build(abstraction, Encoding::Mod3)?);
        let cursor = PatternCursor::new(&table)?;
        let (at, _) = cursor.start(puzzle.start())?;
        Some((cursor, at))
    }

    /// Compares the tables with each other, the estimates with them, and the cursor with one that
    /// starts anew.
    fn step(&mut self, state: &State, next: &State, estimates: &[Estimate]) {
        let distance = self.bytes.distance(next);
        assert_eq!(self.two_bits.distance(next), distance);
        if let (Some(before), Some(after)) = (self.bytes.distance(state), distance) {
            assert!(before.abs_diff(after) <= 1, "{before}, {after}");
        }
        for estimate in estimates.iter().filter(|estimate| estimate.admissible) {
            match (estimate.value, distance) {
                (Some(h), Some(distance)) => assert!(h <= distance, "{} {h}", estimate.name),
                (None, Some(distance)) => panic!("{} gives up at {distance}", estimate.name),
                (_, None) => {}
            }
        }
        if let Some((cursor, at)) = &mut self.followed {
            let (before, after) = (state.occupied(), next.occupied());
            let from = (before - after).into_iter().next().expect("a token left");
            let to = (after - before).into_iter().next().expect("a token arrived");
            let label = state.label_at(from).expect("it was there");
            let abstraction = cursor.table().abstraction();
            let name = abstraction.puzzle().labels().name(label);
            let is_kept = abstraction.kept().contains(&name);
            let slid =
                if is_kept { cursor.slide(*at, cursor.bit(from), cursor.bit(to)) } else { *at };
            let anew = cursor.start(next).expect("a move back leads on to the goal");
            assert_eq!(slid, anew.0, "{from} to {to}");
            let (_, old) = cursor.start(state).expect("the start was numbered");
            assert_eq!(old as i32 + slid.change_since(*at), anew.1 as i32, "{from} to {to}");
            *at = slid;
        }
    }
}

fn build(abstraction: Abstraction, encoding: Encoding) -> Option<DistanceTable> {
    let search = SearchOptions { threads: 1, ..SearchOptions::default() };
    let options = BuildOptions { encoding, memory: 4 << 20, search, ..BuildOptions::default() };
    let proceed = &mut |_: &_| ControlFlow::Continue(());
    DistanceTable::build(abstraction, &options, &Signals::default(), proceed).ok()
}
