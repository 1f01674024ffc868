//! Heuristics, one file each. A new one is a file here and its line in [`HEURISTICS`].

mod alike;
mod learned_weights;
mod placed_grid;
mod token_homes;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hyperslide_puzzle::{Board, Label, Move, Puzzle, State, Vertex, shorten};
use hyperslide_table::{Watch, available_threads};
use thiserror::Error;

use crate::outcome::Limit;
use crate::registry::registry;
use crate::settings::{Setting, SettingError};
use crate::table_cache::TableCache;

pub(crate) use learned_weights::{Cells, Followed, Numbers, UNIT_BITS, WeightNumber, cells_on};
pub use learned_weights::{LearnedWeights, WeightFamily, WeightsError};
pub(crate) use patterns::{NO_PART, PARTITIONS, PatternSizes, PatternWalks, Patterns, WalkPart};
pub(crate) use token_homes::TokenHomes;
pub use weighted_conflicts::GridWeights;
pub use weighted_neighbours::NeighbourWeights;

/// Every family of learned weights.
pub static WEIGHT_FAMILIES: [&WeightFamily; 5] = [
    &weighted_conflicts::FAMILY,
    &weighted_conflicts::TORUS,
    &weighted_conflicts::SEVERAL_EMPTY,
    &weighted_conflicts::LONG,
    &weighted_neighbours::FAMILY,
];

/// An estimate of the moves to the goal; a lower bound when it is admissible.
pub trait Heuristic: Sync {
    /// The estimate for a state, 0 when it meets the goal and below 8,192 always, or `None` when
    /// the goal certainly cannot be reached from it.
    fn estimate(&self, state: &State) -> Option<u32>;

    /// The estimate after a move of the token `label`, given the estimate `before` it and the state
    /// before it. The same as [`Heuristic::estimate`] of the next state, but faster.
    fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
        let _ = (before, label);
        let mut next = *state;
        next.slide(mv);
        self.estimate(&next)
    }

    /// Estimates all successors of a state, given the estimate `before` of the state. The same as
    /// [`after_move`](Heuristic::after_move) for each, but faster where they have work in common.
    fn estimate_successors(&self, before: u32, state: &State, successors: &mut [Successor]) {
        for successor in successors {
            let Successor { label, mv, .. } = *successor;
            successor.h = self.after_move(before, state, label, mv);
        }
    }

    /// A faster way to the same estimates for searches that follow a state slide by slide, when
    /// there is one.
    fn incremental(&self) -> Option<Incremental<'_>> {
        None
    }

    /// Bytes of its tables.
    fn bytes(&self) -> u64 {
        0
    }
}

/// A state that one move leads to.
#[derive(Clone, Copy, Debug)]
pub struct Successor {
    /// The label of the token that moves.
    pub label: Label,
    /// The move.
    pub mv: Move,
    /// The estimate after it, or `None` when the goal certainly cannot be reached.
    pub h: Option<u32>,
}

impl Successor {
    /// Lists the successors of a state, tokens in the order of their vertices, in place of what was
    /// there; none is estimated.
    #[inline]
    pub fn list(successors: &mut Vec<Successor>, board: &Board, state: &State) {
        successors.clear();
        for (from, label) in state.tokens() {
            for to in board.destinations(from, state.occupied()) {
                successors.push(Successor { label, mv: Move { from, to }, h: None });
            }
        }
    }
}

