//! Beams of walks between stations, from one end of a puzzle to the other.

use std::ops::Range;

use hyperslide_puzzle::{MAX_VERTICES, Move};

use super::patterns::Patterns;
use super::places::Places;
use super::stations::{Line, Stations};
use super::walk::Walk;
use crate::engine::nodes::{NO_PARENT, NodeId, Nodes};

/// Arrangements around the goal: 11 MB where they take three words, 24 MB where they take nine.
const GOAL_NODES: usize = 1 << 18;
/// Arrangements that a beam may generate.
const MOST_NODES: u64 = 1 << 25;
/// The number of layers after which a beam is given up if no estimate in them is less than before.
/// One that arrives comes closer all the time; others circle until all nodes are used up.
const PATIENCE: usize = 64;
/// The number of nodes between two calls of `stop`.
const STOP_INTERVAL: NodeId = 1 << 8;

/// A walk from an end of the puzzle to a station.
#[derive(Clone)]
pub(super) struct Root {
    pub walk: Walk,
    pub station: usize,
}

/// Finds a short solution by way of stations; returns also the number of arrangements generated.
/// `ends` has the slot of each token at both ends of the puzzle, and `roots` are walks from these
/// to stations, at least one from each and in the order of their slides. The beam keeps `width`
/// arrangements for each number of slides; a solution has fewer than `below`. An arrangement takes
/// `WORDS`: a byte for each token, and one word for the station.
pub(super) fn search<const WORDS: usize>(
    ends: [Places; 2],
    roots: &[Vec<Root>; 2],
    stations: &Stations,
    width: usize,
    below: usize,
    stop: &dyn Fn() -> bool,
) -> (Option<Vec<Move>>, u64) {
    let [mut start, mut goal] =
        [0, 1].map(|end| Layers::<WORDS>::new(ends[end], &roots[end], stations));
    goal.grow(stop);
    let goals = goal.roots.iter().zip(&goal.starts);
    let goals = goals.map(|(root, start)| (root.walk.moves.len(), root.station, *start));
    let Some(patterns) = Patterns::new(stations, &Vec::from_iter(goals), stop) else {
        return (None, goal.generated);
    };
    let least = goal.roots[0].walk.moves.len();
    let mut best: Option<(usize, [NodeId; 2])> = None;
    // The least estimate so far, and the number of layers with candidates since.
    let (mut nearest, mut stalled) = (u32::MAX, 0);
    // Later layers may meet the goal's in fewer slides altogether.
    while start.slides() + least < best.map_or(below, |(slides, _)| slides)
        && !start.is_over()
        && goal.generated + start.generated < MOST_NODES
    {
        let Some(next) = start.best_candidates(&patterns, width, stop) else { break };
        match next.first() {
            Some(candidate) if candidate.rank.0 < nearest => {
                (nearest, stalled) = (candidate.rank.0, 0);
            }
            Some(_) => stalled += 1,
            // Some roots are walks of many slides.
            None => {}
        }
        if stalled > PATIENCE {
            break;
        }
        let full = start.nodes.len() + width as NodeId;
        for candidate in next {
            if start.nodes.len() == full || start.nodes.is_full() {
                break;
            }
            let (node, is_new) = start.keep(candidate.parent, candidate.line);
            if is_new
                && let Some((rest, other)) = goal.find(&start.nodes.get(node).key)
                && start.slides() + rest < best.map_or(below, |(slides, _)| slides)
            {
                best = Some((start.slides() + rest, [node, other]));
            }
        }
        start.end_layer();
    }
    let solution =
        best.map(|(_, [node, other])| start.way(node).then(&goal.way(other).reversed()).moves);
    (solution, start.generated + goal.generated)
}

/// The places of all tokens at a station.
#[derive(Clone, Copy)]
struct Arrangement {
    places: Places,
    station: usize,
}

impl Arrangement {
    fn after(&self, line: &Line) -> Arrangement {
        Arrangement { places: self.places.then(&line.walk.ends), station: line.to }
    }

    fn key<const WORDS: usize>(&self) -> [u64; WORDS] {
        let mut key = [self.station as u64; WORDS];
        { key[..WORDS - 1].iter_mut().zip(self.places.words()) }.for_each(|(word, of)| *word = of);
        key
    }

    fn from_key<const WORDS: usize>(key: &[u64; WORDS]) -> Arrangement {
        let places = Places::from_words(&key[..WORDS - 1]);
        Arrangement { places, station: key[WORDS - 1] as usize }
    }
}

/// What the next layer may have: an arrangement, by the one before it and the walk between them, or
/// by a root.
struct Candidate {
    rank: (u32, u32),
    parent: NodeId,
    line: u32,
}

