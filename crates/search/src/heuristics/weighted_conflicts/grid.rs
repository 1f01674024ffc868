//! Learned conflict weights on a grid or torus, followed slide by slide.

use std::borrow::Cow;

use hyperslide_puzzle::{MAX_VERTICES, State, Vertex, VertexSet};

use super::super::Incremental;
use super::super::learned_weights::{
    Cells, Change, Followed, LearnedWeights, Numbers, WeightNumber, cells_on,
};
use super::super::placed_grid::PlacedGrid;
use super::weights::{
    APARTS, AROUND, BLOCKS, CONTENTS, EMPTY, FAR, LONGEST, NEEDS, OF_AROUND, OF_BLOCKS, OUTSIDE,
    REACH, SIDES, WEIGHTS, WINDOW, Way, of_empty, of_home, of_token, pair_row, pairs_of, side,
};

/// The weights as tables for one puzzle, a move being 64.
///
/// Memory: 86 KB for the pairs, 33 KB for the blocks, 29 KB for what is seen and around, of which a
/// successor reads some 200 bytes, and 320 bytes a token.
#[derive(Clone, Debug)]
pub struct GridWeights {
    views: Views,
    /// By label and vertex.
    tokens: Vec<[i32; MAX_VERTICES]>,
    /// Steps from home, by label and vertex.
    distances: Vec<[u8; MAX_VERTICES]>,
    /// By the empty vertex.
    empty: [i32; MAX_VERTICES],
    /// By [`pair_row`] of one token, [`ROW`] for each, and the [`side`] of the other; [`NO_SIDE`]
    /// counts nothing. If rows and columns differ, those for columns follow.
    pairs: Vec<i16>,
    /// Where those for rows and for columns begin.
    first_pairs: [usize; 2],
    /// By number.
    blocks: Box<[i16; MOST_BLOCKS]>,
    /// By [`Way::around`] and [`Way::need`]; [`NO_NEED`] counts nothing.
    around: Box<[[i16; BYTES]; AROUND]>,
    /// The sum of the goal's weights.
    goal: i32,
}

/// Which weights count in a state of one puzzle.
pub(crate) struct GridNumbers {
    views: Views,
    /// By label and vertex, as often as they count.
    tokens: Vec<[Vec<WeightNumber>; MAX_VERTICES]>,
    /// By the empty vertex, as often as they count.
    empty: [Vec<WeightNumber>; MAX_VERTICES],
    /// For rows and for columns: see [`pairs_of`].
    pairs: [Cow<'static, [WeightNumber]>; 2],
}

/// Table lengths are rounded up, to 256 for tables indexed by a byte and otherwise to a power of
/// two, so that the compiler can omit bounds checks.
const BYTES: usize = 1 << u8::BITS;
const MOST_BLOCKS: usize = BLOCKS.next_power_of_two();

/// Weights in a row of pairs: a power of two above all sides.
const ROW: usize = (SIDES + 1).next_power_of_two();
/// The length of the rows of one side; the last row is padded to 256 entries.
const ROWS: usize = (APARTS - 1) * ROW + BYTES;
/// The weights of the pairs on lines of one length.
const PAIRS: usize = SIDES * APARTS * ROW + ROWS;

/// Where there is no token.
const NO_SIDE: u8 = SIDES as u8;
const NO_NEED: u8 = NEEDS as u8;

/// What pairs, blocks and the empty vertex look at in a token on a vertex.
#[derive(Clone, Copy, Debug)]
struct View {
    /// Its [`side`] in the row and in the column.
    sides: [u8; 2],
    /// Its [`Way::wish`].
    wish: u8,
    /// Its [`Way::need`].
    need: u8,
}

impl View {
    /// Of the empty vertex.
    const EMPTY: View = View { sides: [NO_SIDE; 2], wish: EMPTY, need: NO_NEED };
    /// Of what is outside the board.
    const OUTSIDE: View = View { wish: OUTSIDE, ..View::EMPTY };

