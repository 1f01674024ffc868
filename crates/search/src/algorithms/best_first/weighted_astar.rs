//! Weighted A*.

use crate::algorithm::{Algorithm, Guarantee, Task};
use crate::control::Meter;
use crate::engine::best_first::{Duplicates, Recipe, Ties, search};
use crate::engine::codec::with_codec;
use crate::outcome::Outcome;
use crate::settings::{Setting, Typed, Weight};

/// The weight of the estimate; staged search has it too.
pub(crate) static WEIGHT: Typed<Weight> = Setting::typed(
    "weight",
    "W",
    "3",
    Weight::DOMAIN,
    "The weight w of the estimate: a greater weight finds a solution sooner, but a longer one; 3 is \
     the weight of the sliding-block study",
);

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "weighted-astar",
    summary: "weighted A*: expands the state of least f = g + w h first; the solution is at most w \
              times as long as the shortest",
    guarantee: Guarantee::Bounded(
        "at most w times as long as the shortest, with an admissible heuristic; a weight below 1 \
         gives shortest solutions",
    ),
    source: "I. Pohl, Artificial Intelligence 1, 1970, pp. 193-204",
    when: "A* runs out of memory or time, and a solution within a known factor is good enough",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: true,
    keeps_proofs: false,
    settings: &[WEIGHT.setting()],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run: |task: &Task<'_>, meter: &mut Meter<'_>| {
        let weight = task.get(&WEIGHT);
        let Weight { numerator, denominator } = weight;
        let heuristic = task.build_heuristic(meter)?;
        let bounds = task.heuristic.is_admissible();
        let recipe = Recipe {
            algorithm: ALGORITHM.name,
            priority: |g, h| weight.priority(g, h),
            unit: (bounds && numerator <= denominator).then_some(denominator),
            duplicates: Duplicates::Reopen,
            ties: Ties::Deeper,
        };
        let outcome = with_codec!(task.puzzle, |codec| search(
            task.puzzle,
            &codec,
            &*heuristic,
            &recipe,
            meter
        ));
        let least = task.least(&*heuristic);
        Ok((with_bound(outcome, weight, least, bounds), ALGORITHM.name))
    },
};

/// The outcome with what the weight and the first estimate say about the shortest solution.
pub(super) fn with_bound(outcome: Outcome, weight: Weight, least: u32, bounds: bool) -> Outcome {
    let Weight { numerator, denominator } = weight;
    match outcome {
        Outcome::Solved { moves, optimal: false, .. } if bounds => {
            let by_weight = (moves.len() as u32 * denominator).div_ceil(numerator.max(1));
            let lower_bound = by_weight.max(least).min(moves.len() as u32);
            Outcome::Solved { optimal: lower_bound == moves.len() as u32, moves, lower_bound }
        }
        Outcome::LimitReached { limit, lower_bound } => {
            Outcome::LimitReached { limit, lower_bound: lower_bound.max(least) }
        }
        other => other,
    }
}
