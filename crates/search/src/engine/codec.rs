//! States packed into a few machine words, for searches that store millions of them.
//!
//! A second representation of [`State`], kept for memory and speed (8 bytes instead of 72 on the
//! study's boards) and tested against the first.

use hyperslide_puzzle::{Label, Move, Puzzle, State, Vertex};

/// A packed state.
pub(crate) type Key<const WORDS: usize> = [u64; WORDS];

/// How the states of one puzzle are packed; equal states have equal keys.
#[derive(Clone, Debug)]
pub(crate) struct Codec<const WORDS: usize> {
    layout: Layout,
    tokens: usize,
    vertices: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    fields: Fields,
    bits: u32,
    per_word: usize,
    words: usize,
}

/// What the fields of a key hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fields {
    /// The vertex of each token; only for distinct labels, where token i has label i.
    ByToken,
    /// For each vertex, its label + 1, or 0 when empty.
    ByVertex,
}

impl Layout {
    /// The smaller of the two layouts.
    fn of(puzzle: &Puzzle) -> Layout {
        let vertices = puzzle.board().vertex_count();
        let layout = |fields, count: usize, values: usize| {
            let bits = values.next_power_of_two().trailing_zeros().max(1);
            let per_word = (u64::BITS / bits) as usize;
            Layout { fields, bits, per_word, words: count.div_ceil(per_word) }
        };
        let by_vertex = layout(Fields::ByVertex, vertices, puzzle.labels().len() + 1);
        let by_token = layout(Fields::ByToken, puzzle.labels().len(), vertices);
        if puzzle.has_distinct_labels() && by_token.words <= by_vertex.words {
            by_token
        } else {
            by_vertex
        }
    }
}

/// Runs the body with the puzzle's codec, compiled for 1, 2, 4 or 7 words.
macro_rules! with_codec {
    ($puzzle:expr, |$codec:ident| $body:expr) => {
        match $crate::engine::codec::words_of($puzzle) {
            1 => {
                let $codec = $crate::engine::codec::Codec::<1>::new($puzzle);
                $body
            }
            2 => {
                let $codec = $crate::engine::codec::Codec::<2>::new($puzzle);
                $body
            }
            3..=4 => {
                let $codec = $crate::engine::codec::Codec::<4>::new($puzzle);
                $body
            }
            _ => {
                let $codec = $crate::engine::codec::Codec::<7>::new($puzzle);
                $body
            }
        }
    };
}
pub(crate) use with_codec;

/// How many words a packed state of the puzzle needs: `1..=7`.
pub(crate) fn words_of(puzzle: &Puzzle) -> usize {
    Layout::of(puzzle).words
}

impl<const WORDS: usize> Codec<WORDS> {
    pub fn new(puzzle: &Puzzle) -> Codec<WORDS> {
        let layout = Layout::of(puzzle);
        assert!(layout.words <= WORDS, "{} words do not fit in {WORDS}", layout.words);
        Codec {
            layout,
            tokens: puzzle.start().occupied().len(),
            vertices: puzzle.board().vertex_count(),
        }
    }

    #[inline]
    fn place(&self, field: usize) -> (usize, u32) {
        if WORDS == 1 {
            (0, field as u32 * self.layout.bits)
        } else {
            let word = field / self.layout.per_word;
            (word, (field - word * self.layout.per_word) as u32 * self.layout.bits)
        }
    }

    #[inline]
    fn field(&self, key: &Key<WORDS>, field: usize) -> usize {
        let (word, shift) = self.place(field);
        (key[word] >> shift & ((1 << self.layout.bits) - 1)) as usize
    }

    /// Packs a state.
    pub fn pack(&self, state: &State) -> Key<WORDS> {
        let mut key = [0; WORDS];
        for (vertex, label) in state.tokens() {
            let (field, value) = match self.layout.fields {
                Fields::ByToken => (label.index(), vertex.index()),
                Fields::ByVertex => (vertex.index(), label.index() + 1),
            };
            let (word, shift) = self.place(field);
            key[word] |= (value as u64) << shift;
        }
        key
    }

    /// The state with this key.
    #[inline]
    pub fn unpack(&self, key: &Key<WORDS>) -> State {
        let mut state = State::EMPTY;
        let mut place = |vertex: usize, label: usize| {
            let vertex = Vertex::new(vertex).expect("fields hold vertices");
            state.place(vertex, Label::new(label).expect("fields hold labels"));
        };
        match self.layout.fields {
            Fields::ByToken => {
                (0..self.tokens).for_each(|label| place(self.field(key, label), label));
            }
            Fields::ByVertex => {
                for vertex in 0..self.vertices {
                    if let Some(label) = self.field(key, vertex).checked_sub(1) {
                        place(vertex, label);
                    }
                }
            }
        }
        state
    }

    /// The key after a token with this label moved.
    #[inline]
    pub fn moved(&self, key: &Key<WORDS>, label: Label, mv: Move) -> Key<WORDS> {
        let mut key = *key;
        let (from, to) = (mv.from.index(), mv.to.index());
        match self.layout.fields {
            Fields::ByToken => {
                let (word, shift) = self.place(label.index());
                key[word] ^= ((from ^ to) as u64) << shift;
            }
            Fields::ByVertex => {
                for (word, shift) in [self.place(from), self.place(to)] {
                    key[word] ^= (label.index() as u64 + 1) << shift;
                }
            }
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslide_testkit::{Random, random_puzzle};

    /// Plays at random: a key that is changed with every move is that of the state, and comes back.
    fn check(puzzle: &Puzzle, random: &mut Random) {
        with_codec!(puzzle, |codec| {
            let mut state = *puzzle.start();
            let mut key = codec.pack(&state);
            for _ in 0..10 {
                assert_eq!(codec.unpack(&key), state, "{puzzle}");
                let moves = puzzle.board().legal_moves(&state);
                for &mv in &moves {
                    let next = puzzle.board().play(&state, mv).unwrap();
                    let label = state.label_at(mv.from).unwrap();
                    assert_eq!(codec.moved(&key, label, mv), codec.pack(&next), "{puzzle} {mv}");
                }
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.below(moves.len())];
                key = codec.moved(&key, state.label_at(mv.from).unwrap(), mv);
                state.slide(mv);
            }
        });
    }

    #[test]
    fn packing_is_the_same_state() {
        let mut random = Random::new(4);
        for _ in 0..3000 {
            let puzzle = random_puzzle(&mut random);
            check(&puzzle, &mut random);
        }
        let row = |count: usize| (1..count).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        for (side, words) in [(4, 1), (5, 2), (6, 4), (8, 7)] {
            let puzzle =
                Puzzle::from_line(&format!("grid:{side}:{side} 0,{}", row(side * side))).unwrap();
            assert_eq!(words_of(&puzzle), words, "{side} x {side}");
            check(&puzzle, &mut random);
        }
        let halves =
            (0..64).map(|v| if v % 2 == 0 { "a" } else { "0" }).collect::<Vec<_>>().join(",");
        let puzzle = Puzzle::from_line(&format!("cube:6:2 {halves} -> {halves}")).unwrap();
        assert_eq!(words_of(&puzzle), 1);
        check(&puzzle, &mut random);
    }
}
