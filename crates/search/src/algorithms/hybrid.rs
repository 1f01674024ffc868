//! The hybrid of evolution and reinforcement learning that the cubical study's conclusion proposes.

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::agents::{Agents, IMPROVED_POPULATION};
use super::sampling::Sampled;
use super::{Algorithm, Answer, Task};
use crate::codec::with_codec;
use crate::control::Meter;
use crate::nodes::NodeId;
use crate::outcome::Limit;
use crate::solve::SolveError;

pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "hybrid",
    summary: "evolution whose agents learn: a population samples ways, slides are drawn by the state values that it \
              learns together, and the fit live on; --population, --generations, --seeded and others",
    optimal: false,
    uses_heuristic: true,
    asks_first: true,
    check: Algorithm::any_settings,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let heuristic = task.build_heuristic(meter)?;
    let seeded = task.settings.seeded.unwrap_or_else(|| task.suitable_seeds(meter));
    let outcome = with_codec!(task.puzzle, |codec| {
        let mut sampled = Sampled::new(task, codec, &*heuristic);
        let end = sampled.seed(seeded, meter).and_then(|()| evolve(task, &mut sampled, meter));
        sampled.outcome(end.err().unwrap_or(Limit::Generations))
    });
    Ok((outcome, ALGORITHM.name))
}

/// Slides that an agent tries in a generation.
const OFFSPRING: usize = 4;
/// How many times as likely a slide is as one whose value is a move worse.
const PREFERENCE: f64 = 3.0;
/// What a value counts beside the moves made.
const VALUE_WEIGHT: u32 = 1;

/// In every generation each agent learns the value of its state from those of its successors (the backup of
/// real-time dynamic programming), and sends offspring to some of them, drawn by their values. States that are
/// new, or now reached on a shorter way, and the agents themselves make the next generation: those whose moves made
/// and to come are fewest. An agent in the seeded states knows its way on.
fn evolve<const WORDS: usize>(
    task: &Task<'_>,
    sampled: &mut Sampled<'_, WORDS>,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    let population = task.settings.population.unwrap_or(IMPROVED_POPULATION);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(task.seed);
    let mut agents = Agents::new(population, [sampled.start()]);
    let preference = if task.settings.without.preference { 1.0 } else { PREFERENCE };
    let mut policy = Policy { preference, ..Policy::default() };
    for _ in 0..task.settings.generations {
        let before = sampled.best();
        sampled.others = agents.bytes();
        for number in 0..agents.living.len() {
            let (at, age) = agents.living[number];
            if sampled.is_seeded(at) {
                if sampled.is_promising(at) {
                    sampled.finish(at, meter)?;
                }
                continue;
            }
            if !task.settings.without.learning {
                sampled.learn(at, meter)?;
            }
            let mut is_fruitful = false;
            policy.prepare(sampled, at, meter)?;
            for _ in 0..OFFSPRING {
                let Some(to) = policy.draw(&mut random) else { break };
                meter.stats.generated += 1;
                if sampled.arrive(at, to) {
                    is_fruitful = true;
                    agents.propose(to, 0);
                }
            }
            agents.propose(at, if is_fruitful { 0 } else { age + 1 });
            sampled.check(meter)?;
        }
        if agents.end_generation(before, VALUE_WEIGHT, sampled, &mut random, meter)?.is_break() {
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
        sampled: &mut Sampled<'_, WORDS>,
        at: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        self.states.clear();
        self.weights.clear();
        let edges = sampled.successors(at, meter)?;
        self.states.extend(edges.map(|place| sampled.edge(place)));
        let value = |&id: &NodeId| f64::from(sampled.h(id).min(1 << 13));
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
