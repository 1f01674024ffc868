//! Random states of one puzzle, many at a time, and data sets of them with exact distances.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_puzzle::{Actions, Puzzle, SolvabilityMemo, State, Vertex, VertexSet, classify};
use hyperslide_table::{DistanceTable, NEVER};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::exact::ExactDistances;
use crate::random::{RandomError, TRIES, UNDECIDED, below, is_solvable, states_at, walk};

/// Draws states from which the goal of a puzzle can be reached, the same for the same seed.
///
/// Whether a state is solvable is decided once for every set of occupied vertices where the closed
/// walks allow all arrangements of the tokens, or all even ones, and for every state elsewhere.
#[derive(Clone)]
pub struct StateSampler {
    puzzle: Puzzle,
    random: Xoshiro256PlusPlus,
    /// Every label as often as it occurs, and zeros.
    cells: Vec<u8>,
    /// The puzzle that starts at its goal, when the goal places every token.
    at_goal: Option<Puzzle>,
    solvable: Solvable,
    /// Where the goal leaves something open, it can be reached from states that have nothing to do
    /// with the puzzle: those are drawn whose occupied sets can be reached from its start. `None`
    /// where the goal says it, or the sets are too many.
    sets: Option<Arc<HashSet<VertexSet>>>,
    memo: SolvabilityMemo,
}

/// What decides whether a state is solvable.
#[derive(Clone)]
enum Solvable {
    /// Its occupied set.
    BySet(HashMap<VertexSet, bool>),
    /// Its occupied set, and whether the tokens in the order of their vertices are an even or an
    /// odd permutation.
    ByParity(HashMap<VertexSet, [bool; 2]>),
    /// The whole state.
    Each,
}

/// The most occupied sets that are explored to find out what the closed walks allow.
const MAX_SETS: usize = 1 << 16;

impl StateSampler {
    /// Prepares to draw states of a puzzle. Its start matters only where the goal leaves something
    /// open: its occupied set can be reached from the drawn ones.
    pub fn new(puzzle: &Puzzle, seed: u64) -> StateSampler {
        let vertices = puzzle.board().vertex_count();
        let goal = *puzzle.goal().labelled();
        let at_goal = puzzle.with_start(goal);
        let tokens = goal.occupied().len();
        let component = at_goal.as_ref().and_then(|puzzle| {
            classify(puzzle.board(), puzzle.start().occupied(), MAX_SETS).component
        });
        // Every arrangement on a set can be reached, or every second one.
        let (all, half) = component.map_or((false, false), |component| {
            let lost = component.count.to_string();
            (lost == "1", lost == "2" && component.even_only)
        });
        let solvable = if all || half && !puzzle.has_distinct_labels() {
            Solvable::BySet(HashMap::new())
        } else if half {
            Solvable::ByParity(HashMap::new())
        } else {
            Solvable::Each
        };
        assert!(tokens <= vertices);
        let has_open_goal = at_goal.is_none();
        StateSampler {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            cells: puzzle.start().cells()[..vertices].to_vec(),
            puzzle: puzzle.clone(),
            at_goal,
            solvable,
            sets: if has_open_goal { reachable_sets(puzzle).map(Arc::new) } else { None },
            memo: SolvabilityMemo::default(),
        }
    }

