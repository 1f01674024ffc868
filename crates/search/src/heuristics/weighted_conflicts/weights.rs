//! The learned weights of weighted conflicts, as data and as text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::super::learned_weights::WeightNumber;

/// Vertices of the longest line.
pub(crate) const LONGEST: usize = 8;
/// Classes of the tokens on a line: the goal wants it on this line, on one next to it, or farther
/// off.
const CLASSES: usize = 3;
/// The class of a line's own tokens.
const OWN: usize = 0;
/// Numbers of the kinds of a line's tokens: their place at the goal along the line, and their
/// class.
pub(super) const KINDS: usize = LONGEST * CLASSES;
/// Numbers of a token of a line: its kind and its place.
pub(super) const SPOTS: usize = KINDS * LONGEST;

/// Ways along a line, there and back.
const WAYS: usize = 2 * LONGEST - 1;
/// What a pair's weight looks at in one token: its class, and its way along the line.
const SIDES: usize = CLASSES * WAYS;
/// Numbers of steps along and across.
const STEPS: usize = LONGEST * LONGEST;

/// Contents of a vertex of a block: what a token there wants, by [`Way::wish`], or why there is
/// none.
pub(super) const CONTENTS: usize = 11;
/// The vertex is empty.
pub(super) const EMPTY: u8 = 9;
/// There is no such vertex on the board.
pub(super) const OUTSIDE: u8 = 10;
/// Vertices of a block, two rows of two.
const BLOCK: usize = 4;
/// Above all numbers of blocks.
pub(super) const BLOCKS: usize = CONTENTS.pow(BLOCK as u32);

/// Tokens within this many rows and columns of the empty vertex have weights of their own.
pub(super) const REACH: i8 = 2;
/// Rows, and columns, of the vertices around it.
pub(super) const WINDOW: usize = 2 * REACH as usize + 1;
/// Vertices around it, itself too.
pub(super) const AROUND: usize = WINDOW.pow(2);
/// The number of steps of a token that are distinguished, each way.
const NEED: i8 = 2;
/// Above all [`Way::need`].
pub(super) const NEEDS: usize = (2 * NEED as usize + 1).pow(2);

const FIRST_HOME: usize = STEPS;
const FIRST_EMPTY: usize = FIRST_HOME + WAYS;
const FIRST_PAIR: usize = FIRST_EMPTY + STEPS;
const FIRST_BLOCK: usize = FIRST_PAIR + (LONGEST - 1) * SIDES * SIDES;
const FIRST_AROUND: usize = FIRST_BLOCK + BLOCKS;
/// Above all numbers of weights.
pub(crate) const WEIGHTS: usize = FIRST_AROUND + AROUND * NEEDS;

/// A token of a line, all along the line.
#[derive(Clone, Copy)]
struct OnLine {
    at: usize,
    /// The place of its vertex at the goal, which is on the line only for a token that is the
    /// line's own.
    target: usize,
    class: usize,
}

impl OnLine {
    fn new(spot: usize) -> OnLine {
        let (kind, at) = (spot / LONGEST, spot % LONGEST);
        OnLine { at, target: kind % LONGEST, class: kind / LONGEST }
    }
}

/// The kind of a token that the goal wants at a place along the line, the given number of lines
/// off.
pub(super) fn kind(target: usize, lines_off: usize) -> usize {
    lines_off.min(CLASSES - 1) * LONGEST + target
}

/// The number of a token of a line, below [`SPOTS`].
#[inline]
pub(super) fn spot(kind: usize, at: usize) -> usize {
    kind * LONGEST + at
}

fn of_steps(along: usize, across: usize) -> usize {
    along.max(across) * LONGEST + along.min(across)
}

/// The weight of a token the given number of steps from home.
pub(super) fn of_token(along: usize, across: usize) -> WeightNumber {
    of_steps(along, across) as WeightNumber
}

/// The weight of a token whose home is the given number of steps from the goal's empty vertex.
pub(super) fn of_home(steps: usize) -> WeightNumber {
    (FIRST_HOME + steps) as WeightNumber
}

