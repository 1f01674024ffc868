//! Tests whether samples differ by more than chance explains, all of them two-sided.

use statrs::distribution::{
    Binomial, ChiSquared as ChiSquaredLaw, ContinuousCDF, Discrete, DiscreteCDF, Hypergeometric,
    Normal, StudentsT,
};

use super::effects::cliffs_delta;
use super::intervals::{mean, sorted, squared_deviations};

/// Fisher's exact test: with equal success rates, the probability of counts that are as unlikely as
/// these or more so. Counts are (successes, trials).
pub fn fisher_exact(one: (u64, u64), other: (u64, u64)) -> f64 {
    let (trials, successes) = (one.1 + other.1, one.0 + other.0);
    let Ok(law) = Hypergeometric::new(trials, successes, one.1) else { return 1.0 };
    // The probabilities themselves would be quotients of numbers too large for large samples.
    let own = law.ln_pmf(one.0);
    let all = 0..=one.1.min(successes);
    let as_unlikely = all.map(|count| law.ln_pmf(count)).filter(|&ln_p| ln_p <= own + 1e-7);
    as_unlikely.map(f64::exp).sum::<f64>().clamp(0.0, 1.0)
}

/// Pearson's chi-squared test of goodness of fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquared {
    /// The sum of (observed - expected)^2 / expected.
    pub statistic: f64,
    /// The number of cells that are not determined by the others, after small ones were pooled.
    pub degrees: usize,
    /// The probability of a statistic at least as great, were the expected shares the true ones.
    pub p: f64,
}

/// Compares counts with the shares that are expected of them, which add up to 1. Neighbouring cells
/// in which fewer than five are expected are pooled (Cochran 1954).
pub fn chi_squared(observed: &[u64], shares: &[f64]) -> ChiSquared {
    const LEAST_EXPECTED: f64 = 5.0;
    let total = observed.iter().sum::<u64>() as f64;
    let (mut cells, mut open) = (Vec::<(f64, f64)>::new(), (0.0, 0.0));
    for (&observed, &share) in observed.iter().zip(shares) {
        open = (open.0 + observed as f64, open.1 + share * total);
        if open.1 >= LEAST_EXPECTED {
            cells.push(std::mem::take(&mut open));
        }
    }
    // What is left of the tail belongs to the last cell.
    if let Some(last) = cells.last_mut() {
        *last = (last.0 + open.0, last.1 + open.1);
    }
    let statistic =
        cells.iter().map(|(observed, expected)| (observed - expected).powi(2) / expected);
    ChiSquared::new(statistic.sum(), cells.len().saturating_sub(1))
}

impl ChiSquared {
    fn new(statistic: f64, degrees: usize) -> ChiSquared {
        let p = ChiSquaredLaw::new(degrees as f64).map_or(1.0, |law| law.sf(statistic));
        ChiSquared { statistic, degrees, p }
    }

    /// Joins the comparisons of independent samples: both statistics and degrees of freedom add up.
    pub fn joined(fits: &[ChiSquared]) -> ChiSquared {
        ChiSquared::new(
            fits.iter().map(|fit| fit.statistic).sum(),
            fits.iter().map(|fit| fit.degrees).sum(),
        )
    }
}

/// Sign test: were this the true median, the probability that so unequal numbers of values lie on
/// its two sides. Values equal to it are left out.
pub fn sign_test(values: &[f64], median: f64) -> f64 {
    let below = values.iter().filter(|&&value| value < median).count() as u64;
    let above = values.iter().filter(|&&value| value > median).count() as u64;
    match Binomial::new(0.5, below + above) {
        Ok(law) if below + above > 0 => (2.0 * law.cdf(below.min(above))).min(1.0),
        _ => 1.0,
    }
}

/// The signed-rank test of paired samples (Wilcoxon 1945).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// The number of differences other than 0, which alone are ranked.
    pub differences: usize,
    /// The sum of the ranks of the positive differences.
    pub positive: f64,
    /// The sum of the ranks of the negative differences.
    pub negative: f64,
    /// Were the differences symmetric about 0, the probability of rank sums as unequal as these.
    pub p: f64,
}

