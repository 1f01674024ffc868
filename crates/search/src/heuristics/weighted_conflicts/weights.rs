//! The learned weights of weighted conflicts, as data and as text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::super::learned_weights::WeightNumber;

/// Vertices of the longest line, except on long grids.
pub(crate) const LONGEST: usize = 8;
/// The most steps that have weights of their own.
pub(super) const FAR: usize = LONGEST - 1;
/// Classes of the tokens on a line: the goal wants it on this line, on one next to it, or farther
/// off.
const CLASSES: usize = 3;
/// The class of a line's own tokens.
const OWN: usize = 0;

/// Ways along a line, there and back.
const WAYS: usize = 2 * FAR + 1;
/// What a pair's weight looks at in one token: its class, and its way along the line.
pub(super) const SIDES: usize = CLASSES * WAYS;
/// Where the other token of a pair may be, there and back along the line.
pub(super) const APARTS: usize = 2 * FAR + 1;
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
const FIRST_FURTHER: usize = FIRST_AROUND + AROUND * NEEDS;
/// Above all numbers of weights.
pub(crate) const WEIGHTS: usize = FIRST_FURTHER + 3;
/// Each step of a token that is farther from home than those that have weights of their own.
const TOKEN_FURTHER: WeightNumber = FIRST_FURTHER as WeightNumber;
/// The same for the steps of a token's home from the goal's empty vertex.
const HOME_FURTHER: WeightNumber = TOKEN_FURTHER + 1;
/// The same for the empty vertex.
const EMPTY_FURTHER: WeightNumber = TOKEN_FURTHER + 2;

/// The weights of a token the given number of steps from home, as often as they count.
pub(super) fn of_token(along: usize, across: usize) -> Vec<WeightNumber> {
    of_steps(0, along, across, TOKEN_FURTHER)
}

/// The same for a token whose home is the given number of steps from the goal's empty vertex.
pub(super) fn of_home(steps: usize) -> Vec<WeightNumber> {
    let near = steps.min(WAYS - 1);
    let further = std::iter::repeat_n(HOME_FURTHER, steps - near);
    std::iter::once((FIRST_HOME + near) as WeightNumber).chain(further).collect()
}

/// The same for the empty vertex the given number of steps from where the goal wants it.
pub(super) fn of_empty(along: usize, across: usize) -> Vec<WeightNumber> {
    of_steps(FIRST_EMPTY, along, across, EMPTY_FURTHER)
}

/// The weight of a pair of step counts, each capped at [`FAR`], followed by `further` once per step
/// above the cap.
fn of_steps(first: usize, along: usize, across: usize, further: WeightNumber) -> Vec<WeightNumber> {
    let [along_near, across_near] = [along, across].map(|steps| steps.min(FAR));
    let (long, short) = (along_near.max(across_near), along_near.min(across_near));
    let number = (first + long * LONGEST + short) as WeightNumber;
    let beyond = along + across - long - short;
    std::iter::once(number).chain(std::iter::repeat_n(further, beyond)).collect()
}

/// A token of a line, by how far it has to go along the line, and its class.
#[derive(Clone, Copy)]
struct Going {
    way: isize,
    class: usize,
}

impl Going {
    fn of_side(side: usize) -> Going {
        Going { way: (side % WAYS) as isize - FAR as isize, class: side / WAYS }
    }

    fn side(self) -> usize {
        self.class * WAYS + (self.way + FAR as isize) as usize
    }

    fn mirrored(self) -> Going {
        Going { way: -self.way, ..self }
    }
}

/// The number of a token of a line, below [`SIDES`], by its way along the line, of which [`FAR`]
/// steps are distinguished, and the number of lines that it has to change.
pub(super) fn side(way: i8, lines_off: u8) -> u8 {
    let way = isize::from(way).clamp(-(FAR as isize), FAR as isize);
    Going { way, class: usize::from(lines_off).min(CLASSES - 1) }.side() as u8
}

