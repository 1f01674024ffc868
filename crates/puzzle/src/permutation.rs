//! Permutations of at most 64 points and the groups they generate (Schreier-Sims).

use std::fmt;
use std::ops::ControlFlow;

use num_bigint::BigUint;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::vertex::MAX_VERTICES;

/// A permutation of the points `0..degree`, `degree <= 64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Permutation {
    degree: u8,
    images: [u8; MAX_VERTICES],
}

impl Permutation {
    /// Returns the permutation that moves nothing.
    ///
    /// # Panics
    ///
    /// Panics if the degree exceeds 64.
    pub fn identity(degree: usize) -> Permutation {
        assert!(degree <= MAX_VERTICES, "degree {degree} exceeds {MAX_VERTICES}");
        Permutation { degree: degree as u8, images: std::array::from_fn(|point| point as u8) }
    }

    /// Returns the permutation with these images of `0, 1, ...`, or `None` when they are not a
    /// permutation.
    pub fn from_images(images: &[usize]) -> Option<Permutation> {
        let mut permutation =
            (images.len() <= MAX_VERTICES).then(|| Self::identity(images.len()))?;
        let mut seen = 0u64;
        for (point, &image) in images.iter().enumerate() {
            if image >= images.len() || seen >> image & 1 == 1 {
                return None;
            }
            seen |= 1 << image;
            permutation.images[point] = image as u8;
        }
        Some(permutation)
    }

    /// Returns the number of points.
    pub fn degree(&self) -> usize {
        self.degree as usize
    }

    /// Returns the image of a point.
    #[inline]
    pub fn image(&self, point: usize) -> usize {
        self.images[point] as usize
    }

    /// Returns the product that applies this permutation first and `next` second.
    #[inline]
    #[must_use]
    pub fn then(&self, next: &Permutation) -> Permutation {
        let mut product = *self;
        for image in &mut product.images[..self.degree as usize] {
            *image = next.images[(*image & 63) as usize];
        }
        product
    }

    /// Returns the inverse.
    #[must_use]
    pub fn inverse(&self) -> Permutation {
        let mut inverse = *self;
        for (point, &image) in self.images[..self.degree()].iter().enumerate() {
            inverse.images[image as usize] = point as u8;
        }
        inverse
    }

    /// Returns whether this is the identity.
    pub fn is_identity(&self) -> bool {
        self.images[..self.degree()]
            .iter()
            .enumerate()
            .all(|(point, &image)| point == image as usize)
    }

    /// Returns whether this is a product of an even number of transpositions.
    pub fn is_even(&self) -> bool {
        let moved: usize = self.cycles().iter().map(|cycle| cycle.len() - 1).sum();
        moved.is_multiple_of(2)
    }

    /// Returns the cycles of length two and more. Each begins with its least point, and they are
    /// ordered by it.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let mut seen = 0u64;
        let mut cycles = Vec::new();
        for first in 0..self.degree() {
            let mut cycle = Vec::new();
            let mut point = first;
            while seen >> point & 1 == 0 {
                seen |= 1 << point;
                cycle.push(point);
                point = self.image(point);
            }
            if cycle.len() > 1 {
                cycles.push(cycle);
            }
        }
        cycles
    }
}

impl fmt::Display for Permutation {
    /// Writes the cycles, as in `(0 1)(2 4 3)`; `()` is the identity.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cycles = self.cycles();
        if cycles.is_empty() {
            return f.write_str("()");
        }
        for cycle in cycles {
            let points: Vec<String> = cycle.iter().map(usize::to_string).collect();
            write!(f, "({})", points.join(" "))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A permutation group, given by a base and a strong generating set (Sims 1970).
///
/// The base contains all points, in an order that the caller chooses to find elements with wanted
/// images quickly. Memory: at most 64 x 64 representatives of 66 bytes, 264 KiB.
#[derive(Clone, Debug)]
pub struct PermutationGroup {
    degree: usize,
    levels: Vec<Level>,
    generators: Vec<Permutation>,
    all_even: bool,
}

/// The result of [`PermutationGroup::find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// An element whose images are all allowed.
    Element(Permutation),
    /// The group has no such element.
    Nothing,
    /// The steps ran out before either was known.
    OutOfSteps,
}

/// The orbit of one base point under the elements that fix all earlier ones.
#[derive(Clone, Debug)]
struct Level {
    base: usize,
    /// For each point of the orbit, an element that takes the base point to it.
    representatives: Vec<Option<Permutation>>,
    orbit: Vec<u8>,
    /// Strong generators that fix the earlier base points and move this one.
    strong: Vec<Permutation>,
}

impl PermutationGroup {
    /// Returns the trivial group on `0..degree` with the base points in their natural order.
    pub fn trivial(degree: usize) -> PermutationGroup {
        PermutationGroup::with_base(&(0..degree).collect::<Vec<_>>())
    }

