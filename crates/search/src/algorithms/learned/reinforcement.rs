//! Reinforcement learning, as published and improved.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::settings::{ABLATIONS, SEEDED, STATE_MEMORY};
use super::state_graph::StateGraph;
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::codec::with_codec;
use crate::engine::nodes::NodeId;
use crate::error::SolveError;
use crate::outcome::Limit;
use crate::settings::{Domain, OrAuto, PROFILE, Profile, Setting, Share, Typed};

/// The number of episodes.
static EPISODES: Typed<OrAuto<u32>> = Setting::typed(
    "episodes",
    "N|auto",
    "auto",
    Domain::WholeOrAuto { least: 1, most: 1_000_000_000 },
    "The number of episodes; auto is 1000 with the published profile and 10000 with the improved",
);

/// The learning rate.
static RATE: Typed<Share> = Setting::typed(
    "rate",
    "SHARE",
    "0.05",
    Share::DOMAIN,
    "The learning rate, with the published profile",
);

/// The discount.
static DISCOUNT: Typed<Share> = Setting::typed(
    "discount",
    "SHARE",
    "0.95",
    Share::DOMAIN,
    "The discount, with the published profile",
);

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "reinforcement",
    summary: "episodes from the start to the goal, each of which learns from those before, after a \
              breadth-first search around the goal",
    guarantee: Guarantee::None,
    source: "Merleau, O'Malley, Roldan and Mukherjee 2024, Algorithm 4 (published profile); Barto, \
             Bradtke and Singh 1995 and docs/decisions/0011-sampling.md (improved)",
    when: "you study reinforcement learning, or repeat the cubical study",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: false,
    keeps_proofs: false,
    settings: &[
        PROFILE.setting(),
        EPISODES.setting(),
        SEEDED.setting(),
        RATE.setting(),
        DISCOUNT.setting(),
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
        let end = graph.seed(seeded, meter).and_then(|()| match task.get(&PROFILE) {
            Profile::Published => published(task, &mut graph, meter),
            Profile::Improved => improved(task, &mut graph, meter),
        });
        graph.outcome(end.err().unwrap_or(Limit::Generations))
    });
    Ok((outcome, ALGORITHM.name))
}

/// The number of episodes unless a setting says it.
const PUBLISHED_EPISODES: u32 = 1000;
const IMPROVED_EPISODES: u32 = 10_000;
/// Weight of a state that nothing is known of.
const UNKNOWN: f64 = 1e-7;
/// No weight falls below this.
const LEAST_WEIGHT: f64 = 1e-12;

/// State weights of the study.
struct Weights(Vec<f64>);

impl Weights {
    /// 1 for the goal, half of it a layer further, for those seeded (Algorithm 4, lines 1 to 11).
    fn new<const WORDS: usize>(graph: &StateGraph<'_, WORDS>) -> Weights {
        Weights((0..graph.seeds()).map(|id| 0.5f64.powi(graph.h(id) as i32)).collect())
    }

    fn get(&self, id: NodeId) -> f64 {
        self.0.get(id as usize).copied().unwrap_or(UNKNOWN)
    }

    fn set(&mut self, id: NodeId, weight: f64) {
        if self.0.len() <= id as usize {
            self.0.resize(id as usize + 1, UNKNOWN);
        }
        self.0[id as usize] = weight;
    }

    /// Rewards or punishes the states of an episode, the last first.
    fn learn(&mut self, path: &[NodeId], is_won: bool, rate: f64, discount: f64) {
        let mut factor = 1.0;
        for &id in path.iter().rev() {
            let kept = (1.0 - rate) * self.get(id);
            let weight =
                if is_won { kept + rate * factor } else { (kept * factor).max(LEAST_WEIGHT) };
            self.set(id, weight);
            factor *= discount;
        }
    }
}

