//! Quantiles of samples that are given as counts, ascending: pairs of a value and how often it was
//! seen.

use statrs::distribution::{Binomial, DiscreteCDF};

/// The number of values.
pub fn total(counts: &[(i64, i64)]) -> u64 {
    counts.iter().map(|&(_, count)| count.unsigned_abs()).sum()
}

/// The value with this place in ascending order, from 0.
fn value_at(counts: &[(i64, i64)], place: u64) -> Option<i64> {
    let mut before = 0;
    counts.iter().find_map(|&(value, count)| {
        before += count.unsigned_abs();
        (place < before).then_some(value)
    })
}

/// The quantile of a share (0 to 1), between two values in proportion (type 7 of Hyndman and Fan
/// 1996); none when there are no values.
pub fn quantile_of_counts(counts: &[(i64, i64)], share: f64) -> Option<f64> {
    let last = total(counts).checked_sub(1)?;
    let place = share * last as f64;
    let below = value_at(counts, place.floor() as u64)? as f64;
    let above = value_at(counts, place.ceil() as u64)? as f64;
    Some(below + (above - below) * place.fract())
}

/// An interval that contains the median of what was sampled with at least 95 %, whatever its
/// distribution: from the k-th least to the k-th greatest value, where fewer than k of n fair coins
/// show heads with at most 2.5 % (David and Nagaraja, Order Statistics, 2003, section 7.1). None
/// for fewer than six values, of which no such interval can be made.
pub fn median_interval_of_counts(counts: &[(i64, i64)]) -> Option<(i64, i64)> {
    let n = total(counts);
    let coins = Binomial::new(0.5, n).ok()?;
    // The greatest k with P(heads < k) <= 2.5 %.
    let (mut low, mut high) = (0, n / 2 + 1);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if coins.cdf(middle - 1) <= 0.025 {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let first = low.checked_sub(1)?;
    Some((value_at(counts, first)?, value_at(counts, n - 1 - first)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::quantile;

    #[test]
    fn quantiles_are_those_of_the_values() {
        let counts = [(3, 2), (5, 1), (9, 4), (20, 1)];
        let values = [3.0, 3.0, 5.0, 9.0, 9.0, 9.0, 9.0, 20.0];
        for share in [0.0, 0.1, 0.25, 0.5, 0.77, 1.0] {
            let expected = quantile(&values, share);
            assert!((quantile_of_counts(&counts, share).unwrap() - expected).abs() < 1e-12);
        }
        assert_eq!(quantile_of_counts(&[], 0.5), None);
    }

    #[test]
    fn medians_lie_in_intervals_of_known_ranks() {
        // The ranks of tables: David and Nagaraja 2003; for n = 6, 10, 20 and 50 the 1st, 2nd, 6th
        // and 18th values from both ends.
        for (n, rank) in [(6, 1), (10, 2), (20, 6), (50, 18)] {
            let counts: Vec<(i64, i64)> = (1..=n).map(|value| (value, 1)).collect();
            assert_eq!(median_interval_of_counts(&counts), Some((rank, n + 1 - rank)), "{n}");
        }
        assert_eq!(median_interval_of_counts(&[(1, 5)]), None);
        assert_eq!(median_interval_of_counts(&[]), None);
        let (low, high) = median_interval_of_counts(&[(10, 400_000), (11, 600_000)]).unwrap();
        assert_eq!((low, high), (11, 11));
    }
}
