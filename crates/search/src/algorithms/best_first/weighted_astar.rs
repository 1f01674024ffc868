use crate::algorithm::{Algorithm, Task};
use crate::control::Meter;
use crate::engine::best_first::{Duplicates, Recipe, Ties, search};
use crate::engine::codec::with_codec;
use crate::outcome::Outcome;
use crate::settings::Weight;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "weighted-astar",
    summary: "weighted A*: best-first by f = g + w h (Pohl 1970); --weight w, 3 as in the sliding-block study; a \
              solution is at most w times the shortest",
    optimal: false,
    uses_heuristic: true,
    requires_solvability: false,
    check: Algorithm::any_settings,
    run: |task: &Task<'_>, meter: &mut Meter<'_>| {
        let Weight { numerator, denominator } = task.settings.weight;
        let heuristic = task.build_heuristic(meter)?;
        let bounds = task.heuristic.is_admissible();
        let recipe = Recipe {
            priority: |g, h| g * denominator + h * numerator,
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
        Ok((with_bound(outcome, task.settings.weight, least, bounds), ALGORITHM.name))
    },
};

/// The outcome with what the weight and the first estimate say about the shortest solution.
fn with_bound(outcome: Outcome, weight: Weight, least: u32, bounds: bool) -> Outcome {
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
