//! Diameters from few starts: what the searches that are done say of the states that are not
//! searched from.
//!
//! Let *c* be a start. Any state *u* has slides that take its occupied set to the orbit of *c*, and
//! relabelling and symmetries then take it to *c*: as many as the occupied sets need, δ(u). From
//! there no state *v* is farther than the farthest state e(v) on the orbit of its occupied set. So
//! d(u, v) ≤ δ(u) + e(v), and likewise d(u, v) ≤ δ(v) + e(u). The mean of both bounds shows that
//! the diameter is at most the greatest δ + e: wherever no orbit has more than the eccentricity of
//! *c*, a single search settles it.

use std::collections::BTreeMap;

use hyperslide_puzzle::{Board, VertexSet};
use hyperslide_table::BlockLayers;
use rustc_hash::FxHashMap;

use crate::start::StartsBySet;
use crate::survey::{ComponentClass, Survey, images};

/// The occupied sets of a component with the numbers of their orbits.
pub(crate) struct OrbitNumbers {
    numbers: FxHashMap<VertexSet, usize>,
    orbits: usize,
    /// The vertices of tokens that never move, which searches leave out of their occupied sets.
    stuck: VertexSet,
    /// The least number of slides to a set of each orbit, from every start that was asked for.
    slides: FxHashMap<VertexSet, Vec<u32>>,
}

impl OrbitNumbers {
    /// Takes time O(sets x generators) and some 16 bytes for each set.
    pub fn new(survey: &Survey, kind: &ComponentClass) -> OrbitNumbers {
        let mut numbers = FxHashMap::default();
        for (number, orbit) in kind.orbits.iter().enumerate() {
            let mut queue = vec![orbit.representative];
            while let Some(set) = queue.pop() {
                if numbers.insert(set, number).is_none() {
                    queue.extend(images(&survey.symmetry, set));
                }
            }
        }
        let slides = FxHashMap::default();
        OrbitNumbers { numbers, orbits: kind.orbits.len(), stuck: kind.stuck, slides }
    }

    /// The greatest depth of each orbit's sets, with or without their tokens that never move;
    /// `None` if one of the sets is not one of the component.
    pub fn depths(&self, sets: impl Iterator<Item = (VertexSet, u32)>) -> Option<Vec<u32>> {
        let mut depths = vec![0; self.orbits];
        for (set, depth) in sets {
            let orbit = *self.numbers.get(&(set | self.stuck))?;
            depths[orbit] = depth.max(depths[orbit]);
        }
        Some(depths)
    }

    /// The greatest depth of each orbit's states, from the counts of their blocks; `None` if one of
    /// the blocks is not one of the component.
    pub fn block_depths(&self, board: &Board, blocks: &[BlockLayers]) -> Option<Vec<u32>> {
        self.depths(blocks.iter().map(|block| {
            let depth = block.layers.iter().rposition(|&states| states > 0).unwrap_or(0);
            (board.vertex_set() - block.empty, depth as u32)
        }))
    }

    /// Finds the least number of slides from an occupied set to a set of each orbit, unless it is
    /// known.
    fn find_slides(&mut self, board: &Board, start: VertexSet) {
        if !self.slides.contains_key(&start) {
            self.slides.insert(start, self.slides_from(board, start));
        }
    }

    /// The least number of slides from an occupied set to a set of each orbit.
    fn slides_from(&self, board: &Board, start: VertexSet) -> Vec<u32> {
        let mut slides = BTreeMap::new();
        let mut seen = FxHashMap::from_iter([(start, 0)]);
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(set) = queue.pop_front() {
            let depth = seen[&set];
            if let Some(&orbit) = self.numbers.get(&set) {
                slides.entry(orbit).or_insert(depth);
            }
            for from in set {
                for to in board.destinations(from, set) {
                    seen.entry(set.moved(from, to)).or_insert_with_key(|&target| {
                        queue.push_back(target);
                        depth + 1
                    });
                }
            }
        }
        slides.into_values().collect()
    }
}

/// The bounds that searches from some starts of a component give, and where to search next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// The greatest distance found.
    pub lower: u32,
    /// The diameter is at most this, or unknown.
    pub upper: Option<u32>,
    /// The orbit that limits the upper bound, the one with the fewest sets if there are several:
    /// searches from it are the cheapest, since its sets have the most symmetries.
    pub next: Option<usize>,
}

impl Bounds {
    /// What the starts that are done say of a component, as far as they have depths of orbits.
    ///
    /// Takes time O(sets x slides) for each start that is new to `numbers`, and O(n²) for n orbits
    /// with different bounds.
    pub fn new(
        board: &Board,
        numbers: &mut OrbitNumbers,
        kind: &ComponentClass,
        done: &StartsBySet<'_>,
    ) -> Bounds {
        for orbit in &kind.orbits {
            let start = done.get(&orbit.representative);
            if start.is_some_and(|start| start.orbit_depths.is_some()) {
                numbers.find_slides(board, orbit.representative);
            }
        }
        // The slides to each orbit and the depth of its states, for each search.
        let mut searches: Vec<(&[u32], &[u32])> = Vec::new();
        let mut lower = 0;
        let mut open = Vec::new();
        for (number, orbit) in kind.orbits.iter().enumerate() {
            match done.get(&orbit.representative) {
                Some(start) => {
                    lower = lower.max(start.eccentricity());
                    if let Some(depths) = &start.orbit_depths {
                        searches.push((&numbers.slides[&orbit.representative], depths));
                    }
                }
                None => open.push(number),
            }
        }
        if searches.is_empty() {
            let upper = open.is_empty().then_some(lower);
            let next = open.into_iter().min_by_key(|&number| kind.orbits[number].sets);
            return Bounds { lower, upper, next };
        }
        // Orbits with the same bounds are one, for which the cheapest of them stands.
        let mut profiles: BTreeMap<Vec<(u32, u32)>, usize> = BTreeMap::new();
        for number in open {
            let profile =
                searches.iter().map(|(slides, depths)| (slides[number], depths[number])).collect();
            let known = profiles.entry(profile).or_insert(number);
            if kind.orbits[number].sets < kind.orbits[*known].sets {
                *known = number;
            }
        }
        let (mut upper, mut cheapest) = (lower, None);
        for (one, &first) in &profiles {
            for (other, &second) in &profiles {
                let bounds = one.iter().zip(other).map(|(one, other)| {
                    (one.0.saturating_add(other.1)).min(other.0.saturating_add(one.1))
                });
                let bound = bounds.min().unwrap_or(u32::MAX);
                let cheaper = [first, second].into_iter().min_by_key(|&n| kind.orbits[n].sets);
                let sets = |number: Option<usize>| number.map(|number| kind.orbits[number].sets);
                if bound > upper
                    || bound == upper && bound > lower && sets(cheaper) < sets(cheapest)
                {
                    (upper, cheapest) = (bound, cheaper);
                }
            }
        }
        Bounds { lower, upper: Some(upper), next: cheapest }
    }

    /// Returns whether the diameter is known.
    pub fn is_settled(&self) -> bool {
        self.upper == Some(self.lower)
    }
}