    /// On the margin of a torus: seen near a vertex, but not a second time on its lines.
    fn on_margin(self) -> View {
        View { sides: [NO_SIDE; 2], ..self }
    }
}

/// A vertex of a board that is padded to the longest rows and surrounded by a margin, so that the
/// loops over a vertex's lines and surroundings have the same lengths on every board. On a torus
/// the margin repeats the opposite side.
type Place = usize;
/// Columns on the left and on the right of the board.
const MARGIN: usize = REACH as usize;
/// Rows above and below it: as many as are seen from a token.
const ROW_MARGIN: usize = FAR;
/// From a place to the next of its row and of its column.
const STRIDES: [usize; 2] = [1, LONGEST + 2 * MARGIN];
/// A power of two above all places, so that no index has to be checked.
const PLACES: usize = ((MAX_VERTICES + 2 * ROW_MARGIN) * STRIDES[1]).next_power_of_two();

/// What is seen on each place in a state. Outside of a grid nothing ever changes.
#[derive(Clone, Debug)]
pub(crate) struct Seen([View; PLACES]);

impl Default for Seen {
    fn default() -> Seen {
        Seen([View::OUTSIDE; PLACES])
    }
}

/// What a token sees of a line: all of it, or of a column of more than [`LONGEST`] vertices those
/// within [`FAR`] steps.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// The first place.
    first: u16,
    /// Where that is in [`pair_row`].
    apart: u8,
}

impl Line {
    /// The line of a place that is preceded by `before` other places of it.
    fn new(place: Place, before: usize, stride: usize) -> Line {
        Line { first: (place - before * stride) as u16, apart: (FAR - before) as u8 }
    }
}

impl Seen {
    #[inline(always)]
    fn view(&self, place: u16) -> View {
        self.0[place as Place % PLACES]
    }

    #[inline(always)]
    fn at(&mut self, place: u16) -> &mut View {
        &mut self.0[place as Place % PLACES]
    }

    /// The `PLACES` places from `first` on.
    #[inline(always)]
    fn from<const PLACES: usize>(&self, first: Place) -> &[View; PLACES] {
        self.0[first..].first_chunk().expect("no rectangle leaves the margin")
    }

    /// The [`side`]s on a line, row or column, as far as it is seen.
    #[inline(always)]
    fn line<const DIRECTION: usize, const LENGTH: usize>(&self, line: Line) -> [u8; LENGTH] {
        let places: &[View; (APARTS - 1) * STRIDES[1] + 1] = self.from(line.first as Place);
        std::array::from_fn(|number| places[number * STRIDES[DIRECTION]].sides[DIRECTION])
    }

    /// Calls with the number of each block of the given numbers of rows and columns from a place
    /// on, and the number of places it takes.
    #[inline(always)]
    fn each_block<const ROWS: usize, const COLUMNS: usize, const PLACES: usize>(
        &self,
        first: Place,
        mut call: impl FnMut(usize),
    ) {
        const { assert!(PLACES == (ROWS - 1) * STRIDES[1] + COLUMNS) };
        let places: &[View; PLACES] = self.from(first);
        for row in 0..ROWS - 1 {
            let two = |column: usize| {
                let [upper, lower] =
                    [row, row + 1].map(|row| places[row * STRIDES[1] + column].wish as usize);
                upper * CONTENTS + lower
            };
            let mut left = two(0);
            for column in 1..COLUMNS {
                let right = two(column);
                call(left * CONTENTS.pow(2) + right);
                left = right;
            }
        }
    }

    /// Calls with [`Way::around`] and [`Way::need`] of what is near the empty vertex.
    #[inline(always)]
    fn each_around(&self, empty: Place, mut call: impl FnMut(usize, u8)) {
        const PLACES: usize = (WINDOW - 1) * STRIDES[1] + WINDOW;
        let places: &[View; PLACES] = self.from(empty - MARGIN * (STRIDES[0] + STRIDES[1]));
        for row in 0..WINDOW {
            for column in 0..WINDOW {
                call(row * WINDOW + column, places[row * STRIDES[1] + column].need);
            }
        }
    }
}

