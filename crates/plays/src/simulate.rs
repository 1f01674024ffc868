//! Plays of people who do not exist, made by a stated policy: they fill pages and try the tools
//! until people have played, and everything made from them says so.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyperslide_puzzle::{Move, Puzzle, State};
use hyperslide_search::{Config, Control, Limits, Outcome, TableCache, solve};
use hyperslide_table::{DistanceTable, Watch};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use crate::play::{Control as Hand, Kind, Play, TimedMove};
use crate::store::{Group, KeptPlay, NewPerson};

/// The name of the policy, which every play that it made carries.
pub const POLICY: &str = "slips-1";

/// The policy in words.
pub const POLICY_TEXT: &str = "A simulated person knows a way to the goal: where a table of all distances fits \
    in 64 MB a shortest one, drawn anew at every move, and otherwise the one that the algorithm staged finds. At \
    each move the person slips with a probability of its own, the square of a uniform number times 0.4, and then \
    makes any other legal move but the reverse of the last, and finds a way from there. Three moves from the goal \
    or nearer, slips are a third as likely. The time of a move is distributed log-normally, with a median of the person's \
    own, uniform between 0.25 and 1.2 s, and a standard deviation of 0.5; twice that when another token moves \
    than before, and half of it after a slip that is taken back at once.";

/// The longest that one way to the goal is searched for where no table tells.
const SEARCH_TIME: Duration = Duration::from_secs(10);
/// The moves after which a simulated person gives up.
const PATIENCE: usize = 1500;

/// Makes plays of puzzles that share a goal.
pub struct Simulator {
    puzzle: Puzzle,
    table: Option<DistanceTable>,
    cache: Arc<TableCache>,
    deadline: Option<Instant>,
}

/// A person who does not exist.
#[derive(Clone, Debug)]
pub struct SimulatedPerson {
    /// What is kept of the person.
    pub person: NewPerson,
    /// With what the person plays.
    pub control: Hand,
    slip: f64,
    pace_ms: f64,
    random: Xoshiro256PlusPlus,
}

/// A number from 0 to 1, 1 left out.
fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A number of the standard normal law (Box and Muller 1958).
fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(random)).cos()
}

fn pick<T: Copy>(random: &mut Xoshiro256PlusPlus, from: &[T]) -> Option<T> {
    let place = (uniform(random) * from.len() as f64) as usize;
    from.get(place).copied()
}

fn digest(text: &str) -> String {
    hex::encode(&Sha256::digest(text.as_bytes())[..12])
}

impl SimulatedPerson {
    /// The person of a number, always the same for the same seed.
    pub fn new(seed: u64, number: u64) -> SimulatedPerson {
        let code = digest(&format!("{POLICY} {seed} {number}"));
        let mut random =
            Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let controls = [Hand::Keys, Hand::Click, Hand::Touch];
        SimulatedPerson {
            person: NewPerson {
                name: format!("simulated-{}", number + 1),
                code,
                secret: None,
                consent: 0,
                day: 0,
                simulated: Some(POLICY.to_owned()),
            },
            control: pick(&mut random, &controls).unwrap_or(Hand::Keys),
            slip: 0.4 * uniform(&mut random).powi(2),
            pace_ms: 250.0 + 950.0 * uniform(&mut random),
            random,
        }
    }

    /// The play of a puzzle as it is kept, for the person with this number in the database; `None`
    /// when the person gives up. The same person plays the same puzzles in the same order alike.
    pub fn kept(
        &mut self,
        simulator: &Simulator,
        puzzle: &Puzzle,
        kind: Kind,
        number: i64,
        day: i64,
    ) -> Option<KeptPlay> {
        let play = simulator.play(puzzle, self)?;
        let verified = play.verify(puzzle).ok()?;
        let group = Group::of(puzzle, kind, self.control, false);
        let id = digest(&format!("{} {} {play} {puzzle}", self.person.code, kind.name()));
        Some(KeptPlay::new(id, number, puzzle, group, (&play, &verified), false, day))
    }
}

