//! Finds the blocks that a start can reach, the slides between them, and what symmetries make of
//! them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_puzzle::{Board, Label, Permutation, State, Vertex, VertexSet};
use rustc_hash::FxHashMap;

use super::division::{Division, MAX_PREFIX};
use super::relabel::Relabelling;
use super::space::QuotientError;
use crate::arrangements::is_odd;
use crate::layout::Shifts;
use crate::vertex_order::VertexOrder;

/// The positions of the prefix tokens and the empty vertices: what the states of a block share.
///
/// Keys are ordered by the prefix first, so that blocks with the same positions of these tokens are
/// neighbours in the files, and nearly always represent their orbits by the same symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    /// Six bits for each token, the first one highest.
    prefix: u64,
    pub empty: u64,
}

/// A block: one occupied set with one placement of the prefix tokens, which represents its orbit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub key: Key,
    /// Whether its rows are odd, where the states have rows of one parity only.
    pub is_odd: bool,
    pub colour: bool,
    /// The number of blocks that symmetries make of it.
    pub orbit: u32,
}

/// A slide into a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The block from which the tokens slide, by its number.
    pub source: u32,
    /// The symmetry by which the source represents its orbit, by its number among the relabellings.
    pub relabelling: Option<u32>,
    /// What the slide does to the rows; nothing if a prefix token slides.
    pub shift: Option<u16>,
}

pub(super) fn vertex_image(symmetry: &Permutation, vertex: Vertex) -> Vertex {
    Vertex::new(symmetry.image(vertex.index())).expect("a vertex of the board")
}

/// Blocks in the order in which they are found.
pub(super) struct Explored {
    pub nodes: Vec<Node>,
    /// The slides into each of them, one after the other, and where those of each end.
    pub slides: Vec<Edge>,
    pub ends: Vec<u32>,
    pub relabellings: Vec<Relabelling>,
    /// Whether each closed walk makes an even permutation of the rows.
    pub is_even_only: bool,
    /// Whether each closed walk has an even number of slides.
    pub has_two_colours: bool,
}

/// What blocks and their symmetries are, in terms of vertices and labels.
pub(super) struct Explorer<'a> {
    pub board: &'a Board,
    pub start: &'a State,
    pub walls: VertexSet,
    pub order: VertexOrder,
    pub division: &'a Division,
    pub symmetries: &'a [Permutation],
    /// The number of the inverse of each symmetry.
    pub inverses: &'a [u16],
    /// For each label, the start's vertex.
    pub label_vertices: &'a [Option<Vertex>],
    pub prefix_shifts: &'a [[u8; MAX_PREFIX]],
}