/// What is seen of each token on each vertex of a grid.
#[derive(Clone, Debug)]
struct Views {
    rows: usize,
    columns: usize,
    wraps: bool,
    /// By vertex.
    places: [u16; MAX_VERTICES],
    /// On a torus, by vertex the places on the margin where it is seen.
    copies: Vec<Vec<u16>>,
    /// Its row and its column, by vertex.
    lines: [[Line; 2]; MAX_VERTICES],
    /// By vertex and label.
    views: Box<[[View; MAX_VERTICES]; MAX_VERTICES]>,
}

impl Views {
    fn new(grid: &PlacedGrid) -> Views {
        let view = |home: Vertex, at: Vertex| {
            let [rows, columns] = grid.way(at, home);
            let sides = [side(columns, rows.unsigned_abs()), side(rows, columns.unsigned_abs())];
            let way = Way { rows, columns };
            View { sides, wish: way.wish(), need: way.need() }
        };
        let mut views = Box::new([[View::EMPTY; MAX_VERTICES]; MAX_VERTICES]);
        let (mut places, mut lines) = ([0; MAX_VERTICES], [[Line::default(); 2]; MAX_VERTICES]);
        let mut copies = Vec::new();
        for vertex in grid.vertices() {
            let (row, column) = (grid.row(vertex), grid.column(vertex));
            let at = place(row + ROW_MARGIN, column + MARGIN);
            places[vertex.index()] = at;
            if grid.wraps {
                copies.push(margin_copies(grid, vertex));
            }
            let above = if grid.rows > LONGEST { FAR } else { row };
            lines[vertex.index()] = [(column, STRIDES[0]), (above, STRIDES[1])]
                .map(|(before, stride)| Line::new(at as Place, before, stride));
            for (of_label, &home) in views[vertex.index()].iter_mut().zip(&grid.targets) {
                *of_label = view(home, vertex);
            }
        }
        let &PlacedGrid { rows, columns, wraps, .. } = grid;
        Views { rows, columns, wraps, places, copies, lines, views }
    }

    fn vertices(&self) -> usize {
        self.rows * self.columns
    }

    /// Returns whether columns are seen only in part.
    fn are_long(&self) -> bool {
        self.rows > LONGEST
    }

    #[inline]
    fn place(&self, vertex: Vertex) -> Place {
        self.places[vertex.index()] as Place
    }

    /// Writes what is seen in a state over what was seen in another of the board.
    #[inline]
    fn look(&self, cells: &Cells, empty: VertexSet, seen: &mut Seen) {
        let places = &self.places[..self.vertices()];
        for ((&place, &label), views) in places.iter().zip(cells).zip(self.views.iter()) {
            *seen.at(place) = views[label as usize % MAX_VERTICES];
        }
        for vertex in empty {
            *seen.at(self.places[vertex.index()]) = View::EMPTY;
        }
        for (copies, &place) in self.copies.iter().zip(places) {
            let view = seen.at(place).on_margin();
            copies.iter().for_each(|&copy| *seen.at(copy) = view);
        }
    }

    /// Writes what is seen on a vertex.
    #[inline(always)]
    fn put(&self, seen: &mut Seen, vertex: usize, view: View) {
        *seen.at(self.places[vertex]) = view;
        if self.wraps {
            let copies = &self.copies[vertex];
            copies.iter().for_each(|&copy| *seen.at(copy) = view.on_margin());
        }
    }

    /// The place of a vertex next to that of a neighbour in a row or column.
    #[inline(always)]
    fn beside<const DIRECTION: usize>(&self, vertex: usize, neighbour: Place) -> Place {
        let place = self.places[vertex] as Place;
        if !self.wraps || place.abs_diff(neighbour) == STRIDES[DIRECTION] {
            return place;
        }
        let mut copies = self.copies[vertex].iter().map(|&copy| copy as Place);
        let copy = copies.find(|copy| copy.abs_diff(neighbour) == STRIDES[DIRECTION]);
        copy.expect("the margin is wide enough")
    }

    fn seen(&self, cells: &Cells, empty: VertexSet) -> Seen {
        let mut seen = Seen::default();
        self.look(cells, empty, &mut seen);
        seen
    }

