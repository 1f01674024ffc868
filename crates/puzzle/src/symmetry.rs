//! The symmetries of a board.

use std::collections::HashSet;
use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::board::Board;
use crate::metric::Metric;
use crate::permutation::Permutation;
use crate::split_mix::mix;
use crate::vertex::{Vertex, VertexSet};

/// The automorphism group of a board, given by generators and its order.
#[derive(Clone, Debug)]
pub struct SymmetryGroup {
    /// Permutations of the vertices that generate the group; none for the trivial group.
    pub generators: Vec<Permutation>,
    /// The number of automorphisms, up to 64!.
    pub order: BigUint,
}

impl SymmetryGroup {
    /// Lists all automorphisms, the identity first; returns `None` if there are more than `limit`.
    /// `degree` is the number of vertices. Cost: 150 bytes for each automorphism, and a microsecond
    /// for each automorphism and each generator.
    pub fn elements(&self, degree: usize, limit: usize) -> Option<Vec<Permutation>> {
        if self.order > BigUint::from(limit) {
            return None;
        }
        let mut elements = vec![Permutation::identity(degree)];
        let mut known: HashSet<Permutation> = elements.iter().copied().collect();
        let mut next = 0;
        while next < elements.len() {
            for generator in &self.generators {
                let product = elements[next].then(generator);
                if known.insert(product) {
                    elements.push(product);
                }
            }
            next += 1;
        }
        Some(elements)
    }
}

/// Returns the group of the permutations of the vertices that map faces to faces and, in the edge
/// metric, edges to edges.
///
/// Its order is 2^d d! for a cube with k < d, and (2^d)! for k = d, where the only face is the
/// whole board. It is found by a search with colour refinement (as in McKay 1981), which fixes the
/// first vertices one by one and looks for an automorphism that takes the next vertex to each
/// candidate that is not yet in its orbit. Cost: at most 2016 such searches, which take
/// milliseconds on all boards of the project; a board designed to be hard for refinement can take
/// longer.
pub fn symmetry_group(board: &Board) -> SymmetryGroup {
    let search = Search::new(board);
    let count = board.vertex_count();
    let mut generators: Vec<Permutation> = Vec::new();
    let mut order = BigUint::from(1u32);
    for fixed in (0..count).rev() {
        // All generators so far fix the vertices up to `fixed`, so the orbit is complete once each
        // candidate outside it has been tried.
        let mut orbit = orbit_of(fixed, count, &generators);
        for candidate in fixed + 1..count {
            if !orbit[candidate]
                && let Some(found) = search.automorphism(fixed, candidate)
            {
                generators.push(found);
                orbit = orbit_of(fixed, count, &generators);
            }
        }
        order *= orbit.iter().filter(|&&member| member).count();
    }
    SymmetryGroup { generators, order }
}

fn orbit_of(point: usize, count: usize, generators: &[Permutation]) -> Vec<bool> {
    let mut member = vec![false; count];
    member[point] = true;
    let mut open = vec![point];
    while let Some(next) = open.pop() {
        for image in generators.iter().map(|generator| generator.image(next)) {
            if !std::mem::replace(&mut member[image], true) {
                open.push(image);
            }
        }
    }
    member
}

/// The colours of the vertices: hashes of the properties that distinguish them.
type Colours = Vec<u64>;

struct Search<'a> {
    board: &'a Board,
    /// The sets that automorphisms preserve: the faces and, in the edge metric, the edges, each
    /// with its kind.
    kept: Vec<(u64, VertexSet)>,
}

