//! Censuses of tokens of which several share a label.
//!
//! With distinguishable tokens one start of every orbit of occupied sets suffices, because relabelling
//! takes any arrangement to any other. Where tokens are alike it does not: here one start is searched
//! for every orbit of *states* under the board's symmetries and the exchanges of labels that equally
//! many tokens have.

use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path as FilePath;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyperslide_puzzle::{
    Board, BoardSource, Metric, Regime, State, VertexSet, classify, symmetry_group,
};
use hyperslide_table::{
    BreadthFirst, Layers, Path, SearchOptions, Signals, Space, SpaceError, SpaceOptions,
    VertexOrder,
};
use num_bigint::BigUint;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::record::{CensusRecordError, write_json};
use crate::report::Diameter;
use crate::run::searches_side_by_side;
use crate::survey::DisjointSets;
use crate::verify::StartsToVerify;

/// The greatest number of states that [`LabelledSurvey::new`] numbers, at 12 bytes each.
pub const MAX_LABELLED_STATES: u64 = 100_000_000;

/// Why a census of tokens with repeated labels cannot be made.
#[derive(Debug, Error)]
pub enum LabelledError {
    /// The board has fewer vertices than there are tokens.
    #[error("{board} has {vertices} vertices, too few for {tokens} tokens: name fewer")]
    TooManyTokens {
        /// The board.
        board: String,
        /// The number of its vertices.
        vertices: usize,
        /// The number of tokens.
        tokens: usize,
    },
    /// There are more states than are numbered.
    #[error(
        "{board} with these tokens has {states} states, more than the {MAX_LABELLED_STATES} that a \
         census with repeated labels can number: use fewer tokens, or more with the same label"
    )]
    TooManyStates {
        /// The board.
        board: String,
        /// The number of states, in decimal.
        states: String,
    },
    /// The census was cancelled before the states were surveyed.
    #[error("cancelled before the states were surveyed")]
    Cancelled,
    /// The states cannot be numbered.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// Memory cannot be allocated, or more is needed than allowed.
    #[error("a search needs {needed} bytes, but only {limit} may be used: raise --limit-memory")]
    Memory {
        /// Bytes needed.
        needed: u128,
        /// Bytes allowed.
        limit: u64,
    },
    /// Memory cannot be allocated.
    #[error("cannot get memory for the search: {0}")]
    Allocation(std::io::Error),
    /// A search found another number of states than the survey.
    #[error(
        "the search from {cells:?} found {found} states, the survey {expected}: please report this"
    )]
    Contradiction {
        /// The start.
        cells: Vec<u8>,
        /// The number of states found.
        found: u64,
        /// The number expected.
        expected: u64,
    },
    /// The recorded starts do not fit the survey.
    #[error("the recorded starts do not fit the board's orbits: {0}")]
    Starts(String),
}

/// The identity of a census with repeated labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledKey {
    /// The board, in one word.
    pub board: String,
    /// The metric.
    pub metric: String,
    /// The number of tokens of each label, the greatest first.
    pub labels: Vec<usize>,
}

/// The search from one start, and the states for which it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledStart {
    /// For each vertex 0 where it is empty, otherwise the number of the label from 1.
    pub cells: Vec<u8>,
    /// The number of states of its orbit within the component.
    pub orbit: u64,
    /// The number of states at distance 0, 1, ... up to the eccentricity.
    pub layers: Vec<u64>,
}

/// States with the same eccentricity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateEccentricity {
    /// The greatest distance from such a state.
    pub eccentricity: u32,
    /// The number of orbits of these states.
    pub orbits: u64,
    /// The number of these states.
    pub states: u64,
}

/// Components that agree in everything that the census determines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledComponent {
    /// The number of states of each component.
    pub size: u64,
    /// The number of these components.
    pub count: u64,
    /// How freely the tokens move.
    pub regime: Regime,
    /// The number of occupied sets of each component.
    pub occupied_sets: u64,
    /// The number of tokens that never move.
    pub stuck_tokens: usize,
    /// The greatest distance between two states; null before the first search.
    pub diameter: Option<Diameter>,
    /// The least eccentricity; null until all orbits are searched.
    pub radius: Option<u32>,
    /// The number of orbits of the states of one component, and thus of searches that suffice.
    pub orbits: usize,
    /// The number of orbits that have been searched.
    pub searched: usize,
    /// The number of states of one component with each eccentricity, in ascending order.
    pub eccentricities: Vec<StateEccentricity>,
}