    /// Calls for each two tokens that see each other on a line with the line's direction, the
    /// [`pair_row`] of one and the [`side`] of the other.
    fn each_pair(&self, seen: &Seen, mut call: impl FnMut(usize, usize, u8)) {
        for (lines, &place) in self.lines[..self.vertices()].iter().zip(&self.places) {
            let sides = seen.view(place).sides;
            let mut after = |direction: usize, line: &[u8]| {
                let apart = lines[direction].apart as usize;
                let others = (apart..).zip(line).filter(|&(apart, _)| apart > FAR);
                for (apart, &other) in others.filter(|&(_, &other)| other != NO_SIDE) {
                    call(direction, pair_row(sides[direction] as usize, apart), other);
                }
            };
            if sides[0] != NO_SIDE {
                after(0, &seen.line::<0, LONGEST>(lines[0]));
                match self.are_long() {
                    true => after(1, &seen.line::<1, APARTS>(lines[1])),
                    false => after(1, &seen.line::<1, LONGEST>(lines[1])),
                }
            }
        }
    }

    /// Calls with the number of each block; those that are not all on the board have numbers, too.
    fn each_block(&self, seen: &Seen, mut call: impl FnMut(usize)) {
        for &place in &self.places[..self.vertices()] {
            seen.each_block::<2, 2, { STRIDES[1] + 2 }>(place as Place, &mut call);
        }
    }
}

/// The place in a row and column, margins included.
fn place(row: usize, column: usize) -> u16 {
    (row * STRIDES[1] + column * STRIDES[0]) as u16
}

/// The places on the margin where a vertex of a torus is seen.
fn margin_copies(grid: &PlacedGrid, vertex: Vertex) -> Vec<u16> {
    let along = |at: usize, length: usize, margin: usize| {
        let at = at + margin;
        let seen = margin - MARGIN..margin + length + MARGIN;
        [at.checked_sub(length), Some(at), Some(at + length)]
            .into_iter()
            .flatten()
            .filter(move |place| seen.contains(place))
    };
    let rows = along(grid.row(vertex), grid.rows, ROW_MARGIN);
    let all = rows.flat_map(|row| {
        along(grid.column(vertex), grid.columns, MARGIN).map(move |column| place(row, column))
    });
    let own = place(grid.row(vertex) + ROW_MARGIN, grid.column(vertex) + MARGIN);
    all.filter(|&at| at != own).collect()
}

fn steps(grid: &PlacedGrid, a: Vertex, b: Vertex) -> (usize, usize) {
    let [rows, columns] = grid.way(a, b).map(|way| usize::from(way.unsigned_abs()));
    (rows, columns)
}

impl GridNumbers {
    /// For a grid with at most [`LONGEST`] columns, or a torus with at most as many rows, too.
    pub(super) fn new(grid: &PlacedGrid) -> GridNumbers {
        // To the nearest vertex that the goal leaves empty.
        let from_empty = |vertex: Vertex| {
            let all = grid.goal_empty.into_iter().map(|empty| steps(grid, vertex, empty));
            all.min_by_key(|(rows, columns)| rows + columns).expect("some vertex is empty")
        };
        let mut empty = [const { Vec::new() }; MAX_VERTICES];
        for vertex in grid.vertices().filter(|&vertex| !grid.goal_empty.contains(vertex)) {
            let (rows, columns) = from_empty(vertex);
            empty[vertex.index()] = of_empty(rows, columns);
        }
        let token = |&home: &Vertex| {
            let (down, over) = from_empty(home);
            let of_home = of_home(down + over);
            let mut numbers = [const { Vec::new() }; MAX_VERTICES];
            for vertex in grid.vertices().filter(|&vertex| vertex != home) {
                let (rows, columns) = steps(grid, vertex, home);
                numbers[vertex.index()] = [of_token(rows, columns), of_home.clone()].concat();
            }
            numbers
        };
        GridNumbers {
            views: Views::new(grid),
            tokens: grid.targets.iter().map(token).collect(),
            empty,
            pairs: [grid.columns, grid.rows].map(|length| pairs_of(length, grid.wraps)),
        }
    }
}

