//! Distributions of runtimes and performance profiles, as points of step functions.

use super::sorted;

/// A step of a function that grows from 0: from `x` on its value is `share`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where the step is.
    pub x: f64,
    /// The value from there on, 0 to 1.
    pub share: f64,
}

/// The share of runs that were solved at a cost of at most x (Hoos and Stuetzle 2004, COCO's form):
/// a step for each distinct cost. Unsolved runs have an infinite cost; they count as runs and have
/// no step, so that the last share is the share solved.
pub fn runtime_distribution(costs: &[f64]) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    let finite = sorted(costs.iter().copied()).into_iter().take_while(|cost| cost.is_finite());
    for (x, solved) in finite.zip(1usize..) {
        let share = solved as f64 / costs.len() as f64;
        match points.last_mut() {
            Some(last) if last.x == x => last.share = share,
            _ => points.push(Point { x, share }),
        }
    }
    points
}

/// Performance profiles (Dolan and Moré 2002): for each solver, the share of puzzles that it solved
/// at a cost of at most x times the least of all solvers. `costs[s][p]` is what solver s took for
/// puzzle p, infinity where it did not solve it; all costs are above 0. Puzzles that no solver
/// solved count as puzzles.
///
/// # Panics
///
/// When the solvers have different numbers of puzzles.
pub fn performance_profiles(costs: &[Vec<f64>]) -> Vec<Vec<Point>> {
    let puzzles = costs.first().map_or(0, Vec::len);
    assert!(costs.iter().all(|own| own.len() == puzzles), "each solver has a cost of each puzzle");
    let least: Vec<f64> = (0..puzzles)
        .map(|puzzle| costs.iter().map(|own| own[puzzle]).fold(f64::INFINITY, f64::min))
        .collect();
    // No solver's cost is finite where the least is infinite.
    let ratio = |(&own, &least): (&f64, &f64)| if own.is_finite() { own / least } else { own };
    costs
        .iter()
        .map(|own| runtime_distribution(&own.iter().zip(&least).map(ratio).collect::<Vec<_>>()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNSOLVED: f64 = f64::INFINITY;

    fn steps(points: &[Point]) -> Vec<(f64, f64)> {
        points.iter().map(|point| (point.x, point.share)).collect()
    }

    #[test]
    fn unsolved_runs_stay_in_the_denominator() {
        // scipy.stats.ecdf([3, 1, 3, 7, 1e99]).cdf without its last step
        let points = runtime_distribution(&[3.0, 1.0, 3.0, 7.0, UNSOLVED]);
        assert_eq!(steps(&points), [(1.0, 0.2), (3.0, 0.6), (7.0, 0.8)]);
        assert_eq!(runtime_distribution(&[UNSOLVED]), []);
        assert_eq!(runtime_distribution(&[]), []);
    }

    #[test]
    fn profiles_are_relative_to_the_best_solver_of_each_puzzle() {
        let costs = [vec![10.0, 4.0, UNSOLVED, UNSOLVED], vec![5.0, 8.0, 3.0, UNSOLVED]];
        let profiles = performance_profiles(&costs);
        assert_eq!(steps(&profiles[0]), [(1.0, 0.25), (2.0, 0.5)]);
        assert_eq!(steps(&profiles[1]), [(1.0, 0.5), (2.0, 0.75)]);
        assert!(performance_profiles(&[]).is_empty());
    }
}
