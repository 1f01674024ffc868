//! The states around one.

use hyperslide_puzzle::{Board, Move, Vertex, VertexSet};

use crate::engine::nodes::{NO_PARENT, NodeId, Nodes};

/// The number of states between two calls of `stop`.
const STOP_INTERVAL: NodeId = 1 << 10;

/// Complete layers of a breadth-first search, without paths by way of the centre's occupied set.
///
/// Memory for each state: [`Ball::STATE_BYTES`] at most.
pub(super) struct Ball<const WORDS: usize> {
    pub tokens: usize,
    /// A key holds the vertex of each token, one byte each. Tokens are numbered by their vertices
    /// at the centre.
    nodes: Nodes<WORDS>,
    /// By the number of slides: the occupied sets of states and their nodes, in order.
    pub layers: Vec<Vec<(u64, NodeId)>>,
}

impl<const WORDS: usize> Ball<WORDS> {
    /// Bytes of a state: its node, 11.4 bytes of index, and its place in a layer.
    pub const STATE_BYTES: u64 = 36 + 8 * WORDS as u64;

    /// Searches from `centre` as far as layers of no more than `most` states in all reach. `None`
    /// when `stop`, which is called regularly, says so.
    pub fn grow(
        board: &Board,
        centre: VertexSet,
        most: NodeId,
        stop: &dyn Fn() -> bool,
    ) -> Option<Ball<WORDS>> {
        let mut ball = Ball { tokens: centre.len(), nodes: Nodes::new(), layers: Vec::new() };
        let mut key = [0; WORDS];
        for (token, vertex) in centre.into_iter().enumerate() {
            exchange(&mut key, token, vertex.index());
        }
        ball.nodes.insert_root(&key, 0).ok()?;
        let mut layer = 0..1;
        while !layer.is_empty() {
            let sets = layer.clone().map(|node| (ball.set(node).bits(), node));
            let mut sets = Vec::from_iter(sets);
            sets.sort_unstable();
            ball.layers.push(sets);
            let next = layer.end;
            for node in layer {
                if node % STOP_INTERVAL == 0 && stop() || ball.nodes.is_full() {
                    return None;
                }
                let set = ball.set(node);
                if node > 0 && set == centre {
                    continue;
                }
                ball.expand(board, node, set);
                if ball.nodes.len() > most {
                    return Some(ball);
                }
            }
            layer = next..ball.nodes.len();
        }
        Some(ball)
    }

    fn expand(&mut self, board: &Board, node: NodeId, set: VertexSet) {
        let key = self.nodes.get(node).key;
        for token in 0..self.tokens {
            let from = vertex(&key, token);
            for to in board.destinations(from, set) {
                let mut key = key;
                exchange(&mut key, token, from.index() ^ to.index());
                self.nodes.insert(&key, node, 0);
            }
        }
    }

    /// Returns the vertex of each token of a state.
    pub fn vertices(&self, node: NodeId) -> impl Iterator<Item = Vertex> {
        let key = self.nodes.get(node).key;
        (0..self.tokens).map(move |token| vertex(&key, token))
    }

    fn set(&self, node: NodeId) -> VertexSet {
        self.vertices(node).collect()
    }

    /// Returns the slides from the centre to a state.
    pub fn path(&self, mut node: NodeId) -> Vec<Move> {
        let mut moves = Vec::new();
        while self.nodes.get(node).parent != NO_PARENT {
            let before = self.nodes.get(node).parent;
            let mut tokens = self.vertices(before).zip(self.vertices(node));
            let slid = tokens.find(|(from, to)| from != to);
            let (from, to) = slid.expect("a slide leads from a state to the next");
            moves.push(Move { from, to });
            node = before;
        }
        moves.reverse();
        moves
    }

    /// Returns the number of states.
    pub fn len(&self) -> NodeId {
        self.nodes.len()
    }
}

/// Changes the bits of a token's vertex that are given.
#[inline]
fn exchange<const WORDS: usize>(key: &mut [u64; WORDS], token: usize, bits: usize) {
    key[token / 8] ^= (bits as u64) << (8 * (token % 8));
}

/// Returns a token's vertex.
#[inline]
fn vertex<const WORDS: usize>(key: &[u64; WORDS], token: usize) -> Vertex {
    let index = (key[token / 8] >> (8 * (token % 8))) as usize & 0xff;
    Vertex::new(index).expect("a token is on a vertex")
}
