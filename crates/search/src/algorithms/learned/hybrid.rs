//! The hybrid of evolution and reinforcement learning that the cubical study's conclusion proposes.

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::population::{Agents, IMPROVED_POPULATION};
use super::settings::{ABLATIONS, GENERATIONS, POPULATION, SEEDED, STATE_MEMORY};
use super::state_graph::StateGraph;
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::codec::with_codec;
use crate::engine::nodes::NodeId;
use crate::error::SolveError;
use crate::outcome::Limit;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "hybrid",
    summary: "evolution whose agents learn: a population samples paths, slides are drawn \
              by state values that all agents learn jointly, and the fittest survive",
    guarantee: Guarantee::None,
    source: "proposed in the conclusion of Merleau, O'Malley, Roldan and Mukherjee 2024; \
             docs/hybrid.md",
    when: "you study how evolution and learning work together",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: false,
    keeps_proofs: false,
    settings: &[
        POPULATION.setting(),
        GENERATIONS.setting(),
        SEEDED.setting(),
        ABLATIONS.setting(),
        STATE_MEMORY.setting(),
    ],
    requires_solvability: true,
    check: Algorithm::any_settings,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let heuristic = task.build_heuristic(meter)?;
    let seeded = task.get(&SEEDED).0.unwrap_or_else(|| task.suitable_seeds(meter));
    let outcome = with_codec!(task.puzzle, |codec| {
        let mut graph = StateGraph::new(task, codec, &*heuristic);
        let end = graph.seed(seeded, meter).and_then(|()| evolve(task, &mut graph, meter));
        graph.outcome(end.err().unwrap_or(Limit::Generations))
    });
    Ok((outcome, ALGORITHM.name))
}

/// Slides that an agent tries in a generation.
const OFFSPRING: usize = 4;
/// How many times as likely a slide is as one whose value is a move worse.
const PREFERENCE: f64 = 3.0;
/// The weight of a value compared with the moves made.
const VALUE_WEIGHT: u32 = 1;

/// In every generation each agent learns the value of its state from those of its successors (the
/// backup of real-time dynamic programming), and sends offspring to some of them, drawn by their
/// values. States that are new, or now reached on a shorter way, and the agents themselves make the
/// next generation: those whose moves made and to come are fewest. An agent in the seeded states
/// knows its way on.
fn evolve<const WORDS: usize>(
    task: &Task<'_>,
    graph: &mut StateGraph<'_, WORDS>,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    let population = task.get(&POPULATION).0.unwrap_or(IMPROVED_POPULATION);
    let without = task.get(&ABLATIONS);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(task.seed);
    let mut agents = Agents::new(population, [graph.start()]);
    let preference = if without.preference { 1.0 } else { PREFERENCE };
    let mut policy = Policy { preference, ..Policy::default() };
    for _ in 0..task.get(&GENERATIONS) {
        let before = graph.best();
        graph.others = agents.bytes();
        for number in 0..agents.living.len() {
            let (at, age) = agents.living[number];
            if graph.is_seeded(at) {
                if graph.is_promising(at) {
                    graph.finish(at, meter)?;
                }
                continue;
            }
            if !without.learning {
                graph.learn(at, meter)?;
            }
            let mut is_fruitful = false;
            policy.prepare(graph, at, meter)?;
            for _ in 0..OFFSPRING {
                let Some(to) = policy.draw(&mut random) else { break };
                meter.stats.generated += 1;
                if graph.arrive(at, to) {
                    is_fruitful = true;
                    agents.propose(to, 0);
                }
            }
            agents.propose(at, if is_fruitful { 0 } else { age + 1 });
            graph.check(meter)?;
        }
        if agents.end_generation(before, VALUE_WEIGHT, graph, &mut random, meter)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// What is drawn from in one state.
#[derive(Default)]
struct Policy {
    preference: f64,
    states: Vec<NodeId>,
    weights: Vec<f64>,
    law: Option<WeightedIndex<f64>>,
}

impl Policy {
    fn prepare<const WORDS: usize>(
        &mut self,
        graph: &mut StateGraph<'_, WORDS>,
        at: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        self.states.clear();
        self.weights.clear();
        let edges = graph.successors(at, meter)?;
        self.states.extend(edges.map(|place| graph.edge(place)));
        let value = |&id: &NodeId| f64::from(graph.h(id).min(1 << 13));
        let least = self.states.iter().map(value).fold(f64::INFINITY, f64::min);
        let weight = |id: &NodeId| self.preference.powf(least - value(id));
        self.weights.extend(self.states.iter().map(weight));
        self.law = WeightedIndex::new(&self.weights).ok();
        Ok(())
    }

    fn draw(&self, random: &mut Xoshiro256PlusPlus) -> Option<NodeId> {
        Some(self.states[self.law.as_ref()?.sample(random)])
    }
}
