//! The numbering of arrangements of tokens, some of which may be indistinguishable.

/// The binomial coefficients of `n <= 64`, which are 0 for `k > n`.
///
/// 65 x 65 numbers of 8 bytes: 33 KiB.
static BINOMIALS: [[u64; 65]; 65] = {
    let mut table = [[0; 65]; 65];
    let mut n = 0;
    while n <= 64 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + if k < n { table[n - 1][k] } else { 0 };
            k += 1;
        }
        n += 1;
    }
    table
};

/// Returns the binomial coefficient n over k for `n <= 64`, at most 1.8e18.
pub fn binomial(n: usize, k: usize) -> u64 {
    if k > n { 0 } else { BINOMIALS[n][k] }
}

/// Returns the rank of a subset of `0..64` in the colexicographic order of the subsets of its size.
pub fn subset_rank(subset: u64) -> u64 {
    let mut rest = subset;
    let mut rank = 0;
    for taken in 1..=subset.count_ones() as usize {
        rank += binomial(rest.trailing_zeros() as usize, taken);
        rest &= rest - 1;
    }
    rank
}

/// Returns the subset with this rank and size, the inverse of [`subset_rank`].
pub fn subset_unrank(mut rank: u64, size: usize) -> u64 {
    let mut subset = 0;
    let mut place = 64;
    for left in (1..=size).rev() {
        place = (0..place).rev().find(|&p| binomial(p, left) <= rank).unwrap_or(0);
        rank -= binomial(place, left);
        subset |= 1 << place;
    }
    subset
}

/// All ways to put tokens of given classes on a row of places, numbered `0..count`.
///
/// The number is a mixed-radix code: the rank of the places of class 0 among all places, then that
/// of class 1 among the places left, and so on. A slide takes a token out of the row and puts it
/// back at another place, which changes few of the digits: as a permutation of the numbers, it
/// moves them by few different distances (at most 12 for five tokens of which two are
/// indistinguishable, where the lexicographic order has up to 48). A machine word of arrangements
/// is permuted by one shift for each distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangements {
    /// The number of tokens of each class.
    multiplicities: Vec<usize>,
    /// For each class, the number of arrangements of this class and all later ones.
    weights: Vec<u64>,
    places: usize,
    count: u64,
}

impl Arrangements {
    /// Returns the arrangements of `multiplicities[c]` tokens of each class `c`, or `None` if there
    /// are more than 64 tokens or more than 2^63 arrangements.
    pub fn new(multiplicities: &[usize]) -> Option<Arrangements> {
        let places: usize = multiplicities.iter().sum();
        if places > 64 {
            return None;
        }
        let mut weights = vec![1u64; multiplicities.len()];
        let mut count = 1u64;
        let mut left = 0;
        for (class, &multiplicity) in multiplicities.iter().enumerate().rev() {
            weights[class] = count;
            left += multiplicity;
            count = count.checked_mul(binomial(left, multiplicity))?;
        }
        (count < 1 << 63).then(|| Arrangements {
            multiplicities: multiplicities.to_vec(),
            weights,
            places,
            count,
        })
    }

    /// Returns the number of arrangements: a multinomial coefficient, at least 1.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the factor of each class's digit in a rank.
    pub(crate) fn weights(&self) -> &[u64] {
        &self.weights
    }

    /// Returns the length of the row, which is the number of tokens.
    pub fn places(&self) -> usize {
        self.places
    }

    /// Returns the number of tokens of each class.
    pub fn multiplicities(&self) -> &[usize] {
        &self.multiplicities
    }

    /// Returns the number of a row of classes, or `None` if the row does not have the right number
    /// of tokens of each class.
    ///
    /// Takes time O(places + classes).
    pub fn try_rank(&self, row: &[u8]) -> Option<u64> {
        if row.len() != self.places {
            return None;
        }
        let mut places_of = [0u64; 64];
        for (place, &class) in row.iter().enumerate() {
            *places_of.get_mut(class as usize)? |= 1 << place;
        }
        let mut free = if self.places == 64 { u64::MAX } else { (1 << self.places) - 1 };
        let mut rank = 0;
        for ((&of_class, &weight), &multiplicity) in
            places_of.iter().zip(&self.weights).zip(&self.multiplicities)
        {
            let (mut digit, mut taken, mut rest) = (0, 0, of_class);
            while rest != 0 {
                let before = (rest & rest.wrapping_neg()) - 1;
                taken += 1;
                digit += binomial((free & before).count_ones() as usize, taken);
                rest &= rest - 1;
            }
            if taken != multiplicity {
                return None;
            }
            free &= !of_class;
            rank += digit * weight;
        }
        Some(rank)
    }

    /// Returns the number of a row of classes.
    ///
    /// # Panics
    ///
    /// Panics if the row does not have the right number of tokens of each class.
    pub fn rank(&self, row: &[u8]) -> u64 {
        self.try_rank(row).expect("the row has the right number of tokens of each class")
    }

