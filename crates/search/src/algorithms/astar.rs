use super::best_first::{Recipe, search};
use super::{Algorithm, Answer, Task};
use crate::codec::with_codec;
use crate::control::Meter;
use crate::solve::SolveError;

pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "astar",
    summary: "A*: best-first by f = g + h (Hart, Nilsson and Raphael 1968)",
    optimal: true,
    uses_heuristic: true,
    asks_first: false,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let heuristic = task.build_heuristic(meter)?;
    let recipe = Recipe { priority: |g, h| g + h, admissible: task.heuristic.is_admissible() };
    let outcome =
        with_codec!(task.puzzle, |codec| search(task.puzzle, &codec, &*heuristic, &recipe, meter));
    Ok((outcome, ALGORITHM.name))
}