impl Explorer<'_> {
    pub fn explore(&self, limit: usize, cancel: &AtomicBool) -> Result<Explored, QuotientError> {
        let rest = self.division.rest();
        let classes: Vec<Vec<u8>> =
            self.symmetries.iter().map(|symmetry| self.renamed(symmetry, &rest)).collect();
        let is_relabelling_odd = |relabelling: &Relabelling| {
            is_odd(&relabelling.sources) != is_odd(&classes[relabelling.symmetry as usize])
        };
        let start_key = self.key(self.start).ok_or(QuotientError::EqualLabels)?;
        let start_row: Vec<u8> = self
            .free(start_key)
            .into_iter()
            .filter_map(|vertex| {
                let label = self.start.label_at(vertex)?;
                Some(rest.iter().position(|&other| other == label)? as u8)
            })
            .collect();
        let mut nodes = vec![Node {
            key: start_key,
            is_odd: is_odd(&start_row),
            colour: false,
            orbit: self.orbit_size(start_key),
        }];
        let mut numbers: FxHashMap<Key, usize> = [(start_key, 0)].into_iter().collect();
        let (mut slides, mut ends) = (Vec::new(), Vec::new());
        let mut relabelling_numbers: FxHashMap<Relabelling, u32> = FxHashMap::default();
        let mut relabellings = Vec::new();
        let (mut is_even_only, mut has_two_colours) = (true, true);
        let mut open: VecDeque<usize> = [0].into();
        while let Some(number) = open.pop_front() {
            if number % 1024 == 0 && cancel.load(Ordering::Relaxed) {
                return Err(QuotientError::Cancelled);
            }
            let Node { key, is_odd: is_node_odd, colour, .. } = nodes[number];
            let free = self.free(key);
            // Whatever fixes the block has to keep the parity of its rows.
            for symmetry in 1..self.symmetries.len() {
                if self.moved(key, symmetry) == key {
                    let own = self.relabelling(symmetry, &free, &free);
                    is_even_only &= !is_relabelling_odd(&own);
                }
            }
            // A slide can be reversed, so the slides into a block are those out of it.
            for (other, shift) in self.slides(key) {
                let (representative, symmetry) = self.canonical(other);
                let relabelling = (symmetry != 0).then(|| {
                    let (source, target) = (self.free(representative), self.free(other));
                    self.relabelling(symmetry, &source, &target)
                });
                let mut is_other_odd = is_node_odd;
                if let Some((from, to)) = shift {
                    is_other_odd ^= from.abs_diff(to) % 2 == 1;
                }
                if let Some(relabelling) = &relabelling {
                    is_other_odd ^= is_relabelling_odd(relabelling);
                }
                let source = *numbers.entry(representative).or_insert_with(|| {
                    nodes.push(Node {
                        key: representative,
                        is_odd: is_other_odd,
                        colour: !colour,
                        orbit: self.orbit_size(representative),
                    });
                    open.push_back(nodes.len() - 1);
                    nodes.len() - 1
                });
                if nodes.len() > limit {
                    return Err(QuotientError::TooManyBlocks { limit });
                }
                has_two_colours &= nodes[source].colour != colour;
                is_even_only &= nodes[source].is_odd == is_other_odd;
                let relabelling = relabelling.map(|relabelling| {
                    *relabelling_numbers.entry(relabelling).or_insert_with_key(|relabelling| {
                        relabellings.push(relabelling.clone());
                        relabellings.len() as u32 - 1
                    })
                });
                let shift = shift.map(|(from, to)| Shifts::number(rest.len(), from, to) as u16);
                slides.push(Edge { source: source as u32, relabelling, shift });
            }
            ends.push(slides.len() as u32);
        }
        Ok(Explored { nodes, slides, ends, relabellings, is_even_only, has_two_colours })
    }

    /// The blocks from which one slide leads to this one, with what it does to the rows: the token
    /// at place `from` of the source's row comes to place `to` of this one's.
    fn slides(&self, key: Key) -> Vec<(Key, Option<(usize, usize)>)> {
        let empty = VertexSet::from_bits(key.empty);
        let occupied = self.board.vertex_set() - empty;
        let prefix = self.prefix(key);
        let mut slides = Vec::new();
        for vertex in occupied - self.walls {
            for other in self.board.destinations(vertex, occupied) {
                let moved = occupied.moved(vertex, other);
                let empty = (self.board.vertex_set() - moved).bits();
                let token = prefix.iter().position(|&at| at == vertex);
                let slide = if let Some(token) = token {
                    let mut prefix = prefix.clone();
                    prefix[token] = other;
                    (Key { prefix: pack(&prefix), empty }, None)
                } else {
                    let source = Key { prefix: key.prefix, empty };
                    let place = |key, vertex| {
                        self.free(key).iter().position(|&free| free == vertex).unwrap_or(0)
                    };
                    (source, Some((place(source, other), place(key, vertex))))
                };
                slides.push(slide);
            }
        }
        slides
    }

    /// The relabelling that makes the block with the free vertices `target` of its representative,
    /// which `symmetry` makes of it.
    pub fn relabelling(
        &self,
        symmetry: usize,
        source: &[Vertex],
        target: &[Vertex],
    ) -> Relabelling {
        let permutation = &self.symmetries[symmetry];
        let sources = target.iter().map(|&vertex| {
            let from = vertex_image(permutation, vertex);
            source.iter().position(|&free| free == from).unwrap_or(0) as u8
        });
        Relabelling { symmetry: self.inverses[symmetry], sources: sources.collect() }
    }

    /// The key of a state's block; `None` if a prefix token is missing.
    pub fn key(&self, state: &State) -> Option<Key> {
        let mut vertices = vec![None; self.division.prefix.len()];
        for (vertex, label) in state.tokens() {
            if let Some(token) = self.division.prefix.iter().position(|&other| other == label) {
                vertices[token] = Some(vertex);
            }
        }
        let vertices: Option<Vec<Vertex>> = vertices.into_iter().collect();
        let empty = (self.board.vertex_set() - state.occupied()).bits();
        Some(Key { prefix: pack(&vertices?), empty })
    }

    /// The least key that symmetries make of a key, and a symmetry that makes it.
    pub fn canonical(&self, key: Key) -> (Key, usize) {
        let mut least = (self.moved(key, 0), 0);
        for number in 1..self.symmetries.len() {
            let prefix = self.moved_prefix(key, number);
            if prefix <= least.0.prefix {
                let image = Key { prefix, empty: self.moved_empty(key, number) };
                least = least.min((image, number));
            }
        }
        least
    }

    fn orbit_size(&self, key: Key) -> u32 {
        let mut images: Vec<Key> =
            (0..self.symmetries.len()).map(|symmetry| self.moved(key, symmetry)).collect();
        images.sort_unstable();
        images.dedup();
        images.len() as u32
    }

    /// The key that a symmetry, given by its number, makes of a key.
    pub fn moved(&self, key: Key, symmetry: usize) -> Key {
        Key { prefix: self.moved_prefix(key, symmetry), empty: self.moved_empty(key, symmetry) }
    }

    fn moved_prefix(&self, key: Key, symmetry: usize) -> u64 {
        let permutation = &self.symmetries[symmetry];
        let shifts = &self.prefix_shifts[symmetry][..self.division.prefix.len()];
        // The last token is the lowest in the key.
        let (moved, _) = shifts.iter().rev().fold((0, key.prefix), |(moved, left), &shift| {
            (moved | (permutation.image((left & 63) as usize) as u64) << shift, left >> 6)
        });
        moved
    }

    fn moved_empty(&self, key: Key, symmetry: usize) -> u64 {
        let mut left = key.empty;
        let mut moved = 0;
        while left != 0 {
            moved |= 1 << self.symmetries[symmetry].image(left.trailing_zeros() as usize);
            left &= left - 1;
        }
        moved
    }

    /// The label that a symmetry makes of a label: that of the vertex to which it moves the label's
    /// vertex in the start.
    pub fn label_image(&self, symmetry: &Permutation, label: Label) -> Option<Label> {
        label_image(self.start, self.label_vertices, symmetry, label)
    }

    /// What a symmetry does to the places of labels in a list that it keeps.
    pub fn renamed(&self, symmetry: &Permutation, labels: &[Label]) -> Vec<u8> {
        let renamed = labels.iter().map(|&label| {
            let image = self.label_image(symmetry, label);
            labels.iter().position(|&other| Some(other) == image).unwrap_or(0) as u8
        });
        renamed.collect()
    }

    /// The vertices of the prefix tokens.
    pub fn prefix(&self, key: Key) -> Vec<Vertex> {
        let tokens = self.division.prefix.len();
        (0..tokens)
            .filter_map(|token| {
                Vertex::new((key.prefix >> (6 * (tokens - 1 - token)) & 63) as usize)
            })
            .collect()
    }

    /// The vertices of the other tokens, in the order of a row.
    pub fn free(&self, key: Key) -> Vec<Vertex> {
        let prefix: VertexSet = self.prefix(key).into_iter().collect();
        let occupied = self.board.vertex_set() - VertexSet::from_bits(key.empty);
        let free = occupied - prefix - self.walls;
        self.order.vertices().iter().copied().filter(|&vertex| free.contains(vertex)).collect()
    }
}

