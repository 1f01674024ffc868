//! Who watches an iteration of IDA\* on a graph with one empty vertex: nobody, or an observer.
//!
//! The iterations are compiled for both, so that one that nobody watches is not slower.

use hyperslide_puzzle::{MAX_VERTICES, Move, SearchEnd, VertexSet};

use crate::engine::cells::{slide_of, state_of};
use crate::observer::{Expanded, Recorder};

/// A state that is expanded, as the iterations hold it.
#[derive(Clone, Copy)]
pub(crate) struct Position<'a> {
    /// The label's index on each vertex; that of the empty vertex means nothing.
    pub cells: &'a [u8; MAX_VERTICES],
    pub empty: u8,
    /// Moves left up to the bound.
    pub left: i32,
}

/// Watches a depth-first visit; by default it looks away.
pub(crate) trait Spectator: Clone + Send + Sync {
    /// Whether it looks at all.
    const WATCHES: bool = false;

    /// The one that watches a visit which starts from the end of a path.
    fn after(&self, _path: &[Move]) -> Self {
        self.clone()
    }

    /// The visit slides a token to this empty vertex; the states below it are next.
    fn descend(&mut self, _empty: u8) {}

    /// The visit takes the last slide back.
    fn ascend(&mut self) {}

    /// The visit expands a state; `h` is its estimate.
    fn expand(&self, _position: Position<'_>, _h: impl FnOnce() -> u32) {}
}

/// Nobody watches. Nothing is compiled for it.
#[derive(Clone)]
pub(crate) struct Nobody;

impl Spectator for Nobody {}

/// Reports what is expanded to an observer.
#[derive(Clone)]
pub(crate) struct Reporter<'a> {
    recorder: Recorder<'a>,
    vertices: VertexSet,
    bound: i32,
    /// The vertices that were empty on the way to the state, the last one last.
    trail: Vec<u8>,
}

impl<'a> Reporter<'a> {
    pub fn new(recorder: &Recorder<'a>, vertices: VertexSet, bound: u32) -> Reporter<'a> {
        let recorder = recorder.clone();
        Reporter { recorder, vertices, bound: bound as i32, trail: Vec::new() }
    }
}

impl Spectator for Reporter<'_> {
    const WATCHES: bool = true;

    fn after(&self, path: &[Move]) -> Self {
        let trail = path.last().map(|mv| mv.to.index() as u8).into_iter().collect();
        Reporter { recorder: self.recorder.clone(), trail, ..*self }
    }

    fn descend(&mut self, empty: u8) {
        self.trail.push(empty);
    }

    fn ascend(&mut self) {
        self.trail.pop();
    }

    fn expand(&self, position: Position<'_>, h: impl FnOnce() -> u32) {
        let Position { cells, empty, left } = position;
        self.recorder.expand(|| {
            let state = state_of(cells, self.vertices, empty);
            let parent = self.trail.last().map(|&before| {
                let mut parent = state;
                parent.slide(slide_of(before, empty));
                parent
            });
            let g = (self.bound - left).cast_unsigned();
            Expanded { state, parent, g, h: Some(h()), end: SearchEnd::Start }
        });
    }
}