/// The weight of the empty vertex the given number of steps from where the goal wants it.
pub(super) fn of_empty(along: usize, across: usize) -> WeightNumber {
    (FIRST_EMPTY + of_steps(along, across)) as WeightNumber
}

/// The weight of two tokens of a line; `None` when no line has them.
fn of_pair(one: OnLine, other: OnLine) -> Option<usize> {
    let are_one = one.class == OWN && other.class == OWN && one.target == other.target;
    if one.at == other.at || are_one {
        return None;
    }
    let (one, other) = if one.at < other.at { (one, other) } else { (other, one) };
    let going = |token: OnLine| Going {
        way: token.target as isize - token.at as isize,
        class: token.class,
    };
    Some(of_two(other.at - one.at, going(one), going(other)))
}

/// A token of a line, by how far it has to go along the line, and its class.
#[derive(Clone, Copy)]
struct Going {
    way: isize,
    class: usize,
}

/// The weight of two tokens of a line, the second of which is farther along it by some steps.
fn of_two(apart: usize, one: Going, other: Going) -> usize {
    let number = |one_way: isize, one: Going, other_way: isize, other: Going| {
        let side =
            |way: isize, token: Going| token.class * WAYS + (way + LONGEST as isize - 1) as usize;
        side(one_way, one) * SIDES + side(other_way, other)
    };
    let mirrored = number(-other.way, other, -one.way, one);
    FIRST_PAIR + (apart - 1) * SIDES * SIDES + number(one.way, one, other.way, other).min(mirrored)
}

/// The same on a line of a torus, whose last vertex leads to the first one: the tokens are as far apart,
/// and each goes as far along the line, as on the shorter way; where both ways are as long, either
/// counts as the other.
fn of_pair_around(one: OnLine, other: OnLine, length: usize) -> Option<usize> {
    let is_on = |token: OnLine| token.at < length && token.target < length;
    let are_one = one.class == OWN && other.class == OWN && one.target == other.target;
    if one.at == other.at || are_one || !is_on(one) || !is_on(other) {
        return None;
    }
    let apart = |from: usize, to: usize| (to + length - from) % length;
    let ways = |token: OnLine| {
        let way = apart(token.at, token.target);
        let back = length - way;
        [
            (2 * way <= length).then_some(way as isize),
            (2 * back <= length).then_some(-(back as isize)),
        ]
    };
    let going = |token: OnLine| {
        let class = token.class;
        ways(token).into_iter().flatten().map(move |way| Going { way, class })
    };
    let orders = [(one, other), (other, one)].map(|(one, other)| {
        let apart = apart(one.at, other.at);
        let pairs =
            going(one).flat_map(|one| going(other).map(move |other| of_two(apart, one, other)));
        pairs.filter(|_| 2 * apart <= length).min()
    });
    orders.into_iter().flatten().min()
}

/// The numbers of the weights of two tokens on a line of this length, by their [`spot`]s.
pub(super) fn pairs_of(length: usize, wraps: bool) -> Cow<'static, [WeightNumber]> {
    if !wraps {
        return Cow::Borrowed(&OF_PAIRS);
    }
    let pair =
        |index| of_pair_around(OnLine::new(index / SPOTS), OnLine::new(index % SPOTS), length);
    (0..SPOTS * SPOTS).map(|index| pair(index).unwrap_or(WEIGHTS) as WeightNumber).collect()
}

/// From one vertex to another, in rows and columns.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Way {
    pub rows: i8,
    pub columns: i8,
}

impl Way {
    /// Turns and reflections of a square.
    const SYMMETRIES: usize = 8;

    /// By one of the symmetries, numbered.
    fn turned(self, symmetry: usize) -> Way {
        let Way { mut rows, mut columns } = self;
        if symmetry & 1 != 0 {
            (rows, columns) = (columns, rows);
        }
        if symmetry & 2 != 0 {
            rows = -rows;
        }
        if symmetry & 4 != 0 {
            columns = -columns;
        }
        Way { rows, columns }
    }

