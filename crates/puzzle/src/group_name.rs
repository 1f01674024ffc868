//! Names of permutation groups, each given for a reason that proves it.

use num_bigint::BigUint;

use crate::permutation::Permutation;
use crate::permutation_group::PermutationGroup;

/// The name of a permutation group with the reason that proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupName {
    /// The name, as in `S_7`, `PGL(2,5)` or `C_2 x A_5`.
    pub name: String,
    /// What proves it, as the end of a sentence that begins with "because".
    pub reason: String,
}

/// Transitive groups of some degree and order other than cyclic, symmetric and alternating ones,
/// where all groups of that degree and order are conjugate (Butler and McKay, The transitive groups
/// of degree up to eleven, Comm. Algebra 11, 1983).
const TRANSITIVE: &[(usize, u32, &str)] = &[
    (4, 4, "C_2 x C_2"),
    (4, 8, "D_4"),
    (5, 10, "D_5"),
    (5, 20, "AGL(1,5)"),
    (6, 6, "S_3 acting on itself"),
    (6, 60, "PSL(2,5)"),
    (6, 120, "PGL(2,5)"),
    (7, 14, "D_7"),
    (7, 21, "C_7 : C_3"),
    (7, 42, "AGL(1,7)"),
    (7, 168, "PSL(3,2)"),
    (11, 22, "D_11"),
    (11, 55, "C_11 : C_5"),
    (11, 110, "AGL(1,11)"),
    (11, 660, "PSL(2,11)"),
    (11, 7920, "M_11"),
];