/// The report of a census with repeated labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledReport {
    /// The board.
    pub board: String,
    /// `face` or `edge`.
    pub metric: String,
    /// The number of empty vertices.
    pub empty: usize,
    /// The number of tokens.
    pub tokens: usize,
    /// The number of tokens of each label, the greatest first.
    pub labels: Vec<usize>,
    /// The number of states.
    pub configurations: u64,
    /// The order of the board's symmetry group.
    pub symmetries: String,
    /// The number of searches that suffice by symmetry.
    pub orbits: usize,
    /// The number of these searches that have been made.
    pub searched: usize,
    /// Whether all searches have been made.
    pub complete: bool,
    /// The components, the largest first.
    pub components: Vec<LabelledComponent>,
}

/// An orbit of states of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StateOrbit {
    representative: u64,
    states: u64,
}

/// Components that symmetries and exchanges of labels take to each other.
#[derive(Clone, Debug)]
struct Kind {
    size: u64,
    count: u64,
    regime: Regime,
    stuck: VertexSet,
    occupied_sets: u64,
    orbits: Vec<StateOrbit>,
}

/// All states of a board with given tokens: their components and orbits.
#[derive(Clone, Debug)]
pub struct LabelledSurvey {
    board: Board,
    words: Words,
    symmetries: BigUint,
    kinds: Vec<Kind>,
    isolated: u64,
}

/// The ranks of the words in which each letter occurs a given number of times, in lexicographic order.
/// Letter 0 is an empty vertex.
#[derive(Clone, Debug)]
struct Words {
    counts: Vec<u64>,
    length: usize,
    total: u64,
}

impl Words {
    fn rank(&self, cells: &[u8]) -> u64 {
        let (mut counts, mut total, mut rank) = (self.counts.clone(), self.total, 0);
        for (place, &letter) in cells[..self.length].iter().enumerate() {
            let left = (self.length - place) as u64;
            let smaller: u64 = counts[..usize::from(letter)].iter().sum();
            rank += total * smaller / left;
            let count = &mut counts[usize::from(letter)];
            total = total * *count / left;
            *count -= 1;
        }
        rank
    }

    fn unrank(&self, mut rank: u64) -> Vec<u8> {
        let (mut counts, mut total) = (self.counts.clone(), self.total);
        let mut cells = Vec::with_capacity(self.length);
        for place in 0..self.length {
            let left = (self.length - place) as u64;
            for (letter, count) in counts.iter_mut().enumerate() {
                let own = total * *count / left;
                if rank < own {
                    cells.push(letter as u8);
                    total = own;
                    *count -= 1;
                    break;
                }
                rank -= own;
            }
        }
        cells
    }
}

const UNSEEN: u32 = u32::MAX;
const ISOLATED: u32 = u32::MAX - 1;

impl LabelledSurvey {
    /// Surveys all states of a board with these numbers of tokens of each label.
    ///
    /// Takes O(states x moves) of time and 12 bytes a state.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many tokens or states, or if `cancel` becomes true.
    pub fn new(
        board: &Board,
        labels: &[usize],
        cancel: &AtomicBool,
    ) -> Result<LabelledSurvey, LabelledError> {
        let mut labels = labels.to_vec();
        labels.sort_unstable_by(|a, b| b.cmp(a));
        let (vertices, tokens) = (board.vertex_count(), labels.iter().sum::<usize>());
        if tokens > vertices {
            let board = board.to_string();
            return Err(LabelledError::TooManyTokens { board, vertices, tokens });
        }
        let counts: Vec<u64> =
            [vertices - tokens].iter().chain(&labels).map(|&count| count as u64).collect();
        let factorial = |n: u64| (1..=n).map(BigUint::from).product::<BigUint>();
        let alike: BigUint = counts.iter().map(|&count| factorial(count)).product();
        let states = factorial(vertices as u64) / alike;
        let total = u64::try_from(&states).ok().filter(|&total| total <= MAX_LABELLED_STATES);
        let Some(total) = total else {
            let (board, states) = (board.to_string(), states.to_string());
            return Err(LabelledError::TooManyStates { board, states });
        };
        let words = Words { counts, length: vertices, total };
        explore(board, words, cancel).ok_or(LabelledError::Cancelled)
    }