/// What a search that follows a state slide by slide can keep of an estimate, instead of asking for
/// it again.
pub enum Incremental<'a> {
    /// The estimate is the sum of these costs over the tokens.
    TokenCosts(&'a TokenCosts),
    /// The estimate is made of pattern databases, and of other heuristics next to them.
    Patterns(IncrementalPatterns<'a>),
    /// The estimate is made of learned weights for grids; it leads a beam, and is not a lower
    /// bound.
    GridWeights(&'a GridWeights),
    /// The same for graphs of any shape.
    NeighbourWeights(&'a NeighbourWeights),
}

/// What building a heuristic may use.
#[derive(Clone)]
pub struct Resources<'a> {
    /// Where tables come from.
    pub cache: Arc<TableCache>,
    /// Bytes that its tables, and building them, may take.
    pub memory: u64,
    /// How many threads to build with.
    pub threads: usize,
    /// Stops the building soon after it becomes true.
    pub cancel: Option<&'a AtomicBool>,
    /// When to stop building.
    pub deadline: Option<Instant>,
}

impl Resources<'_> {
    pub(crate) fn watch(&self) -> Watch<'_> {
        Watch::new(self.cancel, self.deadline)
    }
}

impl Default for Resources<'_> {
    /// Tables in memory only, all threads, no limits.
    fn default() -> Self {
        Resources {
            cache: Arc::default(),
            memory: u64::MAX,
            threads: available_threads(),
            cancel: None,
            deadline: None,
        }
    }
}

/// A puzzle that a heuristic is to be built for.
pub struct Request<'a> {
    /// The puzzle.
    pub puzzle: &'a Puzzle,
    /// What stood after the heuristic's name and a colon; empty when nothing did.
    pub argument: &'a str,
    /// What may be used.
    pub resources: &'a Resources<'a>,
}

/// Costs of tokens by label and vertex whose sum is an estimate: 64 bytes a label. Costs of one
/// label on neighbouring vertices differ by at most 127.
#[derive(Clone, Debug)]
pub struct TokenCosts {
    costs: Vec<[u8; hyperslide_puzzle::MAX_VERTICES]>,
}

impl TokenCosts {
    /// The cost of a token with this label on this vertex; `u8::MAX` when the goal cannot be
    /// reached.
    #[inline]
    pub fn get(&self, label: Label, vertex: Vertex) -> u8 {
        self.costs[label.index()][vertex.index()]
    }
}

/// A heuristic to choose by name.
#[derive(Clone, Copy)]
pub struct HeuristicEntry {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Never more than the moves needed.
    pub admissible: bool,
    /// Never falls by more than one with one move.
    pub consistent: bool,
    /// Its parameter, whose value stands after its name and a colon, if it has one.
    pub parameter: Option<&'static Setting>,
    /// Prepares it for a puzzle.
    pub build: fn(&Request<'_>) -> Result<Box<dyn Heuristic>, HeuristicError>,
}

registry! {
    /// Every heuristic there is, the default first.
    HEURISTICS: HeuristicEntry, ENTRY of
    lone_token;
    linear_conflict;
    walking_distance;
    patterns;
    weighted_conflicts;
    weighted_neighbours;
    misplaced;
    blind;
}

/// Why a heuristic cannot be used on a puzzle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HeuristicError {
    /// It is for other puzzles.
    #[error("the heuristic {heuristic} is only for {what}: use lone-token")]
    OtherPuzzles {
        /// The heuristic.
        heuristic: &'static str,
        /// What it is for.
        what: &'static str,
    },
    /// What stands after its name and a colon does not fit the puzzle.
    #[error("the heuristic {heuristic}:{argument} does not fit the puzzle: {problem}")]
    Argument {
        /// The heuristic.
        heuristic: &'static str,
        /// What stands after the colon.
        argument: String,
        /// What is wrong with it, and what to write.
        problem: String,
    },
    /// A table it needs is not available.
    #[error("a table for the heuristic {heuristic} is not available: {problem}")]
    Table {
        /// The heuristic.
        heuristic: &'static str,
        /// Why.
        problem: String,
    },
    /// A limit was reached while it was built.
    #[error("{0} while the heuristic was built")]
    Stopped(Limit),
}

