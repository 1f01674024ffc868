//! An automaton that leaves out detours of one empty vertex: it knows which slides are worth trying
//! after which.

use std::sync::Arc;

use hyperslide_puzzle::{Board, Vertex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::control::is_available;
use crate::table_cache::{Remembered, TableCache};

/// The number of slides of the longest detours that searches over pattern databases leave out.
pub(crate) const DETOURS: usize = 10;

/// A state of the automaton: where the empty vertex is, and as much of its path there as matters.
pub(crate) type PruningState = u32;

/// A token slides from `from` to the empty vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Where the token is, and where the empty vertex will be.
    pub from: u8,
    /// The automaton's state after it.
    pub next: PruningState,
}

/// The slides after every arrival, on a graph with one empty vertex.
///
/// A word is a path of the empty vertex. One that has the effect of a shorter word, or of one of
/// the same length that comes before it in the order of the neighbours, is a detour, and so is
/// every word that has it inside: the first of all shortest solutions in that order has no detours,
/// so that leaving them out loses no optimum (Taylor and Korf 1993). The automaton recognises the
/// shortest detours (Aho and Corasick 1975). Depth 2 only knows that going straight back is one.
///
/// Memory: 9 bytes for each arrival and 8 for each step. At depth 10 the 24-puzzle has 10,573
/// arrivals, which take 0.3 MB and 0.05 s to build; at depth 12 it has 52,605. While it is built,
/// it takes some 350 bytes for each of the longest words, at most 90 MB.
pub(crate) struct MovePruning {
    spans: Vec<(u32, u32)>,
    steps: Vec<Step>,
    empty: Vec<u8>,
}

/// The automata that were built: of a board, and for detours of up to a number of slides.
type Known = Remembered<(Board, usize, usize, Arc<MovePruning>)>;
/// The number of automata that are remembered.
const REMEMBERED: usize = 16;

impl MovePruning {
    /// The automaton of a board that knows all detours of up to `depth` slides: one that was built
    /// before, or a new one.
    ///
    /// Building it takes at most half of `memory`, and no more than the system gives: with little
    /// of it, or on boards that have too many words, it knows the detours of fewer slides.
    pub fn of(cache: &TableCache, board: &Board, depth: usize, memory: u64) -> Arc<MovePruning> {
        let fits = usize::try_from(memory / 2).unwrap_or(usize::MAX) / BYTES_A_WORD;
        let most_words = fits.min(MOST_WORDS);
        let known = cache.slot::<Known>();
        let is_wanted = |(of, to, most, _): &(Board, usize, usize, _)| {
            (*to, *most) == (depth, most_words) && of == board
        };
        let build = || {
            let mut words = most_words;
            while !is_available((words * BYTES_A_WORD) as u64) {
                words /= 2;
            }
            Arc::new(MovePruning::new(board, depth, words))
        };
        let make = || (board.clone(), depth, most_words, build());
        Arc::clone(&known.get_or_make(REMEMBERED, is_wanted, make).3)
    }

    /// The automaton that knows all detours of up to `depth` slides, or of fewer on boards that
    /// have too many words of that length. Takes at most 90 MB while it is built.
    fn new(board: &Board, depth: usize, most_words: usize) -> MovePruning {
        let neighbours: Vec<Vec<u8>> = board
            .vertices()
            .map(|v| {
                let all = board.lone_destinations(v);
                all.into_iter().map(|w| w.index() as u8).collect()
            })
            .collect();
        let detours = detours(&neighbours, depth, most_words);
        automaton(&neighbours, &detours)
    }

    /// The arrival of an empty vertex that has not moved yet.
    pub fn root(empty: Vertex) -> PruningState {
        empty.index() as PruningState
    }

    /// The steps after an arrival.
    #[inline]
    pub fn steps(&self, arrival: PruningState) -> &[Step] {
        let (start, end) = self.spans[arrival as usize];
        &self.steps[start as usize..end as usize]
    }

    /// The vertex that is empty after an arrival.
    #[inline]
    pub fn empty(&self, arrival: PruningState) -> u8 {
        self.empty[arrival as usize]
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.spans.len() * 9 + self.steps.len() * size_of::<Step>()) as u64
    }
}

/// The most words of one length: the grid 5:5 has 178,000 of ten slides, and 8:8 215,000 of eight.
const MOST_WORDS: usize = 1 << 18;
/// Bytes for each of the longest words while the automaton is built.
const BYTES_A_WORD: usize = 350;

