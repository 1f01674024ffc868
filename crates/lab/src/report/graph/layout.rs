//! Where the states of a component stand in a picture: a row or a ring for each distance from the
//! goal, ordered so that few edges cross.

use std::f64::consts::TAU;

use hyperslide_census::ComponentGraph;

/// Where the states stand.
pub(super) struct Layout {
    /// Width and height in pixels.
    pub size: (f64, f64),
    /// The point of each state.
    pub points: Vec<(f64, f64)>,
    /// The radii of the rings around the middle; none where the layers are rows.
    pub rings: Vec<f64>,
}

/// Pixels between neighbours in a layer, at least.
const GAP: f64 = 16.0;
/// Pixels between two layers, at least.
const LAYER: f64 = 40.0;
const MARGIN: f64 = 14.0;
/// The most states of a layer that stand in a row; with more, layers are rings.
const WIDEST_ROW: usize = 24;
/// How often all layers are put in order, from the goal outwards and back again.
const SWEEPS: usize = 12;

impl Layout {
    /// Lays a component out by the barycentre heuristic (Sugiyama, Tagawa and Toda 1981): every
    /// state goes to the mean of its neighbours in the layer before. The same for the same graph.
    /// Time in proportion to the edges.
    pub fn new(graph: &ComponentGraph) -> Layout {
        let mut layers = Layers::new(graph);
        for _ in 0..SWEEPS {
            (1..layers.members.len()).for_each(|layer| layers.order(layer, layer - 1));
            (1..layers.members.len()).rev().for_each(|layer| layers.order(layer - 1, layer));
        }
        (1..layers.members.len()).for_each(|layer| layers.order(layer, layer - 1));
        if layers.is_round { layers.rings() } else { layers.rows() }
    }
}

/// The states by layer, and where in its layer each stands.
struct Layers<'a> {
    distances: &'a [u32],
    neighbours: Vec<Vec<usize>>,
    members: Vec<Vec<usize>>,
    /// From 0 to 1 in a row, or once around a ring.
    place: Vec<f64>,
    is_round: bool,
}

impl<'a> Layers<'a> {
    fn new(graph: &'a ComponentGraph) -> Layers<'a> {
        let mut neighbours = vec![Vec::new(); graph.states.len()];
        for &[from, to] in &graph.edges {
            neighbours[from as usize].push(to as usize);
            neighbours[to as usize].push(from as usize);
        }
        let mut members = vec![Vec::new(); graph.layers().len()];
        for (state, &distance) in graph.distances.iter().enumerate() {
            members[distance as usize].push(state);
        }
        let is_round = members.iter().any(|layer| layer.len() > WIDEST_ROW);
        let place = vec![0.0; graph.states.len()];
        let mut layers =
            Layers { distances: &graph.distances, neighbours, members, place, is_round };
        (0..layers.members.len()).for_each(|layer| layers.spread(layer, 0.0));
        layers
    }

    /// Puts the states of a layer at equal distances, in their order.
    fn spread(&mut self, layer: usize, turn: f64) {
        let count = self.members[layer].len() as f64;
        for (slot, &state) in self.members[layer].iter().enumerate() {
            self.place[state] = match self.is_round {
                true => (slot as f64 / count + turn).rem_euclid(1.0),
                false => (slot as f64 + 0.5) / count,
            };
        }
    }

    /// Orders a layer by where the neighbours in another one stand.
    fn order(&mut self, layer: usize, by: usize) {
        let mut wished: Vec<(f64, usize)> =
            self.members[layer].iter().map(|&state| (self.wish(state, by), state)).collect();
        // Equal wishes keep the order that they have.
        wished.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        self.members[layer] = wished.iter().map(|&(_, state)| state).collect();
        let count = wished.len() as f64;
        let turns = wished.iter().enumerate().map(|(slot, &(wish, _))| wish - slot as f64 / count);
        let turn = mean_around(turns).unwrap_or(0.0);
        self.spread(layer, turn);
    }

    /// The mean place of a state's neighbours in a layer; its own where it has none there.
    fn wish(&self, state: usize, by: usize) -> f64 {
        let there = |&&next: &&usize| self.distances[next] as usize == by;
        let places = self.neighbours[state].iter().filter(there).map(|&next| self.place[next]);
        let count = places.clone().count();
        let mean = match self.is_round {
            true => mean_around(places),
            false => (count > 0).then(|| places.sum::<f64>() / count as f64),
        };
        mean.unwrap_or(self.place[state])
    }

    fn rows(&self) -> Layout {
        let widest = self.members.iter().map(Vec::len).max().unwrap_or(1);
        let width = widest as f64 * GAP * 2.0;
        let height = (self.members.len() - 1) as f64 * LAYER;
        let point = |(state, &distance): (usize, &u32)| {
            (MARGIN + self.place[state] * width, MARGIN + f64::from(distance) * LAYER)
        };
        Layout {
            size: (width + 2.0 * MARGIN, height + 2.0 * MARGIN),
            points: self.distances.iter().enumerate().map(point).collect(),
            rings: Vec::new(),
        }
    }

    fn rings(&self) -> Layout {
        let mut rings: Vec<f64> = Vec::with_capacity(self.members.len());
        for members in &self.members {
            let half_angle = TAU / 2.0 / members.len() as f64;
            let room = if members.len() == 1 { 0.0 } else { GAP / 2.0 / half_angle.sin() };
            rings.push(rings.last().map_or(room, |inner| room.max(inner + LAYER)));
        }
        let middle = rings.last().copied().unwrap_or(0.0) + MARGIN;
        let point = |(state, &distance): (usize, &u32)| {
            let (sin, cos) = (self.place[state] * TAU).sin_cos();
            let radius = rings[distance as usize];
            (middle + radius * sin, middle - radius * cos)
        };
        let points = self.distances.iter().enumerate().map(point).collect();
        Layout { size: (2.0 * middle, 2.0 * middle), points, rings }
    }
}

/// The mean of places on a circle of length 1; `None` where they balance each other.
fn mean_around(places: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut x, mut y) = (0.0, 0.0);
    for place in places {
        let (sin, cos) = (place * TAU).sin_cos();
        (x, y) = (x + cos, y + sin);
    }
    (x.hypot(y) > 1e-9).then(|| (y.atan2(x) / TAU).rem_euclid(1.0))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use hyperslide_puzzle::Puzzle;

