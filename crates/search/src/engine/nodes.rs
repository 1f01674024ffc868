//! The states that a search has met, with the path back to its root.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;
use std::hash::Hasher;

use hyperslide_puzzle::{Move, SearchEnd, State};
use hyperslide_table::refusable;

use crate::engine::chunked_list::chunk_of;
use crate::engine::codec::{Codec, Key};
use crate::observer::Expanded;
use crate::outcome::Limit;

/// The number of a stored node; nodes are numbered in the order in which they are met.
pub(crate) type NodeId = u32;

/// The parent of a root.
pub(crate) const NO_PARENT: NodeId = u32::MAX;

/// A stored state: 16 bytes with one word, 8 more for each further word.
#[derive(Clone, Copy)]
pub(crate) struct Node<const WORDS: usize> {
    pub key: Key<WORDS>,
    pub parent: NodeId,
    /// For the search's own use.
    pub note: u32,
}

/// Nodes in chunks, so that growing copies nothing, and an index in shards, so that growing copies
/// little: peak memory is 16 bytes a node (one word) and 5.7 to 11.4 bytes of index.
pub(crate) struct Nodes<const WORDS: usize> {
    chunks: Vec<Box<[Node<WORDS>]>>,
    len: usize,
    shards: Vec<HashTable<NodeId>>,
    is_full: bool,
}

/// 8,192 nodes of 16 bytes: 128 KiB.
const CHUNK_BITS: u32 = 13;
const CHUNK: usize = 1 << CHUNK_BITS;
const SHARDS: usize = 64;

fn hash<const WORDS: usize>(key: &Key<WORDS>) -> u64 {
    let mut hasher = FxHasher::default();
    key.iter().for_each(|&word| hasher.write_u64(word));
    hasher.finish()
}

/// Bits that the table itself uses neither for places (the low ones) nor for tags (the top seven).
fn shard_of(hash: u64) -> usize {
    (hash >> 48) as usize % SHARDS
}

impl<const WORDS: usize> Nodes<WORDS> {
    pub fn new() -> Nodes<WORDS> {
        let shards = (0..SHARDS).map(|_| HashTable::new()).collect();
        Nodes { chunks: Vec::new(), len: 0, shards, is_full: false }
    }

    /// The number of nodes.
    pub fn len(&self) -> NodeId {
        self.len as NodeId
    }

    /// Returns whether the system had no memory for a node: the search has to stop before it
    /// concludes anything from states that it has not met.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Bytes held, counted by capacity. `u64::MAX` when node numbers are nearly used up, so that a
    /// search stops as it does when memory is.
    pub fn bytes(&self) -> u64 {
        if self.len > NO_PARENT as usize - (1 << 24) {
            return u64::MAX;
        }
        let index: usize = self.shards.iter().map(HashTable::allocation_size).sum();
        let nodes = self.chunks.len() * CHUNK * size_of::<Node<WORDS>>();
        let chunks = self.chunks.capacity() * size_of::<Box<[Node<WORDS>]>>();
        (index + nodes + chunks) as u64
    }

    #[inline]
    pub fn get(&self, id: NodeId) -> &Node<WORDS> {
        &self.chunks[id as usize >> CHUNK_BITS][id as usize % CHUNK]
    }

    #[inline]
    pub fn get_mut(&mut self, id: NodeId) -> &mut Node<WORDS> {
        &mut self.chunks[id as usize >> CHUNK_BITS][id as usize % CHUNK]
    }

    /// The node with this key, when it has been met.
    pub fn find(&self, key: &Key<WORDS>) -> Option<NodeId> {
        let hash = hash(key);
        self.shards[shard_of(hash)].find(hash, |&id| self.get(id).key == *key).copied()
    }

    /// The node with this key, and whether it is new; only a new one gets the parent and the note.
    /// When there is no memory for a new one, that is the first node, which is not new, and
    /// [`Nodes::is_full`] says so.
    #[inline]
    pub fn insert(&mut self, key: &Key<WORDS>, parent: NodeId, note: u32) -> (NodeId, bool) {
        let hash_of_key = hash(key);
        if !self.has_room(hash_of_key) {
            let known = self.find(key);
            self.is_full |= known.is_none();
            return (known.unwrap_or(0), false);
        }
        let chunks = &self.chunks;
        let node = |id: NodeId| &chunks[id as usize >> CHUNK_BITS][id as usize % CHUNK];
        let entry = self.shards[shard_of(hash_of_key)].entry(
            hash_of_key,
            |&id| node(id).key == *key,
            |&id| hash(&node(id).key),
        );
        match entry {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(vacant) => {
                let id = self.len as NodeId;
                vacant.insert(id);
                let new = Node { key: *key, parent, note };
                self.len += 1;
                *self.get_mut(id) = new;
                (id, true)
            }
        }
    }

    /// The node of a state that a search begins from, with this note. Where the system has no
    /// memory for it, that is the memory limit: nothing follows from a search without its
    /// beginning.
    pub fn insert_root(&mut self, key: &Key<WORDS>, note: u32) -> Result<NodeId, Limit> {
        let (id, _) = self.insert(key, NO_PARENT, note);
        if self.is_full { Err(Limit::Memory) } else { Ok(id) }
    }

    /// Makes room for one more node with this hash, if the system has memory for it.
    #[inline]
    fn has_room(&mut self, hash_of_key: u64) -> bool {
        let shard = &self.shards[shard_of(hash_of_key)];
        if self.len < self.chunks.len() * CHUNK && shard.len() < shard.capacity() {
            return true;
        }
        self.grow(hash_of_key).is_some()
    }

    #[cold]
    fn grow(&mut self, hash_of_key: u64) -> Option<()> {
        if self.len == self.chunks.len() * CHUNK {
            let new = Node { key: [0; WORDS], parent: NO_PARENT, note: 0 };
            refusable(|| self.chunks.try_reserve(1)).ok()?;
            self.chunks.push(chunk_of(new, CHUNK)?);
        }
        let chunks = &self.chunks;
        let node = |id: NodeId| &chunks[id as usize >> CHUNK_BITS][id as usize % CHUNK];
        let hash_of = |&id: &NodeId| hash(&node(id).key);
        let shard = &mut self.shards[shard_of(hash_of_key)];
        refusable(|| shard.try_reserve(1, hash_of)).ok()
    }

    /// The expansion of a node, for observers.
    pub fn expanded(
        &self,
        codec: &Codec<WORDS>,
        id: NodeId,
        (g, h): (u32, Option<u32>),
        end: SearchEnd,
    ) -> Expanded {
        let node = self.get(id);
        let parent = (node.parent != NO_PARENT).then(|| codec.unpack(&self.get(node.parent).key));
        Expanded { state: codec.unpack(&node.key), parent, g, h, end }
    }

    /// The moves from the root to a node.
    pub fn path(&self, codec: &Codec<WORDS>, to: NodeId) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut id = to;
        let mut after = codec.unpack(&self.get(id).key);
        while self.get(id).parent != NO_PARENT {
            id = self.get(id).parent;
            let before = codec.unpack(&self.get(id).key);
            moves.push(move_between(&before, &after));
            after = before;
        }
        moves.reverse();
        moves
    }
}

/// The move that leads from one state to its successor.
pub(crate) fn move_between(before: &State, after: &State) -> Move {
    let left = (before.occupied() - after.occupied()).lowest();
    let entered = (after.occupied() - before.occupied()).lowest();
    let (Some(from), Some(to)) = (left, entered) else {
        unreachable!("a parent differs from its child by one move");
    };
    Move { from, to }
}