/// The number of slides of the longest words: with their first vertex they fill a [`Word`].
const LONGEST: usize = 15;

/// The path of the empty vertex, a byte for each vertex, the first one lowest: one more than the
/// vertex's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Word(u128);

impl Word {
    fn of(vertex: u8) -> Word {
        Word(u128::from(vertex) + 1)
    }

    /// The number of its vertices: one more than its slides.
    fn len(self) -> usize {
        (u128::BITS - self.0.leading_zeros()).div_ceil(8) as usize
    }

    fn first(self) -> u8 {
        (self.0 & 255) as u8 - 1
    }

    fn last(self) -> u8 {
        (self.0 >> (8 * (self.len() - 1))) as u8 - 1
    }

    fn longer(self, vertex: u8) -> Word {
        Word(self.0 | (u128::from(vertex) + 1) << (8 * self.len()))
    }

    /// Its ends, the longest first: itself.
    fn ends(self) -> impl Iterator<Item = Word> {
        (0..self.len()).map(move |start| Word(self.0 >> (8 * start)))
    }

    /// Its beginnings with at least two vertices, without itself.
    fn beginnings(self) -> impl Iterator<Item = Word> {
        (2..self.len()).map(move |end| Word(self.0 & ((1 << (8 * end)) - 1)))
    }
}

/// Which cell's token stands on each cell, six bits each.
type Effect = [u64; 7];

fn swap(effect: &mut Effect, a: u8, b: u8) {
    let place = |cell: u8| (cell as usize / 10, 6 * (u32::from(cell) % 10));
    let ((i, left), (j, right)) = (place(a), place(b));
    let difference = (effect[i] >> left ^ effect[j] >> right) & 63;
    effect[i] ^= difference << left;
    effect[j] ^= difference << right;
}

/// A word without detours while words become longer.
struct Walk {
    word: Word,
    effect: Effect,
    /// The index of the word without its first vertex, among the words that are one vertex shorter.
    end: usize,
}

/// The shortest detours.
fn detours(neighbours: &[Vec<u8>], depth: usize, most_words: usize) -> FxHashSet<Word> {
    let mut identity = [0; 7];
    for cell in 0..neighbours.len() {
        identity[cell / 10] |= (cell as u64) << (6 * (cell % 10));
    }
    // From every vertex at once, so that detours are known when they stand inside longer words.
    let vertices = 0..neighbours.len() as u8;
    let mut words: Vec<Walk> =
        vertices.map(|v| Walk { word: Word::of(v), effect: identity, end: 0 }).collect();
    // What words from each vertex do: what stands where after them.
    let mut effects: Vec<FxHashSet<Effect>> =
        neighbours.iter().map(|_| FxHashSet::from_iter([identity])).collect();
    // For each word that is one vertex shorter, the range of words that extend it; at first for the
    // empty word.
    let mut continued: Vec<_> = std::iter::once(0..words.len()).collect();
    let mut detours = FxHashSet::default();
    let mut shorter = 1;
    for _ in 0..depth.min(LONGEST) {
        // They become as many times more as last time.
        if words.len().saturating_mul(words.len()) / shorter > most_words {
            break;
        }
        shorter = words.len().max(1);
        let mut longer = Vec::new();
        let mut continuations = Vec::with_capacity(words.len());
        // In the order of the neighbours, so that of two words with one effect the first is kept.
        for &Walk { word, effect, end } in &words {
            let start = longer.len();
            let empty = word.last();
            for &next in &neighbours[empty as usize] {
                // The longer word without its first vertex must be free of detours as well.
                let Some(end) = continued[end].clone().find(|&end| words[end].word.last() == next)
                else {
                    continue;
                };
                let word = word.longer(next);
                let mut effect = effect;
                swap(&mut effect, empty, next);
                if effects[word.first() as usize].insert(effect) {
                    longer.push(Walk { word, effect, end });
                } else {
                    detours.insert(word);
                }
            }
            continuations.push(start..longer.len());
        }
        (words, continued) = (longer, continuations);
    }
    detours
}

