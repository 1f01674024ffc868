//! S(d, k): the least number of empty vertices with which tokens on a cube are mobile.

use hyperslide_puzzle::{Board, BoardSpec, Metric, Regime};
use hyperslide_table::binomial;

use crate::survey::Survey;

/// Returns S(d, k) by the recursion of Theorem 1.14 (Beyer et al. 2023, eq. 3) from S(k, k) = 2^k -
/// 1 and S(d, 1) = 1.
///
/// # Panics
///
/// Panics if k is 0 or greater than d, or d exceeds 60.
pub fn threshold(d: usize, k: usize) -> u64 {
    assert!((1..=d).contains(&k) && d <= 60, "there is no S({d}, {k})");
    match (d, k) {
        (_, 1) => 1,
        _ if k == d => (1 << k) - 1,
        _ => threshold(d - 1, k - 1) + threshold(d - 1, k),
    }
}

/// Returns the sum printed in Theorem 1.14 and Corollary 4.6 (eq. 4), which is wrong: it includes
/// walks from S(d, k) to the ends S(i, i) and S(i, 1) of the recursion that pass through other
/// ends. Returns `None` where the paper does not claim it (k < 2 or d < k + 2).
pub fn threshold_as_printed(d: usize, k: usize) -> Option<u64> {
    let n = d.checked_sub(k)?;
    (k >= 2 && n >= 2).then(|| {
        let diagonal = (2..=k).map(|i| binomial(d - i, k - i) * ((1 << i) - 1));
        let first = (2..=n).map(|i| binomial(d - i, k - 1));
        diagonal.chain(first).sum()
    })
}

/// Returns the corrected sum, for k >= 2 and d > k: the last step to an end S(i, i) must lower d,
/// and that to an end S(i, 1) must lower k.
pub fn threshold_by_sum(d: usize, k: usize) -> Option<u64> {
    let n = d.checked_sub(k)?;
    (k >= 2 && n >= 1).then(|| {
        let diagonal = (2..=k).map(|i| binomial(d - i - 1, k - i) * ((1 << i) - 1));
        let first = (2..=n + 1).map(|i| binomial(d - i - 1, k - 2));
        diagonal.chain(first).sum()
    })
}

/// Finds S(d, k) by a search: the least number of empty vertices with a mobile configuration.
/// Returns `None` if a survey would have more than `limit` occupied sets.
///
/// Removing a token leaves all moves of the others possible, so mobility is monotonic in the number
/// of empty vertices, and two surveys prove the result: one at the number found, one at the number
/// below.
pub fn threshold_by_search(d: usize, k: usize, limit: u64) -> Option<u64> {
    let board = Board::new(BoardSpec::Cube { d, k }, Metric::Face).ok()?;
    let vertices = 1usize << d;
    let is_mobile = |empty: usize| -> Option<bool> {
        if binomial(vertices, empty) > limit {
            return None;
        }
        let survey = Survey::new(&board, empty).ok()?;
        Some(survey.classes.iter().any(|kind| kind.regime == Regime::Mobile))
    };
    // The search begins at the recursion's value, which the surveys confirm or correct.
    let mut empty = usize::try_from(threshold(d, k)).ok()?;
    while !is_mobile(empty)? {
        empty += 1;
    }
    while empty > 1 && is_mobile(empty - 1)? {
        empty -= 1;
    }
    Some(empty as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_put_right_is_the_recursion() {
        for d in 2..=20 {
            for k in 1..=d {
                if let Some(sum) = threshold_by_sum(d, k) {
                    assert_eq!(sum, threshold(d, k), "S({d}, {k})");
                }
            }
        }
        // Theorem 1.13.
        for k in 1..=20 {
            assert_eq!(threshold(k + 1, k), (1 << (k + 1)) - k as u64 - 2);
        }
    }

    #[test]
    fn the_printed_sum_is_wrong() {
        assert_eq!(threshold_as_printed(5, 2), Some(8));
        assert_eq!(threshold_as_printed(5, 3), Some(19));
        assert_eq!((threshold(5, 2), threshold(5, 3), threshold(6, 5)), (6, 16, 57));
        assert_eq!(threshold_as_printed(4, 3), None);
    }

    #[test]
    fn searching_finds_the_recursion() {
        for d in 1..=4 {
            for k in 1..=d {
                assert_eq!(threshold_by_search(d, k, 1 << 20), Some(threshold(d, k)), "{d} {k}");
            }
        }
    }
}