/// Arrangements at stations in the order of the slides from one end of the puzzle.
///
/// Memory: 8 bytes for each word and 8 more, and 5.7 to 11.4 bytes of index.
struct Layers<'a, const WORDS: usize> {
    /// The walks from that end to stations, and the places where they lead.
    roots: &'a [Root],
    starts: Vec<Places>,
    stations: &'a Stations,
    /// The slides of the longest walk of all stations.
    longest: usize,
    /// A note is the number of the last walk on the way: of its station, or of the roots.
    nodes: Nodes<WORDS>,
    /// By the number of slides: the number of nodes up to there.
    ends: Vec<NodeId>,
    generated: u64,
}

impl<'a, const WORDS: usize> Layers<'a, WORDS> {
    fn new(end: Places, roots: &'a [Root], stations: &'a Stations) -> Self {
        let starts = roots.iter().map(|root| end.then(&root.walk.ends)).collect();
        let (nodes, ends, longest) = (Nodes::new(), Vec::new(), stations.longest());
        Layers { roots, starts, stations, longest, nodes, ends, generated: 0 }
    }

    /// Returns the number of slides to the next layer.
    fn slides(&self) -> usize {
        self.ends.len()
    }

    /// Returns the nodes of the layer that lies `slides` slides before the next one.
    fn before(&self, slides: usize) -> Range<NodeId> {
        let Some(layer) = self.slides().checked_sub(slides) else { return 0..0 };
        let start = layer.checked_sub(1).map_or(0, |layer| self.ends[layer]);
        start..self.ends[layer]
    }

    /// Returns whether there are no further layers.
    fn is_over(&self) -> bool {
        let last_root = self.roots.last().map_or(0, |root| root.walk.moves.len());
        let is_end = |slides: usize| self.ends[slides] == self.nodes.len();
        self.slides() > last_root + self.longest && is_end(self.slides() - self.longest - 1)
    }

    /// Adds complete layers.
    fn grow(&mut self, stop: &dyn Fn() -> bool) {
        while !self.is_over() && !self.nodes.is_full() {
            let mut next = Vec::new();
            let in_time = self.each_candidate(stop, |parent, _, lines| {
                next.extend(lines.map(|line| (parent, line as u32)));
                next.len() <= GOAL_NODES
            });
            if !in_time || self.nodes.len() as usize + next.len() > GOAL_NODES {
                break;
            }
            next.iter().for_each(|&(parent, line)| _ = self.keep(parent, line));
            self.end_layer();
        }
    }

    /// Calls `visit` with all that the next layer is made of, with repetitions: a node, what it is,
    /// and the numbers of its walks; or no node and the number of a root. Returns whether `visit`
    /// always wanted more and it was not yet time to stop.
    fn each_candidate(
        &mut self,
        stop: &dyn Fn() -> bool,
        mut visit: impl FnMut(NodeId, &Arrangement, Range<usize>) -> bool,
    ) -> bool {
        for (number, (root, &places)) in self.roots.iter().zip(&self.starts).enumerate() {
            let root_at = Arrangement { places, station: root.station };
            if root.walk.moves.len() == self.slides()
                && !visit(NO_PARENT, &root_at, number..number + 1)
            {
                return false;
            }
        }
        for slides in 1..=self.longest {
            for parent in self.before(slides) {
                let here = Arrangement::from_key(&self.nodes.get(parent).key);
                let lines = self.stations.of_length(here.station, slides);
                self.generated += lines.len() as u64;
                if !lines.is_empty() && !visit(parent, &here, lines)
                    || parent % STOP_INTERVAL == 0 && stop()
                {
                    return false;
                }
            }
        }
        !stop()
    }