    /// Its number among those of at most the given numbers of rows and columns.
    fn number(self, most: i8) -> usize {
        let [rows, columns] =
            [self.rows, self.columns].map(|steps| (steps.clamp(-most, most) + most) as usize);
        rows * (2 * most as usize + 1) + columns
    }

    fn of_number(number: usize, most: i8) -> Way {
        let side = 2 * most as usize + 1;
        Way { rows: (number / side) as i8 - most, columns: (number % side) as i8 - most }
    }

    /// Where a token that has this way home wants to go, below [`EMPTY`].
    pub fn wish(self) -> u8 {
        self.number(1) as u8
    }

    /// The way itself where it is short, below [`NEEDS`].
    pub fn need(self) -> u8 {
        self.number(NEED) as u8
    }

    /// The number of a short way from the empty vertex, below [`AROUND`].
    pub fn around(self) -> usize {
        self.number(REACH)
    }
}

/// The number of a block below [`BLOCKS`], by the contents of its vertices: upper left, lower left,
/// upper right, lower right.
fn block_number(contents: [u8; BLOCK]) -> usize {
    contents.iter().fold(0, |number, &content| number * CONTENTS + content as usize)
}

fn block_contents(number: usize) -> [u8; BLOCK] {
    let content = |place| number / CONTENTS.pow((BLOCK - 1 - place) as u32) % CONTENTS;
    std::array::from_fn(|place| content(place) as u8)
}

/// The number of the weight of a block; `None` where it counts nothing.
fn of_block(number: usize) -> Option<usize> {
    /// All tokens are at home.
    const HOME: [u8; BLOCK] = [4; BLOCK];

    let contents = block_contents(number);
    if contents == HOME || contents.contains(&OUTSIDE) {
        return None;
    }
    let turned = |symmetry| {
        let mut turned = [0; BLOCK];
        for (place, &content) in contents.iter().enumerate() {
            // The vertices from the block's middle.
            let [rows, columns] = [place % 2, place / 2].map(|side| side as i8 * 2 - 1);
            let Way { rows, columns } = Way { rows, columns }.turned(symmetry);
            let place = (columns + 1) + (rows + 1) / 2;
            turned[place as usize] = match content {
                EMPTY => EMPTY,
                wish => Way::of_number(wish as usize, 1).turned(symmetry).wish(),
            };
        }
        block_number(turned)
    };
    Some(FIRST_BLOCK + (0..Way::SYMMETRIES).map(turned).min()?)
}

/// By number the number of the weight of each block, [`WEIGHTS`] where it counts nothing.
pub(super) static OF_BLOCKS: LazyLock<Vec<WeightNumber>> = LazyLock::new(|| {
    (0..BLOCKS).map(|number| of_block(number).unwrap_or(WEIGHTS) as WeightNumber).collect()
});

/// The number of the weight of a token at [`Way::around`] from the empty vertex with [`Way::need`];
/// `None` on itself.
fn of_around(around: usize, need: usize) -> Option<usize> {
    let (around, need) = (Way::of_number(around, REACH), Way::of_number(need, NEED));
    let turned =
        |symmetry| around.turned(symmetry).around() * NEEDS + need.turned(symmetry).need() as usize;
    let is_itself = around == Way { rows: 0, columns: 0 };
    Some(FIRST_AROUND + (0..Way::SYMMETRIES).map(turned).min()?).filter(|_| !is_itself)
}

/// By [`Way::around`] and [`Way::need`] the number of the weight of a token near the empty vertex.
pub(super) static OF_AROUND: LazyLock<Vec<WeightNumber>> = LazyLock::new(|| {
    let around = |index| of_around(index / NEEDS, index % NEEDS).unwrap_or(WEIGHTS);
    (0..AROUND * NEEDS).map(|index| around(index) as WeightNumber).collect()
});