/// Returns the name of a group, or `None` if no criterion here proves one.
///
/// Recognised are trivial and cyclic groups, symmetric and alternating groups on the points that
/// the group moves, transitive groups whose degree and order determine them, and direct products of
/// these over the group's orbits.
///
/// ```
/// use hyperslide_puzzle::{Permutation, PermutationGroup, group_name};
///
/// let mut group = PermutationGroup::trivial(5);
/// for images in [[1, 2, 3, 0, 4], [1, 0, 2, 3, 4]] {
///     group.insert(&Permutation::from_images(&images).unwrap());
/// }
/// assert_eq!(group_name(&group).unwrap().name, "S_4");
/// ```
pub fn group_name(group: &PermutationGroup) -> Option<GroupName> {
    let order = group.order();
    let named = |name: String, reason: String| Some(GroupName { name, reason });
    let orbits = group.nontrivial_orbits();
    if orbits.is_empty() {
        return named("trivial".to_owned(), "it has one element".to_owned());
    }
    if is_cyclic(group, &order) {
        let reason = match group.generators().len() {
            1 => "one element generates it".to_owned(),
            _ => "its generators commute, and its order is the least common multiple of theirs"
                .to_owned(),
        };
        return named(format!("C_{order}"), reason);
    }
    if let [orbit] = &orbits[..] {
        return transitive_name(&group.on(orbit));
    }
    let parts: Vec<PermutationGroup> = orbits.iter().map(|orbit| group.on(orbit)).collect();
    if parts.iter().map(PermutationGroup::order).product::<BigUint>() != order {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for part in &parts {
        let name = if is_cyclic(part, &part.order()) {
            format!("C_{}", part.order())
        } else {
            transitive_name(part)?.name
        };
        names.push(name);
    }
    names.sort();
    let reason = format!(
        "its order is the product of the orders of its actions on its {} orbits",
        parts.len()
    );
    named(names.join(" x "), reason)
}

/// Names a transitive group that is not cyclic.
fn transitive_name(group: &PermutationGroup) -> Option<GroupName> {
    let degree = group.degree();
    if group.is_symmetric() {
        let (name, reason) = (format!("S_{degree}"), "its order is that of all permutations");
        return Some(GroupName { name, reason: format!("{reason} of the {degree} tokens") });
    }
    if group.is_alternating() {
        let (name, reason) = (format!("A_{degree}"), "its order is that of all even permutations");
        return Some(GroupName { name, reason: format!("{reason} of the {degree} tokens") });
    }
    let order = group.order();
    let known = TRANSITIVE
        .iter()
        .find(|&&(points, known, _)| points == degree && order == BigUint::from(known));
    known.map(|&(_, _, name)| GroupName {
        name: name.to_owned(),
        reason: format!(
            "all transitive groups of order {order} on {degree} points{} are conjugate to it (Butler, \
             McKay 1983)",
            if matches!((degree, name), (4, "C_2 x C_2") | (6, "S_3 acting on itself")) {
                " that are not cyclic"
            } else {
                ""
            }
        ),
    })
}

/// A group is cyclic if and only if it is commutative and has an element of its order; the greatest
/// order of an element of a commutative group is the least common multiple of those of generators.
fn is_cyclic(group: &PermutationGroup, order: &BigUint) -> bool {
    let generators = group.generators();
    let commute = |a: &Permutation, b: &Permutation| a.then(b) == b.then(a);
    generators.iter().all(|a| generators.iter().all(|b| commute(a, b)))
        && generators.iter().map(element_order).fold(BigUint::from(1u32), lcm) == *order
}

/// Returns the least power of a permutation that is the identity.
fn element_order(permutation: &Permutation) -> BigUint {
    permutation.cycles().iter().map(|cycle| BigUint::from(cycle.len())).fold(1u32.into(), lcm)
}

fn lcm(a: BigUint, b: BigUint) -> BigUint {
    let (mut x, mut y) = (a.clone(), b.clone());
    while y != BigUint::ZERO {
        (x, y) = (y.clone(), x % y);
    }
    a * b / x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(degree: usize, generators: &[&[usize]]) -> Option<String> {
        let mut group = PermutationGroup::trivial(degree);
        for images in generators {
            group.insert(&Permutation::from_images(images).unwrap());
        }
        group_name(&group).map(|found| found.name)
    }

    #[test]
    fn groups_of_textbooks() {
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(name(3, &[]), some("trivial"));
        assert_eq!(name(4, &[&[1, 2, 0, 3]]), some("C_3"));
        // Cycles of 2 and 3 points that commute make a cyclic group; two of 2 points do not.
        assert_eq!(name(5, &[&[1, 0, 2, 3, 4], &[0, 1, 3, 4, 2]]), some("C_6"));
        assert_eq!(name(4, &[&[1, 0, 2, 3], &[0, 1, 3, 2]]), some("C_2 x C_2"));
        assert_eq!(name(4, &[&[1, 0, 3, 2], &[2, 3, 0, 1]]), some("C_2 x C_2"));
        assert_eq!(name(4, &[&[1, 2, 3, 0], &[2, 1, 0, 3]]), some("D_4"));
        assert_eq!(name(6, &[&[1, 0, 2, 3, 4, 5], &[1, 2, 3, 4, 0, 5]]), some("S_5"));
        assert_eq!(name(5, &[&[1, 2, 0, 3, 4], &[0, 1, 3, 4, 2]]), some("A_5"));
        // x -> x + 1 and x -> 3 x modulo 5 and 7.
        assert_eq!(name(5, &[&[1, 2, 3, 4, 0], &[0, 3, 1, 4, 2]]), some("AGL(1,5)"));
        assert_eq!(name(7, &[&[1, 2, 3, 4, 5, 6, 0], &[0, 3, 6, 2, 5, 1, 4]]), some("AGL(1,7)"));
        // The symmetries of the Fano plane with lines {i, i + 1, i + 3}.
        assert_eq!(
            name(7, &[&[1, 2, 3, 4, 5, 6, 0], &[0, 2, 1, 4, 3, 5, 6]]),
            some("A_7"),
            "an exchange that keeps no lines"
        );
        assert_eq!(
            name(7, &[&[1, 2, 3, 4, 5, 6, 0], &[0, 2, 4, 6, 1, 3, 5], &[0, 1, 4, 3, 2, 6, 5]]),
            some("PSL(3,2)")
        );
        // The projective line over the field of 5: x + 1, 2 x, and -1/x with 5 for infinity.
        let (shift, double, inverse): (&[usize], &[usize], &[usize]) =
            (&[1, 2, 3, 4, 0, 5], &[0, 2, 4, 1, 3, 5], &[5, 4, 2, 3, 1, 0]);
        assert_eq!(name(6, &[shift, double, inverse]), some("PGL(2,5)"));
        assert_eq!(name(6, &[shift, &[0, 4, 3, 2, 1, 5], inverse]), some("PSL(2,5)"));
        let m11: [&[usize]; 2] =
            [&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0], &[0, 1, 6, 9, 5, 3, 10, 2, 8, 4, 7]];
        assert_eq!(name(11, &m11), some("M_11"));
        // Order 12 on 6 points does not determine the group; nor does a part of a product have a
        // name.
        assert_eq!(name(6, &[&[1, 2, 3, 4, 5, 0], &[5, 4, 3, 2, 1, 0]]), None);
        assert_eq!(name(6, &[&[1, 0, 2, 4, 3, 5], &[1, 2, 0, 4, 5, 3]]), None);
        let swap_and_turn: [&[usize]; 3] = [&[1, 0, 2, 3, 4], &[1, 2, 0, 3, 4], &[0, 1, 2, 4, 3]];
        assert_eq!(name(5, &swap_and_turn), some("C_2 x S_3"));
    }
}
