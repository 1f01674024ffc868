//! Means, quantiles and rates, with their intervals.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Mean and its standard error; the error is not a number for fewer than two values.
pub fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, (squared_deviations(values) / (count - 1.0) / count).sqrt())
}

/// The sum of the squared deviations from the mean.
pub(super) fn squared_deviations(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// The values in ascending order, infinity last.
pub fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The value below which a share (0 to 1) of sorted values lies, between two of them in proportion
/// (type 7 of Hyndman and Fan 1996); not a number when there are no values.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    // Two infinities have no difference.
    if below == above { below } else { below + (above - below) * place.fract() }
}

/// The median of sorted values; not a number when there are none.
pub fn median(sorted: &[f64]) -> f64 {
    quantile(sorted, 0.5)
}

/// The 95 % interval of a success rate (Wilson 1927).
pub fn wilson_interval(successes: u64, trials: u64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    if trials == 0 {
        return (0.0, 1.0);
    }
    let n = trials as f64;
    let rate = successes as f64 / n;
    let middle = rate + Z * Z / (2.0 * n);
    let half = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}

/// The 95 % interval of the median of sorted values by the percentiles of 9,999 resamples with
/// replacement (Efron 1979); `None` when there are no values. The same seed gives the same interval.
/// Time O(9,999 n).
pub fn bootstrap_interval(sorted: &[f64], seed: u64) -> Option<(f64, f64)> {
    const RESAMPLES: usize = 9_999;
    let last = sorted.len().checked_sub(1)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    // How often each value was drawn: a resample in order, without sorting it.
    let mut drawn = vec![0; sorted.len()];
    let mut medians = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        drawn.fill(0);
        for _ in sorted {
            // The bias of this is below n / 2^64.
            let product = u128::from(random.next_u64()) * sorted.len() as u128;
            drawn[(product >> 64) as usize] += 1;
        }
        let (mut place, mut seen) = (0, drawn[0]);
        let mut value_at = |wanted: usize| {
            while seen <= wanted {
                place += 1;
                seen += drawn[place];
            }
            sorted[place]
        };
        let middle = [value_at(last / 2), value_at(last.div_ceil(2))];
        medians.push(median(&middle));
    }
    let medians = self::sorted(medians);
    Some((quantile(&medians, 0.025), quantile(&medians, 0.975)))
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{Binomial, DiscreteCDF};

    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }

    #[test]
    fn quantiles_and_means() {
        let values = [1.0, 2.0, 4.0, 8.0];
        // numpy.quantile([1, 2, 4, 8], [0.5, 0.25]); scipy.stats.sem([1, 2, 4, 8])
        close(median(&values), 3.0);
        close(quantile(&values, 0.25), 1.75);
        close(mean(&values).0, 3.75);
        close(mean(&values).1, 1.547_847_968_417_226);
        assert_eq!(quantile(&[5.0], 0.9), 5.0);
        assert!(median(&[]).is_nan() && mean(&[1.0]).1.is_nan());
        // Unsolved runs: the median is finite while they are fewer than half.
        let unsolved = f64::INFINITY;
        assert_eq!(median(&sorted([unsolved, 7.0, 3.0])), 7.0);
        assert_eq!(median(&sorted([unsolved, 7.0, unsolved])), unsolved);
        assert_eq!(median(&sorted([3.0, unsolved, 7.0, unsolved])), unsolved);
        assert_eq!(median(&[unsolved; 4]), unsolved);
    }

    #[test]
    fn intervals_of_rates() {
        // scipy.stats.binomtest(8, 10).proportion_ci(method="wilson")
        let (low, high) = wilson_interval(8, 10);
        close(low, 0.490_162_471_536_641_8);
        close(high, 0.943_317_848_545_624_7);
        // scipy.stats.binomtest(0, 30).proportion_ci(method="wilson")
        let (low, high) = wilson_interval(0, 30);
        assert_eq!(low, 0.0);
        close(high, 0.113_513_393_173_968_75);
        assert_eq!(wilson_interval(0, 0), (0.0, 1.0));
        assert!(wilson_interval(150, 150).1 <= 1.0);
    }

    /// The median of a resample of an odd number n of values is at most the k-th of them when more
    /// than half of n draws are among the first k: its percentiles are known without drawing.
    #[test]
    fn bootstrap_intervals_are_those_of_the_exact_bootstrap() {
        let values: Vec<f64> = (0..41).map(|n| f64::from(n * n % 83)).collect();
        let ordered = sorted(values.iter().copied());
        let n = ordered.len();
        let at_most = |k: usize| {
            let law = Binomial::new(k as f64 / n as f64, n as u64).unwrap();
            1.0 - law.cdf(n as u64 / 2)
        };
        let exact = |share: f64| (1..=n).find(|&k| at_most(k) >= share).unwrap() - 1;
        let place = |value: f64| ordered.iter().position(|&own| own >= value).unwrap();
        for seed in 0..3 {
            let (low, high) = bootstrap_interval(&ordered, seed).unwrap();
            assert!(place(low).abs_diff(exact(0.025)) <= 1, "{low}");
            assert!(place(high).abs_diff(exact(0.975)) <= 1, "{high}");
        }
        assert_eq!(bootstrap_interval(&ordered, 1), bootstrap_interval(&ordered, 1));
        assert_eq!(bootstrap_interval(&[2.0], 1), Some((2.0, 2.0)));
        assert_eq!(bootstrap_interval(&[], 1), None);
    }
}
