//! How large differences are, and how far solutions are from the shortest.

use serde::Serialize;

/// Cliff's delta (1993), from -1 to 1: the probability that a value of one sample is above one of
/// the other, less the probability of the reverse; `None` when a sample is empty. Unsolved runs may
/// take part as infinity. Time O(n log n).
pub fn cliffs_delta(one: &[f64], other: &[f64]) -> Option<f64> {
    if one.is_empty() || other.is_empty() {
        return None;
    }
    let other_sorted = super::sorted(other.iter().copied());
    let balance = |&value: &f64| {
        let below = other_sorted.partition_point(|&own| own < value);
        let not_above = other_sorted.partition_point(|&own| own <= value);
        below as f64 - (other_sorted.len() - not_above) as f64
    };
    let balance: f64 = one.iter().map(balance).sum();
    Some(balance / (one.len() * other.len()) as f64)
}

/// How far solutions are from the shortest, over those whose optimum is proven.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// The number of solutions whose optimum is proven.
    pub solutions: usize,
    /// Those of them that are as short as can be.
    pub optimal: usize,
    /// Mean number of moves above the optimum.
    pub mean_moves: f64,
    /// All moves above the optima in percent of the optima; `None` when no puzzle needs a move.
    pub percent: Option<f64>,
}

impl Gap {
    /// The gap of solutions, each as (length, optimum); `None` when there are none.
    pub fn new(solutions: impl IntoIterator<Item = (u32, u32)>) -> Option<Gap> {
        let (mut count, mut optimal, mut excess, mut optima) = (0, 0, 0.0, 0.0);
        for (length, optimum) in solutions {
            count += 1;
            optimal += usize::from(length == optimum);
            excess += f64::from(length) - f64::from(optimum);
            optima += f64::from(optimum);
        }
        (count > 0).then(|| Gap {
            solutions: count,
            optimal,
            mean_moves: excess / count as f64,
            percent: (optima > 0.0).then(|| 100.0 * excess / optima),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delta_is_that_of_all_pairs() {
        // 2 * scipy.stats.mannwhitneyu(x, y).statistic / (len(x) * len(y)) - 1
        let close =
            |own: Option<f64>, expected: f64| assert!((own.unwrap() - expected).abs() < 1e-12);
        close(cliffs_delta(&[12.1, 15.3, 9.7, 11.0, 14.2], &[8.8, 10.1, 9.9, 7.5]), 0.8);
        close(cliffs_delta(&[1.0, 2.0, 3.0, 3.0], &[2.0, 3.0, 4.0]), -0.416_666_666_666_666_63);
        close(cliffs_delta(&[f64::INFINITY, 1.0], &[f64::INFINITY]), -0.5);
        assert_eq!(cliffs_delta(&[], &[1.0]), None);
    }

    #[test]
    fn gaps_are_over_what_is_proven() {
        let gap = Gap::new([(12, 10), (10, 10), (20, 20)]).unwrap();
        assert_eq!((gap.solutions, gap.optimal), (3, 2));
        assert!((gap.mean_moves - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(gap.percent, Some(5.0));
        assert_eq!(Gap::new([(0, 0)]).unwrap().percent, None);
        assert_eq!(Gap::new([]), None);
    }
}