/// For each symmetry and prefix token, the shift of the token's image in a key.
pub(super) fn prefix_shifts(
    start: &State,
    division: &Division,
    symmetries: &[Permutation],
    label_vertices: &[Option<Vertex>],
) -> Vec<[u8; MAX_PREFIX]> {
    let tokens = division.prefix.len();
    let shift = |symmetry, label| {
        let image = label_image(start, label_vertices, symmetry, label);
        let place = division.prefix.iter().position(|&other| Some(other) == image);
        place.map_or(0, |place| 6 * (tokens - 1 - place) as u8)
    };
    let of_symmetry = |symmetry| {
        let mut shifts = [0; MAX_PREFIX];
        for (own, &label) in shifts.iter_mut().zip(&division.prefix) {
            *own = shift(symmetry, label);
        }
        shifts
    };
    symmetries.iter().map(of_symmetry).collect()
}

fn label_image(
    start: &State,
    label_vertices: &[Option<Vertex>],
    symmetry: &Permutation,
    label: Label,
) -> Option<Label> {
    let vertex = (*label_vertices.get(label.index())?)?;
    start.label_at(vertex_image(symmetry, vertex))
}

fn pack(vertices: &[Vertex]) -> u64 {
    vertices.iter().fold(0, |packed, vertex| packed << 6 | vertex.index() as u64)
}