impl<'a> Search<'a> {
    fn new(board: &'a Board) -> Search<'a> {
        let mut kept: Vec<(u64, VertexSet)> = board.faces().iter().map(|&face| (1, face)).collect();
        if let (Metric::Edge, Some(neighbours)) = (board.metric(), board.neighbours()) {
            for (from, neighbours) in board.vertices().zip(neighbours) {
                let later = neighbours.into_iter().filter(|to| *to > from);
                kept.extend(later.map(|to| (2, VertexSet::from_iter([from, to]))));
            }
        }
        kept.sort_unstable();
        Search { board, kept }
    }

    /// Finds an automorphism that fixes all vertices below `fixed` and takes `fixed` to
    /// `candidate`.
    fn automorphism(&self, fixed: usize, candidate: usize) -> Option<Permutation> {
        let count = self.board.vertex_count();
        let mut colours: Colours = vec![0; count];
        for (number, colour) in colours.iter_mut().enumerate().take(fixed) {
            *colour = number as u64 + 1;
        }
        let mut image_colours = colours.clone();
        colours[fixed] = fixed as u64 + 1;
        image_colours[candidate] = fixed as u64 + 1;
        match self.extend(colours, image_colours) {
            ControlFlow::Break(found) => found,
            ControlFlow::Continue(()) => None,
        }
    }

    /// Finds an automorphism that takes each vertex to one of the same colour in `image_colours`.
    /// Breaks with it, or with `None` if no earlier choice can lead to one; continues if only these
    /// choices lead to none.
    fn extend(
        &self,
        mut colours: Colours,
        mut image_colours: Colours,
    ) -> ControlFlow<Option<Permutation>> {
        self.refine(&mut colours);
        self.refine(&mut image_colours);
        let (mut left, mut right) = (colours.clone(), image_colours.clone());
        left.sort_unstable();
        right.sort_unstable();
        if left != right {
            return ControlFlow::Continue(());
        }
        let is_shared = |vertex: Vertex| {
            let colour = colours[vertex.index()];
            colours.iter().filter(|&&other| other == colour).count() > 1
        };
        let shared: VertexSet = self.board.vertices().filter(|&vertex| is_shared(vertex)).collect();
        let adjoins_single = |vertex: &Vertex| {
            let around = self.kept.iter().filter(|(_, set)| set.contains(*vertex));
            around.into_iter().any(|&(_, set)| !set.is_subset(shared))
        };
        // Choose next to vertices that already have a colour of their own. If there is no such
        // choice, the rest of the board shares no face with the part done so far, so that other
        // choices in that part would not change the outcome.
        let near = shared.into_iter().find(adjoins_single);
        let Some(vertex) = near.or(shared.lowest()).map(Vertex::index) else {
            return match self.check(&colours, &image_colours) {
                Some(found) => ControlFlow::Break(Some(found)),
                None => ControlFlow::Continue(()),
            };
        };
        let colour = colours[vertex];
        let single = mix(colour ^ 0x5bd1_e995);
        colours[vertex] = single;
        for candidate in 0..image_colours.len() {
            if image_colours[candidate] == colour {
                let mut tried = image_colours.clone();
                tried[candidate] = single;
                self.extend(colours.clone(), tried)?;
            }
        }
        if near.is_none() { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
    }

    /// Refines the colours by the colours of the surrounding vertices until no colour splits. A
    /// collision of hashes can only leave a colour unsplit, and the search then separates its
    /// vertices.
    fn refine(&self, colours: &mut Colours) {
        let different = |colours: &Colours| {
            let mut sorted = colours.clone();
            sorted.sort_unstable();
            sorted.dedup();
            sorted.len()
        };
        let mut before = different(colours);
        loop {
            let mut around = vec![0u64; colours.len()];
            for &(kind, set) in &self.kept {
                let members = set.into_iter().map(|v| mix(colours[v.index()]));
                let signature = mix(members.fold(kind, u64::wrapping_add));
                for vertex in set {
                    around[vertex.index()] = around[vertex.index()].wrapping_add(signature);
                }
            }
            let refined: Colours = colours
                .iter()
                .zip(&around)
                .map(|(&colour, &around)| mix(colour.wrapping_mul(3).wrapping_add(around)))
                .collect();
            *colours = refined;
            let now = different(colours);
            if now == before {
                return;
            }
            before = now;
        }
    }

    fn check(&self, colours: &Colours, image_colours: &Colours) -> Option<Permutation> {
        let images: Option<Vec<usize>> = colours
            .iter()
            .map(|colour| image_colours.iter().position(|image| image == colour))
            .collect();
        let permutation = Permutation::from_images(&images?)?;
        let image_of = |v: Vertex| Vertex::new(permutation.image(v.index()));
        let keeps = |&(kind, set): &(u64, VertexSet)| {
            let image: VertexSet = set.into_iter().filter_map(image_of).collect();
            self.kept.binary_search(&(kind, image)).is_ok()
        };
        self.kept.iter().all(keeps).then_some(permutation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoardSpec, PermutationGroup, factorial};

    fn order(spec: BoardSpec, metric: Metric) -> BigUint {
        let board = Board::new(spec, metric).unwrap();
        let symmetry = symmetry_group(&board);
        let mut group = PermutationGroup::trivial(board.vertex_count());
        for generator in &symmetry.generators {
            group.insert(generator);
        }
        assert_eq!(group.order(), symmetry.order, "{board}: generators and order disagree");
        symmetry.order
    }

    #[test]
    fn cubes_have_2_to_the_d_times_d_factorial() {
        for d in 1..=6 {
            for k in 1..=d {
                let cube = factorial(d) << d;
                let spec = BoardSpec::Cube { d, k };
                assert_eq!(order(spec.clone(), Metric::Edge), cube, "cube:{d}:{k} edge");
                let face = if k == d { factorial(1 << d) } else { cube };
                assert_eq!(order(spec, Metric::Face), face, "cube:{d}:{k}");
            }
        }
    }

    #[test]
    fn grids_have_8_4_or_2() {
        for (rows, columns, expected) in
            [(1, 1, 1u32), (1, 5, 2), (2, 2, 8), (4, 4, 8), (3, 4, 4), (8, 8, 8), (5, 1, 2)]
        {
            let spec = BoardSpec::Grid { rows, columns };
            assert_eq!(order(spec, Metric::Face), BigUint::from(expected), "grid:{rows}:{columns}");
        }
    }

    #[test]
    fn equals_trying_all_permutations_on_small_boards() {
        let boards = [
            "graph:5:0-1,1-2,2-3,3-4,4-0",
            "graph:6:0-1,1-2,0-2,3-4,4-5",
            "graph:4:",
            "faces:6:0-1-2,2-3-4,4-5-0",
            "faces:6:0-1-2,2-3-4,4-5-0:0-1,1-2,3-4",
            "faces:5:0-1-2,0-1-3,0-1-4,2-3",
        ];
        for text in boards {
            let crate::boards::BoardSource::Spec(spec) = text.parse().unwrap() else { panic!() };
            for metric in Metric::ALL {
                let Ok(board) = Board::new(spec.clone(), metric) else { continue };
                let search = Search::new(&board);
                let identity: Colours = (0..board.vertex_count() as u64).collect();
                let mut count = 0u32;
                permutations(&mut identity.clone(), 0, &mut |images| {
                    count += u32::from(search.check(&identity, images).is_some());
                });
                assert_eq!(order(spec.clone(), metric), BigUint::from(count), "{text} {metric}");
            }
        }
    }

    fn permutations(items: &mut Colours, from: usize, visit: &mut dyn FnMut(&Colours)) {
        if from == items.len() {
            return visit(items);
        }
        for other in from..items.len() {
            items.swap(from, other);
            permutations(items, from + 1, visit);
            items.swap(from, other);
        }
    }
}