impl SignedRank {
    /// The matched-pairs rank-biserial correlation (Kerby 2014), from -1 (all differences negative)
    /// to 1 (all positive); 0 when all differences are 0.
    pub fn rank_biserial(&self) -> f64 {
        match self.positive + self.negative {
            0.0 => 0.0,
            all => (self.positive - self.negative) / all,
        }
    }
}

/// Wilcoxon's signed-rank test of the differences of pairs. Differences of 0 are left out, and
/// equal ones share their mean rank. The probability is exact for up to 50 differences that are all
/// distinct and not 0, and for up to 13 of any kind; otherwise it is the normal approximation with
/// the correction for ties and without one for continuity. SciPy's `wilcoxon` does the same.
pub fn wilcoxon_signed_rank(differences: &[f64]) -> SignedRank {
    let mut ordered: Vec<f64> = differences.iter().copied().filter(|&own| own != 0.0).collect();
    ordered.sort_unstable_by(|one, other| one.abs().total_cmp(&other.abs()));
    let mut doubled_ranks: Vec<usize> = Vec::with_capacity(ordered.len());
    let mut ties = 0.0;
    for like in ordered.chunk_by(|one, other| one.abs() == other.abs()) {
        // Twice the mean of the ranks, which is a whole number.
        let rank = 2 * doubled_ranks.len() + like.len() + 1;
        doubled_ranks.extend(like.iter().map(|_| rank));
        let count = like.len() as f64;
        ties += count.powi(3) - count;
    }
    let sum = |is: fn(f64) -> bool| -> usize {
        let ranks = doubled_ranks.iter().zip(&ordered);
        ranks.filter(|&(_, &difference)| is(difference)).map(|(rank, _)| rank).sum()
    };
    let (positive, negative) = (sum(|own| own > 0.0), sum(|own| own < 0.0));
    let (all, ranked) = (differences.len(), ordered.len());
    let has_ties = ties > 0.0 || ranked < all;
    let p = if all <= 13 || (all <= 50 && !has_ties) {
        exact_probability(&doubled_ranks, positive.min(negative))
    } else {
        let n = ranked as f64;
        let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - ties / 2.0) / 24.0;
        let z = (positive as f64 - negative as f64) / 4.0 / variance.sqrt();
        if ranked == 0 { 1.0 } else { 2.0 * Normal::standard().sf(z.abs()) }
    };
    let halved = |doubled: usize| doubled as f64 / 2.0;
    let (positive, negative) = (halved(positive), halved(negative));
    SignedRank { differences: ranked, positive, negative, p }
}

/// Twice the probability that random signs give the positive ranks a sum of at most this one.
fn exact_probability(ranks: &[usize], least: usize) -> f64 {
    // The number of choices of signs for each sum. Up to 2^50, so that no count is rounded.
    let mut choices = vec![0.0; ranks.iter().sum::<usize>() + 1];
    choices[0] = 1.0;
    for &rank in ranks {
        for sum in (rank..choices.len()).rev() {
            choices[sum] += choices[sum - rank];
        }
    }
    let as_small: f64 = choices[..=least].iter().sum();
    (2.0 * as_small / 2f64.powi(ranks.len() as i32)).min(1.0)
}