    /// Returns the identity of the census.
    pub fn key(&self) -> LabelledKey {
        LabelledKey {
            board: self.board.spec().to_string(),
            metric: self.board.metric().name().to_owned(),
            labels: self.labels(),
        }
    }

    fn labels(&self) -> Vec<usize> {
        self.words.counts[1..].iter().map(|&count| count as usize).collect()
    }

    /// Returns the number of searches that suffice.
    pub fn orbits(&self) -> usize {
        self.kinds.iter().map(|kind| kind.orbits.len()).sum()
    }

    fn state(&self, rank: u64) -> State {
        State::from_cells(&self.words.unrank(rank)).expect("cells of labels from 1 on")
    }

    /// Returns the report of the searches made so far.
    pub fn report(&self, done: &[LabelledStart]) -> LabelledReport {
        let by_rank: HashMap<u64, &LabelledStart> =
            done.iter().map(|start| (self.words.rank(&start.cells), start)).collect();
        let mut components: Vec<LabelledComponent> = Vec::new();
        for kind in &self.kinds {
            let report = component_report(kind, &by_rank);
            let same = components.iter_mut().find(|other| {
                **other == LabelledComponent { count: other.count, ..report.clone() }
            });
            match same {
                Some(same) => same.count += report.count,
                None => components.push(report),
            }
        }
        let searched = components.iter().map(|component| component.searched).sum();
        let complete = components.iter().all(|component| component.radius.is_some());
        let tokens = self.labels().iter().sum();
        if self.isolated > 0 {
            components.push(LabelledComponent {
                size: 1,
                count: self.isolated,
                regime: Regime::Isolated,
                occupied_sets: 1,
                stuck_tokens: tokens,
                diameter: Some(Diameter::Exact(0)),
                radius: Some(0),
                orbits: 0,
                searched: 0,
                eccentricities: Vec::new(),
            });
        }
        LabelledReport {
            board: self.board.spec().to_string(),
            metric: self.board.metric().name().to_owned(),
            empty: self.board.vertex_count() - tokens,
            tokens,
            labels: self.labels(),
            configurations: self.words.total,
            symmetries: self.symmetries.to_string(),
            orbits: self.orbits(),
            searched,
            complete,
            components,
        }
    }

