//! Evolutionary search, as published and improved.

use std::iter::repeat_n;
use std::str::FromStr;

use hyperslide_puzzle::{Board, Goal, Label, MAX_VERTICES, Move, Puzzle, State, Vertex};
use hyperslide_table::refusable;
use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::population::{Agents, IMPROVED_POPULATION};
use super::settings::{ABLATIONS, GENERATIONS, POPULATION, STATE_MEMORY};
use super::state_graph::{StateGraph, megabytes};
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::codec::with_codec;
use crate::error::SolveError;
use crate::outcome::{Limit, Outcome};
use crate::settings::{Domain, PROFILE, Profile, Setting, Share, Typed, Unreadable, decimal};

/// The number of tokens that a mutation slides.
static MUTATION: Typed<MutationLaw> = Setting::typed(
    "mutation",
    "LAW",
    "zipf:1.8",
    Domain::Text(
        "zipf:C with 0 < C <= 100 and at most three decimal places, or binomial:P with 0 <= P <= 1",
    ),
    "The distribution of the number of tokens that a mutation slides: zipf:C or binomial:P",
);

/// The share of agents that are kept unchanged.
static ELITE: Typed<Share> = Setting::typed(
    "elite",
    "SHARE",
    "0.1",
    Share::DOMAIN,
    "The share of agents that live on unchanged, with the published profile",
);

/// The weight of the fitness in the selection force.
static ALPHA: Typed<Share> = Setting::typed(
    "alpha",
    "SHARE",
    "0.2",
    Share::DOMAIN,
    "The weight of the fitness in the selection, with the published profile; the rest is that of \
     few moves",
);

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "evolution",
    summary: "a population of agents, each a path from the start: the fittest of every generation \
              mutate by random slides",
    guarantee: Guarantee::None,
    source: "Merleau, O'Malley, Roldan and Mukherjee 2024, Algorithms 2 and 3 (published profile); \
             docs/decisions/0011-sampling.md (improved)",
    when: "you study evolutionary search, or reproduce the cubical study",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: false,
    keeps_proofs: false,
    settings: &[
        PROFILE.setting(),
        POPULATION.setting(),
        GENERATIONS.setting(),
        MUTATION.setting(),
        ELITE.setting(),
        ALPHA.setting(),
        ABLATIONS.setting(),
        STATE_MEMORY.setting(),
    ],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let outcome = match task.get(&PROFILE) {
        Profile::Published => published(task, meter)?,
        Profile::Improved => {
            let heuristic = task.build_heuristic(meter)?;
            with_codec!(task.puzzle, |codec| {
                let mut graph = StateGraph::new(task, codec, &*heuristic);
                let end = graph.has_room().and_then(|()| improved(task, &mut graph, meter));
                graph.outcome(end.err().unwrap_or(Limit::Generations))
            })
        }
    };
    Ok((outcome, ALGORITHM.name))
}

/// The exponent c of a Zipf law, to three decimal places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Exponent(u32);

impl Exponent {
    /// The number.
    fn get(self) -> f64 {
        f64::from(self.0) / 1e3
    }
}

/// The law of the number of tokens of an agent that a mutation slides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MutationLaw {
    /// n with probability proportional to n^-c, of 1 to all tokens (Zipf's law, cut off).
    Zipf(Exponent),
    /// Each token with this probability.
    Binomial(Share),
}

impl FromStr for MutationLaw {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<MutationLaw, Unreadable> {
        match text.split_once(':') {
            Some(("zipf", c)) => match decimal(c, 3, 100)? {
                0 => Err(Unreadable),
                c => Ok(MutationLaw::Zipf(Exponent(c))),
            },
            Some(("binomial", p)) => p.parse().map(MutationLaw::Binomial),
            _ => Err(Unreadable),
        }
    }
}

/// Slides tokens at random.
pub(crate) struct Mutation {
    law: Option<WeightedIndex<f64>>,
    share: f64,
}

impl Mutation {
    /// For the given number of tokens.
    pub fn new(law: MutationLaw, tokens: usize) -> Mutation {
        match law {
            MutationLaw::Zipf(c) => {
                let weights = (1..=tokens).map(|n| (n as f64).powf(-c.get()));
                let law = WeightedIndex::new(weights).expect("there is a token");
                Mutation { law: Some(law), share: 0.0 }
            }
            MutationLaw::Binomial(share) => Mutation { law: None, share: share.get() },
        }
    }

    /// Draws how many tokens a mutation slides.
    fn count(&self, tokens: usize, random: &mut Xoshiro256PlusPlus) -> usize {
        match &self.law {
            Some(law) => law.sample(random) + 1,
            None => (0..tokens).filter(|_| random.random_bool(self.share)).count(),
        }
    }