impl Simulator {
    /// Prepares plays of puzzles with this one's goal. Takes some seconds where a table is made.
    /// Where none fits, each way to the goal is searched for, for ten seconds at most and not
    /// beyond the deadline; nothing else of a play depends on the clock.
    pub fn new(puzzle: &Puzzle, deadline: Option<Instant>) -> Simulator {
        let watch = Watch::new(None, deadline);
        let table = watch.during(|stop| DistanceTable::build_small(puzzle, stop).ok());
        let cache = Arc::default();
        Simulator { puzzle: puzzle.clone(), table, cache, deadline }
    }

    /// Returns whether a puzzle shares the goal that was prepared.
    pub fn is_for(&self, puzzle: &Puzzle) -> bool {
        self.puzzle.shares_goal_with(puzzle)
    }

    /// A play of a puzzle with the goal that was prepared; `None` when the person gives up.
    pub fn play(&self, puzzle: &Puzzle, person: &mut SimulatedPerson) -> Option<Play> {
        let mut state = *puzzle.start();
        let mut play = Play::default();
        let mut way: Vec<Move> = Vec::new();
        let mut slipped = false;
        while !puzzle.goal().is_met(&state) {
            if play.moves.len() == PATIENCE {
                return None;
            }
            let last = play.moves.last().map(|timed| timed.mv);
            let back = last.map(|mv| Move { from: mv.to, to: mv.from });
            let right = self.way_on(puzzle, &state, &mut way, &mut person.random)?;
            let others: Vec<Move> = puzzle
                .board()
                .legal_moves(&state)
                .into_iter()
                .filter(|&mv| mv != right && Some(mv) != back)
                .collect();
            let near = self.distance(&state).is_some_and(|distance| distance <= 3);
            let slip = person.slip * if near { 1.0 / 3.0 } else { 1.0 };
            let slips = uniform(&mut person.random) < slip;
            let mv = match pick(&mut person.random, &others).filter(|_| slips) {
                Some(other) => {
                    way.clear();
                    other
                }
                None => {
                    way.pop();
                    right
                }
            };
            let ms = match last {
                // The clock starts with the first move.
                None => 0,
                Some(last) => {
                    let another = if last.to == mv.from { 1.0 } else { 2.0 };
                    let hasty = if slipped && Some(mv) == back { 0.5 } else { 1.0 };
                    let law = (0.5 * normal(&mut person.random)).exp();
                    (person.pace_ms * another * hasty * law).clamp(60.0, 60_000.0) as u32
                }
            };
            slipped = mv != right;
            state.slide(mv);
            play.moves.push(TimedMove { mv, ms });
        }
        Some(play)
    }

    fn distance(&self, state: &State) -> Option<u32> {
        self.table.as_ref()?.distance(state)
    }

    /// A move that leads to the goal. `way` is the rest of a way that was found, the next move
    /// last.
    fn way_on(
        &self,
        puzzle: &Puzzle,
        state: &State,
        way: &mut Vec<Move>,
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<Move> {
        if let Some(distance) = self.distance(state) {
            let nearer = |mv: &Move| {
                let mut next = *state;
                next.slide(*mv);
                self.distance(&next).is_some_and(|there| there < distance)
            };
            let mut moves = puzzle.board().legal_moves(state);
            moves.retain(nearer);
            return pick(random, &moves);
        }
        if way.is_empty() {
            let config = Config { cache: Arc::clone(&self.cache), ..Config::named("staged")? };
            let time = self.deadline.map_or(SEARCH_TIME, |deadline| {
                deadline.saturating_duration_since(Instant::now()).min(SEARCH_TIME)
            });
            if time.is_zero() {
                return None;
            }
            let limits = Limits { time: Some(time), ..Limits::default() };
            let control = Control { limits, ..Control::default() };
            let from_here = puzzle.with_start(*state)?;
            let Outcome::Solved { moves, .. } = solve(&from_here, &config, &control).ok()?.outcome
            else {
                return None;
            };
            *way = moves;
            way.reverse();
        }
        way.last().copied()
    }
}
