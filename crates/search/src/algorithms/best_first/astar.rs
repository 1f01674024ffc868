//! A*.

use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::best_first::{Duplicates, Recipe, Ties, search};
use crate::engine::codec::with_codec;
use crate::error::SolveError;
use crate::settings::{PROFILE, Profile};

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "astar",
    summary: "A*: expands the state of least f = g + h first; with the published profile a state \
              keeps its first path, as in the sliding-block study, and the solution is not always \
              shortest",
    guarantee: Guarantee::Optimal,
    source: "P. E. Hart, N. J. Nilsson and B. Raphael, IEEE Transactions on Systems Science and \
             Cybernetics 4, 1968, pp. 100-107; published profile: Nayak and Huang, Algorithm 1",
    when: "a shortest solution is wanted and a few million states fit in memory",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: true,
    keeps_proofs: false,
    settings: &[PROFILE.setting()],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

/// The algorithm of a task, for the engine.
pub(crate) fn recipe(task: &Task<'_>) -> Recipe<fn(u32, u32) -> u32> {
    let is_published = task.get(&PROFILE) == Profile::Published;
    Recipe {
        algorithm: ALGORITHM.name,
        priority: |g, h| g + h,
        // A state that keeps its first way may keep one too long.
        unit: (task.heuristic.is_admissible() && !is_published).then_some(1),
        duplicates: if is_published { Duplicates::KeepFirst } else { Duplicates::Reopen },
        ties: Ties::Deeper,
    }
}

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let heuristic = task.build_heuristic(meter)?;
    let recipe = recipe(task);
    let outcome =
        with_codec!(task.puzzle, |codec| search(task.puzzle, &codec, &*heuristic, &recipe, meter));
    Ok((outcome, ALGORITHM.name))
}