/// Heuristics chosen by name, as `lone-token,patterns:4-4`: the estimate is the greatest of theirs.
#[derive(Clone)]
pub struct HeuristicChoice {
    entries: Vec<(&'static HeuristicEntry, String)>,
    is_default: bool,
}

impl HeuristicChoice {
    /// Returns whether nobody chose, so that an algorithm may take a better one than the default.
    pub fn is_default(&self) -> bool {
        self.is_default
    }

    /// Returns whether pattern databases are among them.
    pub(crate) fn has_patterns(&self) -> bool {
        self.entries.iter().any(|(entry, _)| entry.name == patterns::ENTRY.name)
    }

    /// The distances of lone tokens, as if somebody had chosen them.
    pub(crate) fn lone_token() -> HeuristicChoice {
        HeuristicChoice::from(&lone_token::ENTRY)
    }

    /// Additive pattern databases as they suit the puzzle.
    pub(crate) fn patterns() -> HeuristicChoice {
        HeuristicChoice::from(&patterns::ENTRY)
    }

    /// Additive pattern databases as an argument asks for them.
    fn patterns_of(argument: String) -> HeuristicChoice {
        HeuristicChoice { entries: vec![(&patterns::ENTRY, argument)], is_default: false }
    }

    /// Returns whether the pattern databases that suit a puzzle are in memory.
    pub(crate) fn patterns_are_ready(puzzle: &Puzzle, resources: &Resources<'_>) -> bool {
        patterns::are_ready(puzzle, resources)
    }

    /// The states of those pattern databases that suit a puzzle with one empty vertex and would
    /// have to be built, without regard to where the empty vertex is.
    pub(crate) fn unbuilt_states(puzzle: &Puzzle, resources: &Resources<'_>) -> f64 {
        patterns::unbuilt_states(puzzle, resources)
    }

    /// Learned weights, those that suit the puzzle best, where there are any that lead a beam well.
    pub(crate) fn learned_weights(puzzle: &Puzzle) -> Option<HeuristicChoice> {
        /// With more empty vertices, too many states near the goal differ only in where these are:
        /// a beam sees nothing else.
        const MOST_EMPTY: usize = 4;

        let tokens = puzzle.start().occupied().len();
        if puzzle.board().vertex_count() - tokens > MOST_EMPTY {
            return None;
        }
        let homes = TokenHomes::new(puzzle);
        let puzzle = homes.as_ref().map_or(puzzle, TokenHomes::puzzle);
        let entry = if weighted_conflicts::fits(puzzle) {
            &weighted_conflicts::ENTRY
        } else if weighted_neighbours::guides_beams(puzzle) {
            &weighted_neighbours::ENTRY
        } else {
            return None;
        };
        Some(HeuristicChoice::from(entry))
    }

    /// These heuristics and others next to them.
    pub(crate) fn and(mut self, others: HeuristicChoice) -> HeuristicChoice {
        self.entries.extend(others.entries);
        self
    }

    /// Returns whether the estimate is never more than the moves needed.
    pub fn is_admissible(&self) -> bool {
        self.entries.iter().all(|(entry, _)| entry.admissible)
    }

    /// Prepares the heuristics for a puzzle.
    ///
    /// # Errors
    ///
    /// When one of them is for other puzzles, its argument is wrong, or it needs more than there
    /// is.
    pub fn build(
        &self,
        puzzle: &Puzzle,
        resources: &Resources<'_>,
    ) -> Result<Box<dyn Heuristic>, HeuristicError> {
        let mut built: Vec<Box<dyn Heuristic>> = Vec::new();
        let mut left = resources.clone();
        for (entry, argument) in &self.entries {
            let heuristic = (entry.build)(&Request { puzzle, argument, resources: &left })?;
            left.memory = left.memory.saturating_sub(heuristic.bytes());
            built.push(heuristic);
        }
        Ok(match built.len() {
            1 => built.swap_remove(0),
            _ => Box::new(Greatest::new(built)),
        })
    }
}

impl Default for HeuristicChoice {
    fn default() -> HeuristicChoice {
        HeuristicChoice { is_default: true, ..HeuristicChoice::from(&HEURISTICS[0]) }
    }
}

impl From<&'static HeuristicEntry> for HeuristicChoice {
    fn from(entry: &'static HeuristicEntry) -> HeuristicChoice {
        HeuristicChoice { entries: vec![(entry, String::new())], is_default: false }
    }
}

