//! The states around one.

use hyperslide_puzzle::{Board, Move, Vertex, VertexSet};

use crate::engine::nodes::{NO_PARENT, NodeId, Nodes};

/// Bytes of a state: its node, 11.4 bytes of index, and its place in a layer.
pub(super) const STATE_BYTES: u64 = 52;
/// The number of states between two calls of `stop`.
const STOP_INTERVAL: NodeId = 1 << 10;

/// Complete layers of a breadth-first search, without paths by way of the centre's occupied set.
///
/// Memory for each state: [`STATE_BYTES`] at most.
pub(super) struct Ball {
    pub tokens: usize,
    /// A key holds the vertex of each token, one byte each. Tokens are numbered by their vertices at
    /// the centre.
    nodes: Nodes<2>,
    /// By the number of slides: the occupied sets of states and their nodes, in order.
    pub layers: Vec<Vec<(u64, NodeId)>>,
}

impl Ball {
    /// Searches from `centre` as far as layers of no more than `most` states in all reach. `None`
    /// when `stop`, which is called regularly, says so.
    pub fn grow(
        board: &Board,
        centre: VertexSet,
        most: NodeId,
        stop: &dyn Fn() -> bool,
    ) -> Option<Ball> {
        let mut ball = Ball { tokens: centre.len(), nodes: Nodes::new(), layers: Vec::new() };
        let places = { centre.into_iter().enumerate() }
            .fold(0, |places, (token, vertex)| places | (vertex.index() as u128) << (8 * token));
        ball.nodes.insert_root(&key(places), 0).ok()?;
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
        let places = self.places(node);
        for token in 0..self.tokens {
            let from = vertex(places, token);
            for to in board.destinations(from, set) {
                let change = (from.index() ^ to.index()) as u128;
                self.nodes.insert(&key(places ^ change << (8 * token)), node, 0);
            }
        }
    }

    /// Returns the vertex of each token of a state, one byte each.
    pub fn places(&self, node: NodeId) -> u128 {
        let [low, high] = self.nodes.get(node).key;
        u128::from(low) | u128::from(high) << 64
    }

    fn set(&self, node: NodeId) -> VertexSet {
        let places = self.places(node);
        let bits = (0..self.tokens).map(|token| 1 << vertex(places, token).index());
        VertexSet::from_bits(bits.fold(0, |set, bit: u64| set | bit))
    }

    /// Returns the slides from the centre to a state.
    pub fn path(&self, mut node: NodeId) -> Vec<Move> {
        let mut moves = Vec::new();
        while self.nodes.get(node).parent != NO_PARENT {
            let before = self.nodes.get(node).parent;
            let (was, is) = (self.places(before), self.places(node));
            let token = ((was ^ is).trailing_zeros() / 8) as usize;
            moves.push(Move { from: vertex(was, token), to: vertex(is, token) });
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

fn key(places: u128) -> [u64; 2] {
    [places as u64, (places >> 64) as u64]
}

/// Returns a token's vertex.
pub(super) fn vertex(places: u128, token: usize) -> Vertex {
    Vertex::new((places >> (8 * token)) as usize & 0xff).expect("a token is on a vertex")
}
