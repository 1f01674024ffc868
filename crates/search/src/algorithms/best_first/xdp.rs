//! Bounded-suboptimal search by a convex priority.

use super::weighted_astar::{WEIGHT, with_bound};
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::best_first::{Duplicates, Recipe, Ties, search};
use crate::engine::codec::with_codec;
use crate::error::SolveError;
use crate::settings::Weight;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "xdp",
    summary: "bounded-suboptimal search by the convex priority XDP: near-optimal near the start, \
              and up to 2 w - 1 times as long near the goal, where estimates are most precise; the \
              solution is at most w times as long as the shortest",
    guarantee: Guarantee::Bounded(
        "at most w times as long as the shortest, with an admissible heuristic; a weight below 1 \
         counts as 1",
    ),
    source: "J. Chen and N. R. Sturtevant, Conditions for avoiding node re-expansions in bounded \
             suboptimal search, IJCAI 2019, and Necessary and sufficient conditions for avoiding \
             reopenings in best first suboptimal search with general bounding functions, AAAI 2021",
    when: "a solution within a known factor is good enough and weighted A* expands too many states",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: true,
    keeps_proofs: false,
    settings: &[WEIGHT.setting()],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

/// Steps in which priorities are counted: the finer, the fewer states with one priority.
const STEPS: u64 = 16;

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let weight = match task.get(&WEIGHT) {
        Weight { numerator, denominator } if numerator < denominator => {
            Weight { numerator: 1, denominator: 1 }
        }
        weight => weight,
    };
    let heuristic = task.build_heuristic(meter)?;
    let recipe = Recipe {
        algorithm: ALGORITHM.name,
        priority: |g, h| priority(weight, g, h),
        unit: None,
        // With exact priorities no state would have to be expanded again; these are rounded.
        duplicates: Duplicates::Reopen,
        ties: Ties::Deeper,
    };
    let outcome =
        with_codec!(task.puzzle, |codec| search(task.puzzle, &codec, &*heuristic, &recipe, meter));
    let least = task.least(&*heuristic);
    let outcome = with_bound(outcome, weight, least, task.heuristic.is_admissible());
    Ok((outcome, ALGORITHM.name))
}

/// f = (g + (2 w - 1) h + sqrt((g - h)^2 + 4 w g h)) / 2 w in steps, rounded up.
///
/// On a shortest path f is at most the path's length, an integer, so rounding up leaves it so: some
/// open state always has a priority of at most [`STEPS`] times the length. At the goal f = g / w.
/// The goal that is expanded therefore has g at most w times the length, whatever the rounding.
fn priority(weight: Weight, g: u32, h: u32) -> u32 {
    let (p, q) = (u64::from(weight.numerator), u64::from(weight.denominator));
    let (g, h) = (u64::from(g), u64::from(h));
    let linear = q * g + (2 * p - q) * h;
    let under_root = q * q * g.abs_diff(h).pow(2) + 4 * p * q * g * h;
    let root = match under_root.checked_mul(STEPS * STEPS) {
        Some(square) => up(square.isqrt(), |root| root * root >= square),
        None => {
            let square = u128::from(under_root) * u128::from(STEPS * STEPS);
            up(square.isqrt() as u64, |root| u128::from(root).pow(2) >= square)
        }
    };
    (STEPS * linear + root).div_ceil(2 * p) as u32
}

/// A root that was rounded down, rounded up.
fn up(root: u64, is_enough: impl Fn(u64) -> bool) -> u64 {
    if is_enough(root) { root } else { root + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(text: &str) -> Weight {
        text.parse().unwrap()
    }

    #[test]
    fn priorities_are_those_of_the_definition() {
        for text in ["1", "1.125", "1.5", "2", "3", "10", "1000", "999.999"] {
            let weight = weight(text);
            let w: f64 = text.parse().unwrap();
            for g in (0..200).chain([5_000, 200_000]) {
                for h in (0..200).chain([4_000, 8_000]) {
                    let found = f64::from(priority(weight, g, h)) / STEPS as f64;
                    let (g, h) = (f64::from(g), f64::from(h));
                    let root = ((g - h).powi(2) + 4.0 * w * g * h).sqrt();
                    let exact = (g + (2.0 * w - 1.0) * h + root) / (2.0 * w);
                    let beyond = found - exact;
                    assert!((-1e-6..1.0 / STEPS as f64 + 1e-6).contains(&beyond), "{w} {g} {h}");
                }
            }
        }
    }

    /// What the guarantee rests on, without rounding.
    #[test]
    fn priorities_on_a_shortest_path_are_at_most_its_length() {
        for text in ["1", "1.001", "1.5", "3", "1000"] {
            let Weight { numerator, denominator } = weight(text);
            let (weight, steps) = (weight(text), STEPS as u32);
            for length in 0..150 {
                for g in 0..=length {
                    assert!(priority(weight, g, length - g) <= steps * length, "{text} {g}");
                }
                let at_goal = u64::from(priority(weight, length, 0)) * u64::from(numerator);
                assert!(at_goal >= STEPS * u64::from(length * denominator), "{text} {length}");
            }
        }
    }
}