impl fmt::Display for HeuristicChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (entry, argument)) in self.entries.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let colon = if argument.is_empty() { "" } else { ":" };
            write!(f, "{comma}{}{colon}{argument}", entry.name)?;
        }
        Ok(())
    }
}

/// Why a text does not choose heuristics.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeuristicChoiceError {
    /// No heuristic has this name.
    #[error(
        "no heuristic is called '{name}': write {}, or several with commas{}", known_names(), usual(.name)
    )]
    Unknown {
        /// What was written.
        name: String,
    },
    /// Something stands after the name of a heuristic without a parameter.
    #[error("the heuristic {heuristic} takes no parameter: leave out ':{argument}'")]
    NoParameter {
        /// The heuristic.
        heuristic: &'static str,
        /// What stands after the colon.
        argument: String,
    },
    /// The heuristic's parameter cannot have this value.
    #[error("the heuristic {heuristic}: {error}")]
    Parameter {
        /// The heuristic.
        heuristic: &'static str,
        /// The parameter, and what may be written.
        error: SettingError,
    },
}

/// What a heuristic is called here that others call so; an empty text for other names.
fn usual(name: &str) -> &'static str {
    match name.to_lowercase().as_str() {
        "manhattan" | "manhattan-distance" => "; lone-token is the Manhattan distance on grids",
        "hamming" | "misplaced-tiles" => "; misplaced counts misplaced tokens",
        "pdb" => "; patterns are pattern databases",
        _ => "",
    }
}

fn known_names() -> String {
    HEURISTICS.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

impl FromStr for HeuristicChoice {
    type Err = HeuristicChoiceError;

    fn from_str(text: &str) -> Result<HeuristicChoice, HeuristicChoiceError> {
        let find = |part: &str| {
            let (name, argument) = match part.split_once(':') {
                Some((name, argument)) => (name, Some(argument)),
                None => (part, None),
            };
            let Some(entry) = HEURISTICS.iter().find(|entry| entry.name == name) else {
                return Err(HeuristicChoiceError::Unknown { name: shorten(name) });
            };
            let heuristic = entry.name;
            match (entry.parameter, argument) {
                (None, Some(argument)) => {
                    let argument = shorten(argument);
                    return Err(HeuristicChoiceError::NoParameter { heuristic, argument });
                }
                (Some(parameter), Some(argument)) => parameter
                    .check(argument)
                    .map_err(|error| HeuristicChoiceError::Parameter { heuristic, error })?,
                (_, None) => {}
            }
            Ok((entry, argument.unwrap_or_default().to_owned()))
        };
        let entries = text.split(',').map(|part| find(part.trim())).collect::<Result<_, _>>()?;
        Ok(HeuristicChoice { entries, is_default: false })
    }
}

/// The greatest of several estimates: admissible and consistent where all of them are.
struct Greatest {
    of: Vec<Box<dyn Heuristic>>,
    /// The number of the one with the largest tables.
    largest: usize,
}

impl Greatest {
    fn new(of: Vec<Box<dyn Heuristic>>) -> Greatest {
        let largest = (0..of.len()).max_by_key(|&number| of[number].bytes()).unwrap_or(0);
        Greatest { of, largest }
    }
}

impl Heuristic for Greatest {
    fn estimate(&self, state: &State) -> Option<u32> {
        greatest(self.of.iter().map(|part| &**part), state)
    }

    /// Each part follows the moves from its own estimate of the state. A part that has its
    /// distances to walk down takes as long for one estimate as for a hundred moves: the one with
    /// the largest tables is asked for it only where the others' do not tell.
    fn estimate_successors(&self, before: u32, state: &State, successors: &mut [Successor]) {
        let mut highest = vec![Some(0); successors.len()];
        let mut of_others = 0;
        let others = (0..self.of.len()).filter(|&number| number != self.largest);
        for number in others.chain([self.largest]) {
            let part = &*self.of[number];
            let is_told = number == self.largest && of_others < before;
            let Some(own) = (if is_told { Some(before) } else { part.estimate(state) }) else {
                // Moves can be taken back: the goal remains out of reach.
                successors.iter_mut().for_each(|successor| successor.h = None);
                return;
            };
            of_others = own.max(of_others);
            part.estimate_successors(own, state, successors);
            for (highest, successor) in highest.iter_mut().zip(&*successors) {
                *highest = highest.zip(successor.h).map(|(highest, h)| h.max(highest));
            }
        }
        for (highest, successor) in highest.into_iter().zip(successors) {
            successor.h = highest;
        }
    }

    /// The pattern databases of the first heuristic that has any; the others are estimated from the
    /// state.
    fn incremental(&self) -> Option<Incremental<'_>> {
        let (first, patterns) =
            self.of.iter().enumerate().find_map(|(n, part)| match part.incremental()? {
                Incremental::Patterns(patterns) => Some((n, patterns)),
                Incremental::TokenCosts(_)
                | Incremental::GridWeights(_)
                | Incremental::NeighbourWeights(_) => None,
            })?;
        let others = self.of.iter().enumerate().filter(|&(n, _)| n != first);
        let beside = others.map(|(_, part)| &**part).collect();
        Some(Incremental::Patterns(IncrementalPatterns { beside, ..patterns }))
    }

    fn bytes(&self) -> u64 {
        self.of.iter().map(|part| part.bytes()).sum()
    }
}

