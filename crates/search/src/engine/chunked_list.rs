//! A list in chunks, so that growing copies nothing and never holds it twice.

use hyperslide_table::refusable;

/// A list in chunks. Where the system has no memory for another chunk it is full: what is pushed
/// then is lost, and a search has to stop.
pub(crate) struct ChunkedList<T> {
    chunks: Vec<Box<[T]>>,
    len: usize,
    fill: T,
    /// Takes what is written when the list is full.
    lost: T,
    is_full: bool,
}

const CHUNK_BITS: u32 = 13;
const CHUNK: usize = 1 << CHUNK_BITS;

/// A chunk of one value, if the system has memory for it.
pub(crate) fn chunk_of<T: Clone>(value: T, len: usize) -> Option<Box<[T]>> {
    let mut chunk = Vec::new();
    refusable(|| chunk.try_reserve_exact(len)).ok()?;
    chunk.resize(len, value);
    Some(chunk.into_boxed_slice())
}

impl<T: Copy> ChunkedList<T> {
    /// An empty list, whose entries are `fill` until they are set.
    pub fn new(fill: T) -> ChunkedList<T> {
        ChunkedList { chunks: Vec::new(), len: 0, fill, lost: fill, is_full: false }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the system had no memory for an entry.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    pub fn push(&mut self, value: T) {
        *self.entry(self.len) = value;
    }

    /// An entry; one that was never set is `fill`.
    pub fn get(&self, index: usize) -> T {
        let chunk = self.chunks.get(index >> CHUNK_BITS);
        chunk.map_or(self.fill, |chunk| chunk[index % CHUNK])
    }

    /// An entry to be set.
    pub fn entry(&mut self, index: usize) -> &mut T {
        while self.chunks.len() <= index >> CHUNK_BITS {
            let Some(chunk) = chunk_of(self.fill, CHUNK) else {
                self.is_full = true;
                return &mut self.lost;
            };
            self.chunks.push(chunk);
        }
        self.len = self.len.max(index + 1);
        &mut self.chunks[index >> CHUNK_BITS][index % CHUNK]
    }

    pub fn clear(&mut self) {
        *self = ChunkedList::new(self.fill);
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.chunks.len() << CHUNK_BITS) as u64 * size_of::<T>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_what_was_set() {
        let mut list = ChunkedList::new(7u32);
        list.push(1);
        *list.entry(CHUNK + 2) = 3;
        assert_eq!((list.get(0), list.get(1), list.get(CHUNK + 2)), (1, 7, 3));
        assert_eq!((list.get(10 * CHUNK), list.len(), list.is_full()), (7, CHUNK + 3, false));
    }

    #[test]
    fn more_than_any_system_has_is_refused() {
        assert!(chunk_of(0u64, usize::MAX >> 8).is_none());
    }
}
