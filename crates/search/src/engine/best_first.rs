//! The one best-first engine: open list, closed list, reopening.

use hyperslide_puzzle::{Puzzle, SearchEnd, UnsolvableReason};

use crate::control::Meter;
use crate::engine::codec::Codec;
use crate::engine::nodes::{NodeId, Nodes};
use crate::engine::open_list::OpenList;
use crate::engine::resumable::Resumable;
use crate::heuristics::{Heuristic, Successor};
use crate::observer::Recorder;
use crate::outcome::{Limit, Outcome};

/// What makes a member of the best-first family.
pub(crate) struct Recipe<F> {
    /// The name of the algorithm, for observers.
    pub algorithm: &'static str,
    /// The priority f of a state from its cost so far g and its estimate h; the least is expanded
    /// first.
    pub priority: F,
    /// The divisor that turns f of an expanded state into a lower bound on the solution's length,
    /// so that the first solution found is shortest: 1 for g + h with an admissible h; `None` where
    /// f is not a bound.
    pub unit: Option<u32>,
    /// What happens to a state that is reached again by a shorter path.
    pub duplicates: Duplicates,
    /// Which of several states with the same priority comes first.
    pub ties: Ties,
}

/// Which of several states with the same priority comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ties {
    /// The deeper one, then the one generated last: expands few states where f includes g.
    Deeper,
    /// The shallower one, then the one generated last: keeps paths short where the priority ignores
    /// their length.
    Shallower,
}

impl Ties {
    /// Converts a depth to the key of the open list, of which the greater comes first, and back.
    fn key(self, g: u32) -> u32 {
        match self {
            Ties::Deeper => g,
            Ties::Shallower => LONGEST - g,
        }
    }
}

/// What happens to a state that is reached again by a shorter path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// It is given the shorter path, and is expanded again if it has been expanded.
    Reopen,
    /// It keeps its first path, as in Algorithm 1 of the sliding-block study (Nayak and Huang).
    KeepFirst,
}

/// What is stored of a node in one word: whether it is closed, its estimate h and its cost g.
#[derive(Clone, Copy)]
struct Note(u32);

const H_BITS: u32 = 13;
const G_BITS: u32 = u32::BITS - 1 - H_BITS;
/// The longest path that can be stored: 262,143 moves.
const LONGEST: u32 = (1 << G_BITS) - 1;

impl Note {
    const CLOSED: u32 = 1 << 31;

    fn open(g: u32, h: u32) -> Note {
        // 64 tokens on a path of 64 vertices need fewer than 2^12 moves each on its own.
        assert!(h < 1 << H_BITS, "an estimate of {h} moves is more than any board asks for");
        assert!(g <= LONGEST, "longer paths are refused before");
        Note(h << G_BITS | g)
    }

    fn is_closed(self) -> bool {
        self.0 & Note::CLOSED != 0
    }

    fn g(self) -> u32 {
        self.0 & LONGEST
    }

    fn h(self) -> u32 {
        (self.0 & !Note::CLOSED) >> G_BITS
    }
}

/// Reports the expansion of a node to an observer.
#[cold]
fn record<const WORDS: usize>(
    recorder: &Recorder<'_>,
    nodes: &Nodes<WORDS>,
    codec: &Codec<WORDS>,
    id: NodeId,
) {
    let note = Note(nodes.get(id).note);
    recorder.expand(|| nodes.expanded(codec, id, (note.g(), Some(note.h())), SearchEnd::Start));
}

/// Searches from the start, always expanding the open state of least priority.
pub(crate) fn search<const WORDS: usize, F: Fn(u32, u32) -> u32>(
    puzzle: &Puzzle,
    codec: &Codec<WORDS>,
    heuristic: &dyn Heuristic,
    recipe: &Recipe<F>,
    meter: &mut Meter<'_>,
) -> Outcome {
    let recorder = meter.recorder(recipe.algorithm, puzzle);
    match Search::new(puzzle, codec, heuristic, recipe, recorder) {
        Ok(mut search) => search.run(meter),
        Err(limit) => Outcome::LimitReached { limit, lower_bound: 0 },
    }
}

/// A search that continues where a limit on the number of states stopped it.
///
/// The goal is recognised when it is expanded. Memory: see [`Nodes`], and 4 bytes an open state.
pub(crate) struct Search<'a, const WORDS: usize, F> {
    puzzle: &'a Puzzle,
    codec: &'a Codec<WORDS>,
    heuristic: &'a dyn Heuristic,
    recipe: &'a Recipe<F>,
    recorder: Option<Recorder<'a>>,
    nodes: Nodes<WORDS>,
    open: OpenList,
    /// Of the state that is expanded.
    successors: Vec<Successor>,
    lower_bound: u32,
}