/// An estimate by pattern databases that are followed slide by slide: the greatest of their
/// partitions' sums and of the heuristics next to them.
pub struct IncrementalPatterns<'a> {
    patterns: &'a Patterns,
    pub(crate) walks: &'a PatternWalks,
    beside: Vec<&'a dyn Heuristic>,
}

impl<'a> IncrementalPatterns<'a> {
    /// Returns whether the pattern databases are all there is.
    pub(crate) fn are_alone(&self) -> bool {
        self.beside.is_empty()
    }

    /// The number of partitions whose sums are followed.
    pub(crate) fn partitions(&self) -> usize {
        self.walks.part_of.len()
    }

    /// The choice of these pattern databases by the tokens of their partitions.
    pub(crate) fn choice(&self) -> HeuristicChoice {
        HeuristicChoice::patterns_of(self.patterns.named())
    }

    /// Pattern databases of other partitions that may suit the puzzle better than this one, if
    /// nobody chose its tokens and no other heuristic stands next to it; and the states of their
    /// tables that would have to be built, without regard to where the empty vertex is.
    pub(crate) fn others(&self, resources: &Resources<'_>) -> (Vec<HeuristicChoice>, f64) {
        if !self.are_alone() {
            return (Vec::new(), 0.0);
        }
        let (arguments, unbuilt) = self.patterns.others(resources);
        (arguments.into_iter().map(HeuristicChoice::patterns_of).collect(), unbuilt)
    }