    /// Returns the trivial group with its base points in this order, which must contain every point
    /// exactly once.
    pub(crate) fn with_base(base: &[usize]) -> PermutationGroup {
        let degree = base.len();
        let level = |&base: &usize| {
            let mut representatives = vec![None; degree];
            representatives[base] = Some(Permutation::identity(degree));
            Level { base, representatives, orbit: vec![base as u8], strong: Vec::new() }
        };
        let levels = base.iter().map(level).collect();
        PermutationGroup { degree, levels, generators: Vec::new(), all_even: true }
    }

    /// Returns the number of points on which the group acts.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Returns permutations that generate the group, none of which is generated by those before it.
    pub fn generators(&self) -> &[Permutation] {
        &self.generators
    }

    /// Returns the number of elements of the group.
    pub fn order(&self) -> BigUint {
        self.levels.iter().map(|level| BigUint::from(level.orbit.len())).product()
    }

    /// Returns whether the group contains all n! permutations.
    pub fn is_symmetric(&self) -> bool {
        self.orbits_are_full(self.degree) && (self.degree < 2 || !self.all_even)
    }

    /// Returns whether the group consists of the n!/2 even permutations, `n >= 2`.
    pub fn is_alternating(&self) -> bool {
        self.degree >= 2 && self.all_even && self.orbits_are_full(self.degree - 2)
    }

    /// Returns whether the first `count` orbits have the greatest possible size.
    fn orbits_are_full(&self, count: usize) -> bool {
        self.levels[..count]
            .iter()
            .enumerate()
            .all(|(fixed, level)| level.orbit.len() == self.degree - fixed)
    }

    /// Returns whether the permutation is an element of the group.
    pub fn contains(&self, permutation: &Permutation) -> bool {
        if self.is_alternating() {
            return permutation.is_even();
        }
        self.sift(*permutation, 0).is_none()
    }

    /// Adds a generator; returns whether the group grew.
    ///
    /// # Panics
    ///
    /// Panics if the permutation has another degree.
    pub fn insert(&mut self, permutation: &Permutation) -> bool {
        let grew = self.insert_unproven(permutation);
        if grew {
            self.prove();
        }
        grew
    }

    /// Does the same as [`Self::insert`] without proving the stabiliser chain complete. The proof
    /// takes most of the time if the group is large but neither symmetric nor alternating. Until
    /// [`Self::prove`] is called, every permutation reported as an element is one, but elements may
    /// be missed.
    pub(crate) fn insert_unproven(&mut self, permutation: &Permutation) -> bool {
        assert_eq!(permutation.degree(), self.degree, "a permutation of another degree");
        if self.is_symmetric() || self.contains(permutation) {
            return false;
        }
        self.generators.push(*permutation);
        self.all_even &= permutation.is_even();
        self.sift_and_keep(*permutation, 0);
        self.sift_random_elements();
        true
    }

    /// Completes the chain and proves it complete, unless the group's order already does.
    pub(crate) fn prove(&mut self) {
        if !self.is_symmetric() && !self.is_alternating() {
            self.close();
        }
    }

    /// Divides a permutation by representatives, level by level. Returns the level where none is
    /// known, with the remainder, or `None` if the permutation is an element.
    fn sift(&self, mut rest: Permutation, from: usize) -> Option<(usize, Permutation)> {
        for (number, level) in self.levels.iter().enumerate().skip(from) {
            match &level.representatives[rest.image(level.base)] {
                Some(representative) => rest = rest.then(&representative.inverse()),
                None => return Some((number, rest)),
            }
        }
        None
    }

    /// Adds what [`Self::sift`] leaves of a permutation to the chain; returns the level that grew,
    /// or `None` if the permutation was an element already.
    fn sift_and_keep(&mut self, permutation: Permutation, from: usize) -> Option<usize> {
        let (number, rest) = self.sift(permutation, from)?;
        self.levels[number].strong.push(rest);
        // The new strong generator fixes all earlier base points: it can enlarge every orbit up to
        // its own level and none beyond.
        for level in 0..=number {
            self.enlarge_orbit(level);
        }
        Some(number)
    }

    fn strong_from(&self, level: usize) -> Vec<Permutation> {
        self.levels[level..].iter().flat_map(|level| level.strong.iter().copied()).collect()
    }