impl Numbers for GridNumbers {
    fn each(&self, cells: &Cells, empty: VertexSet, call: &mut dyn FnMut(WeightNumber)) {
        let mut call_some = |number| {
            if (number as usize) < WEIGHTS {
                call(number);
            }
        };
        let views = &self.views;
        for vertex in empty {
            self.empty[vertex.index()].iter().copied().for_each(&mut call_some);
        }
        for vertex in VertexSet::first(views.vertices()) - empty {
            let label = cells[vertex.index()] as usize;
            self.tokens[label][vertex.index()].iter().copied().for_each(&mut call_some);
        }
        let seen = views.seen(cells, empty);
        views.each_pair(&seen, |direction, row, other| {
            call_some(self.pairs[direction][row * SIDES + other as usize]);
        });
        views.each_block(&seen, |number| call_some(OF_BLOCKS[number]));
        for vertex in empty {
            seen.each_around(views.place(vertex), |around, need| {
                if need != NO_NEED {
                    call_some(OF_AROUND[around * NEEDS + need as usize]);
                }
            });
        }
    }
}

impl GridWeights {
    /// As [`GridNumbers::new`].
    pub(super) fn new(grid: &PlacedGrid, weights: &LearnedWeights) -> GridWeights {
        let GridNumbers { views, tokens, empty, pairs: of_pairs } = GridNumbers::new(grid);
        let fixed = |number| i32::from(weights.fixed(number));
        let sum = |numbers: Vec<WeightNumber>| numbers.into_iter().map(fixed).sum::<i32>();
        let distances = |&home: &Vertex| {
            let mut distances = [0; MAX_VERTICES];
            for vertex in grid.vertices() {
                let (rows, columns) = steps(grid, vertex, home);
                distances[vertex.index()] = (rows + columns) as u8;
            }
            distances
        };
        let fill = |table: &mut [i16], numbers: &[WeightNumber]| {
            table.iter_mut().zip(numbers).for_each(|(to, &number)| *to = weights.fixed(number));
        };
        let tables = if of_pairs[0] == of_pairs[1] { 1 } else { 2 };
        let mut pairs = vec![0; tables * PAIRS];
        for (pairs, of) in pairs.chunks_mut(PAIRS).zip(&of_pairs) {
            pairs.chunks_mut(ROW).zip(of.chunks(SIDES)).for_each(|(row, of)| fill(row, of));
        }
        let mut blocks = Box::new([0; MOST_BLOCKS]);
        fill(&mut *blocks, &OF_BLOCKS);
        let mut around = Box::new([[0; BYTES]; AROUND]);
        around.iter_mut().zip(OF_AROUND.chunks(NEEDS)).for_each(|(row, of)| fill(row, of));
        let mut weights = GridWeights {
            views,
            tokens: tokens.into_iter().map(|of_label| of_label.map(sum)).collect(),
            distances: grid.targets.iter().map(distances).collect(),
            empty: empty.map(sum),
            pairs,
            first_pairs: [0, (tables - 1) * PAIRS],
            blocks,
            around,
            goal: 0,
        };
        let mut cells = [0; MAX_VERTICES];
        for (label, home) in grid.targets.iter().enumerate() {
            cells[home.index()] = label as u8;
        }
        weights.goal = weights.sum(&cells, grid.goal_empty);
        weights
    }

    fn cells_of(&self, state: &State) -> (Cells, VertexSet) {
        cells_on(VertexSet::first(self.views.vertices()), state)
    }

    #[inline(always)]
    fn block(&self, number: usize) -> i32 {
        i32::from(self.blocks[number % MOST_BLOCKS])
    }

    /// The weights of a token with others on its row or column: [`ROW`] for each place that it
    /// sees.
    #[inline(always)]
    fn pairs_of<const DIRECTION: usize>(&self, line: Line, view: View) -> &[i16; ROWS] {
        let row = pair_row(view.sides[DIRECTION] as usize, line.apart as usize);
        let rows = &self.pairs[self.first_pairs[DIRECTION] + row * ROW..];
        rows.first_chunk().expect("the table is padded at its end")
    }

