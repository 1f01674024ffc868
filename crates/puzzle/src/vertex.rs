//! Vertices and sets of vertices.
//!
//! Searches spend their time in these functions. They are marked for inlining, since incremental
//! builds, such as those of tests, inline nothing else from another crate.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not, Sub};

/// The greatest number of vertices of a board, so that a set of them fits a machine word.
pub const MAX_VERTICES: usize = 64;

/// A vertex of a board, `0..64`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vertex(u8);

impl Vertex {
    /// Returns the vertex with this number, or `None` if it is not below [`MAX_VERTICES`].
    #[inline]
    pub const fn new(index: usize) -> Option<Vertex> {
        if index < MAX_VERTICES { Some(Vertex(index as u8)) } else { None }
    }

    /// Returns the vertex's number, which is below [`MAX_VERTICES`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the first `count` vertices in order.
    ///
    /// # Panics
    ///
    /// Panics if `count` exceeds [`MAX_VERTICES`].
    #[inline]
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Vertex> + ExactSizeIterator {
        assert!(count <= MAX_VERTICES, "a board has at most {MAX_VERTICES} vertices, not {count}");
        (0..count as u8).map(Vertex)
    }
}

impl fmt::Display for Vertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Vertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// A set of vertices, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct VertexSet(u64);

impl VertexSet {
    /// The empty set.
    pub const EMPTY: VertexSet = VertexSet(0);

    /// Returns the set whose members are the set bits.
    #[inline]
    pub const fn from_bits(bits: u64) -> VertexSet {
        VertexSet(bits)
    }

    /// Returns the set as bits: bit `i` is set if vertex `i` is a member.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the set of the first `count` vertices, `count <= 64`.
    #[inline]
    pub const fn first(count: usize) -> VertexSet {
        if count >= 64 { VertexSet(u64::MAX) } else { VertexSet((1 << count) - 1) }
    }

    /// Returns the set with one member.
    #[inline]
    pub const fn single(vertex: Vertex) -> VertexSet {
        VertexSet(1 << vertex.0)
    }

    /// Returns the number of members.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the vertex is a member.
    #[inline]
    pub const fn contains(self, vertex: Vertex) -> bool {
        self.0 >> vertex.0 & 1 == 1
    }

    /// Returns whether every member is also a member of `other`.
    #[inline]
    pub const fn is_subset(self, other: VertexSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// Adds a vertex.
    #[inline]
    pub const fn insert(&mut self, vertex: Vertex) {
        self.0 |= 1 << vertex.0;
    }

    /// Removes a vertex.
    #[inline]
    pub const fn remove(&mut self, vertex: Vertex) {
        self.0 &= !(1 << vertex.0);
    }

    /// Returns the set with `from` replaced by `to`, as after a slide.
    #[inline]
    pub const fn moved(self, from: Vertex, to: Vertex) -> VertexSet {
        VertexSet(self.0 & !(1 << from.0) | 1 << to.0)
    }

    /// Returns the lowest member, or `None` if the set is empty.
    #[inline]
    pub const fn lowest(self) -> Option<Vertex> {
        if self.0 == 0 { None } else { Some(Vertex(self.0.trailing_zeros() as u8)) }
    }
}

impl BitAnd for VertexSet {
    type Output = VertexSet;
    #[inline]
    fn bitand(self, other: VertexSet) -> VertexSet {
        VertexSet(self.0 & other.0)
    }
}

impl BitOr for VertexSet {
    type Output = VertexSet;
    #[inline]
    fn bitor(self, other: VertexSet) -> VertexSet {
        VertexSet(self.0 | other.0)
    }
}

impl Sub for VertexSet {
    type Output = VertexSet;
    #[inline]
    fn sub(self, other: VertexSet) -> VertexSet {
        VertexSet(self.0 & !other.0)
    }
}

impl Not for VertexSet {
    type Output = VertexSet;
    #[inline]
    fn not(self) -> VertexSet {
        VertexSet(!self.0)
    }
}

impl FromIterator<Vertex> for VertexSet {
    fn from_iter<I: IntoIterator<Item = Vertex>>(vertices: I) -> VertexSet {
        let mut set = VertexSet::EMPTY;
        for vertex in vertices {
            set.insert(vertex);
        }
        set
    }
}

impl IntoIterator for VertexSet {
    type Item = Vertex;
    type IntoIter = Members;
    #[inline]
    fn into_iter(self) -> Members {
        Members(self.0)
    }
}

impl fmt::Debug for VertexSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

/// The members of a [`VertexSet`] in ascending order.
#[derive(Clone)]
pub struct Members(u64);

impl Iterator for Members {
    type Item = Vertex;

    #[inline]
    fn next(&mut self) -> Option<Vertex> {
        let vertex = VertexSet(self.0).lowest()?;
        self.0 &= self.0 - 1;
        Some(vertex)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Members {}