    fn enlarge_orbit(&mut self, number: usize) {
        let strong = self.strong_from(number);
        let Level { representatives, orbit, .. } = &mut self.levels[number];
        let mut next = 0;
        while next < orbit.len() {
            let point = orbit[next] as usize;
            for generator in &strong {
                let image = generator.image(point);
                if representatives[image].is_none() {
                    representatives[image] = representatives[point].map(|to| to.then(generator));
                    orbit.push(image as u8);
                }
            }
            next += 1;
        }
    }

    /// Finds most of the chain quickly: sifts random elements (product replacement, Celler et al.
    /// 1995) until 12 of them in a row are already elements. This proves nothing; [`Self::close`]
    /// does. The chain's order is a lower bound at any time, so a group that reaches n! or, with
    /// even generators only, n!/2 needs no proof.
    fn sift_random_elements(&mut self) {
        const UNCHANGED: usize = 12;
        let mut random = SplitMix64::seed_from_u64(self.generators.len() as u64);
        let mut pick = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut pool = self.generators.clone();
        while pool.len() < 8 {
            pool.push(self.generators[pool.len() % self.generators.len()]);
        }
        let mut product = Permutation::identity(self.degree);
        let mut unchanged = 0;
        for step in 0.. {
            let i = pick(pool.len());
            let j = (i + 1 + pick(pool.len() - 1)) % pool.len();
            pool[i] = if pick(2) == 0 {
                pool[i].then(&pool[j])
            } else {
                pool[j].inverse().then(&pool[i])
            };
            product = product.then(&pool[i]);
            if step < 2 * pool.len() {
                continue;
            }
            match self.sift_and_keep(product, 0) {
                Some(_) => unchanged = 0,
                None => unchanged += 1,
            }
            if unchanged == UNCHANGED || self.is_symmetric() || self.is_alternating() {
                break;
            }
        }
    }

    /// Completes the chain and proves it complete: every Schreier generator of every level must be
    /// an element of the levels below it.
    fn close(&mut self) {
        let mut level = self.degree;
        while level > 0 {
            level -= 1;
            if let Some(grown) = self.close_level(level) {
                level = grown + 1;
            }
        }
    }

    fn close_level(&mut self, number: usize) -> Option<usize> {
        let strong = self.strong_from(number);
        for place in 0..self.levels[number].orbit.len() {
            let point = self.levels[number].orbit[place] as usize;
            for generator in &strong {
                let level = &self.levels[number];
                let (Some(there), Some(back)) =
                    (level.representatives[point], level.representatives[generator.image(point)])
                else {
                    unreachable!("an orbit is closed under its generators");
                };
                let schreier = there.then(generator).then(&back.inverse());
                let grown = self.sift_and_keep(schreier, number + 1);
                if grown.is_some() {
                    return grown;
                }
            }
        }
        None
    }

    /// Finds an element whose images are all allowed, by trying representatives level by level.
    ///
    /// Each attempt takes one of `steps`.
    pub(crate) fn find(&self, steps: &mut u64, allowed: &dyn Fn(usize, usize) -> bool) -> Found {
        match self.find_below(0, Permutation::identity(self.degree), steps, allowed) {
            ControlFlow::Break(Some(element)) => Found::Element(element),
            ControlFlow::Break(None) => Found::OutOfSteps,
            ControlFlow::Continue(()) => Found::Nothing,
        }
    }

    /// Returns the least point of each point's orbit.
    pub(crate) fn orbits(&self) -> Vec<usize> {
        let mut least: Vec<usize> = (0..self.degree).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for generator in &self.generators {
                for point in 0..self.degree {
                    let image = generator.image(point);
                    let smaller = least[point].min(least[image]);
                    changed |= least[point] != least[image];
                    (least[point], least[image]) = (smaller, smaller);
                }
            }
        }
        least
    }