    /// Different tokens, as many as drawn, slide one after the other to a vertex drawn of all that
    /// their free faces have, a vertex of two faces twice as likely; those that cannot slide stay.
    /// Tells each slide before it is made.
    pub fn apply(
        &self,
        board: &Board,
        state: &mut State,
        random: &mut Xoshiro256PlusPlus,
        mut visit: impl FnMut(&State, Label, Move),
    ) {
        let Some(any) = state.occupied().lowest() else { return };
        let mut tokens = [any; MAX_VERTICES];
        let places = tokens.iter_mut().zip(state.occupied());
        let count = places.map(|(place, vertex)| *place = vertex).count();
        let slides = self.count(count, random);
        let (chosen, _) = tokens[..count].partial_shuffle(random, slides);
        for &mut from in chosen {
            let Some(to) = random_way(board, state, from, random) else { continue };
            let label = state.label_at(from).expect("only its own slide moves a token");
            let mv = Move { from, to };
            visit(state, label, mv);
            state.slide(mv);
        }
    }
}

fn random_way(
    board: &Board,
    state: &State,
    from: Vertex,
    random: &mut Xoshiro256PlusPlus,
) -> Option<Vertex> {
    let ways = || board.ways(from, state.occupied()).flatten();
    let count = ways().count();
    (count > 0).then(|| ways().nth(random.random_range(0..count))).flatten()
}

/// The number of agents unless a setting says it.
const PUBLISHED_POPULATION: usize = 1000;

/// One of the population.
#[derive(Clone, Copy)]
struct Agent {
    state: State,
    /// Moves made so far.
    moves: u32,
    /// Tokens that are not where the goal wants them.
    misses: u32,
    /// Its last step.
    step: u32,
}

/// Fitness f = 1/(1 + L - matches). The study's equations (3) and (4) have mismatches in that
/// place, its code does not.
fn fitness(misses: u32) -> f64 {
    1.0 / (1.0 + f64::from(misses))
}

/// Selection force (equation (5)); an agent that has not moved counts as one move, as in the
/// study's code.
fn selection_force(agent: &Agent, alpha: f64) -> f64 {
    alpha * fitness(agent.misses) + (1.0 - alpha) / (1.0 + f64::from(agent.moves.max(1)))
}

/// Of the goal's vertices, how many do not have what it wants.
fn misses(goal: &Goal, state: &State) -> u32 {
    let wrong =
        goal.labelled().tokens().filter(|&(v, label)| state.label_at(v) != Some(label)).count();
    let crowded = (state.occupied() & goal.empty()).len();
    // Where all tokens have a place, an empty vertex that is not empty is another's miss.
    if wrong > 0 { wrong as u32 } else { crowded as u32 }
}

/// The steps of all agents, each with the one before it.
#[derive(Default)]
struct Trails {
    steps: Vec<(u32, Move)>,
    /// Length at which steps of agents that are gone are thrown away.
    next_sweep: usize,
}

const NO_STEP: u32 = u32::MAX;
const SWEEP_FROM: usize = 1 << 20;

impl Trails {
    /// Makes room for this number of steps, if the system has memory for them.
    fn reserve(&mut self, steps: usize) -> Result<(), Limit> {
        refusable(|| self.steps.try_reserve(steps)).map_err(|_| Limit::Memory)
    }

    fn push(&mut self, before: u32, mv: Move) -> u32 {
        self.steps.push((before, mv));
        (self.steps.len() - 1) as u32
    }

    fn moves(&self, mut step: u32) -> Vec<Move> {
        let mut moves = Vec::new();
        while step != NO_STEP {
            let (before, mv) = self.steps[step as usize];
            moves.push(mv);
            step = before;
        }
        moves.reverse();
        moves
    }

    fn bytes(&self) -> u64 {
        (self.steps.capacity() * size_of::<(u32, Move)>()) as u64
    }

    /// Throws away what no agent has done.
    fn sweep(&mut self, agents: &mut [Agent]) {
        if self.steps.len() < self.next_sweep.max(SWEEP_FROM) {
            return;
        }
        let mut place = vec![NO_STEP; self.steps.len()];
        for agent in agents.iter() {
            let mut step = agent.step;
            while step != NO_STEP && place[step as usize] == NO_STEP {
                place[step as usize] = 0;
                step = self.steps[step as usize].0;
            }
        }
        // A step comes after the one before it, so that this is known when it is its turn.
        let mut kept = 0;
        for step in 0..self.steps.len() {
            if place[step] != NO_STEP {
                let (before, mv) = self.steps[step];
                let before = if before == NO_STEP { NO_STEP } else { place[before as usize] };
                self.steps[kept] = (before, mv);
                place[step] = kept as u32;
                kept += 1;
            }
        }
        self.steps.truncate(kept);
        self.next_sweep = 2 * kept;
        for agent in agents.iter_mut().filter(|agent| agent.step != NO_STEP) {
            agent.step = place[agent.step as usize];
        }
    }
}