    /// Writes the arrangement with this number, which must be below [`Arrangements::count`], to
    /// `row`.
    pub fn unrank(&self, mut rank: u64, row: &mut [u8]) {
        assert!(rank < self.count && row.len() == self.places);
        let mut free = if self.places == 64 { u64::MAX } else { (1 << self.places) - 1 };
        for (class, &multiplicity) in self.multiplicities.iter().enumerate() {
            let subset = subset_unrank(rank / self.weights[class], multiplicity);
            rank %= self.weights[class];
            let (mut rest, mut place) = (free, 0);
            while rest != 0 {
                let at = rest.trailing_zeros();
                if subset >> place & 1 == 1 {
                    row[at as usize] = class as u8;
                    free &= !(1 << at);
                }
                place += 1;
                rest &= rest - 1;
            }
        }
    }

    /// Returns, for each arrangement, the one that becomes it if the token at place `from` is taken
    /// out and put back at place `to`. Takes time and memory O(count).
    pub(crate) fn sources_of_shift(&self, from: usize, to: usize) -> Vec<u32> {
        let mut row = vec![0; self.places];
        (0..self.count)
            .map(|target| {
                self.unrank(target, &mut row);
                shift(&mut row, to, from);
                self.rank(&row) as u32
            })
            .collect()
    }
}

/// Takes the entry at `from` out of the row and puts it back at `to`.
pub(crate) fn shift<T>(row: &mut [T], from: usize, to: usize) {
    if from <= to { row[from..=to].rotate_left(1) } else { row[to..=from].rotate_right(1) }
}

/// Returns whether the row has an odd number of inversions.
pub(crate) fn is_odd(row: &[u8]) -> bool {
    let inversions: usize = row
        .iter()
        .enumerate()
        .map(|(place, class)| row[place + 1..].iter().filter(|&later| later < class).count())
        .sum();
    inversions % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_own_number() {
        for multiplicities in
            [&[1usize][..], &[2], &[1, 1], &[1, 2], &[1, 1, 1, 2], &[3, 2, 1], &[1; 6], &[0, 2, 2]]
        {
            let all = Arrangements::new(multiplicities).unwrap();
            let mut rows = std::collections::BTreeSet::new();
            let mut row = vec![0; all.places()];
            for rank in 0..all.count() {
                all.unrank(rank, &mut row);
                assert_eq!(all.rank(&row), rank, "{multiplicities:?} {row:?}");
                for (class, &multiplicity) in multiplicities.iter().enumerate() {
                    let found = row.iter().filter(|&&c| c as usize == class).count();
                    assert_eq!(found, multiplicity, "{multiplicities:?} {row:?}");
                }
                rows.insert(row.clone());
            }
            assert_eq!(all.try_rank(&row[1..]), None, "{multiplicities:?}");
            for class in [multiplicities.len() as u8, 64, u8::MAX] {
                row[0] = class;
                assert_eq!(all.try_rank(&row), None, "{multiplicities:?} {class}");
            }
            let factorial = |n: usize| (1..=n as u64).product::<u64>();
            let alike: u64 = multiplicities.iter().map(|&m| factorial(m)).product();
            assert_eq!(rows.len() as u64, factorial(all.places()) / alike);
        }
    }

    #[test]
    fn long_rows_are_numbered_or_refused() {
        let all = Arrangements::new(&[32, 32]).unwrap();
        assert_eq!(all.count(), 1_832_624_140_942_590_534);
        let mut row = vec![0; 64];
        for rank in [0, 1, 999_999_999_999, all.count() - 1] {
            all.unrank(rank, &mut row);
            assert_eq!(all.rank(&row), rank);
        }
        assert_eq!(Arrangements::new(&[1; 21]), None);
        assert_eq!(Arrangements::new(&[33, 32]), None);
    }

    #[test]
    fn subsets_are_numbered_in_order() {
        for size in 0..=5 {
            let subsets: Vec<u64> = (0..1u64 << 9).filter(|s| s.count_ones() == size).collect();
            for (rank, &subset) in subsets.iter().enumerate() {
                assert_eq!(subset_rank(subset), rank as u64);
                assert_eq!(subset_unrank(rank as u64, size as usize), subset);
            }
        }
    }

    #[test]
    fn a_shift_moves_numbers_by_few_distances() {
        // The promise of the documentation: what makes permuting a word of arrangements cheap.
        let all = Arrangements::new(&[1, 1, 1, 2]).unwrap();
        for (from, to) in (0..5).flat_map(|from| (0..5).map(move |to| (from, to))) {
            let sources = all.sources_of_shift(from, to);
            let distances: std::collections::BTreeSet<i64> = sources
                .iter()
                .zip(0..)
                .map(|(&source, target)| target - i64::from(source))
                .collect();
            assert!(distances.len() <= 12, "{from} to {to}: {}", distances.len());
        }
    }
}