impl<'a, const WORDS: usize, F: Fn(u32, u32) -> u32> Search<'a, WORDS, F> {
    pub fn new(
        puzzle: &'a Puzzle,
        codec: &'a Codec<WORDS>,
        heuristic: &'a dyn Heuristic,
        recipe: &'a Recipe<F>,
        recorder: Option<Recorder<'a>>,
    ) -> Result<Self, Limit> {
        let (mut nodes, mut open) = (Nodes::<WORDS>::new(), OpenList::default());
        if let Some(h) = heuristic.estimate(puzzle.start()) {
            let root = nodes.insert_root(&codec.pack(puzzle.start()), Note::open(0, h).0)?;
            open.push((recipe.priority)(0, h), recipe.ties.key(0), root);
            if open.is_full() {
                return Err(Limit::Memory);
            }
        }
        let successors = Vec::new();
        let lower_bound = 0;
        Ok(Search {
            puzzle,
            codec,
            heuristic,
            recipe,
            recorder,
            nodes,
            open,
            successors,
            lower_bound,
        })
    }
}

impl<const WORDS: usize, F: Fn(u32, u32) -> u32> Resumable for Search<'_, WORDS, F> {
    fn bytes(&self) -> u64 {
        self.nodes.bytes().saturating_add(self.open.bytes())
    }

    fn stored(&self) -> u64 {
        self.nodes.len().into()
    }

    fn expand_all(&mut self, meter: &mut Meter<'_>) -> Outcome {
        let Search { puzzle, codec, heuristic, recipe, .. } = *self;
        let Search { nodes, open, successors, .. } = self;
        let board = puzzle.board();
        let mut lower_bound = self.lower_bound;
        let recorder = self.recorder.as_ref();
        while let Some((f, key, id)) = open.pop() {
            let g = recipe.ties.key(key);
            let node = nodes.get_mut(id);
            let note = Note(node.note);
            if note.is_closed() || note.g() != g {
                continue; // A shorter way was found after this entry was pushed.
            }
            let h = note.h();
            node.note |= Note::CLOSED;
            let packed = node.key;
            let state = codec.unpack(&packed);
            if let Some(unit) = recipe.unit {
                lower_bound = lower_bound.max(f.div_ceil(unit));
            }
            if puzzle.goal().is_met(&state) {
                let moves = nodes.path(codec, id);
                let optimal = recipe.unit.is_some();
                let lower_bound = if optimal { moves.len() as u32 } else { lower_bound };
                return Outcome::Solved { moves, optimal, lower_bound };
            }
            meter.stats.expanded += 1;
            if let Some(recorder) = recorder {
                record(recorder, nodes, codec, id);
            }
            let g = g + 1;
            Successor::list(successors, board, &state);
            heuristic.estimate_successors(h, &state, successors);
            meter.stats.generated += successors.len() as u64;
            for &Successor { label, mv, h } in &*successors {
                let Some(h) = h else { continue };
                let note = Note::open(g, h);
                let (child, is_new) = nodes.insert(&codec.moved(&packed, label, mv), id, note.0);
                if !is_new {
                    let known = nodes.get_mut(child);
                    let before = Note(known.note);
                    if before.g() <= g || recipe.duplicates == Duplicates::KeepFirst {
                        continue;
                    }
                    meter.stats.reopened += u64::from(before.is_closed());
                    (known.note, known.parent) = (note.0, id);
                }
                open.push((recipe.priority)(g, h), recipe.ties.key(g), child);
            }
            let is_full = nodes.is_full() || open.is_full();
            let bytes = || nodes.bytes().saturating_add(open.bytes());
            let limit = match meter.check_storage(is_full, bytes, lower_bound) {
                Err(limit) => Some(limit),
                Ok(()) => (g == LONGEST).then_some(Limit::Length),
            };
            if let Some(limit) = limit {
                self.lower_bound = lower_bound;
                return Outcome::LimitReached { limit, lower_bound };
            }
        }
        Outcome::Unsolvable(UnsolvableReason::Exhausted {
            end: SearchEnd::Start,
            states: u64::from(nodes.len()),
            labelled: None,
        })
    }
}