/// The weight of two tokens of a line, the second of which is farther along it by some steps.
fn of_two(apart: usize, one: Going, other: Going) -> usize {
    let number = |one: Going, other: Going| one.side() * SIDES + other.side();
    let mirrored = number(other.mirrored(), one.mirrored());
    FIRST_PAIR + (apart - 1) * SIDES * SIDES + number(one, other).min(mirrored)
}

/// The weight of two tokens of a line, the second of which is some steps along it from the first,
/// or back; `None` when that is the same vertex.
fn of_pair(apart: isize, one: Going, other: Going) -> Option<usize> {
    match apart {
        0 => None,
        1.. => Some(of_two(apart.unsigned_abs(), one, other)),
        _ => Some(of_two(apart.unsigned_abs(), other, one)),
    }
}

/// The same on a line of a torus, whose last vertex leads to the first one: the tokens are as far
/// apart, and each goes as far along the line, as on the shorter way; where both ways are as long,
/// either counts as the other.
fn of_pair_around(apart: isize, one: Going, other: Going, length: usize) -> Option<usize> {
    let length = length as isize;
    if apart.abs() >= length {
        return None;
    }
    // Both, where they are as long.
    let shorter = move |way: isize| {
        let forth = way.rem_euclid(length);
        [forth, forth - length].into_iter().filter(move |way| 2 * way.abs() <= length)
    };
    let going = |token: Going| shorter(token.way).map(move |way| Going { way, ..token });
    let pairs = shorter(apart).flat_map(|apart| {
        going(one).flat_map(move |one| going(other).filter_map(move |two| of_pair(apart, one, two)))
    });
    pairs.min()
}

/// Where the pairs of a token are in [`pairs_of`]: by its [`side`], and by where the other token
/// is, the steps along the line and [`FAR`] of them.
pub(super) fn pair_row(side: usize, apart: usize) -> usize {
    side * APARTS + apart
}

/// The numbers of the weights of two tokens on a line of this length, [`WEIGHTS`] for none: for
/// each [`pair_row`] one for each [`side`] of the other token.
pub(super) fn pairs_of(length: usize, wraps: bool) -> Cow<'static, [WeightNumber]> {
    if !wraps {
        return Cow::Borrowed(&OF_PAIRS);
    }
    Cow::Owned(pair_table(|apart, one, other| of_pair_around(apart, one, other, length)))
}

/// Those on the lines of grids, whatever their length.
static OF_PAIRS: LazyLock<Vec<WeightNumber>> = LazyLock::new(|| pair_table(of_pair));

fn pair_table(pair: impl Fn(isize, Going, Going) -> Option<usize>) -> Vec<WeightNumber> {
    let number = |index: usize| {
        let (row, other) = (index / SIDES, index % SIDES);
        let apart = (row % APARTS) as isize - FAR as isize;
        pair(apart, Going::of_side(row / APARTS), Going::of_side(other)).unwrap_or(WEIGHTS)
    };
    (0..SIDES * APARTS * SIDES).map(|index| number(index) as WeightNumber).collect()
}