    /// The sum of a token's pair weights over the `LENGTH` places of the line that it sees.
    #[inline(always)]
    fn pairs_on<const DIRECTION: usize, const LENGTH: usize>(
        &self,
        seen: &Seen,
        vertex: usize,
        view: View,
    ) -> i32 {
        let line = self.views.lines[vertex][DIRECTION];
        let pairs = self.pairs_of::<DIRECTION>(line, view);
        let sides = seen.line::<DIRECTION, LENGTH>(line).into_iter().enumerate();
        sides.map(|(number, side)| i32::from(pairs[number * ROW + side as usize])).sum()
    }

    /// The weights of the tokens near an empty vertex.
    #[inline(always)]
    fn around(&self, seen: &Seen, empty: Place) -> i32 {
        let mut sum = 0;
        seen.each_around(empty, |around, need| {
            sum += i32::from(self.around[around][need as usize]);
        });
        sum
    }

    /// The weights of the tokens near all empty vertices.
    #[inline]
    fn around_all(&self, seen: &Seen, empty: VertexSet) -> i32 {
        empty.into_iter().map(|vertex| self.around(seen, self.views.place(vertex))).sum()
    }

    fn sum(&self, cells: &Cells, empty: VertexSet) -> i32 {
        let views = &self.views;
        let mut sum = empty.into_iter().map(|vertex| self.empty[vertex.index()]).sum::<i32>();
        for vertex in VertexSet::first(views.vertices()) - empty {
            sum += self.tokens[cells[vertex.index()] as usize][vertex.index()];
        }
        let seen = views.seen(cells, empty);
        views.each_pair(&seen, |direction, row, other| {
            sum += i32::from(self.pairs[self.first_pairs[direction] + row * ROW + other as usize]);
        });
        views.each_block(&seen, |number| sum += self.block(number));
        sum + self.around_all(&seen, empty)
    }

    /// Ready for the changes by all slides in a state, over what was seen in another one of the
    /// puzzle.
    #[inline]
    fn changes<'w>(
        &'w self,
        cells: &'w Cells,
        empty: VertexSet,
        seen: &'w mut Seen,
    ) -> Changes<'w> {
        self.views.look(cells, empty, seen);
        Changes { weights: self, cells, empty, seen }
    }
}

impl Followed for GridWeights {
    type Seen = Seen;

    fn rest(&self, state: &State) -> i32 {
        let (cells, empty) = self.cells_of(state);
        let seen = self.views.seen(&cells, empty);
        self.value(state) - self.around_all(&seen, empty)
    }

    fn value(&self, state: &State) -> i32 {
        let (cells, empty) = self.cells_of(state);
        self.sum(&cells, empty) - self.goal
    }

    fn distance(&self, state: &State) -> u32 {
        let steps = state.tokens().map(|(v, label)| self.distances[label.index()][v.index()]);
        steps.map(u32::from).sum()
    }

    #[inline]
    fn slides(
        &self,
        cells: &Cells,
        empty: VertexSet,
        slides: impl Iterator<Item = (u8, u8)>,
        seen: &mut Seen,
        mut call: impl FnMut(Change),
    ) {
        let mut changes = self.changes(cells, empty, seen);
        match (empty.len() == 1, self.views.are_long()) {
            (true, false) => {
                slides.for_each(|(from, to)| call(changes.slide::<false, LONGEST>(from, to)));
            }
            (true, true) => {
                slides.for_each(|(from, to)| call(changes.slide::<false, APARTS>(from, to)));
            }
            (false, _) => {
                slides.for_each(|(from, to)| call(changes.slide::<true, LONGEST>(from, to)));
            }
        }
    }

    fn incremental(&self) -> Incremental<'_> {
        Incremental::GridWeights(self)
    }

    fn bytes(&self) -> u64 {
        let tokens = self.tokens.len() * (size_of::<[i32; MAX_VERTICES]>() + MAX_VERTICES);
        let views = size_of_val(&*self.views.views);
        let pairs = size_of_val(&*self.pairs);
        (tokens + views + pairs + size_of_val(&*self.blocks) + size_of_val(&*self.around)) as u64
    }
}