/// Reinforcement learning as the study's code has it (Algorithm 4; where text and code differ, the
/// code).
///
/// A state has a weight, and the next state is drawn of all successors in proportion to theirs. The
/// first episode continues until the goal is met; a later one is lost as soon as it cannot be
/// shorter than the best.
///
/// * Reward, for the state c moves from the end: w <- (1 - a) w + a b^c with the rate a and the
///   discount b. (The text has r (1 + lambda)^s, the pseudocode counts c from the start and has (1
///   - a)^c.)
/// * Punishment: w <- (1 - a) w b^c, which is the harder the nearer the start.
/// * The length is noticed when the goal is generated, also when the agent then steps elsewhere,
///   and the episode is then lost.
/// * "No repeated states" has no effect in the code, and none here.
fn published<const WORDS: usize>(
    task: &Task<'_>,
    graph: &mut StateGraph<'_, WORDS>,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    let (rate, discount) = (task.get(&RATE).get(), task.get(&DISCOUNT).get());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(task.seed);
    let mut weights = Weights::new(graph);
    let mut path: Vec<NodeId> = Vec::new();
    for _ in 0..task.get(&EPISODES).0.unwrap_or(PUBLISHED_EPISODES) {
        path.clear();
        path.push(graph.start());
        let is_won = loop {
            let here = path[path.len() - 1];
            if graph.is_goal(here) {
                break true;
            }
            let length = path.len() as u32;
            if length >= graph.best() {
                break false;
            }
            let edges = graph.successors(here, meter)?;
            let mut sum = 0.0;
            for place in edges.clone() {
                let next = graph.edge(place);
                if graph.is_goal(next) && length < graph.best() {
                    path.push(next);
                    graph.solve_by(&path);
                    path.pop();
                }
                sum += weights.get(next);
            }
            let mut point = random.random::<f64>() * sum;
            let mut drawn = edges.clone().map(|place| graph.edge(place));
            let last = edges.end.checked_sub(1).map(|place| graph.edge(place));
            let next = drawn.find(|&next| {
                point -= weights.get(next);
                point < 0.0
            });
            // A start without moves is unsolvable, which was asked first.
            let Some(next) = next.or(last) else { return Ok(()) };
            path.push(next);
            meter.stats.generated += 1;
            graph.check(meter)?;
        };
        weights.learn(&path, is_won, rate, discount);
        graph.others = ((weights.0.capacity() + path.capacity()) * 8) as u64;
    }
    Ok(())
}

/// Reinforcement learning with what is better: real-time dynamic programming (Barto, Bradtke and
/// Singh 1995; Korf's LRTA* 1990) instead of weights.
///
/// A state's value is the least number of moves to the goal that has been ruled out so far, at
/// first the heuristic or one more than the depth of the seeding. An episode goes to a successor of
/// least value, drawn where several are equal, raises values on its way and again backwards, ends
/// in the seeded states, whose way on is known, and is given up when it cannot beat the best.
/// Values never exceed the truth, so that the best solution is shortest once the start's value says
/// so.
fn improved<const WORDS: usize>(
    task: &Task<'_>,
    graph: &mut StateGraph<'_, WORDS>,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(task.seed);
    let mut nearest: Vec<NodeId> = Vec::new();
    let mut path: Vec<NodeId> = Vec::new();
    for _ in 0..task.get(&EPISODES).0.unwrap_or(IMPROVED_EPISODES) {
        if graph.is_proven() {
            break;
        }
        path.clear();
        let mut here = graph.start();
        let before = graph.best();
        loop {
            path.push(here);
            if graph.is_seeded(here) {
                graph.finish(here, meter)?;
                break;
            }
            graph.look_ahead(here, &mut nearest, meter)?;
            let moves = path.len() as u32 - 1;
            if moves.saturating_add(graph.h(here)) >= graph.best() {
                break;
            }
            let drawn = random.random_range(0..nearest.len().max(1));
            let Some(&next) = nearest.get(drawn) else { break };
            graph.arrive(here, next);
            here = next;
            meter.stats.generated += 1;
            graph.check(meter)?;
        }
        for &id in path.iter().rev() {
            graph.learn(id, meter)?;
        }
        if graph.best() < before {
            graph.shorten(meter)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_and_punishments_are_the_study_s() {
        let mut weights = Weights(vec![1.0, 0.5]);
        weights.learn(&[2, 1, 0], true, 0.05, 0.95);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and {b}");
        close(weights.get(0), 0.95 * 1.0 + 0.05);
        close(weights.get(1), 0.95 * 0.5 + 0.05 * 0.95);
        close(weights.get(2), 0.95 * 1e-7 + 0.05 * 0.95 * 0.95);
        let before = weights.get(2);
        weights.learn(&[2, 1], false, 0.05, 0.95);
        close(weights.get(1), 0.95 * (0.95 * 0.5 + 0.05 * 0.95));
        close(weights.get(2), 0.95 * before * 0.95);
        // Never nothing: a state can be drawn again.
        (0..1000).for_each(|_| weights.learn(&[3], false, 1.0, 0.5));
        close(weights.get(3), LEAST_WEIGHT);
        close(weights.get(77), UNKNOWN);
    }
}