    /// Begins the sequence of another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.cells = self.puzzle.start().cells()[..self.cells.len()].to_vec();
    }

    /// Draws a seed for something else.
    pub fn seed(&mut self) -> u64 {
        self.random.next_u64()
    }

    /// Draws one of all solvable states, each equally likely.
    ///
    /// # Errors
    ///
    /// When none of many states that were drawn is known to be solvable.
    pub fn uniform(&mut self) -> Result<State, RandomError> {
        let mut undecided = 0;
        for tries in 1..=TRIES {
            for last in (1..self.cells.len()).rev() {
                let other = below(&mut self.random, last as u64 + 1);
                self.cells.swap(last, other);
            }
            let state = State::from_cells(&self.cells).expect("cells of a state, in another order");
            if self.sets.as_ref().is_some_and(|sets| !sets.contains(&state.occupied())) {
                continue;
            }
            match self.is_solvable(state) {
                Some(true) => return Ok(state),
                Some(false) => {}
                None => undecided += 1,
            }
            if undecided == UNDECIDED {
                return Err(RandomError::Undecided { tries, undecided });
            }
        }
        Err(match undecided {
            0 => RandomError::NoneSolvable(TRIES),
            _ => RandomError::Undecided { tries: TRIES, undecided },
        })
    }

    /// Draws a state at the end of a random walk from the goal. The number of slides is drawn
    /// uniformly between the bounds; no slide undoes the one before while there is another.
    ///
    /// # Errors
    ///
    /// When the goal leaves something open, no token can move in it, or `cancel` becomes true.
    pub fn walk(
        &mut self,
        least: u32,
        most: u32,
        cancel: &AtomicBool,
    ) -> Result<State, RandomError> {
        let goal = self.at_goal.as_ref().ok_or(RandomError::OpenGoal)?;
        if most > 0 && goal.board().legal_moves(goal.start()).is_empty() {
            return Err(RandomError::StuckGoal);
        }
        let state = walk(goal, (least, most), &mut self.random, cancel);
        if cancel.load(Ordering::Relaxed) { Err(RandomError::Cancelled) } else { Ok(state) }
    }

    fn is_solvable(&mut self, state: State) -> Option<bool> {
        let (puzzle, memo) = (&self.puzzle, &mut self.memo);
        let mut decide = |state| {
            let start = puzzle.with_start(state).expect("the tokens are the puzzle's");
            is_solvable(&start, memo, None, &NEVER)
        };
        let set = state.occupied();
        match &mut self.solvable {
            Solvable::Each => decide(state),
            Solvable::BySet(known) => match known.get(&set) {
                Some(&is_solvable) => Some(is_solvable),
                None => {
                    let decided = decide(state);
                    known.extend(decided.map(|is_solvable| (set, is_solvable)));
                    decided
                }
            },
            Solvable::ByParity(known) => {
                let odd = usize::from(is_odd(&state));
                if let Some(of_set) = known.get(&set) {
                    return Some(of_set[odd]);
                }
                let first = decide(state)?;
                let mut of_set = [false; 2];
                of_set[odd] = first;
                if !first {
                    // Exactly one of both parities can be reached, if the set can.
                    of_set[1 - odd] = decide(exchanged(&state))?;
                }
                known.insert(set, of_set);
                Some(first)
            }
        }
    }
}

/// The occupied sets that can be reached from a puzzle's start, unless they are too many.
fn reachable_sets(puzzle: &Puzzle) -> Option<HashSet<VertexSet>> {
    let start = puzzle.start().occupied();
    let (mut sets, mut waiting) = (HashSet::from([start]), vec![start]);
    while let Some(set) = waiting.pop() {
        for from in set {
            for to in puzzle.board().destinations(from, set) {
                let next = set.moved(from, to);
                if sets.insert(next) {
                    waiting.push(next);
                }
            }
        }
        if sets.len() > MAX_SETS {
            return None;
        }
    }
    Some(sets)
}

/// Returns whether the labels in the order of the vertices are an odd permutation.
fn is_odd(state: &State) -> bool {
    let (mut above, mut odd) = (0u64, 0);
    for (_, label) in state.tokens() {
        odd ^= (above >> label.index()).count_ones() & 1;
        above |= 1 << label.index();
    }
    odd == 1
}

/// The state with its first two tokens exchanged.
fn exchanged(state: &State) -> State {
    let mut tokens: Vec<(Vertex, hyperslide_puzzle::Label)> = state.tokens().collect();
    if let [(_, first), (_, second), ..] = &mut tokens[..] {
        std::mem::swap(first, second);
    }
    tokens.into_iter().collect()
}

/// Which states a [`Dataset`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetLaw {
    /// Every solvable state is equally likely.
    Uniform,
    /// Every distance is equally likely, and every state of a distance.
    Distance,
}

