/// A list in pieces, so that growing copies nothing and never holds it twice.
pub(crate) struct ChunkedList<T> {
    pieces: Vec<Box<[T]>>,
    len: usize,
    fill: T,
}

const PIECE_BITS: u32 = 13;

impl<T: Copy> ChunkedList<T> {
    /// An empty one, whose entries are this until they are set.
    pub fn new(fill: T) -> ChunkedList<T> {
        ChunkedList { pieces: Vec::new(), len: 0, fill }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn push(&mut self, value: T) {
        *self.entry(self.len) = value;
    }

    /// An entry; what was never set is what such are.
    pub fn get(&self, index: usize) -> T {
        let piece = self.pieces.get(index >> PIECE_BITS);
        piece.map_or(self.fill, |piece| piece[index % (1 << PIECE_BITS)])
    }

    /// An entry to be set.
    pub fn entry(&mut self, index: usize) -> &mut T {
        while self.pieces.len() <= index >> PIECE_BITS {
            self.pieces.push(vec![self.fill; 1 << PIECE_BITS].into_boxed_slice());
        }
        self.len = self.len.max(index + 1);
        &mut self.pieces[index >> PIECE_BITS][index % (1 << PIECE_BITS)]
    }

    pub fn clear(&mut self) {
        *self = ChunkedList::new(self.fill);
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.pieces.len() << PIECE_BITS) as u64 * size_of::<T>() as u64
    }
}
