//! Means, quantiles and rates, with their intervals.

use statrs::distribution::{Binomial, Discrete, DiscreteCDF};

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

/// The 95 % interval of the median of sorted values by the percentiles of the bootstrap (Efron
/// 1979), which are computed from the law of a resample's median instead of drawing resamples;
/// `None` when there are no values. Time O(n), and O(60 n) for an even number of values.
pub fn bootstrap_interval(sorted: &[f64]) -> Option<(f64, f64)> {
    let law = MedianLaw::new(sorted)?;
    Some((law.quantile(0.025), law.quantile(0.975)))
}

/// The law of the median of n draws with replacement from n values (Maritz and Jarrett 1978).
struct MedianLaw<'a> {
    sorted: &'a [f64],
    /// For k = 0 to n, how likely more than half of the draws are among the first k values.
    most_among: Vec<f64>,
    /// For k = 0 to n, how likely exactly half of the draws are among the first k values. All zero
    /// where n is odd.
    half_among: Vec<f64>,
}

impl<'a> MedianLaw<'a> {
    fn new(sorted: &'a [f64]) -> Option<MedianLaw<'a>> {
        let n = sorted.len();
        let draws = (n > 0).then_some(n as u64)?;
        let among =
            |k: usize| Binomial::new(k as f64 / n as f64, draws).expect("k / n is a probability");
        let most_among = (0..=n).map(|k| among(k).sf(draws / 2)).collect();
        let half = |k| if n.is_multiple_of(2) { among(k).pmf(draws / 2) } else { 0.0 };
        Some(MedianLaw { sorted, most_among, half_among: (0..=n).map(half).collect() })
    }

    /// The least median that is not exceeded with this probability.
    fn quantile(&self, share: f64) -> f64 {
        let place = self.sorted.partition_point(|&value| self.at_most(value) < share);
        let Some(&above) = self.sorted.get(place) else {
            return self.sorted[self.sorted.len() - 1];
        };
        // The mean of two values may lie between two others.
        let (mut below, mut above) = match place.checked_sub(1) {
            Some(before) if self.sorted.len().is_multiple_of(2) => (self.sorted[before], above),
            _ => return above,
        };
        loop {
            let middle = median(&[below, above]);
            if middle <= below || middle >= above {
                return above;
            } else if self.at_most(middle) < share {
                below = middle;
            } else {
                above = middle;
            }
        }
    }

    /// How likely the median of a resample is at most this.
    fn at_most(&self, most: f64) -> f64 {
        let n = self.sorted.len();
        let first = self.sorted.partition_point(|&value| value <= most);
        if n % 2 == 1 {
            return self.most_among[first];
        }
        // The lower of the two in the middle is the k-th value, and the upper one among the first
        // `upper`, which become fewer as k grows.
        let mut upper = n;
        let kth = |k: usize| {
            let lower = self.sorted[k - 1];
            while median(&[lower, self.sorted[upper - 1]]) > most {
                upper -= 1;
            }
            self.both_among(k, upper) - self.both_among(k - 1, upper)
        };
        (1..=first).map(kth).sum()
    }

    /// How likely the lower of the two draws in the middle is among the first `lower` values, and
    /// the upper one among the first `upper`, which are at least as many.
    fn both_among(&self, lower: usize, upper: usize) -> f64 {
        let n = self.sorted.len();
        // When half of the draws are among the first, the others may not all be beyond.
        let beyond = match n - lower {
            0 => 0.0,
            rest => ((n - upper) as f64 / rest as f64).powf(n as f64 / 2.0),
        };
        self.most_among[lower] + self.half_among[lower] * (1.0 - beyond)
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_testkit::Random;

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

    /// The medians of all n^n resamples, in order.
    fn medians_of_all_resamples(sorted: &[f64]) -> Vec<f64> {
        let n = sorted.len();
        let resample = |number: usize| {
            let digits = (0..n as u32).map(|digit| number / n.pow(digit) % n);
            median(&self::sorted(digits.map(|digit| sorted[digit])))
        };
        self::sorted((0..n.pow(n as u32)).map(resample))
    }

    #[test]
    fn the_law_of_medians_is_that_of_all_resamples() {
        const UNSOLVED: f64 = f64::INFINITY;
        for values in [
            &[2.0][..],
            &[1.0, 4.0],
            &[3.0, 3.0],
            &[5.0, UNSOLVED],
            &[1.0, 2.0, 5.0],
            &[1.0, 2.0, 7.5, 8.0],
            &[1.0, 6.0, 6.0, 6.0],
            &[4.0, 9.0, UNSOLVED, UNSOLVED],
            &[-3.0, 1.0, 2.0, 5.0, 11.0],
            &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
            &[1.0, 1.0, 3.0, 3.0, 3.5, UNSOLVED],
            &[1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0],
        ] {
            let medians = medians_of_all_resamples(values);
            let law = MedianLaw::new(values).unwrap();
            // 101 divides no number of resamples: none of these shares is that of whole resamples.
            for share in (0..101).map(|number| (f64::from(number) + 0.5) / 101.0) {
                let expected = medians[(share * medians.len() as f64) as usize];
                assert_eq!(law.quantile(share), expected, "{share}: {values:?}");
            }
        }
        assert_eq!(bootstrap_interval(&[]), None);
    }

    /// Too many for all resamples: some of them, drawn.
    #[test]
    fn bootstrap_intervals_of_many_values_are_those_of_drawn_resamples() {
        const RESAMPLES: usize = 9_999;
        let mut random = Random::new(5);
        for n in [40, 41] {
            let values = sorted((0..n).map(|value| f64::from(value * value % 83)));
            let mut resample = || {
                let drawn = values.iter().map(|_| values[random.below(values.len())]);
                median(&sorted(drawn))
            };
            let medians = sorted((0..RESAMPLES).map(|_| resample()));
            let (low, high) = bootstrap_interval(&values).unwrap();
            for (share, found) in [(0.025, low), (0.975, high)] {
                // Four standard errors of a share.
                let [least, most] = [-0.0063, 0.0063].map(|off| quantile(&medians, share + off));
                assert!((least..=most).contains(&found), "{n}: {least} to {most}, {found}");
            }
        }
    }
}