/// By the [`spot`]s of two tokens the number of the weight of the pair, [`WEIGHTS`] when no line
/// has it.
pub(super) static OF_PAIRS: LazyLock<Vec<WeightNumber>> = LazyLock::new(|| {
    let pair = |index| of_pair(OnLine::new(index / SPOTS), OnLine::new(index % SPOTS));
    (0..SPOTS * SPOTS).map(|index| pair(index).unwrap_or(WEIGHTS) as WeightNumber).collect()
});

/// The numbers that are in use with up to so many empty vertices, in the order in which weights are
/// written.
pub(super) fn used(empty: usize) -> Vec<WeightNumber> {
    let steps = || (1..LONGEST).flat_map(|far| (0..=far).map(move |near| (far, near)));
    let tables = [&OF_PAIRS, &OF_AROUND];
    let mut used: BTreeSet<_> = tables.iter().flat_map(|table| table.iter().copied()).collect();
    let fits = |number: usize| {
        block_contents(number).iter().filter(|&&content| content == EMPTY).count() <= empty
    };
    used.extend((0..BLOCKS).filter(|&number| fits(number)).map(|number| OF_BLOCKS[number]));
    used.remove(&(WEIGHTS as WeightNumber));
    used.extend(steps().map(|(far, near)| of_token(far, near)));
    used.extend((1..WAYS).map(of_home));
    used.extend(steps().map(|(far, near)| of_empty(far, near)));
    used.into_iter().collect()
}

/// Which numbers are written on one line.
pub(super) fn row(number: usize) -> usize {
    match number.checked_sub(FIRST_PAIR) {
        Some(_) if number >= FIRST_AROUND => FIRST_AROUND + (number - FIRST_AROUND) / NEEDS * NEEDS,
        Some(_) if number >= FIRST_BLOCK => {
            FIRST_BLOCK + (number - FIRST_BLOCK) / CONTENTS.pow(2) * CONTENTS.pow(2)
        }
        Some(pair) => FIRST_PAIR + pair / WAYS,
        None if number >= FIRST_EMPTY => FIRST_EMPTY + (number - FIRST_EMPTY) / LONGEST,
        None if number >= FIRST_HOME => FIRST_HOME,
        None => number / LONGEST,
    }
}

