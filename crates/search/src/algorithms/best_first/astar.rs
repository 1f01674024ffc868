use crate::algorithm::{Algorithm, Answer, Task};
use crate::control::Meter;
use crate::engine::best_first::{Duplicates, Recipe, Ties, search};
use crate::engine::codec::with_codec;
use crate::error::SolveError;
use crate::settings::Profile;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "astar",
    summary: "A*: best-first by f = g + h (Hart, Nilsson and Raphael 1968); with --profile published a state keeps its \
              first way, as in the sliding-block study, and the solution is not always shortest",
    optimal: true,
    uses_heuristic: true,
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let heuristic = task.build_heuristic(meter)?;
    let is_published = task.settings.profile == Profile::Published;
    let recipe = Recipe {
        priority: |g, h| g + h,
        // A state that keeps its first way may keep one too long.
        unit: (task.heuristic.is_admissible() && !is_published).then_some(1),
        duplicates: if is_published { Duplicates::KeepFirst } else { Duplicates::Reopen },
        ties: Ties::Deeper,
    };
    let outcome =
        with_codec!(task.puzzle, |codec| search(task.puzzle, &codec, &*heuristic, &recipe, meter));
    Ok((outcome, ALGORITHM.name))
}