/// The Mann-Whitney test of rank sums (1947): were both samples of one law, the probability that as
/// unequal numbers of pairs have the greater value in either. Equal values share their mean rank.
/// The probability is exact for up to 40 values in both samples together: the share of all ways to
/// choose the first sample among the values that are as unequal. Otherwise it is the normal
/// approximation with the correction for ties and without one for continuity, as SciPy's
/// `mannwhitneyu` with `method='asymptotic'`. Unsolved runs may take part as infinity. 1 when a
/// sample is empty or all values are equal. Time O(n log n) for large samples.
pub fn mann_whitney(one: &[f64], other: &[f64]) -> f64 {
    const MOST_EXACT: usize = 40;
    let Some(delta) = cliffs_delta(one, other) else { return 1.0 };
    let (m, n) = (one.len() as f64, other.len() as f64);
    let all = sorted(one.iter().chain(other).copied());
    if all.len() <= MOST_EXACT {
        return exact_rank_sum(&all, one);
    }
    let ties =
        all.chunk_by(|a, b| a == b).map(|equal| (equal.len() as f64).powi(3) - equal.len() as f64);
    let total = m + n;
    let variance = m * n / 12.0 * (total + 1.0 - ties.sum::<f64>() / (total * (total - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    // U less its mean is half of delta's pairs.
    let z = (delta * m * n / 2.0).abs() / variance.sqrt();
    (2.0 * Normal::standard().sf(z)).min(1.0)
}

/// The share of all samples of this size, drawn without replacement from sorted values, whose sum
/// of ranks is at least as far from its mean as that of `sample`.
fn exact_rank_sum(all: &[f64], sample: &[f64]) -> f64 {
    let size = sample.len();
    // Twice the mean of the ranks of equal values, which is a whole number.
    let doubled = |&value: &f64| {
        let below = all.partition_point(|&own| own < value);
        below + all.partition_point(|&own| own <= value) + 1
    };
    let ranks: Vec<usize> = all.iter().map(doubled).collect();
    let own: usize = sample.iter().map(doubled).sum();
    // The number of samples by size and sum. Below 2^40, so that no count is rounded.
    let sums = ranks.iter().sum::<usize>() + 1;
    let mut ways = vec![vec![0.0; sums]; size + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        for count in (1..=size).rev() {
            for sum in rank..sums {
                ways[count][sum] += ways[count - 1][sum - rank];
            }
        }
    }
    let mean = size * (all.len() + 1);
    let is_as_far = |sum: usize| sum.abs_diff(mean) >= own.abs_diff(mean);
    let as_far = ways[size].iter().enumerate().filter(|&(sum, _)| is_as_far(sum));
    as_far.map(|(_, ways)| ways).sum::<f64>() / ways[size].iter().sum::<f64>()
}

/// Probabilities of several tests, adjusted so that with none of the differences real, any of them
/// is below a level no more often than that (Holm 1979). In the order given.
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&one, &other| probabilities[one].total_cmp(&probabilities[other]));
    let mut adjusted = vec![1.0; probabilities.len()];
    let mut greatest: f64 = 0.0;
    for (place, test) in order.into_iter().enumerate() {
        let tests_left = (probabilities.len() - place) as f64;
        greatest = greatest.max(tests_left * probabilities[test]).min(1.0);
        adjusted[test] = greatest;
    }
    adjusted
}

/// A t-test of the means of two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TTest {
    /// The difference of the means in its standard errors.
    pub t: f64,
    /// Degrees of freedom.
    pub degrees: f64,
    /// Were the means equal, the probability of a difference as large.
    pub p: f64,
}