/// Where learning starts: long distances count more, and tokens that have to pass each other. The
/// numbers are rounded from what an evolution strategy found.
pub(super) fn plain() -> Vec<f32> {
    /// Pairs that have to pass each other, by how many of the two are the line's own.
    const PASSING: [f32; 3] = [0.1, 0.3, 2.0];

    let mut values = vec![0.0; WEIGHTS];
    for (along, across) in (0..STEPS).map(|steps| (steps / LONGEST, steps % LONGEST)) {
        let distance = (along + across) as f32;
        values[of_token(along, across) as usize] =
            distance / 3.0 + distance.powi(2) / 24.0 + distance.powi(3) / 60.0;
    }
    for index in 0..SPOTS * SPOTS {
        let (one, other) = (OnLine::new(index / SPOTS), OnLine::new(index % SPOTS));
        let pass = one.at < other.at && one.target > other.target;
        if pass && let Some(number) = of_pair(one, other) {
            let own = [one, other].iter().filter(|token| token.class == OWN).count();
            values[number] = PASSING[own];
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Two tokens of a line, their places and homes along it: what the weight's number must and
    /// must not tell apart.
    #[test]
    fn pairs_have_one_weight_where_they_are_alike() {
        let pair = |[at, target, off]: [usize; 3],
                    [other_at, other_target, other_off]: [usize; 3]| {
            let one = spot(kind(target, off), at);
            let other = spot(kind(other_target, other_off), other_at);
            assert_eq!(OF_PAIRS[one * SPOTS + other], OF_PAIRS[other * SPOTS + one]);
            OF_PAIRS[one * SPOTS + other]
        };
        let reference = pair([1, 3, 0], [2, 0, 1]);
        assert_eq!(pair([4, 6, 0], [5, 3, 1]), reference, "elsewhere on the line");
        assert_eq!(pair([5, 7, 1], [6, 4, 0]), reference, "mirrored");
        for (one, other) in [
            ([1, 4, 0], [2, 0, 1]),
            ([1, 3, 1], [2, 0, 1]),
            ([1, 3, 0], [3, 1, 1]),
            ([1, 3, 0], [2, 0, 2]),
            ([2, 4, 0], [1, 0, 1]),
        ] {
            assert_ne!(pair(one, other), reference);
        }
        assert_eq!(pair([1, 3, 0], [2, 0, 2]), pair([1, 3, 0], [2, 0, 5]), "far is far");
    }

    /// On a torus of six a token at 5 that is wanted at 1 goes two steps forth, past the end.
    #[test]
    fn pairs_on_a_torus_count_by_the_shorter_ways() {
        let number = |pairs: &[WeightNumber], [one, other]: [[usize; 3]; 2]| {
            let [one, other] = [one, other].map(|[at, target, off]| spot(kind(target, off), at));
            assert_eq!(pairs[one * SPOTS + other], pairs[other * SPOTS + one]);
            pairs[one * SPOTS + other]
        };
        let around = pairs_of(6, true);
        for (torus, line) in [
            ([[5, 1, 0], [0, 4, 1]], [[1, 3, 0], [2, 0, 1]]),
            ([[1, 3, 0], [2, 0, 1]], [[1, 3, 0], [2, 0, 1]]),
            ([[4, 3, 1], [0, 1, 0]], [[4, 3, 1], [6, 7, 0]]),
        ] {
            assert_eq!(number(&around, torus), number(&OF_PAIRS, line), "{torus:?}");
        }
        // Three steps are as far either way, and three apart is either order.
        let half = number(&around, [[0, 3, 0], [1, 1, 1]]);
        assert_eq!(number(&around, [[1, 4, 0], [0, 0, 1]]), half);
        let opposite = number(&around, [[0, 1, 0], [3, 3, 1]]);
        assert_eq!(number(&around, [[3, 4, 0], [0, 0, 1]]), opposite);
        // Longer lines have vertices that this one has not.
        assert_eq!(number(&around, [[6, 1, 0], [0, 0, 1]]), WEIGHTS as WeightNumber);
        assert_eq!(pairs_of(6, false)[..], OF_PAIRS[..]);
    }

    /// Vertices and wishes as complex numbers, in all ways to turn and mirror them: multiplied by
    /// powers of i, conjugated.
    #[test]
    fn blocks_have_one_weight_exactly_when_turned_or_mirrored() {
        type Complex = (i8, i8);
        let mut weights = BTreeMap::new();
        for (number, &weight) in OF_BLOCKS.iter().enumerate() {
            let contents = [1331, 121, 11, 1].map(|unit| number / unit % 11);
            let vertices: [Complex; 4] = [(-1, 1), (-1, -1), (1, 1), (1, -1)];
            if contents == [4; 4] || contents.contains(&10) {
                assert_eq!(weight, WEIGHTS as WeightNumber);
                continue;
            }
            let block = vertices.iter().zip(contents).map(|(&vertex, content)| {
                let (up, right) = (1 - content as i8 / 3, content as i8 % 3 - 1);
                (vertex, (content < 9).then_some((right, up)))
            });
            let mut block: Vec<(Complex, Option<Complex>)> = block.collect();
            let mut ways = Vec::new();
            for turn in 0..8 {
                let next = |(x, y): Complex| if turn == 4 { (x, -y) } else { (-y, x) };
                block = block.iter().map(|&(v, wish)| (next(v), wish.map(next))).collect();
                block.sort_unstable();
                ways.push(block.clone());
            }
            let one = ways.into_iter().min().unwrap();
            assert_eq!(*weights.entry(one).or_insert(weight), weight);
        }
        let different: BTreeSet<_> = weights.values().collect();
        assert_eq!(different.len(), weights.len());
    }
}
