//! Permutations of at most 64 points.

use std::fmt;

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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Any permutation of the given degree.
    pub fn any_permutation(degree: usize) -> impl Strategy<Value = Permutation> {
        Just((0..degree).collect::<Vec<_>>())
            .prop_shuffle()
            .prop_map(|images| Permutation::from_images(&images).unwrap())
    }

    proptest! {
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