/// States with their exact distances and best moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    /// The puzzle; its start does not matter.
    pub puzzle: Puzzle,
    /// The cells of all states, `states x vertices` ([`State::from_cells`]).
    pub states: Vec<u8>,
    /// The number of moves from each state to the goal.
    pub distances: Vec<i16>,
    /// Whether each action leads one move closer to the goal, `states x actions`; none does at the
    /// goal.
    pub optimal_actions: Vec<bool>,
}

impl Dataset {
    /// Draws states from a table of all distances, the same for the same seed.
    ///
    /// # Errors
    ///
    /// When the table does not keep all labels, or is not one of whole distances where these are
    /// needed; when no state that was drawn is known to be solvable, or `cancel` becomes true.
    pub fn draw(
        table: &DistanceTable,
        states: usize,
        law: DatasetLaw,
        seed: u64,
        cancel: &AtomicBool,
    ) -> Result<Dataset, RandomError> {
        /// States that are looked up between two looks at the flag.
        const PART: usize = 1 << 16;

        let check = || match cancel.load(Ordering::Relaxed) {
            true => Err(RandomError::Cancelled),
            false => Ok(()),
        };
        let exact = ExactDistances::new(table).ok_or(RandomError::NotWhole)?;
        let puzzle = table.abstraction().puzzle().clone();
        let actions = Actions::new(&puzzle);
        let drawn: Vec<State> = match law {
            DatasetLaw::Uniform => {
                let mut sampler = StateSampler::new(&puzzle, seed);
                let mut draw = || check().and_then(|()| sampler.uniform());
                (0..states).map(|_| draw()).collect::<Result<_, _>>()?
            }
            DatasetLaw::Distance => {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(!seed);
                let layers = u64::from(table.layers().depth()) + 1;
                let distances: Vec<u32> =
                    (0..states).map(|_| below(&mut random, layers) as u32).collect();
                states_at(table, &distances, seed, cancel)?
            }
        };
        let (vertices, all) = (puzzle.board().vertex_count(), actions.count());
        let mut cells = Vec::with_capacity(states * vertices);
        let (mut distances, mut optimal_actions) = (vec![0; states], vec![false; states * all]);
        let marks = optimal_actions.chunks_mut(PART * all);
        for ((drawn, distances), marks) in
            drawn.chunks(PART).zip(distances.chunks_mut(PART)).zip(marks)
        {
            check()?;
            let first = cells.len();
            drawn.iter().for_each(|state| cells.extend_from_slice(&state.cells()[..vertices]));
            exact.distances(&cells[first..], distances);
            exact.optimal_actions(&actions, &cells[first..], marks);
        }
        Ok(Dataset { puzzle, states: cells, distances, optimal_actions })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ops::ControlFlow;

    use hyperslide_puzzle::{Effort, Move, Solvability, decide_solvability};
    use hyperslide_table::{Abstraction, BuildOptions, Encoding, Signals};

    use super::*;

    fn table(line: &str, encoding: Encoding) -> DistanceTable {
        let puzzle = Puzzle::from_line(line).unwrap();
        let options = BuildOptions { encoding, ..BuildOptions::default() };
        let abstraction = Abstraction::whole(&puzzle).unwrap();
        let signals = Signals::default();
        DistanceTable::build(abstraction, &options, &signals, &mut |_| ControlFlow::Continue(()))
            .unwrap()
    }

    /// Puzzles of which all, every second or fewer arrangements can be reached.
    const LINES: [&str; 6] = [
        "grid:2:2 1,2,3,0",
        "grid:2:3 1,2,3,4,0,0 -> 1,2,3,4,0,0",
        "cube:3:2 a=0,b=1,c=2 -> a=1,b=0,c=2",
        "cube:3:1 a=0,b=1,c=2,d=4 -> a=1,b=0,c=2,d=4",
        "cube:3:2 a=0+3,c=5,d=6 -> a=1+0,c=4,d=7",
        "grid:1:4 1,0,2,0 -> 1,2,0,0",
    ];

    #[test]
    fn states_are_uniform_among_the_solvable_ones() {
        for line in LINES {
            let puzzle = Puzzle::from_line(line).unwrap();
            let table = table(line, Encoding::Byte);
            let states = table.layers().total() as usize;
            let mut sampler = StateSampler::new(&puzzle, 3);
            let mut counts = BTreeMap::new();
            let draws = states * 20;
            for _ in 0..draws {
                let state = sampler.uniform().unwrap();
                *counts.entry(*state.cells()).or_insert(0) += 1;
            }
            for cells in counts.keys().take(200) {
                let start = puzzle.with_start(State::from_cells(cells).unwrap()).unwrap();
                let decided = decide_solvability(&start, Effort::THOROUGH, &|_| false);
                assert_eq!(decided, Solvability::Solvable, "{start}");
            }
            assert_eq!(counts.len(), states, "{line}: every state is drawn");
            // With this many degrees of freedom, chi-squared is nearly normal.
            let freedom = (states - 1) as f64;
            let chi: f64 = counts.values().map(|&n: &i32| f64::from((n - 20).pow(2)) / 20.0).sum();
            let limit = freedom + 4.0 * (2.0 * freedom).sqrt() + 8.0;
            assert!(chi < limit, "{line}: {chi} of {freedom}");
        }
    }

    #[test]
    fn states_at_a_distance_are_uniform() {
        let table = table("grid:2:3 1,2,3,4,5,0", Encoding::Byte);
        let exact = ExactDistances::new(&table).unwrap();
        let distances: Vec<u32> = (0..6_000).map(|number| number % 22).collect();
        let mut counts = vec![BTreeMap::new(); 22];
        for (state, distance) in
            states_at(&table, &distances, 1, &NEVER).unwrap().iter().zip(distances)
        {
            let cells = state.cells()[..6].to_vec();
            assert_eq!(exact.distance(&cells), Some(distance));
            *counts[distance as usize].entry(cells).or_insert(0) += 1;
        }
        for (counts, &states) in counts.iter().zip(&table.layers().states) {
            assert!(states > 40 || counts.len() as u64 == states, "{counts:?} of {states}");
        }
        assert!(matches!(
            states_at(&table, &[22], 1, &NEVER),
            Err(RandomError::NotSoFar { wanted: 22, farthest: 21 })
        ));
    }

    /// Both encodings, against the table's own look-ups state by state.
    #[test]
    fn data_sets_are_exact() {
        for line in LINES {
            let byte = table(line, Encoding::Byte);
            for law in [DatasetLaw::Uniform, DatasetLaw::Distance] {
                let data = Dataset::draw(&byte, 100, law, 5, &NEVER).unwrap();
                let puzzle = &data.puzzle;
                let (actions, vertices) = (Actions::new(puzzle), puzzle.board().vertex_count());
                let rows = data.optimal_actions.chunks(actions.count());
                for ((cells, row), &distance) in
                    data.states.chunks(vertices).zip(rows).zip(&data.distances)
                {
                    let state = State::from_cells(cells).unwrap();
                    assert_eq!(byte.distance(&state), Some(distance as u32), "{line}");
                    for (action, &is_optimal) in row.iter().enumerate() {
                        let nearer = actions
                            .legal_move(puzzle.board(), &state, action)
                            .is_some_and(|mv: Move| {
                                let next = puzzle.board().play(&state, mv).unwrap();
                                byte.distance(&next).map(|near| near + 1) == Some(distance as u32)
                            });
                        assert_eq!(is_optimal, distance > 0 && nearer, "{line}: {action}");
                    }
                }
                if law == DatasetLaw::Uniform {
                    let other =
                        Dataset::draw(&table(line, Encoding::Mod3), 100, law, 5, &NEVER).unwrap();
                    assert_eq!(data, other, "{line}");
                }
            }
        }
        // Other states meet this goal, too, but none of them can be reached from the start.
        let stuck = table("cube:2:2 c=1,a=2,b=3 -> c=1,a=2,b=*", Encoding::Byte);
        let data = Dataset::draw(&stuck, 20, DatasetLaw::Uniform, 1, &NEVER).unwrap();
        assert_eq!(data.distances, [0; 20]);
        let of_mod_3 = table(LINES[0], Encoding::Mod3);
        let refused = Dataset::draw(&of_mod_3, 1, DatasetLaw::Distance, 0, &NEVER);
        assert!(matches!(refused, Err(RandomError::NotWhole)));
    }
}
