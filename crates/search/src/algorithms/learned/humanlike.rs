//! Plays as people do: every move is drawn from the model of how people move.

use std::sync::LazyLock;

use hyperslide_puzzle::Move;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::move_model::{MoveWeights, PlayWalk};
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::error::SolveError;
use crate::outcome::{Limit, Outcome};
use crate::settings::{Domain, Setting, Typed, Unreadable};

/// The weights that plays of people who do not exist led to; the file says how.
static SIMULATED: LazyLock<Option<MoveWeights>> = LazyLock::new(|| {
    let mut lines = include_str!("humanlike.txt").lines();
    lines.find(|line| !line.starts_with('#') && !line.is_empty())?.parse().ok()
});

/// The model.
static MODEL: Typed<Model> = Setting::typed(
    "model",
    "simulated|WEIGHTS",
    "simulated",
    Domain::Text("simulated, or weights as `hyperslide plays learn` prints them"),
    "The weights of what a move does: simulated are those learned from simulated plays, and \
     `hyperslide plays learn` prints others",
);

/// The moves after which a play is given up.
static PATIENCE: Typed<u32> = Setting::typed(
    "patience",
    "N",
    "20000",
    Domain::Whole { least: 1, most: 10_000_000 },
    "The number of moves after which a play is given up and begun again",
);

/// The plays that are begun.
static ATTEMPTS: Typed<u32> = Setting::typed(
    "attempts",
    "N",
    "20",
    Domain::Whole { least: 1, most: 1_000_000 },
    "The number of plays after which the search ends",
);

/// Weights that were given, or those of simulated plays.
struct Model(Option<MoveWeights>);

impl std::str::FromStr for Model {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Model, Unreadable> {
        if text == "simulated" { Ok(Model(None)) } else { Ok(Model(Some(text.parse()?))) }
    }
}

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "humanlike",
    summary: "plays as people do: draws every move from a model that was learned from plays (the \
              usual one from simulated plays), without looking ahead",
    guarantee: Guarantee::None,
    source: "a softmax regression of this project, docs/plays.md",
    when: "you want to see how a person might play, or to compare people with chance",
    uses_heuristic: false,
    looks_up_tables: false,
    shows_expansions: false,
    keeps_proofs: false,
    settings: &[MODEL.setting(), PATIENCE.setting(), ATTEMPTS.setting()],
    requires_solvability: true,
    check: Algorithm::any_settings,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let weights = task.get(&MODEL).0.or(*SIMULATED).unwrap_or(MoveWeights([0.0; 7]));
    let mut walk = PlayWalk::new(task.puzzle);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(task.seed);
    let patience = task.get(&PATIENCE);
    let mut end = Limit::Generations;
    let mut moves = Vec::new();
    for _ in 0..task.get(&ATTEMPTS) {
        walk.begin_again();
        moves.clear();
        match play(task, &weights, &mut walk, patience, &mut random, &mut moves, meter) {
            Ok(true) => {
                let outcome = Outcome::Solved { moves, optimal: false, lower_bound: 0 };
                return Ok((outcome, ALGORITHM.name));
            }
            Ok(false) => {}
            Err(limit) => {
                end = limit;
                break;
            }
        }
    }
    Ok((Outcome::LimitReached { limit: end, lower_bound: 0 }, ALGORITHM.name))
}

/// Plays until the goal is met, which is true, or until patience is at its end.
fn play(
    task: &Task<'_>,
    weights: &MoveWeights,
    walk: &mut PlayWalk<'_>,
    patience: u32,
    random: &mut Xoshiro256PlusPlus,
    moves: &mut Vec<Move>,
    meter: &mut Meter<'_>,
) -> Result<bool, Limit> {
    for _ in 0..patience {
        if task.puzzle.goal().is_met(walk.state()) {
            return Ok(true);
        }
        let options = walk.options();
        meter.stats.expanded += 1;
        meter.stats.generated += options.len() as u64;
        let Ok(law) = WeightedIndex::new(weights.chances(&options)) else { return Ok(false) };
        let mv = options[law.sample(random)].mv;
        walk.make(mv);
        moves.push(mv);
        let held = walk.bytes() + moves.capacity() as u64 * size_of::<Move>() as u64;
        meter.stats.stored = meter.stats.stored.max(moves.len() as u64);
        meter.note_bytes(held);
        meter.check(|| held, 0)?;
    }
    Ok(task.puzzle.goal().is_met(walk.state()))
}