/// Student's t-test (1908), which takes the variances of the two samples for equal. `None` when it
/// is not defined: for samples of one value or none, or without any variance.
pub fn student_t_test(one: &[f64], other: &[f64]) -> Option<TTest> {
    let degrees = (one.len() + other.len()).checked_sub(2)? as f64;
    let pooled = (squared_deviations(one) + squared_deviations(other)) / degrees;
    let error = (pooled / one.len() as f64 + pooled / other.len() as f64).sqrt();
    let law = StudentsT::new(0.0, 1.0, degrees).ok()?;
    let t = (mean(one).0 - mean(other).0) / error;
    t.is_finite().then(|| TTest { t, degrees, p: 2.0 * law.sf(t.abs()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }

    #[test]
    fn chi_squared_is_that_of_pearson() {
        // With two degrees of freedom, the probability is exp(-statistic / 2).
        let fit = chi_squared(&[10, 20, 30], &[1.0 / 3.0; 3]);
        assert!((fit.statistic - 10.0).abs() < 1e-12 && fit.degrees == 2);
        assert!((fit.p - (-5.0f64).exp()).abs() < 1e-12);
        // Cells in which fewer than five are expected are pooled, those of the tail with the last
        // one.
        let fit = chi_squared(&[1, 1, 48, 47, 2, 1], &[0.02, 0.04, 0.44, 0.46, 0.02, 0.02]);
        assert_eq!(fit.degrees, 2);
        let expected = 16.0 / 6.0 + 16.0 / 44.0 + 0.0;
        assert!((fit.statistic - expected).abs() < 1e-9, "{}", fit.statistic);
    }

    #[test]
    fn rates_and_signs() {
        // scipy.stats.fisher_exact([[3, 1], [1, 3]]), the lady tasting tea
        close(fisher_exact((3, 4), (1, 4)), 0.485_714_285_714_285_65);
        // scipy.stats.fisher_exact([[4, 0], [0, 4]])
        close(fisher_exact((4, 4), (0, 4)), 0.028_571_428_571_428_567);
        // scipy.stats.fisher_exact([[40, 110], [61, 89]])
        close(fisher_exact((40, 150), (61, 150)), 0.014_346_073_658_712_254);
        close(fisher_exact((150, 150), (150, 150)), 1.0);
        // scipy.stats.fisher_exact([[57, 99943], [42, 99958]])
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} and {b}");
        near(fisher_exact((57, 100_000), (42, 100_000)), 0.158_966_461_444_385_75);
        // scipy.stats.fisher_exact([[18100, 81900], [18362, 81638]])
        near(fisher_exact((18_100, 100_000), (18_362, 100_000)), 0.130_644_600_649_641_76);
        // scipy.stats.mannwhitneyu([i * 7 % 23 for i in range(25)],
        //                          [i * 5 % 19 for i in range(20)],
        //                          method='asymptotic', use_continuity=False).pvalue
        let residues = |count: u32, factor: u32, modulus: u32| -> Vec<f64> {
            (0..count).map(|i| f64::from(i * factor % modulus)).collect()
        };
        close(mann_whitney(&residues(25, 7, 23), &residues(20, 5, 19)), 0.378_696_114_820_848_3);
        close(mann_whitney(&[1.0], &[1.0]), 1.0);
        // scipy.stats.binomtest(2, 10)
        let signs = [1.0, 1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 2.0];
        close(sign_test(&signs, 2.0), 0.109_375);
        close(sign_test(&[2.0], 2.0), 1.0);
    }

    /// `scipy.stats.wilcoxon(x, correction=False)`, SciPy 1.17.1; the sum of positive ranks is the
    /// statistic of `alternative="greater"`.
    #[test]
    fn signed_ranks_are_those_of_scipy() {
        let residues = |count: u32, factor: u32, modulus: u32, shift: f64, step: f64| {
            let value = move |i: u32| f64::from(i * factor % modulus) - shift + f64::from(i) * step;
            (0..count).map(value).collect::<Vec<f64>>()
        };
        for (sample, positive, p) in [
            // Exact: [6.5, -1.25, 3, 4.75, -2, 9, 8.25, 1.5]
            (vec![6.5, -1.25, 3.0, 4.75, -2.0, 9.0, 8.25, 1.5], 32.0, 0.054_687_5),
            // Ties and a zero, all signs tried: [1, 2, -1, 3, 3, 0, 2, 5, 1, -2, 4, 1]
            (vec![1.0, 2.0, -1.0, 3.0, 3.0, 0.0, 2.0, 5.0, 1.0, -2.0, 4.0, 1.0], 57.5, 0.031_25),
            // Exact: [i * 7 % 23 - 8.5 + i / 100 for i in range(30)]
            (residues(30, 7, 23, 8.5, 0.01), 329.0, 0.047_259_049_490_094_185),
            // Normal, with ties and zeros: [i * 7 % 11 - 4 for i in range(14)], and range(40)
            (residues(14, 7, 11, 4.0, 0.0), 55.5, 0.482_899_697_780_191_6),
            (residues(40, 7, 11, 4.0, 0.0), 480.0, 0.051_638_863_653_369_09),
            // Normal: [i * 37 % 101 - 40.5 + i / 1000 for i in range(60)]
            (residues(60, 37, 101, 40.5, 0.001), 1217.0, 0.026_202_040_064_692_42),
        ] {
            let test = wilcoxon_signed_rank(&sample);
            close(test.positive, positive);
            close(test.p, p);
            let count = test.differences as f64;
            close(test.positive + test.negative, count * (count + 1.0) / 2.0);
        }
        let same = wilcoxon_signed_rank(&[0.0; 20]);
        assert_eq!((same.differences, same.p, same.rank_biserial()), (0, 1.0, 0.0));
        // (32 - 4) / 36
        let test = wilcoxon_signed_rank(&[6.5, -1.25, 3.0, 4.75, -2.0, 9.0, 8.25, 1.5]);
        close(test.rank_biserial(), 28.0 / 36.0);
    }

    /// Against all choices of signs.
    #[test]
    fn exact_probabilities_are_those_of_all_signs() {
        for sample in [vec![1.0, -1.0, 2.0, 2.0, 5.0], vec![3.0; 9], vec![-1.0, 2.0, 3.0, 4.0]] {
            let own = wilcoxon_signed_rank(&sample);
            let sums = (0..1u32 << sample.len()).map(|signs| {
                let flipped =
                    sample.iter().enumerate().map(|(place, value)| match signs >> place & 1 {
                        0 => value.abs(),
                        _ => -value.abs(),
                    });
                wilcoxon_signed_rank(&flipped.collect::<Vec<_>>()).positive
            });
            let least = own.positive.min(own.negative);
            let as_small = sums.filter(|&sum| sum <= least).count() as f64;
            close(own.p, (2.0 * as_small / f64::from(1u32 << sample.len())).min(1.0));
        }
    }

    /// Against all ways to choose the first sample.
    #[test]
    fn exact_rank_sums_are_those_of_all_samples() {
        let (a, b) = ([6.0, 7.0, 7.0, 8.0, 9.0, 12.0, 12.0], [6.0, 6.0, 6.0, 7.0, 8.0, 8.0]);
        let never = f64::INFINITY;
        for (one, other) in [
            (&a[..], &b[..]),
            (&[45.0; 4], &[never; 4]),
            (&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0, 7.0]),
            (&[2.0, 2.0], &[2.0, 2.0, 2.0]),
        ] {
            let all: Vec<f64> = one.iter().chain(other).copied().collect();
            let chosen = |set: u32, is: bool| -> Vec<f64> {
                let numbered = all.iter().enumerate();
                numbered.filter(|(nth, _)| (set >> nth & 1 == 1) == is).map(|(_, v)| *v).collect()
            };
            let own = cliffs_delta(one, other).unwrap().abs();
            let sets = (0..1u32 << all.len()).filter(|set| set.count_ones() == one.len() as u32);
            let (mut count, mut as_far) = (0, 0);
            for set in sets {
                let delta = cliffs_delta(&chosen(set, true), &chosen(set, false)).unwrap().abs();
                count += 1;
                as_far += u32::from(delta >= own - 1e-9);
            }
            close(mann_whitney(one, other), f64::from(as_far) / f64::from(count));
        }
        // 2 of the 70 samples, and 2 of 35.
        close(mann_whitney(&[45.0; 4], &[never; 4]), 2.0 / 70.0);
        close(mann_whitney(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0, 7.0]), 2.0 / 35.0);
    }

    #[test]
    fn holm_adjusts_in_the_order_given() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
        for (own, expected) in
            holm(&[0.01, 0.04, 0.03, 0.005]).into_iter().zip([0.03, 0.06, 0.06, 0.02])
        {
            close(own, expected);
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn t_tests_are_those_of_scipy() {
        let (one, other) = ([12.1, 15.3, 9.7, 11.0, 14.2], [8.8, 10.1, 9.9, 7.5]);
        // scipy.stats.ttest_ind(one, other)
        let student = student_t_test(&one, &other).unwrap();
        close(student.t, 2.656_373_024_457_678);
        close(student.degrees, 7.0);
        close(student.p, 0.032_638_423_996_466_78);
        for undefined in [&[1.0][..], &[], &[2.0, 2.0]] {
            assert_eq!(student_t_test(undefined, undefined), None);
        }
    }
}