    /// Returns those of the next layer with the least estimates, twice as many as are kept, since
    /// some are known or the same. `None` if it is time to stop.
    fn best_candidates(
        &mut self,
        patterns: &Patterns<'_>,
        width: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Candidate>> {
        let most = 2 * width;
        let stations = self.stations;
        let mut next: Vec<Candidate> = Vec::new();
        let in_time = self.each_candidate(stop, |parent, here, lines| {
            let mut estimator = Estimator::new(patterns, stations.tokens, here);
            for line in lines {
                let estimate = match parent {
                    NO_PARENT => estimator.sum,
                    _ => estimator.after(&stations.lines[here.station][line]),
                };
                // Among equal estimates those that a hash draws.
                let draw = (parent ^ (line as u32) << 20).wrapping_mul(0x9e37_79b9);
                next.push(Candidate { rank: (estimate, draw), parent, line: line as u32 });
            }
            if next.len() >= 16 * most {
                next.select_nth_unstable_by_key(most, |candidate| candidate.rank);
                next.truncate(most);
            }
            true
        });
        next.sort_unstable_by_key(|candidate| (candidate.rank, candidate.parent, candidate.line));
        next.truncate(most);
        in_time.then_some(next)
    }

    fn keep(&mut self, parent: NodeId, line: u32) -> (NodeId, bool) {
        let next = if parent == NO_PARENT {
            let (root, &places) = (&self.roots[line as usize], &self.starts[line as usize]);
            Arrangement { places, station: root.station }
        } else {
            let here = Arrangement::from_key(&self.nodes.get(parent).key);
            here.after(&self.stations.lines[here.station][line as usize])
        };
        self.nodes.insert(&next.key(), parent, line)
    }

    fn end_layer(&mut self) {
        self.ends.push(self.nodes.len());
    }

    /// Returns the slides to an arrangement and its node, if it is known.
    fn find(&self, key: &[u64; WORDS]) -> Option<(usize, NodeId)> {
        let node = self.nodes.find(key)?;
        Some((self.ends.partition_point(|&end| end <= node), node))
    }

    /// Returns the way to a node.
    fn way(&self, node: NodeId) -> Walk {
        let mut walks = Vec::new();
        let mut node = self.nodes.get(node);
        while node.parent != NO_PARENT {
            let before = self.nodes.get(node.parent);
            let station = Arrangement::from_key(&before.key).station;
            walks.push(&self.stations.lines[station][node.note as usize].walk);
            node = before;
        }
        let root = self.roots[node.note as usize].walk.clone();
        walks.into_iter().rev().fold(root, |way, walk| way.then(walk))
    }
}

/// The estimates of what walks from one arrangement lead to. A walk changes the patterns of the
/// tokens that it moves.
struct Estimator<'a> {
    patterns: &'a Patterns<'a>,
    station: usize,
    /// The slot of each token, and the token in each slot.
    slots: [u8; MAX_VERTICES],
    tokens: Places,
    /// The estimate of each pattern, and of the arrangement.
    parts: Vec<u32>,
    sum: u32,
}

impl<'a> Estimator<'a> {
    fn new(patterns: &'a Patterns<'a>, tokens: usize, here: &Arrangement) -> Estimator<'a> {
        let mut slots = [0; MAX_VERTICES];
        (0..tokens).for_each(|token| slots[token] = here.places.slot(token) as u8);
        let estimate = |pattern| patterns.estimate(here.station, pattern, &slots);
        let parts = Vec::from_iter((0..patterns.count()).map(estimate));
        let sum = parts.iter().sum::<u32>() + patterns.way_on(here.station);
        let tokens = here.places.inverse();
        Estimator { patterns, station: here.station, slots, tokens, parts, sum }
    }

    fn after(&mut self, line: &Line) -> u32 {
        let Estimator { patterns, tokens, .. } = *self;
        let mut changed = if line.to == self.station { 0u64 } else { u64::MAX };
        for &slot in &line.changed {
            let token = tokens.slot(slot);
            self.slots[token] = line.walk.ends.slot(slot) as u8;
            changed |= 1 << patterns.pattern(token);
        }
        let mut sum = self.sum + patterns.way_on(line.to) - patterns.way_on(self.station);
        for (pattern, &part) in self.parts.iter().enumerate() {
            if changed >> pattern & 1 == 1 {
                sum += patterns.estimate(line.to, pattern, &self.slots);
                sum -= part;
            }
        }
        for &slot in &line.changed {
            self.slots[tokens.slot(slot)] = slot as u8;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::ball::Ball;
    use super::super::walk::join;
    use super::*;
    use hyperslide_puzzle::Puzzle;

    /// The estimate after a walk is that of the arrangement where it leads, at both of two stations
    /// and from one to the other.
    #[test]
    fn estimates_follow_walks() {
        let puzzle =
            Puzzle::from_line("cube:4:2 1=0,2=1,3=2,4=4,5=8 -> 1=1,2=0,3=2,4=4,5=8").unwrap();
        let set = puzzle.start().occupied();
        let ball = Ball::<2>::grow(puzzle.board(), set, 3_000, &|| false).unwrap();
        let mut walks = join([&ball, &ball], 100, &|| false);
        walks.retain(|walk| !walk.moves.is_empty());
        let mut stations = Stations::new(2, set.len());
        stations.add(0, 0, walks.clone());
        stations.add(1, 1, walks.iter().take(3).cloned());
        stations.add(0, 1, walks[..1].iter().cloned());
        stations.add(1, 0, [walks[0].reversed()]);
        let goals = [(0, 1, Places::new(&[]))];
        assert!(Patterns::new(&stations, &goals, &|| true).is_none());
        let patterns = Patterns::new(&stations, &goals, &|| false).unwrap();
        let mut here = Arrangement { places: Places::new(&[3, 1, 4, 0, 2]), station: 0 };
        let mut met = 0;
        for step in 0..200 {
            let mut estimator = Estimator::new(&patterns, set.len(), &here);
            let lines = &stations.lines[here.station];
            for line in lines {
                let there = here.after(line);
                assert_eq!(estimator.after(line), Estimator::new(&patterns, set.len(), &there).sum);
                met += 1;
            }
            here = here.after(&lines[step * 7 % lines.len()]);
        }
        assert!(met > 1_000);
    }
}
