//! Short products of given permutations that make a wanted one.

use rand_xoshiro::rand_core::Rng;

use crate::permutation::Permutation;

/// A factor of a product: a given permutation or its inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Factor {
    /// The number of the given permutation.
    pub generator: u32,
    /// Whether the factor is its inverse.
    pub inverse: bool,
}

/// A table with, for each point of a base and each image of it, a cheap product that takes the
/// point to this image and fixes all earlier base points (Minkwitz, An algorithm for solving the
/// factorization problem in permutation groups, 1998). Each generator has a cost; the cost of a
/// product is the sum of its generators' costs.
///
/// Every element found is in the group. The converse holds only after enough calls of
/// [`GroupWords::combine`]; generators that were too costly when they were inserted have to be
/// inserted again.
#[derive(Clone, Debug)]
pub(crate) struct GroupWords {
    base: Vec<usize>,
    /// The products, as `words[level][image]`.
    words: Vec<Vec<Option<GroupWord>>>,
    /// The greatest cost of a product that is considered.
    most: u64,
}

#[derive(Clone, Debug)]
struct GroupWord {
    permutation: Permutation,
    factors: Vec<Factor>,
    cost: u64,
}

impl GroupWord {
    fn inverse(&self) -> GroupWord {
        let back = |factor: &Factor| Factor { inverse: !factor.inverse, ..*factor };
        GroupWord {
            permutation: self.permutation.inverse(),
            factors: self.factors.iter().rev().map(back).collect(),
            cost: self.cost,
        }
    }

    fn then(&self, next: &GroupWord) -> GroupWord {
        GroupWord {
            permutation: self.permutation.then(&next.permutation),
            factors: [&self.factors[..], &next.factors].concat(),
            cost: self.cost + next.cost,
        }
    }
}

impl GroupWords {
    /// The greatest cost of a word at first, in multiples of the costliest generator's.
    const FIRST_MOST: u64 = 8;
    /// How many times [`GroupWords::most`] a word may cost that [`GroupWords::enlarge_orbit`]
    /// finds.
    const ORBIT_SLACK: u64 = 8;

    /// Returns the table of the trivial group with the base points in this order, which must
    /// contain every point exactly once.
    pub fn new(base: &[usize]) -> GroupWords {
        let words = vec![vec![None; base.len()]; base.len()];
        GroupWords { base: base.to_vec(), words, most: 0 }
    }

    /// Adds a generator and returns whether the table has changed.
    pub fn insert(&mut self, permutation: Permutation, generator: u32, cost: u64) -> bool {
        self.most = self.most.max(cost * GroupWords::FIRST_MOST);
        let factors = vec![Factor { generator, inverse: false }];
        self.sift(0, GroupWord { permutation, factors, cost })
    }

    /// Doubles the greatest cost of a word, adds the products of every two words of each level and
    /// of each word with randomly drawn words of later levels, and then completes the orbit of each
    /// base point by the words of its own and later levels.
    ///
    /// Cost: some n^3 products of a few us each for n points; 0.2 s for 32 points.
    pub fn combine(&mut self, random: &mut impl Rng, stop: &dyn Fn() -> bool) {
        self.most = self.most.saturating_mul(2);
        let mut later: Vec<GroupWord> = Vec::new();
        for level in (0..self.base.len()).rev() {
            let words: Vec<GroupWord> = self.words[level].iter().flatten().cloned().collect();
            for first in &words {
                if stop() {
                    return;
                }
                let drawn = (0..words.len().min(later.len()))
                    .map(|_| &later[(random.next_u64() % later.len() as u64) as usize]);
                for second in words.iter().chain(drawn) {
                    if first.cost + second.cost <= self.most {
                        self.sift(level, first.then(second));
                    }
                }
            }
            later.extend(self.words[level].iter().flatten().cloned());
            self.enlarge_orbit(level, &later);
        }
    }

    /// Finds the cheapest word from the base point of a level to each point, by extending the words
    /// of the level with these words.
    fn enlarge_orbit(&mut self, level: usize, by: &[GroupWord]) {
        let most = self.most.saturating_mul(GroupWords::ORBIT_SLACK);
        let base = self.base[level];
        let words = &mut self.words[level];
        let mut open: Vec<usize> =
            (0..words.len()).filter(|&point| words[point].is_some()).collect();
        while let Some(point) = open.pop() {
            for next in by {
                let Some(word) = &words[point] else { continue };
                let image = next.permutation.image(point);
                let cost = word.cost + next.cost;
                let is_better = |known: &GroupWord| cost < known.cost;
                if image != base && cost <= most && words[image].as_ref().is_none_or(is_better) {
                    words[image] = Some(word.then(next));
                    open.push(image);
                }
            }
        }
    }