/// The changes of value and distance by the slides in one state.
struct Changes<'w> {
    weights: &'w GridWeights,
    cells: &'w Cells,
    empty: VertexSet,
    seen: &'w mut Seen,
}

impl Changes<'_> {
    /// When the token on `from` slides to the empty vertex `to` next to it, which may be one of
    /// several. `COLUMN` is the number of places of a column that are seen.
    #[inline]
    fn slide<const SEVERAL: bool, const COLUMN: usize>(&mut self, from: u8, to: u8) -> Change {
        let lines = &self.weights.views.lines;
        let [from, to] = [from, to].map(|vertex| vertex as usize % MAX_VERTICES);
        // Blocks with one of the two vertices or both are those of a rectangle around them.
        if lines[from][0].first == lines[to][0].first {
            self.slide_along::<SEVERAL, COLUMN, 0, 3, 4, { 2 * STRIDES[1] + 4 }>(from, to)
        } else {
            self.slide_along::<SEVERAL, COLUMN, 1, 4, 3, { 3 * STRIDES[1] + 3 }>(from, to)
        }
    }

    /// A slide in a row or column, with a rectangle of the given numbers of rows, columns and
    /// places around the two vertices.
    #[inline(always)]
    fn slide_along<
        const SEVERAL: bool,
        const COLUMN: usize,
        const ALONG: usize,
        const ROWS: usize,
        const COLUMNS: usize,
        const PLACES: usize,
    >(
        &mut self,
        from: usize,
        to: usize,
    ) -> Change {
        let Changes { weights, cells, empty, ref mut seen } = *self;
        let label = cells[from] as usize;
        let costs = &weights.tokens[label];
        let mut rest = costs[to] - costs[from] + weights.empty[from] - weights.empty[to];
        let distances = &weights.distances[label];
        let distance = i32::from(distances[to]) - i32::from(distances[from]);
        let views = &weights.views;
        let then = views.views[to][label % MAX_VERTICES];
        let now = seen.view(views.places[from]);
        let to_place = views.places[to] as Place;
        let corner = views.beside::<ALONG>(from, to_place).min(to_place) - STRIDES[0] - STRIDES[1];

        seen.each_block::<ROWS, COLUMNS, PLACES>(corner, |number| rest -= weights.block(number));
        views.put(seen, from, View::EMPTY);
        if ALONG == 0 || COLUMN == LONGEST {
            let [from_line, to_line] = [from, to].map(|vertex| views.lines[vertex][ALONG]);
            let before = weights.pairs_of::<ALONG>(from_line, now);
            let after = weights.pairs_of::<ALONG>(to_line, then);
            // It sees all of one line before and after.
            for (number, side) in seen.line::<ALONG, LONGEST>(from_line).into_iter().enumerate() {
                let number = number * ROW + side as usize;
                rest += i32::from(after[number]) - i32::from(before[number]);
            }
        } else {
            rest += weights.pairs_on::<ALONG, COLUMN>(seen, to, then);
            rest -= weights.pairs_on::<ALONG, COLUMN>(seen, from, now);
        }
        if ALONG == 0 {
            rest += weights.pairs_on::<1, COLUMN>(seen, to, then);
            rest -= weights.pairs_on::<1, COLUMN>(seen, from, now);
        } else {
            rest += weights.pairs_on::<0, LONGEST>(seen, to, then);
            rest -= weights.pairs_on::<0, LONGEST>(seen, from, now);
        }
        views.put(seen, to, then);
        seen.each_block::<ROWS, COLUMNS, PLACES>(corner, |number| rest += weights.block(number));
        let mut around = weights.around(seen, views.places[from] as Place);
        if SEVERAL {
            around += weights.around_all(seen, empty - VertexSet::from_bits(1 << to));
        }
        views.put(seen, from, now);
        views.put(seen, to, View::EMPTY);
        Change { rest, around, distance }
    }
}