/// The automaton that walks through everything but these words.
fn automaton(neighbours: &[Vec<u8>], detours: &FxHashSet<Word>) -> MovePruning {
    // A state for every vertex, and for every beginning of a detour that a walk without one meets.
    let beginnings: FxHashSet<Word> = detours.iter().flat_map(|word| word.beginnings()).collect();
    let mut states: Vec<Word> = (0..neighbours.len() as u8).map(Word::of).collect();
    let mut number: FxHashMap<Word, PruningState> = states.iter().copied().zip(0..).collect();
    let mut words = MovePruning { spans: Vec::new(), steps: Vec::new(), empty: Vec::new() };
    let mut next_state = 0;
    while next_state < states.len() {
        let word = states[next_state];
        next_state += 1;
        let start = words.steps.len() as u32;
        for &from in &neighbours[word.last() as usize] {
            let longer = word.longer(from);
            if longer.ends().any(|end| detours.contains(&end)) {
                continue;
            }
            // The longest end of the way that may become a detour; a vertex alone always may.
            let kept = longer.ends().find(|end| end.len() == 1 || beginnings.contains(end));
            let kept = kept.unwrap_or(Word::of(from));
            let next = *number.entry(kept).or_insert_with(|| {
                states.push(kept);
                states.len() as PruningState - 1
            });
            words.steps.push(Step { from, next });
        }
        words.spans.push((start, words.steps.len() as u32));
        words.empty.push(word.last());
    }
    words
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use hyperslide_puzzle::{BoardSource, Metric};

    use super::*;

    fn board(text: &str) -> Board {
        let Ok(BoardSource::Spec(spec)) = text.parse() else { panic!("{text}") };
        Board::new(spec, Metric::Face).unwrap()
    }

    /// All effects of words up to a length are those of words without detours of the same length or
    /// shorter.
    #[test]
    fn every_place_is_reached_as_fast_without_detours() {
        for text in ["grid:2:2", "grid:2:3", "grid:3:3", "cube:3:1", "grid:1:4"] {
            let board = board(text);
            let (words, plain) =
                (MovePruning::new(&board, 12, MOST_WORDS), MovePruning::new(&board, 2, MOST_WORDS));
            for empty in board.vertices() {
                let reach = |words: &MovePruning| {
                    let cells: Vec<u8> = (0..board.vertex_count() as u8).collect();
                    let mut layers = vec![HashSet::from([cells.clone()])];
                    let mut seen: HashMap<Vec<u8>, usize> = HashMap::from([(cells.clone(), 0)]);
                    let mut layer = HashSet::from([(MovePruning::root(empty), cells)]);
                    for depth in 1..=14 {
                        let mut next = HashSet::new();
                        for (arrival, cells) in &layer {
                            for step in words.steps(*arrival) {
                                let mut cells = cells.clone();
                                cells.swap(words.empty(*arrival) as usize, step.from as usize);
                                seen.entry(cells.clone()).or_insert(depth);
                                next.insert((step.next, cells));
                            }
                        }
                        layers.push(next.iter().map(|(_, cells)| cells.clone()).collect());
                        layer = next;
                    }
                    seen
                };
                assert_eq!(reach(&words), reach(&plain), "{text} {empty}");
            }
        }
    }

    /// Where the words are too many, those of fewer slides have to do.
    #[test]
    fn a_complete_graph_does_not_take_all_memory() {
        let pairs = (0..24).flat_map(|a| (a + 1..24).map(move |b| format!("{a}-{b}")));
        let board = board(&format!("graph:24:{}", pairs.collect::<Vec<_>>().join(",")));
        let words = MovePruning::new(&board, 10, MOST_WORDS);
        assert!((24 + 24 * 23..1 << 20).contains(&words.empty.len()), "{}", words.empty.len());
    }

    /// Depth 2 only forbids going straight back: an arrival for every directed edge.
    #[test]
    fn detours_are_few_states() {
        let arrivals = |depth| MovePruning::new(&board("grid:4:4"), depth, MOST_WORDS).empty.len();
        assert_eq!(arrivals(2), 16 + 2 * 24);
        assert!((1_000..10_000).contains(&arrivals(10)), "{}", arrivals(10));
    }

    /// With little memory the automaton of the 24-puzzle knows fewer detours, and takes less to
    /// build.
    #[test]
    fn little_memory_is_kept_to() {
        let (cache, board) = (TableCache::default(), board("grid:5:5"));
        let mut arrivals = Vec::new();
        for memory in [10 << 20, 30 << 20, 1 << 30] {
            let mut pruning = None;
            let counted = allocation_counter::measure(|| {
                pruning = Some(MovePruning::of(&cache, &board, DETOURS, memory));
            });
            assert!(counted.bytes_max < memory, "{} of {memory} bytes", counted.bytes_max);
            arrivals.push(pruning.unwrap().empty.len());
        }
        assert!(arrivals.is_sorted() && arrivals[0] < arrivals[2], "{arrivals:?}");
    }
}
