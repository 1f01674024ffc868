//! The few statistics that comparisons need.

use statrs::distribution::{Binomial, Discrete, DiscreteCDF, Hypergeometric};

/// The value below which a share of sorted values lies, between two of them in proportion (type 7 of Hyndman and
/// Fan 1996); not a number when there are none.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// The median of sorted values.
pub(crate) fn median(sorted: &[f64]) -> f64 {
    quantile(sorted, 0.5)
}

/// The 95 % interval of a success rate (Wilson 1927).
pub(crate) fn wilson_interval(successes: u64, trials: u64) -> (f64, f64) {
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

/// Fisher's exact test, two-sided: with equal success rates, the probability of counts that are as unlikely as these
/// or more so. Counts are (successes, trials).
pub(crate) fn fisher_exact(one: (u64, u64), other: (u64, u64)) -> f64 {
    let (trials, successes) = (one.1 + other.1, one.0 + other.0);
    let Ok(law) = Hypergeometric::new(trials, successes, one.1) else { return 1.0 };
    let own = law.pmf(one.0);
    let all = 0..=one.1.min(successes);
    let as_unlikely = all.map(|count| law.pmf(count)).filter(|&p| p <= own * (1.0 + 1e-9));
    as_unlikely.sum::<f64>().min(1.0)
}

/// Sign test, two-sided: were this the true median, the probability that so unequal numbers of values lie on its two
/// sides. Values equal to it are left out.
pub(crate) fn sign_test(values: &[f64], median: f64) -> f64 {
    let below = values.iter().filter(|&&value| value < median).count() as u64;
    let above = values.iter().filter(|&&value| value > median).count() as u64;
    match Binomial::new(0.5, below + above) {
        Ok(law) if below + above > 0 => (2.0 * law.cdf(below.min(above))).min(1.0),
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-4, "{a} and {b}");
    }

    #[test]
    fn textbook_values() {
        let values = [1.0, 2.0, 4.0, 8.0];
        close(median(&values), 3.0);
        close(quantile(&values, 0.25), 1.75);
        close(quantile(&[5.0], 0.9), 5.0);
        assert!(median(&[]).is_nan());
        // R: prop.test(8, 10, correct = FALSE)
        let (low, high) = wilson_interval(8, 10);
        close(low, 0.49016);
        close(high, 0.94331);
        assert_eq!(wilson_interval(0, 0), (0.0, 1.0));
        assert!(wilson_interval(150, 150).1 <= 1.0);
        // Fisher's lady tasting tea: 3 of 4 right.
        close(fisher_exact((3, 4), (1, 4)), 0.485714);
        close(fisher_exact((4, 4), (0, 4)), 0.028571);
        close(fisher_exact((150, 150), (150, 150)), 1.0);
        // R: binom.test(2, 10)
        let signs = [1.0, 1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 2.0];
        close(sign_test(&signs, 2.0), 0.109375);
        close(sign_test(&[2.0], 2.0), 1.0);
    }
}