    /// Tries the representatives of a level and those below it. Breaks with an element, or with
    /// `None` if the steps ran out.
    fn find_below(
        &self,
        number: usize,
        above: Permutation,
        left: &mut u64,
        allowed: &dyn Fn(usize, usize) -> bool,
    ) -> ControlFlow<Option<Permutation>> {
        let Some(level) = self.levels.get(number) else {
            return ControlFlow::Break(Some(above));
        };
        for &point in &level.orbit {
            if !allowed(level.base, above.image(point as usize)) {
                continue;
            }
            let Some(fewer) = left.checked_sub(1) else {
                return ControlFlow::Break(None);
            };
            *left = fewer;
            if let Some(representative) = level.representatives[point as usize] {
                self.find_below(number + 1, representative.then(&above), left, allowed)?;
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn group(degree: usize, generators: &[&[usize]]) -> PermutationGroup {
        let mut group = PermutationGroup::trivial(degree);
        for images in generators {
            group.insert(&Permutation::from_images(images).unwrap());
        }
        group
    }

    #[test]
    fn orders_of_known_groups() {
        let m11: [&[usize]; 2] =
            [&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0], &[0, 1, 6, 9, 5, 3, 10, 2, 8, 4, 7]];
        assert_eq!(group(11, &m11).order(), BigUint::from(7920u32));
        let cycle: Vec<usize> = (0..64).map(|point| (point + 1) % 64).collect();
        let mut swap: Vec<usize> = (0..64).collect();
        swap.swap(0, 1);
        assert_eq!(group(64, &[&cycle]).order(), BigUint::from(64u32));
        let symmetric = group(64, &[&cycle, &swap]);
        assert!(symmetric.is_symmetric());
        assert_eq!(symmetric.order(), (1..=64u32).map(BigUint::from).product());
        let mut three_cycle: Vec<usize> = (0..63).collect();
        three_cycle.swap(0, 1);
        three_cycle.swap(1, 2);
        let cycle: Vec<usize> = (0..63).map(|point| (point + 1) % 63).collect();
        let alternating = group(63, &[&cycle, &three_cycle]);
        assert!(alternating.is_alternating());
        assert_eq!(alternating.order() * 2u32, (1..=63u32).map(BigUint::from).product());
    }

    fn closure(degree: usize, generators: &[Permutation]) -> Vec<Permutation> {
        let mut elements = vec![Permutation::identity(degree)];
        let mut next = 0;
        while next < elements.len() {
            for generator in generators {
                let product = elements[next].then(generator);
                if !elements.contains(&product) {
                    elements.push(product);
                }
            }
            next += 1;
        }
        elements
    }

    fn any_permutation(degree: usize) -> impl Strategy<Value = Permutation> {
        Just((0..degree).collect::<Vec<_>>())
            .prop_shuffle()
            .prop_map(|images| Permutation::from_images(&images).unwrap())
    }

    /// Permutations that move few points generate small groups more often.
    fn sparse_permutation(degree: usize) -> impl Strategy<Value = Permutation> {
        (0..degree, 0..degree, 0..degree).prop_map(move |(a, b, c)| {
            let mut images: Vec<usize> = (0..degree).collect();
            images.swap(a, b);
            images.swap(b, c);
            Permutation::from_images(&images).unwrap()
        })
    }

    proptest! {
        #[test]
        fn agrees_with_listing_all_elements(
            (generators, other, base) in (1usize..7).prop_flat_map(|degree| {
                let generator = prop_oneof![any_permutation(degree), sparse_permutation(degree)];
                let base = Just((0..degree).collect::<Vec<_>>()).prop_shuffle();
                (prop::collection::vec(generator, 0..4), any_permutation(degree), base)
            })
        ) {
            let degree = other.degree();
            let elements = closure(degree, &generators);
            let mut group = PermutationGroup::with_base(&base);
            for generator in &generators {
                group.insert(generator);
            }
            prop_assert_eq!(group.order(), BigUint::from(elements.len()));
            prop_assert_eq!(group.contains(&other), elements.contains(&other));
            prop_assert!(elements.iter().all(|element| group.contains(element)));
            // Ask for the parity class of every image: an arbitrary but often satisfiable wish.
            let wish = |point: usize, image: usize| (image + other.image(point)).is_multiple_of(2);
            let fits = |element: &&Permutation| (0..degree).all(|p| wish(p, element.image(p)));
            match group.find(&mut u64::MAX.clone(), &wish) {
                Found::Element(found) => prop_assert!(fits(&&found) && elements.contains(&found)),
                Found::Nothing => prop_assert!(!elements.iter().any(|element| fits(&element))),
                Found::OutOfSteps => panic!("steps enough for any group here"),
            }
            let orbits = group.orbits();
            for (point, &least) in orbits.iter().enumerate() {
                let orbit = elements.iter().map(|element| element.image(point)).min();
                prop_assert_eq!(Some(least), orbit);
            }
        }

        #[test]
        fn products_inverses_and_signs(
            (a, b) in (1usize..20).prop_flat_map(|n| (any_permutation(n), any_permutation(n)))
        ) {
            prop_assert!(a.then(&a.inverse()).is_identity());
            prop_assert_eq!(a.then(&b).image(0), b.image(a.image(0)));
            prop_assert_eq!(a.then(&b).is_even(), a.is_even() == b.is_even());
        }
    }
}