    fn layout(line: &str) -> (ComponentGraph, Layout) {
        let (puzzle, never) = (Puzzle::from_line(line).unwrap(), AtomicBool::new(false));
        let graph = ComponentGraph::new(&puzzle, 10_000, &never).unwrap();
        let layout = Layout::new(&graph);
        (graph, layout)
    }

    /// The number of pairs of edges between the same two rows that cross.
    fn crossings(graph: &ComponentGraph, points: &[(f64, f64)]) -> usize {
        let ends = |&[from, to]: &[u32; 2]| (points[from as usize], points[to as usize]);
        let crosses = |(a, b): ((f64, f64), (f64, f64)), (c, d): ((f64, f64), (f64, f64))| {
            a.1 == c.1 && b.1 == d.1 && a.1 != b.1 && (a.0 - c.0) * (b.0 - d.0) < 0.0
        };
        let edges: Vec<_> = graph.edges.iter().map(ends).collect();
        let pairs = edges.iter().enumerate();
        pairs.map(|(n, &one)| edges[..n].iter().filter(|&&other| crosses(one, other)).count()).sum()
    }

    #[test]
    fn a_graph_that_can_be_drawn_without_crossings_is() {
        // One token on a tree.
        let tree = "graph:9:0-1,0-2,1-3,1-4,2-5,2-6,3-7,6-8 a=8 -> a=0";
        let (graph, layout) = layout(tree);
        assert_eq!(crossings(&graph, &layout.points), 0);
    }

    #[test]
    fn states_of_a_layer_stand_in_a_row_or_on_a_ring_apart_from_each_other() {
        for (line, is_round) in [
            ("cube:3:1 a=0,b=1 -> a=1,b=0", false),
            ("cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6", true),
        ] {
            let (graph, layout) = layout(line);
            assert_eq!(!layout.rings.is_empty(), is_round, "{line}");
            let middle = layout.size.0 / 2.0;
            for (&(x, y), &distance) in layout.points.iter().zip(&graph.distances) {
                assert!((0.0..=layout.size.0).contains(&x) && (0.0..=layout.size.1).contains(&y));
                let layer = match layout.rings.get(distance as usize) {
                    Some(radius) => (x - middle).hypot(y - middle) - radius,
                    None => y - MARGIN - f64::from(distance) * LAYER,
                };
                assert!(layer.abs() < 1e-6, "{line}: {x} {y}");
            }
            let apart = |n: usize, &(x, y): &(f64, f64)| {
                layout.points[..n].iter().all(|&(a, b)| (x - a).hypot(y - b) > GAP * 0.9)
            };
            assert!(layout.points.iter().enumerate().all(|(n, point)| apart(n, point)), "{line}");
        }
    }
}