    /// The pattern databases of some partitions of several, by their numbers; all of one puzzle.
    pub(crate) fn of_partitions(
        chosen: impl IntoIterator<Item = (IncrementalPatterns<'a>, usize)>,
        cache: &TableCache,
    ) -> Option<Box<dyn Heuristic>> {
        let chosen = chosen.into_iter().map(|(patterns, number)| (patterns.patterns, number));
        Some(Box::new(Arc::new(Patterns::of_partitions(chosen, cache)?)))
    }

    /// Bytes of the pattern databases of several, each counted once.
    pub(crate) fn bytes_of(all: impl IntoIterator<Item = IncrementalPatterns<'a>>) -> u64 {
        Patterns::bytes_of(all.into_iter().map(|one| one.patterns))
    }

    /// The pattern databases alone and the learned weights next to them, if there is nothing else.
    pub(crate) fn and_weights(&self) -> Option<(IncrementalPatterns<'a>, Incremental<'a>)> {
        let [only] = self.beside.as_slice() else { return None };
        let weights = only.incremental().filter(|other| {
            matches!(other, Incremental::GridWeights(_) | Incremental::NeighbourWeights(_))
        })?;
        let IncrementalPatterns { patterns, walks, .. } = *self;
        Some((IncrementalPatterns { patterns, walks, beside: Vec::new() }, weights))
    }

    /// The greatest estimate of the other heuristics, `None` when the goal certainly cannot be
    /// reached.
    pub(crate) fn beside(&self, state: &State) -> Option<u32> {
        greatest(self.beside.iter().copied(), state)
    }
}

fn greatest<'a>(of: impl Iterator<Item = &'a dyn Heuristic>, state: &State) -> Option<u32> {
    of.map(|part| part.estimate(state)).try_fold(0, |greatest, h| Some(h?.max(greatest)))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts what it is asked for.
    struct Counting {
        heuristic: Box<dyn Heuristic>,
        asked: Arc<AtomicUsize>,
    }

    impl Heuristic for Counting {
        fn estimate(&self, state: &State) -> Option<u32> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            self.heuristic.estimate(state)
        }

        fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
            self.heuristic.after_move(before, state, label, mv)
        }

        fn bytes(&self) -> u64 {
            self.heuristic.bytes()
        }
    }

    /// Estimates are the greatest of all, and only the state itself is estimated from nothing.
    #[test]
    fn several_heuristics_follow_a_move() {
        for (line, choices) in [
            ("grid:3:3 8,6,7,2,5,4,3,0,1", &["lone-token", "patterns:4-4"][..]),
            ("grid:3:3 8,6,7,2,5,4,3,0,1", &["patterns:4-4", "linear-conflict", "misplaced"]),
            ("grid:3:3 8,6,7,2,5,4,3,0,1", &["walking-distance", "weighted-conflicts"]),
            ("cube:3:2 1=0,2=1,3=2 -> 1=7,2=6,3=5", &["misplaced", "lone-token", "patterns"]),
        ] {
            let puzzle = Puzzle::from_line(line).unwrap();
            let (mut counters, mut parts) = (Vec::<Arc<AtomicUsize>>::new(), Vec::new());
            for choice in choices {
                let choice: HeuristicChoice = choice.parse().unwrap();
                let heuristic = choice.build(&puzzle, &Resources::default()).unwrap();
                let asked = Arc::<AtomicUsize>::default();
                counters.push(Arc::clone(&asked));
                parts.push(Box::new(Counting { heuristic, asked }) as Box<dyn Heuristic>);
            }
            let several = Greatest::new(parts);
            let (mut state, mut successors) = (*puzzle.start(), Vec::new());
            for number in 0..200 {
                Successor::list(&mut successors, puzzle.board(), &state);
                let before = several.estimate(&state).expect("the goal is in reach");
                counters.iter().for_each(|asked| asked.store(0, Ordering::Relaxed));
                several.estimate_successors(before, &state, &mut successors);
                for asked in &counters {
                    let asked = asked.load(Ordering::Relaxed);
                    assert!(asked <= 1, "{choices:?}: {asked} estimates for {state:?}");
                }
                for &Successor { mv, h, .. } in &successors {
                    let next = puzzle.board().play(&state, mv).unwrap();
                    assert_eq!(h, several.estimate(&next), "{choices:?}: {mv} in {state:?}");
                }
                state.slide(successors[number % successors.len()].mv);
            }
        }
    }
}
