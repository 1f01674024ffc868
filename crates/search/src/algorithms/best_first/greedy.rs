//! Greedy best-first search.

use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::best_first::{Duplicates, Recipe, Ties, search};
use crate::engine::codec::with_codec;
use crate::error::SolveError;
use crate::outcome::Outcome;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "greedy",
    summary: "greedy best-first search: always expands the state with the least estimate h; \
              quick, but its solutions are far from shortest",
    guarantee: Guarantee::None,
    source: "J. E. Doran and D. Michie, Proceedings of the Royal Society A 294, 1966, pp. 235-259",
    when: "any solution will do, and soon",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: true,
    keeps_proofs: false,
    settings: &[],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let heuristic = task.build_heuristic(meter)?;
    let recipe = Recipe {
        algorithm: ALGORITHM.name,
        priority: |_, h| h,
        unit: None,
        duplicates: Duplicates::KeepFirst,
        ties: Ties::Shallower,
    };
    let mut outcome =
        with_codec!(task.puzzle, |codec| search(task.puzzle, &codec, &*heuristic, &recipe, meter));
    if let Outcome::Solved { lower_bound, .. } | Outcome::LimitReached { lower_bound, .. } =
        &mut outcome
    {
        *lower_bound = task.least(&*heuristic);
    }
    if let Outcome::Solved { moves, optimal, lower_bound } = &mut outcome {
        *optimal = *lower_bound == moves.len() as u32;
    }
    Ok((outcome, ALGORITHM.name))
}