/// The numbers of the weights of all pairs on a line of [`LONGEST`] vertices.
fn of_short_line() -> impl Iterator<Item = WeightNumber> {
    let tokens = || {
        (0..LONGEST * LONGEST * CLASSES)
            .map(|token| (token / CLASSES / LONGEST, token / CLASSES % LONGEST, token % CLASSES))
    };
    let pairs = tokens().flat_map(move |one| tokens().map(move |other| (one, other)));
    pairs.filter_map(|((at, target, class), (other_at, other_target, other_class))| {
        let are_one = class == OWN && other_class == OWN && target == other_target;
        let going = |at: usize, target: usize, class: usize| Going {
            way: target as isize - at as isize,
            class,
        };
        let one = going(at, target, class);
        let other = going(other_at, other_target, other_class);
        let number = of_pair(other_at as isize - at as isize, one, other).filter(|_| !are_one);
        number.map(|number| number as WeightNumber)
    })
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

/// The boards of a family of weights.
#[derive(Clone, Copy)]
pub(super) struct Boards {
    /// The most empty vertices.
    pub most_empty: usize,
    /// Whether lines may have more than [`LONGEST`] vertices.
    pub are_long: bool,
}

/// The numbers that are in use on some boards, in the order in which weights are written.
pub(super) fn used(boards: Boards) -> Vec<WeightNumber> {
    let steps = || (1..LONGEST).flat_map(|far| (0..=far).map(move |near| (far, near)));
    let mut used: BTreeSet<_> = OF_AROUND.iter().copied().collect();
    let fits = |number: usize| {
        let empty = block_contents(number).iter().filter(|&&content| content == EMPTY).count();
        empty <= boards.most_empty
    };
    used.extend((0..BLOCKS).filter(|&number| fits(number)).map(|number| OF_BLOCKS[number]));
    if boards.are_long {
        used.extend(OF_PAIRS.iter());
        used.extend([TOKEN_FURTHER, HOME_FURTHER, EMPTY_FURTHER]);
    } else {
        used.extend(of_short_line());
    }
    used.remove(&(WEIGHTS as WeightNumber));
    used.extend(steps().flat_map(|(far, near)| of_token(far, near)));
    used.extend((1..WAYS).flat_map(of_home));
    used.extend(steps().flat_map(|(far, near)| of_empty(far, near)));
    used.into_iter().collect()
}

/// Which numbers are written on one line.
pub(super) fn row(number: usize) -> usize {
    match number.checked_sub(FIRST_PAIR) {
        Some(_) if number >= FIRST_FURTHER => FIRST_FURTHER,
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
    let of_distance =
        |distance: f32| distance / 3.0 + distance.powi(2) / 24.0 + distance.powi(3) / 60.0;
    for (along, across) in (0..STEPS).map(|steps| (steps / LONGEST, steps % LONGEST)) {
        values[of_token(along, across)[0] as usize] = of_distance((along + across) as f32);
    }
    values[TOKEN_FURTHER as usize] = of_distance(LONGEST as f32) - of_distance(FAR as f32);
    for apart in 1..LONGEST {
        for (one, other) in (0..SIDES).flat_map(|one| (0..SIDES).map(move |other| (one, other))) {
            let (one, other) = (Going::of_side(one), Going::of_side(other));
            if one.way > apart as isize + other.way {
                let own = [one, other].iter().filter(|token| token.class == OWN).count();
                values[of_two(apart, one, other)] = PASSING[own];
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The number of the weight of two tokens of a line, by their places and homes along it and how
    /// many lines they are off.
    fn number(pairs: &[WeightNumber], [one, other]: [[usize; 3]; 2]) -> WeightNumber {
        let of = |[at, target, off]: [usize; 3],
                  [other_at, other_target, other_off]: [usize; 3]| {
            let side_of = |at: usize, target: usize, off: usize| {
                side(target as i8 - at as i8, off as u8) as usize
            };
            let row = pair_row(side_of(at, target, off), other_at + FAR - at);
            pairs[row * SIDES + side_of(other_at, other_target, other_off)]
        };
        assert_eq!(of(one, other), of(other, one));
        of(one, other)
    }

    /// What the weight's number must and must not tell apart.
    #[test]
    fn pairs_have_one_weight_where_they_are_alike() {
        let pair = |one, other| number(&OF_PAIRS, [one, other]);
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
        assert_eq!(pair([11, 3, 0], [12, 20, 2]), pair([11, 4, 0], [12, 19, 2]), "on a long line");
        assert_ne!(pair([11, 3, 0], [12, 20, 2]), pair([11, 5, 0], [12, 19, 2]));
    }

    /// On a torus of six a token at 5 that is wanted at 1 goes two steps forth, past the end.
    #[test]
    fn pairs_on_a_torus_count_by_the_shorter_ways() {
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
