//! Beams of closed walks on a hub, from one end of a puzzle to the other.

use std::ops::Range;

use hyperslide_puzzle::Move;

use super::places::{MOST_TOKENS, Places, follow};
use super::walk::Walk;
use crate::engine::nodes::{NO_PARENT, Node, NodeId, Nodes};

/// Arrangements that are kept for each number of slides. Four times as many found no shorter
/// solutions.
const WIDTH: usize = 1 << 9;
/// Arrangements around the goal: 7 MB.
const GOAL_NODES: usize = 1 << 18;
/// Arrangements that a beam may generate.
const MOST_NODES: u64 = 1 << 24;
/// The number of nodes between two calls of `stop`.
const STOP_INTERVAL: NodeId = 1 << 10;

/// Finds a short solution by way of a hub; returns also the number of arrangements generated.
/// `ends` has the slot of each token at both ends of the puzzle, `roots` are walks from these to the
/// hub, and `walks` its closed walks, in the order of their slides.
pub(super) fn search(
    ends: [Places; 2],
    roots: &[Vec<Walk>; 2],
    walks: &[Walk],
    stop: &dyn Fn() -> bool,
) -> (Option<Vec<Move>>, u64) {
    let [mut start, mut goal] = [0, 1].map(|end| Layers::new(ends[end], &roots[end], walks));
    goal.grow(stop);
    let patterns = Patterns::new(&goal);
    let least = goal.roots[0].moves.len();
    let mut best: Option<(usize, [NodeId; 2])> = None;
    // Later layers may meet the goal's in fewer slides altogether.
    while best.is_none_or(|(slides, _)| start.slides() + least < slides)
        && !start.is_over()
        && goal.generated + start.generated < MOST_NODES
    {
        let Some(next) = start.best_candidates(&patterns, stop) else { break };
        let full = start.nodes.len() + WIDTH as NodeId;
        for candidate in next {
            if start.nodes.len() == full {
                break;
            }
            let (node, is_new) = start.keep(&candidate);
            if is_new
                && let Some((rest, other)) = goal.find(candidate.key)
                && best.is_none_or(|(slides, _)| start.slides() + rest < slides)
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

/// Arrangements on the hub in the order of the slides from one end of the puzzle.
///
/// Memory: 16 bytes for each, and 5.7 to 11.4 bytes of index.
struct Layers<'a> {
    /// The walks from that end to the hub, and the places where they lead.
    roots: &'a [Walk],
    starts: Vec<Places>,
    /// The closed walks of the hub.
    walks: &'a [Walk],
    /// Keys are places. A note is the number of the last walk on the way.
    nodes: Nodes<1>,
    /// By the number of slides: the number of nodes up to there.
    ends: Vec<NodeId>,
    generated: u64,
}

impl<'a> Layers<'a> {
    fn new(end: Places, roots: &'a [Walk], walks: &'a [Walk]) -> Layers<'a> {
        let starts = roots.iter().map(|root| end.then(root.ends)).collect();
        let (nodes, ends) = (Nodes::new(), Vec::new());
        Layers { roots, starts, walks, nodes, ends, generated: 0 }
    }

    /// Returns the number of slides to the next layer.
    fn slides(&self) -> usize {
        self.ends.len()
    }

    /// Returns the nodes that are as many slides before the next layer as a walk has.
    fn before(&self, walk: &Walk) -> Range<NodeId> {
        let Some(slides) = self.slides().checked_sub(walk.moves.len()) else { return 0..0 };
        let start = slides.checked_sub(1).map_or(0, |slides| self.ends[slides]);
        start..self.ends[slides]
    }

    /// Returns whether there are no further layers.
    fn is_over(&self) -> bool {
        let last_root = self.roots.last().map_or(0, |root| root.moves.len());
        let longest = self.walks.last().map_or(0, |walk| walk.moves.len());
        let is_end = |slides: usize| self.ends[slides] == self.nodes.len();
        self.slides() > last_root + longest && is_end(self.slides() - longest - 1)
    }

    /// Adds complete layers.
    fn grow(&mut self, stop: &dyn Fn() -> bool) {
        let candidates = |layers: &Layers<'_>| {
            layers.walks.iter().map(|walk| layers.before(walk).len()).sum::<usize>()
        };
        while self.nodes.len() as usize + candidates(self) <= GOAL_NODES && !self.is_over() {
            let mut next = Vec::new();
            if !self.each_candidate(stop, |node| next.push(node)) {
                break;
            }
            next.iter().for_each(|node| _ = self.keep(node));
            self.end_layer();
        }
    }

    /// Calls `visit` with all that the next layer is made of, with repetitions. Returns whether it
    /// was not yet time to stop.
    fn each_candidate(&mut self, stop: &dyn Fn() -> bool, mut visit: impl FnMut(Node<1>)) -> bool {
        for (note, (root, start)) in (0..).zip(self.roots.iter().zip(&self.starts)) {
            if root.moves.len() == self.slides() {
                visit(Node { key: [start.0], parent: NO_PARENT, note });
            }
        }
        for (note, walk) in (0..).zip(self.walks) {
            let parents = self.before(walk);
            self.generated += parents.len() as u64;
            for parent in parents {
                let places = Places(self.nodes.get(parent).key[0]).then(walk.ends);
                visit(Node { key: [places.0], parent, note });
                if parent % STOP_INTERVAL == 0 && stop() {
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
        patterns: &Patterns,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Node<1>>> {
        const MOST: usize = 2 * WIDTH;
        // Among equal estimates those that a hash draws.
        let rank = |node: &Node<1>| {
            let draw = node.key[0].wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (patterns.estimate(Places(node.key[0])), draw)
        };
        let mut next: Vec<((u32, u64), Node<1>)> = Vec::new();
        let in_time = self.each_candidate(stop, |node| {
            next.push((rank(&node), node));
            if next.len() == 16 * MOST {
                next.select_nth_unstable_by_key(MOST, |candidate| candidate.0);
                next.truncate(MOST);
            }
        });
        next.sort_unstable_by_key(|candidate| candidate.0);
        next.truncate(MOST);
        in_time.then(|| next.into_iter().map(|(_, node)| node).collect())
    }

    fn keep(&mut self, node: &Node<1>) -> (NodeId, bool) {
        self.nodes.insert(&node.key, node.parent, node.note)
    }

    fn end_layer(&mut self) {
        self.ends.push(self.nodes.len());
    }

    /// Returns the slides to an arrangement and its node, if it is known.
    fn find(&self, key: [u64; 1]) -> Option<(usize, NodeId)> {
        let node = self.nodes.find(&key)?;
        Some((self.ends.partition_point(|&end| end <= node), node))
    }

    /// Returns the way to a node.
    fn way(&self, node: NodeId) -> Walk {
        let mut walks = Vec::new();
        let mut node = self.nodes.get(node);
        while node.parent != NO_PARENT {
            walks.push(&self.walks[node.note as usize]);
            node = self.nodes.get(node.parent);
        }
        let root = self.roots[node.note as usize].clone();
        walks.into_iter().rev().fold(root, |way, walk| way.then(walk))
    }
}

/// For all places of each four tokens, the slides that take them to the goal. Their sum is an
/// estimate, and no lower bound: one walk may move tokens of several patterns.
///
/// Memory: 64 KiB for each pattern.
struct Patterns(Vec<Vec<u8>>);

/// The tokens of a pattern.
const PATTERN: usize = 4;
/// The numbers of their places, which are 16 bits of [`Places`].
const PATTERN_PLACES: usize = 1 << 16;
/// The slides to the goal from where it is out of reach.
const FAR: u8 = u8::MAX;

impl Patterns {
    fn new(goal: &Layers<'_>) -> Patterns {
        Patterns((0..MOST_TOKENS / PATTERN).map(|pattern| distances(goal, pattern)).collect())
    }

    fn estimate(&self, places: Places) -> u32 {
        let patterns = self.0.iter().enumerate();
        patterns.map(|(pattern, slides)| u32::from(slides[part(places, pattern)])).sum()
    }
}

fn part(places: Places, pattern: usize) -> usize {
    (places.0 >> (16 * pattern)) as usize % PATTERN_PLACES
}

/// Finds the distances of one pattern from the goal by way of the hub.
fn distances(goal: &Layers<'_>, pattern: usize) -> Vec<u8> {
    let mut distances = vec![FAR; PATTERN_PLACES];
    let mut open = vec![Vec::new(); FAR.into()];
    for (root, &start) in goal.roots.iter().zip(&goal.starts) {
        if let Some(open) = open.get_mut(root.moves.len()) {
            open.push(part(start, pattern));
        }
    }
    for slides in 0..FAR {
        for places in std::mem::take(&mut open[usize::from(slides)]) {
            if distances[places] < FAR {
                continue;
            }
            distances[places] = slides;
            for walk in goal.walks {
                let next = follow(places as u64, PATTERN, walk.ends) as usize;
                if distances[next] == FAR
                    && let Some(open) = open.get_mut(usize::from(slides) + walk.moves.len())
                {
                    open.push(next);
                }
            }
        }
    }
    distances
}