    /// Searches from one state of every orbit. `tell` is called after every batch of searches with the
    /// number of those done. If it breaks or the search is cancelled, returns the starts done so far.
    ///
    /// # Errors
    ///
    /// Returns an error if a search needs more than `memory` bytes or finds a wrong number of states.
    pub fn run(
        &self,
        memory: u64,
        signals: &Signals<'_>,
        tell: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<LabelledStart>, LabelledError> {
        let mut done = Vec::new();
        for kind in &self.kinds {
            let ranks: Vec<(u64, u64)> =
                kind.orbits.iter().map(|orbit| (orbit.representative, orbit.states)).collect();
            let mut sink = |rank: u64, states: u64, layers: &Layers| {
                done.push(LabelledStart {
                    cells: self.words.unrank(rank),
                    orbit: states,
                    layers: layers.states.clone(),
                });
                tell(done.len())
            };
            let options = SearchOptions::default();
            if self.search(kind, &ranks, (None, options), memory, signals, &mut sink)?.is_break() {
                break;
            }
        }
        Ok(done)
    }

    /// Searches from these states of a component, several side by side, and passes on the layers from
    /// each. Breaks when `sink` does or the search is cancelled.
    fn search(
        &self,
        kind: &Kind,
        ranks: &[(u64, u64)],
        (order, options): (Option<VertexOrder>, SearchOptions),
        memory: u64,
        signals: &Signals<'_>,
        sink: &mut dyn FnMut(u64, u64, &Layers) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, LabelledError> {
        let Some(&(first, _)) = ranks.first() else { return Ok(ControlFlow::Continue(())) };
        let space_options = SpaceOptions { walls: kind.stuck, order, ..SpaceOptions::default() };
        let space = Space::new(&self.board, &self.state(first), &space_options)?;
        let run_options = crate::run::RunOptions { search: options, ..Default::default() };
        let side_by_side = searches_side_by_side(&space, &run_options, ranks.len());
        let needed = u128::from(space.bytes())
            + BreadthFirst::bytes(&space, run_options.search.in_place, side_by_side);
        if needed > u128::from(memory) {
            return Err(LabelledError::Memory { needed, limit: memory });
        }
        let mut starts: Vec<(Option<bool>, u64, u64, State)> = ranks
            .iter()
            .map(|&(rank, states)| {
                let state = self.state(rank);
                (space.colour(&state), rank, states, state)
            })
            .collect();
        starts.sort_by_key(|&(colour, rank, ..)| (colour, rank));
        let mut search = BreadthFirst::side_by_side(&space, run_options.search, side_by_side)
            .map_err(LabelledError::Allocation)?;
        for same_colour in starts.chunk_by(|a, b| a.0 == b.0) {
            for batch in same_colour.chunks(side_by_side) {
                // If there are fewer starts than searches, the first is repeated, which costs nothing.
                let states = batch.iter().chain(std::iter::repeat(&batch[0]));
                let states: Vec<State> =
                    states.take(side_by_side).map(|&(.., state)| state).collect();
                search.start_each(&states).expect("the starts are in one component");
                search.run(signals, |_| ControlFlow::Continue(()));
                for (&(_, rank, states, _), layers) in batch.iter().zip(search.all_layers()) {
                    if !layers.complete {
                        return Ok(ControlFlow::Break(()));
                    }
                    if layers.total() != kind.size {
                        let cells = self.words.unrank(rank);
                        let (found, expected) = (layers.total(), kind.size);
                        return Err(LabelledError::Contradiction { cells, found, expected });
                    }
                    if sink(rank, states, layers).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Checks that there is one recorded start for every orbit, with all states of its component.
    ///
    /// # Errors
    ///
    /// Returns an error that names the first start that is missing or wrong.
    pub fn check(&self, recorded: &[LabelledStart]) -> Result<(), LabelledError> {
        let wrong = |message: String| Err(LabelledError::Starts(message));
        let vertices = self.board.vertex_count();
        let mut by_rank: HashMap<u64, &LabelledStart> = HashMap::new();
        for start in recorded {
            let mut counts = vec![0; self.words.counts.len()];
            for &letter in &start.cells {
                if let Some(count) = counts.get_mut(usize::from(letter)) {
                    *count += 1u64;
                }
            }
            if start.cells.len() != vertices || counts != self.words.counts {
                return wrong(format!("{:?} is not a state of these tokens", start.cells));
            }
            by_rank.insert(self.words.rank(&start.cells), start);
        }
        if recorded.len() != self.orbits() {
            let (found, expected) = (recorded.len(), self.orbits());
            return wrong(format!("{found} starts are recorded, but there are {expected}"));
        }
        for kind in &self.kinds {
            for orbit in &kind.orbits {
                let cells = || self.words.unrank(orbit.representative);
                let Some(start) = by_rank.get(&orbit.representative) else {
                    return wrong(format!("none on {:?}", cells()));
                };
                let total: u128 = start.layers.iter().map(|&states| u128::from(states)).sum();
                let is_right = start.orbit == orbit.states
                    && start.layers.first() == Some(&1)
                    && total == u128::from(kind.size);
                if !is_right {
                    return wrong(format!(
                        "{:?} has an orbit of {} states in a component of {}",
                        cells(),
                        orbit.states,
                        kind.size
                    ));
                }
            }
        }
        Ok(())
    }

    /// Repeats the searches from some recorded starts by other means, like [`crate::verify()`]: portable
    /// inner loops, a random order of the vertices, and two arrays. Returns the number of starts whose
    /// layers agree, and the first that does not; fewer than asked for are searched if it is cancelled.
    ///
    /// # Errors
    ///
    /// Returns an error if the starts do not fit the survey, or if a search fails.
    pub fn verify(
        &self,
        recorded: &[LabelledStart],
        which: StartsToVerify,
        (seed, memory): (u64, u64),
        signals: &Signals<'_>,
    ) -> Result<(usize, Option<LabelledStart>), LabelledError> {
        self.check(recorded)?;
        let mut random = SplitMix64::seed_from_u64(seed);
        let mut below = |limit: u64| random.next_u64() % limit.max(1);
        let mut vertices: Vec<_> = self.board.vertices().collect();
        for last in (1..vertices.len()).rev() {
            vertices.swap(last, below(last as u64 + 1) as usize);
        }
        let order = VertexOrder::new(vertices).expect("a shuffled order names every vertex once");
        let mut open: Vec<(&Kind, (u64, u64))> = Vec::new();
        for kind in &self.kinds {
            open.extend(kind.orbits.iter().map(|o| (kind, (o.representative, o.states))));
        }
        if let StartsToVerify::Drawn(count) = which {
            let mut drawn = Vec::new();
            while drawn.len() < count && !open.is_empty() {
                // In proportion to the states that the search visits.
                let mut ticket = below(open.iter().map(|(kind, _)| kind.size).sum());
                let place = open.iter().position(|(kind, _)| match ticket.checked_sub(kind.size) {
                    Some(left) => {
                        ticket = left;
                        false
                    }
                    None => true,
                });
                drawn.push(open.remove(place.unwrap_or(0)));
            }
            open = drawn;
        }
        let by_rank: HashMap<u64, &LabelledStart> =
            recorded.iter().map(|start| (self.words.rank(&start.cells), start)).collect();
        let (mut agreeing, mut wrong) = (0, None);
        for (kind, rank) in open {
            let options =
                SearchOptions { path: Path::Portable, in_place: false, ..Default::default() };
            let mut sink = |rank: u64, _: u64, layers: &Layers| {
                let start = by_rank[&rank];
                if layers.states == start.layers {
                    agreeing += 1;
                    ControlFlow::Continue(())
                } else {
                    wrong = Some(start.clone());
                    ControlFlow::Break(())
                }
            };
            let other = (Some(order.clone()), options);
            if self.search(kind, &[rank], other, memory, signals, &mut sink)?.is_break() {
                break;
            }
        }
        Ok((agreeing, wrong))
    }
}

/// Finds the components and the orbits, or returns `None` if cancelled.
fn explore(board: &Board, words: Words, cancel: &AtomicBool) -> Option<LabelledSurvey> {
    const UNASKED: u64 = 1 << 12;
    let is_cancelled = |rank: u64| rank.is_multiple_of(UNASKED) && cancel.load(Ordering::Relaxed);
    let mut number = vec![UNSEEN; words.total as usize];
    let mut firsts: Vec<(u64, u64)> = Vec::new();
    let mut isolated = 0;
    let mut queue: Vec<u32> = Vec::new();
    for rank in 0..words.total {
        if is_cancelled(rank) {
            return None;
        }
        if number[rank as usize] != UNSEEN {
            continue;
        }
        let own = firsts.len() as u32;
        number[rank as usize] = own;
        queue.clear();
        queue.push(rank as u32);
        let mut next = 0;
        while next < queue.len() {
            if is_cancelled(next as u64) {
                return None;
            }
            let mut cells = words.unrank(u64::from(queue[next]));
            next += 1;
            let occupied: VertexSet =
                board.vertices().filter(|vertex| cells[vertex.index()] != 0).collect();
            for from in occupied {
                for to in board.destinations(from, occupied) {
                    cells.swap(from.index(), to.index());
                    let target = words.rank(&cells);
                    cells.swap(from.index(), to.index());
                    let entry = &mut number[target as usize];
                    if *entry == UNSEEN {
                        *entry = own;
                        queue.push(target as u32);
                    }
                }
            }
        }
        if queue.len() == 1 {
            number[rank as usize] = ISOLATED;
            isolated += 1;
        } else {
            firsts.push((rank, queue.len() as u64));
        }
    }
    drop(queue);
    let symmetry = symmetry_group(board);
    let mut alike = DisjointSets::new(firsts.len());
    let mut orbits = DisjointSets::new(words.total as usize);
    for rank in 0..words.total {
        if is_cancelled(rank) {
            return None;
        }
        if number[rank as usize] == ISOLATED {
            continue;
        }
        let cells = words.unrank(rank);
        let mut join = |image: &[u8]| {
            let image = words.rank(image);
            orbits.join(rank as u32, image as u32);
            alike.join(number[rank as usize], number[image as usize]);
        };
        for generator in &symmetry.generators {
            let mut image = vec![0; cells.len()];
            for (vertex, &letter) in cells.iter().enumerate() {
                image[generator.image(vertex)] = letter;
            }
            join(&image);
        }
        // Labels that equally many tokens have stand next to each other.
        for label in 1..words.counts.len().saturating_sub(1) {
            if words.counts[label] == words.counts[label + 1] {
                let (a, b) = (label as u8, label as u8 + 1);
                let exchanged = |&letter: &u8| match letter {
                    letter if letter == a => b,
                    letter if letter == b => a,
                    letter => letter,
                };
                join(&cells.iter().map(exchanged).collect::<Vec<u8>>());
            }
        }
    }
    let mut kinds = kinds(board, &words, &firsts, &mut alike);
    let mut places: HashMap<u32, usize> = HashMap::new();
    for rank in 0..words.total {
        let own = number[rank as usize];
        if own == ISOLATED {
            continue;
        }
        // The orbits of the first component of each kind.
        let Some(kind) = kinds.get_mut(&own) else { continue };
        let place = *places.entry(orbits.root(rank as u32)).or_insert_with(|| {
            kind.orbits.push(StateOrbit { representative: rank, states: 0 });
            kind.orbits.len() - 1
        });
        kind.orbits[place].states += 1;
    }
    let mut kinds: Vec<Kind> = kinds.into_values().collect();
    kinds.sort_by_key(|kind| {
        (std::cmp::Reverse(kind.size), kind.orbits.first().map(|orbit| orbit.representative))
    });
    let board = board.clone();
    Some(LabelledSurvey { board, words, symmetries: symmetry.order, kinds, isolated })
}

/// Returns the kinds of components, by the number of the first component of each.
fn kinds(
    board: &Board,
    words: &Words,
    firsts: &[(u64, u64)],
    alike: &mut DisjointSets,
) -> HashMap<u32, Kind> {
    let mut kinds: HashMap<u32, Kind> = HashMap::new();
    for (number, &(first, size)) in firsts.iter().enumerate() {
        let root = alike.root(number as u32);
        let kind = kinds.entry(root).or_insert_with(|| {
            let cells = words.unrank(first);
            let occupied: VertexSet =
                board.vertices().filter(|vertex| cells[vertex.index()] != 0).collect();
            let found = classify(board, occupied, size as usize);
            let component = found.component.expect("there are at most as many sets as states");
            Kind {
                size,
                count: 0,
                regime: found.regime.expect("a component that was explored has a regime"),
                stuck: found.stuck,
                occupied_sets: component.occupied_sets as u64,
                orbits: Vec::new(),
            }
        });
        kind.count += 1;
    }
    kinds
}

fn component_report(kind: &Kind, done: &HashMap<u64, &LabelledStart>) -> LabelledComponent {
    let mut eccentricities: Vec<StateEccentricity> = Vec::new();
    let mut searched = 0;
    for orbit in &kind.orbits {
        let Some(start) = done.get(&orbit.representative) else { continue };
        searched += 1;
        let eccentricity = start.layers.len().saturating_sub(1) as u32;
        match eccentricities.iter_mut().find(|entry| entry.eccentricity == eccentricity) {
            Some(entry) => {
                entry.orbits += 1;
                entry.states += orbit.states;
            }
            None => {
                let states = orbit.states;
                eccentricities.push(StateEccentricity { eccentricity, orbits: 1, states });
            }
        }
    }
    eccentricities.sort_by_key(|entry| entry.eccentricity);
    let ends = eccentricities.first().zip(eccentricities.last());
    let is_complete = searched == kind.orbits.len();
    let diameter = ends.map(|(least, greatest)| match is_complete {
        true => Diameter::Exact(greatest.eccentricity),
        false => {
            Diameter::Between { lower: greatest.eccentricity, upper: Some(2 * least.eccentricity) }
        }
    });
    LabelledComponent {
        size: kind.size,
        count: kind.count,
        regime: kind.regime,
        occupied_sets: kind.occupied_sets,
        stuck_tokens: kind.stuck.len(),
        diameter,
        radius: ends.filter(|_| is_complete).map(|(least, _)| least.eccentricity),
        orbits: kind.orbits.len(),
        searched,
        eccentricities,
    }
}

/// A finished census with repeated labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelledRecord<P> {
    /// The board and the labels.
    pub labelled_census: LabelledKey,
    /// The results.
    pub report: LabelledReport,
    /// The starts with the layers found from each.
    pub starts: Vec<LabelledStart>,
    /// SHA-256 of the census and all starts, in hexadecimal; see [`labelled_digest`].
    pub digest: String,
    /// The wall-clock time in seconds.
    pub wall_s: f64,
    /// The program that made the record, where and when.
    #[serde(flatten)]
    pub provenance: P,
}

impl<P> LabelledRecord<P> {
    /// Returns the record of a complete census, or `None` if starts are missing.
    pub fn new(
        survey: &LabelledSurvey,
        starts: Vec<LabelledStart>,
        wall: Duration,
        provenance: P,
    ) -> Option<LabelledRecord<P>> {
        let (labelled_census, report) = (survey.key(), survey.report(&starts));
        let digest = labelled_digest(&labelled_census, &starts);
        let wall_s = wall.as_secs_f64();
        let complete = report.complete;
        let record = LabelledRecord { labelled_census, report, starts, digest, wall_s, provenance };
        complete.then_some(record)
    }
}

impl<P: Serialize> LabelledRecord<P> {
    /// Writes the record like [`crate::CensusRecord::write`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written; an existing file then stays as it was.
    pub fn write(&self, path: &FilePath) -> Result<(), CensusRecordError> {
        write_json(self, path)
    }
}

impl<P: DeserializeOwned> LabelledRecord<P> {
    /// Reads a record and checks everything that can be checked without a search: its digest, its
    /// starts against a new survey, and that the report follows from them. Returns `None` if the file is
    /// not the record of a census with repeated labels.
    ///
    /// # Errors
    ///
    /// Returns an error if one of these checks fails.
    pub fn read(
        path: &FilePath,
    ) -> Option<Result<(LabelledRecord<P>, LabelledSurvey), CensusRecordError>> {
        let record: LabelledRecord<P> = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let check = || {
            let key = &record.labelled_census;
            let digest = labelled_digest(key, &record.starts);
            if digest != record.digest {
                return Err(format!("its digest is {digest}, it says {}", record.digest));
            }
            let metric: Metric = key.metric.parse().map_err(|error| format!("{error}"))?;
            let source: BoardSource = key.board.parse().map_err(|error| format!("{error}"))?;
            let spec = source.into_spec().map_err(|path| format!("{path} is a file"))?;
            let board = Board::new(spec, metric).map_err(|error| error.to_string())?;
            let survey = LabelledSurvey::new(&board, &key.labels, &AtomicBool::new(false))
                .map_err(|error| error.to_string())?;
            survey.check(&record.starts).map_err(|error| error.to_string())?;
            if survey.report(&record.starts) != record.report {
                return Err("its report does not follow from its starts".to_owned());
            }
            Ok(survey)
        };
        let path = path.display().to_string();
        Some(match check() {
            Ok(survey) => Ok((record, survey)),
            Err(message) => Err(CensusRecordError::Wrong { path, message }),
        })
    }
}

/// Returns the SHA-256, in hexadecimal, of a line for the census, `BOARD METRIC LABELS`, and a line for
/// each start, `CELLS STATES LAYERS` with commas between numbers.
pub fn labelled_digest(key: &LabelledKey, starts: &[LabelledStart]) -> String {
    fn list<T: ToString>(numbers: &[T]) -> String {
        numbers.iter().map(T::to_string).collect::<Vec<_>>().join(",")
    }
    let mut text = format!("{} {} {}\n", key.board, key.metric, list(&key.labels));
    for start in starts {
        text.push_str(&format!("{} {} {}\n", list(&start.cells), start.orbit, list(&start.layers)));
    }
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