    /// Sifts a word that fixes the base points before a level: keeps it where it is the first or
    /// the cheapest of its image, and otherwise continues with the remainder on the next level.
    /// Returns whether any word was kept.
    fn sift(&mut self, level: usize, mut word: GroupWord) -> bool {
        let mut is_kept = false;
        for (&base, words) in self.base.iter().zip(&mut self.words).skip(level) {
            let image = word.permutation.image(base);
            if image == base {
                continue;
            }
            let inverse = word.inverse();
            let back = inverse.permutation.image(base);
            if words[back].as_ref().is_none_or(|known| inverse.cost < known.cost) {
                words[back] = Some(inverse);
                is_kept = true;
            }
            let Some(known) = &mut words[image] else {
                words[image] = Some(word);
                return true;
            };
            let rest = word.then(&known.inverse());
            if word.cost < known.cost {
                *known = word;
                is_kept = true;
            }
            if rest.cost > self.most {
                break;
            }
            word = rest;
        }
        is_kept
    }

    /// Returns the factors of a product whose images are all allowed, or `None` if the words make
    /// no such product or the steps run out. Cheaper words are tried first; each attempt takes one
    /// of `steps`.
    pub fn find(
        &self,
        steps: &mut u64,
        allowed: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<Factor>> {
        let identity = Permutation::identity(self.base.len());
        let mut chosen = Vec::new();
        self.find_below(0, &identity, &mut chosen, steps, allowed).then(|| {
            // Words of later levels come first.
            chosen.iter().rev().flat_map(|word| word.factors.iter().copied()).collect()
        })
    }

    fn find_below<'a>(
        &'a self,
        level: usize,
        above: &Permutation,
        chosen: &mut Vec<&'a GroupWord>,
        steps: &mut u64,
        allowed: &dyn Fn(usize, usize) -> bool,
    ) -> bool {
        let Some(&base) = self.base.get(level) else { return true };
        let mut open: Vec<Option<&GroupWord>> = Vec::new();
        if allowed(base, above.image(base)) {
            open.push(None);
        }
        let words = self.words[level].iter().flatten();
        let fitting = |word: &&GroupWord| allowed(base, above.image(word.permutation.image(base)));
        open.extend(words.filter(fitting).map(Some));
        open.sort_by_key(|word| word.map_or(0, |word| word.cost));
        for word in open {
            let Some(fewer) = steps.checked_sub(1) else { return false };
            *steps = fewer;
            let depth = chosen.len();
            chosen.extend(word);
            let product = word.map_or(*above, |word| word.permutation.then(above));
            if self.find_below(level + 1, &product, chosen, steps, allowed) {
                return true;
            }
            chosen.truncate(depth);
        }
        false
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let factors = |word: &GroupWord| word.factors.capacity() * size_of::<Factor>();
        let words = self.words.iter().flatten();
        words
            .map(|word| (size_of::<Option<GroupWord>>() + word.as_ref().map_or(0, factors)) as u64)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permutation::tests::any_permutation;
    use crate::permutation_group::PermutationGroup;
    use proptest::prelude::*;
    use rand_xoshiro::SplitMix64;
    use rand_xoshiro::rand_core::SeedableRng;

    proptest! {
        /// What is found is the product of its factors and equals the wanted element; after enough
        /// calls of `combine` every element of the group is found.
        #[test]
        fn products_are_what_was_wished_for(
            (generators, wish) in (2usize..9).prop_flat_map(|degree| {
                (prop::collection::vec(any_permutation(degree), 1..4), any_permutation(degree))
            })
        ) {
            let degree = wish.degree();
            let mut table = GroupWords::new(&(0..degree).rev().collect::<Vec<_>>());
            let mut group = PermutationGroup::trivial(degree);
            for generator in &generators {
                group.insert(generator);
            }
            let mut random = SplitMix64::seed_from_u64(1998);
            let mut found = None;
            for _ in 0..40 {
                for (number, generator) in generators.iter().enumerate() {
                    table.insert(*generator, number as u32, 1);
                }
                found = table.find(&mut 1_000_000, &|point, image| image == wish.image(point));
                if found.is_some() {
                    break;
                }
                table.combine(&mut random, &|| false);
            }
            prop_assert_eq!(found.is_some(), group.contains(&wish));
            if let Some(factors) = found {
                let product = factors.iter().fold(Permutation::identity(degree), |product, factor| {
                    let generator = generators[factor.generator as usize];
                    product.then(&if factor.inverse { generator.inverse() } else { generator })
                });
                prop_assert_eq!(product, wish);
            }
        }
    }
}