/// Evolution as the study's code has it (Algorithms 2 and 3; where text and code differ, the code).
///
/// Every generation the fittest live on, and the others are drawn by their selection force and
/// mutated. It ends with the first generation that has an agent at the goal, and of such agents the
/// one with the fewest moves is the answer; ways are never shortened.
fn published(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Outcome, SolveError> {
    let (elite, alpha) = (task.get(&ELITE), task.get(&ALPHA));
    let population = task.get(&POPULATION).0.unwrap_or(PUBLISHED_POPULATION);
    let puzzle = task.puzzle;
    let least = task.least(&*task.build_heuristic(meter)?);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(task.seed);
    let tokens = puzzle.start().occupied().len();
    let mutation = Mutation::new(task.get(&MUTATION), tokens);
    let mut trails = Trails::default();
    let first = Agent {
        state: *puzzle.start(),
        moves: 0,
        misses: misses(puzzle.goal(), puzzle.start()),
        step: NO_STEP,
    };
    let memory = megabytes(task.get(&STATE_MEMORY)).min(meter.memory_limit());
    let mut agents = vec![first; population];
    let survivors = (population as f64 * elite.get()).floor() as usize;
    for _ in 0..task.get(&GENERATIONS) {
        let forces = agents.iter().map(|agent| selection_force(agent, alpha.get()));
        // With alpha = 0 the force of long ways is small, but never 0.
        let roulette = WeightedIndex::new(forces).expect("selection forces are positive");
        if let Err(limit) = trails.reserve(population.saturating_mul(tokens)) {
            return Ok(Outcome::LimitReached { limit, lower_bound: least });
        }
        let mut next: Vec<Agent> = Vec::with_capacity(population);
        for _ in survivors..population {
            let mut agent = agents[roulette.sample(&mut random)];
            meter.stats.expanded += 1;
            mutate(puzzle, &mut agent, &mutation, &mut trails, &mut random, meter);
            next.push(agent);
            let bytes = || trails.bytes() + (2 * population * size_of::<Agent>()) as u64;
            if let Err(limit) = meter.check(bytes, least) {
                return Ok(Outcome::LimitReached { limit, lower_bound: least });
            }
        }
        let fittest = (0..=agents.iter().map(|agent| agent.misses).max().unwrap_or(0))
            .flat_map(|misses| agents.iter().filter(move |agent| agent.misses == misses));
        next.extend(fittest.take(survivors));
        agents = next;
        let solved = agents.iter().filter(|agent| agent.misses == 0);
        if let Some(agent) = solved.min_by_key(|agent| agent.moves) {
            let moves = trails.moves(agent.step);
            let optimal = moves.len() as u32 == least;
            return Ok(Outcome::Solved { moves, optimal, lower_bound: least });
        }
        trails.sweep(&mut agents);
        if trails.bytes() > memory {
            let limit = Limit::Memory;
            return Ok(Outcome::LimitReached { limit, lower_bound: least });
        }
    }
    Ok(Outcome::LimitReached { limit: Limit::Generations, lower_bound: least })
}

fn mutate(
    puzzle: &Puzzle,
    agent: &mut Agent,
    mutation: &Mutation,
    trails: &mut Trails,
    random: &mut Xoshiro256PlusPlus,
    meter: &mut Meter<'_>,
) {
    let Agent { state, moves, step, .. } = agent;
    let before = *moves;
    mutation.apply(puzzle.board(), state, random, |_, _, mv| {
        meter.stats.generated += 1;
        *moves += 1;
        *step = trails.push(*step, mv);
    });
    if *moves > before {
        agent.misses = misses(puzzle.goal(), state);
    }
}

/// The improved evolution:
///
/// * the fitness is an estimate of the moves to the goal, not the number of matches;
/// * an agent that comes to a state that is known continues from there by the shortest way known to
///   it, so that no way has loops and two ways that cross make one of their better halves;
/// * no two agents are at the same state, and none at one that cannot beat the best solution;
/// * agents without new states grow old and give way;
/// * when the population has died out it is drawn again from all known states.
fn improved<const WORDS: usize>(
    task: &Task<'_>,
    graph: &mut StateGraph<'_, WORDS>,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    let population = task.get(&POPULATION).0.unwrap_or(IMPROVED_POPULATION);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(task.seed);
    let tokens = task.puzzle.start().occupied().len();
    let mutation = Mutation::new(task.get(&MUTATION), tokens);
    let mut agents = Agents::new(population, repeat_n(graph.start(), population));
    for _ in 0..task.get(&GENERATIONS) {
        let best = graph.best();
        graph.others = agents.bytes();
        for number in 0..agents.living.len() {
            let (at, age) = agents.living[number];
            meter.stats.expanded += 1;
            let mut here = at;
            let mut state = graph.state(at);
            let mut is_fruitful = false;
            mutation.apply(task.puzzle.board(), &mut state, &mut random, |state, label, mv| {
                meter.stats.generated += 1;
                let (to, is_better) = graph.step(here, state, label, mv);
                if is_better {
                    is_fruitful = true;
                    agents.propose(to, 0);
                }
                here = to;
            });
            agents.propose(at, if is_fruitful { 0 } else { age + 1 });
            graph.check(meter)?;
        }
        if agents.end_generation(best, ESTIMATE_WEIGHT, graph, &mut random, meter)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// The weight of the estimate compared with the moves made: it counts double, since those are
/// certain and the moves to come are more than estimated.
const ESTIMATE_WEIGHT: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(index: usize) -> Vertex {
        Vertex::new(index).unwrap()
    }

    /// How often each of the vertices is reached in the given number of single slides from vertex
    /// 0.
    fn arrivals(line: &str, slides: usize) -> Vec<usize> {
        let puzzle = Puzzle::from_line(line).unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mutation = Mutation::new("zipf:100".parse().unwrap(), 1);
        let mut counts = vec![0; puzzle.board().vertex_count()];
        for _ in 0..slides {
            let mut state = *puzzle.start();
            mutation.apply(puzzle.board(), &mut state, &mut random, |_, _, mv| {
                assert_eq!(mv.from, vertex(0));
                counts[mv.to.index()] += 1;
            });
        }
        counts
    }

    #[test]
    fn a_vertex_of_two_free_faces_is_twice_as_likely() {
        // Alone on the cube: 1, 2 and 4 are on two of the three faces through 0, 3, 5 and 6 on one,
        // 7 on none.
        let counts = arrivals("cube:3:2 a=0 -> a=7", 90_000);
        for (index, expected) in
            [0, 20_000, 20_000, 10_000, 20_000, 10_000, 10_000, 0].iter().enumerate()
        {
            assert!(counts[index].abs_diff(*expected) < 500, "{counts:?}");
        }
    }

    #[test]
    fn mutations_follow_their_law() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
        let zipf = Mutation::new("zipf:1.8".parse().unwrap(), 4);
        let mut counts = [0; 5];
        (0..100_000).for_each(|_| counts[zipf.count(4, &mut random)] += 1);
        // P(1) of four tokens is 0.66 (the study's code draws so).
        let weights: Vec<f64> = (1..=4).map(|n| f64::from(n).powf(-1.8)).collect();
        for n in 1..=4 {
            let expected = 100_000.0 * weights[n - 1] / weights.iter().sum::<f64>();
            assert!((f64::from(counts[n]) - expected).abs() < 600.0, "{counts:?}");
        }
        assert!(counts[0] == 0 && (65_000..68_000).contains(&counts[1]), "{counts:?}");
        let none = Mutation::new("binomial:0".parse().unwrap(), 4);
        let all = Mutation::new("binomial:1".parse().unwrap(), 4);
        assert_eq!((none.count(4, &mut random), all.count(4, &mut random)), (0, 4));
    }

    #[test]
    fn selection_force_is_equation_5_with_matches() {
        let puzzle = Puzzle::from_line("cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6").unwrap();
        let misses = misses(puzzle.goal(), puzzle.start());
        assert_eq!(misses, 3);
        let mut agent = Agent { state: *puzzle.start(), moves: 0, misses, step: NO_STEP };
        assert_eq!(selection_force(&agent, 0.2), 0.2 / 4.0 + 0.8 / 2.0);
        agent.moves = 3;
        assert_eq!(selection_force(&agent, 0.2), 0.2 / 4.0 + 0.8 / 4.0);
        assert_eq!(fitness(0), 1.0);
    }

    #[test]
    fn sweeping_keeps_the_ways_of_the_living() {
        let mv = |n: usize| Move { from: vertex(n % 64), to: vertex((n + 1) % 64) };
        let mut trails = Trails::default();
        let mut last = NO_STEP;
        for n in 0..SWEEP_FROM {
            // Every third step is of the way that lives on.
            let step = trails.push(if n % 3 == 0 { last } else { NO_STEP }, mv(n));
            last = if n % 3 == 0 { step } else { last };
        }
        let state = State::EMPTY;
        let mut agents = [Agent { state, moves: 0, misses: 0, step: last }];
        let before = trails.moves(last);
        trails.sweep(&mut agents);
        assert_eq!(trails.steps.len(), before.len());
        assert_eq!(trails.moves(agents[0].step), before);
    }
}
