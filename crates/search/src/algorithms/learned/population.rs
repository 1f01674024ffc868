//! The population of evolution and of the hybrid.

use std::ops::ControlFlow;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::state_graph::StateGraph;
use crate::control::Meter;
use crate::engine::chunked_list::ChunkedList;
use crate::engine::nodes::NodeId;
use crate::outcome::Limit;

/// The number of agents unless a setting says it.
pub(crate) const IMPROVED_POPULATION: usize = 5000;
/// Generations without a better solution after which the best is the answer.
const PATIENCE: u32 = 10;
/// Generations without a new state that count as much as a move.
const AGE_OF_A_MOVE: u32 = 4;

/// One agent in this many is drawn from all known states, so that a population that went astray
/// comes back (random immigrants, Grefenstette 1992).
const IMMIGRANTS: usize = 25;
/// Generations without a new state that an agent survives.
const OLDEST: u32 = 20;

/// The population of a sampling search: states, no two the same, and their ages.
pub(crate) struct Agents {
    population: usize,
    /// State and age.
    pub living: Vec<(NodeId, u32)>,
    /// Those that may live in the next generation.
    proposed: Vec<(u64, NodeId, u32)>,
    /// By state: the generation in which it was proposed last.
    proposed_in: ChunkedList<u32>,
    generation: u32,
    /// Generations since the best solution became better.
    since_better: u32,
}

impl Agents {
    /// The first generation is at these states; later ones have `population` agents.
    pub fn new(population: usize, first: impl IntoIterator<Item = NodeId>) -> Agents {
        Agents {
            population,
            living: first.into_iter().map(|at| (at, 0)).collect(),
            proposed: Vec::new(),
            proposed_in: ChunkedList::new(0),
            generation: 1,
            since_better: 0,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let states = self.living.capacity() * 8 + self.proposed.capacity() * 16;
        states as u64 + self.proposed_in.bytes()
    }

    /// Proposes a state for the next generation, once, unless it is too old: others that are known
    /// take its place.
    pub fn propose(&mut self, at: NodeId, age: u32) {
        if age > OLDEST {
            return;
        }
        let before = std::mem::replace(self.proposed_in.entry(at as usize), self.generation);
        if before < self.generation {
            self.proposed.push((0, at, age));
        }
    }

    /// Ends a generation that began when the best solution had `before` moves: a better one is
    /// shortened; when it has not become better for long, is proven shortest, or nobody is left,
    /// that was the last generation. Otherwise those proposed live on whose moves made and to come,
    /// these with a weight, are fewest, age counting too.
    pub fn end_generation<const WORDS: usize>(
        &mut self,
        before: u32,
        weight: u32,
        graph: &mut StateGraph<'_, WORDS>,
        random: &mut Xoshiro256PlusPlus,
        meter: &mut Meter<'_>,
    ) -> Result<ControlFlow<()>, Limit> {
        if graph.best() < before {
            graph.shorten(meter)?;
            self.since_better = 0;
        } else {
            self.since_better += 1;
        }
        let is_settled = graph.best() < u32::MAX && self.since_better >= PATIENCE;
        if is_settled || graph.is_proven() {
            return Ok(ControlFlow::Break(()));
        }
        self.select(graph, random, |at, age| {
            graph.g(at) + weight * graph.h(at) + age / AGE_OF_A_MOVE
        });
        let is_extinct = self.living.is_empty();
        Ok(if is_extinct { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Of those proposed the ones of least cost live on, drawn where costs are equal; the others
    /// are drawn of all that are known.
    fn select<const WORDS: usize>(
        &mut self,
        graph: &StateGraph<'_, WORDS>,
        random: &mut Xoshiro256PlusPlus,
        cost: impl Fn(NodeId, u32) -> u32,
    ) {
        self.generation += 1;
        self.proposed.retain(|&(_, at, _)| graph.is_promising(at));
        for (key, at, age) in &mut self.proposed {
            *key = u64::from(cost(*at, *age)) << 32 | u64::from(random.next_u32());
        }
        let chosen = self.population - self.population / IMMIGRANTS;
        if self.proposed.len() > chosen {
            self.proposed.select_nth_unstable(chosen);
            self.proposed.truncate(chosen);
        }
        self.living.clear();
        self.living.extend(self.proposed.drain(..).map(|(_, at, age)| (at, age)));
        while self.living.len() < self.population {
            let Some(at) = graph.any(random) else { break };
            self.living.push((at, 0));
        }
    }
}
