//! The iteration of IDA* for small graphs with one empty vertex: the 15-puzzle, the tesseract, the
//! 4x4 torus.
//!
//! A third representation for measured speed, tested against the second: a state takes two
//! words, one for its labels and one with a bit per slide, set if it brings its token nearer. All
//! successors of a state are written to the stack, which then grows by those within the bound. So
//! hardly any branch depends on the states, and hardly any is mispredicted.

use hyperslide_puzzle::{Label, MAX_VERTICES};

#[cfg(target_arch = "x86_64")]
use super::has_bit_instructions;
use super::one_empty::{ROOT, Step, Tables};
use crate::control::Meter;
use crate::outcome::Limit;

/// Vertices whose labels fit into a word, four bits each.
const VERTICES: usize = 16;

/// Directed edges whose bits fit into a word: those of 16 vertices of degree four.
const EDGES: usize = 64;

/// The most successors of a state, its parent left out.
const WIDTH: usize = 3;

/// The tables of a small graph: 20 KiB.
pub(super) struct Packed {
    /// The empty vertex of the start.
    empty: u8,
    /// After the start, which may have one successor more.
    after_start: Vec<Slide>,
    /// By the directed edge along which the empty vertex came.
    after: Box<[Successors; EDGES]>,
    /// For each directed edge and label, the slides that begin or cease to bring the label nearer
    /// when it moves along the edge.
    turned: Box<[[u64; VERTICES]; EDGES]>,
    /// For each label and vertex, the slides of the label from there that bring it nearer.
    nearer: [[u64; VERTICES]; VERTICES],
}

#[derive(Clone, Copy)]
struct Successors {
    /// The last first, since a stack turns them round.
    slides: [Slide; WIDTH],
    /// How many of the slides there are; no state takes the others.
    count: u64,
}

#[derive(Clone, Copy)]
struct Slide {
    /// Its bit among the four slides to the empty vertex.
    bit: u64,
    /// A one in the places of both of its vertices: a label times this moves the label.
    places: u64,
    edge: u32,
    /// Where the label is in the word of labels.
    shift: u32,
    /// What the note of a frame gains if the slide brings its token farther, and if nearer.
    gains: [i64; 2],
}

/// A state on the stack. From its highest bits, the note holds the slack (32 bits), the moves left
/// before the bound (16 bits), which of the four slides to the empty vertex do not lead back (4
/// bits), the number of the first of these four (6 bits), and the edge along which the empty vertex
/// came (6 bits). So the frame itself decides how many of its successors are kept, for which the
/// next frame has to wait.
#[derive(Clone, Copy, Default)]
struct Frame {
    labels: u64,
    nearer: u64,
    note: i64,
}

const FIRST_SLIDE: u32 = 6;
const FORWARD: u32 = 12;
const MOVES_LEFT: u32 = 16;
const SLACK: u32 = 32;

/// How an iteration ended.
pub(super) enum End {
    /// At the goal, which the empty vertex reaches along these directed edges.
    Solved(Vec<u16>),
    Limit(Limit),
    /// Everything was visited. The nearest state beyond the bound, if there is one, exceeds it by
    /// so much.
    Visited(Option<u32>),
}

impl Slide {
    const NONE: Slide = Slide { bit: 0, places: 0, edge: 0, shift: 0, gains: [0; 2] };

    fn new(step: Step, to: u8, tables: &Tables) -> Slide {
        let next_first = tables.first_edge(step.from);
        let next = tables.steps(step.next).iter();
        let forward: i64 = next.map(|next| 1 << (next.edge - next_first)).sum();
        let nearer =
            i64::from(step.edge) + (i64::from(next_first) << FIRST_SLIDE) + (forward << FORWARD)
                - (1 << MOVES_LEFT);
        Slide {
            bit: 1 << (step.edge - tables.first_edge(to)),
            places: 1 << (4 * step.from) | 1 << (4 * to),
            edge: step.edge.into(),
            shift: (4 * step.from).into(),
            // The move costs one; a token that comes nearer gives it back.
            gains: [nearer - (2 << SLACK), nearer],
        }
    }
}

impl Frame {
    /// The start, which has neither an edge nor slides in its note.
    fn start(cells: &[u8; MAX_VERTICES], h: u32, bound: u32, packed: &Packed) -> Frame {
        let note = (i64::from(bound - h) << SLACK) + (i64::from(bound) << MOVES_LEFT);
        let mut frame = Frame { labels: 0, nearer: 0, note };
        for (vertex, &label) in cells[..VERTICES].iter().enumerate() {
            if vertex != usize::from(packed.empty) {
                frame.labels |= u64::from(label) << (4 * vertex);
                frame.nearer |= packed.nearer[usize::from(label)][vertex];
            }
        }
        frame
    }

    /// The directed edge along which the empty vertex came.
    fn edge(self) -> usize {
        self.note as usize % EDGES
    }

    fn moves_left(self) -> u32 {
        u32::from((self.note >> MOVES_LEFT) as u16)
    }

    fn slack(self) -> u32 {
        (self.note >> SLACK) as u32
    }

    /// Of the slides from the one with number `first`, those that bring a token nearer.
    fn nearer_from(self, first: i64) -> u64 {
        self.nearer >> (first & 63)
    }

    /// The state after a slide, which may be beyond the bound.
    #[inline(always)]
    fn after(self, slide: &Slide, nearer: u64, packed: &Packed) -> Frame {
        let label = (self.labels >> (slide.shift & 63)) & 15;
        let is_nearer = usize::from(nearer & slide.bit != 0);
        Frame {
            labels: self.labels ^ (label * slide.places),
            nearer: self.nearer ^ packed.turned[slide.edge as usize % EDGES][label as usize],
            note: (self.note & -(1 << MOVES_LEFT)) + slide.gains[is_nearer],
        }
    }

    fn cells(self) -> [u8; MAX_VERTICES] {
        let mut cells = [0; MAX_VERTICES];
        for (vertex, cell) in cells[..VERTICES].iter_mut().enumerate() {
            *cell = (self.labels >> (4 * vertex)) as u8 & 15;
        }
        cells
    }
}

impl Packed {
    /// Packs the tables of a graph, or returns `None` if it is too large, if four slides may
    /// follow a slide, or if some slide changes the estimate by anything but one.
    pub fn new(tables: &Tables, labels: &[Label]) -> Option<Packed> {
        let fits = tables.empty.iter().all(|&vertex| usize::from(vertex) < VERTICES)
            && labels.iter().all(|label| label.index() < VERTICES)
            && tables.changes.len() <= EDGES;
        let is_one = |row: &[i8; MAX_VERTICES], label: &Label| row[label.index()].abs() == 1;
        if !fits || !tables.changes.iter().all(|row| labels.iter().all(|l| is_one(row, l))) {
            return None;
        }

        let arrivals = || (ROOT..).zip(tables.empty.iter().copied());
        let steps = || arrivals().flat_map(|(a, to)| tables.steps(a).iter().map(move |s| (s, to)));
        let mut nearer = [[0; VERTICES]; VERTICES];
        for (step, _) in steps() {
            for label in labels {
                if tables.changes[usize::from(step.edge)][label.index()] < 0 {
                    nearer[label.index()][usize::from(step.from)] |= 1 << step.edge;
                }
            }
        }
        let mut turned = Box::new([[0; VERTICES]; EDGES]);
        for (step, to) in steps() {
            for (turned, nearer) in turned[usize::from(step.edge)].iter_mut().zip(&nearer) {
                *turned = nearer[usize::from(step.from)] ^ nearer[usize::from(to)];
            }
        }
        let slides = |(arrival, to)| -> Vec<Slide> {
            let steps = tables.steps(arrival).iter().rev();
            steps.map(|&step| Slide::new(step, to, tables)).collect()
        };
        let mut after = Box::new([Successors { slides: [Slide::NONE; WIDTH], count: 0 }; EDGES]);
        for (edge, slides) in arrivals().skip(1).map(slides).enumerate() {
            after[edge].slides.get_mut(..slides.len())?.copy_from_slice(&slides);
            after[edge].count = slides.len() as u64;
        }
        let empty = tables.empty[usize::from(ROOT)];
        Some(Packed { empty, after_start: slides((ROOT, empty)), after, turned, nearer })
    }

    pub fn bytes(&self) -> u64 {
        let boxed = size_of_val(&*self.after) + size_of_val(&*self.turned);
        (size_of_val(self) + boxed + size_of_val(&self.after_start[..])) as u64
    }

    /// Visits everything within the bound from a state whose estimate is `h` and whose label on
    /// each vertex is in `cells`. `is_goal` gets the labels, and the edge along which the empty
    /// vertex came.
    pub fn visit(
        &self,
        cells: &[u8; MAX_VERTICES],
        h: u32,
        bound: u32,
        is_goal: impl Fn(&[u8; MAX_VERTICES], Option<usize>) -> bool,
        meter: &mut Meter<'_>,
    ) -> End {
        #[cfg(target_arch = "x86_64")]
        if has_bit_instructions() {
            #[allow(unsafe_code, reason = "its instructions were found")]
            // SAFETY: the instructions are there.
            return unsafe { self.visit_counting(cells, h, bound, is_goal, meter) };
        }
        self.visit_with(cells, h, bound, is_goal, meter)
    }

    /// The same with instructions that count and shift bits: each state depends on a shift and a
    /// bit count of the one before.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt,bmi1,bmi2")]
    fn visit_counting(
        &self,
        cells: &[u8; MAX_VERTICES],
        h: u32,
        bound: u32,
        is_goal: impl Fn(&[u8; MAX_VERTICES], Option<usize>) -> bool,
        meter: &mut Meter<'_>,
    ) -> End {
        self.visit_with(cells, h, bound, is_goal, meter)
    }

    /// The same for whichever instructions the caller is compiled.
    #[inline(always)]
    fn visit_with(
        &self,
        cells: &[u8; MAX_VERTICES],
        h: u32,
        bound: u32,
        is_goal: impl Fn(&[u8; MAX_VERTICES], Option<usize>) -> bool,
        meter: &mut Meter<'_>,
    ) -> End {
        if h == 0 && is_goal(cells, None) {
            return End::Solved(Vec::new());
        }
        // A state leaves two others on the stack for each move that led to it, and has room for its
        // own successors, and one that is written and not kept.
        let mut stack = vec![Frame::default(); (WIDTH - 1) * bound as usize + 2 * (WIDTH + 1)];
        let mut path = vec![0; bound as usize + 1];

        let (expanded, generated) = (meter.stats.expanded, meter.stats.generated);
        let start = Frame::start(cells, h, bound, self);
        if let Err(limit) = count_expansion(self.after_start.len() as u64, bound, meter) {
            return End::Limit(limit);
        }
        let mut counts = Counts::new(meter);
        let mut height = 0;
        for slide in &self.after_start {
            let nearer = (start.nearer_from(slide.edge.into()) & 1) * slide.bit;
            stack[height] = start.after(slide, nearer, self);
            height += usize::from(stack[height].note >= 0);
        }
        while height > 0 {
            height -= 1;
            let frame = stack[height];
            let (edge, slack) = (frame.edge(), frame.slack());
            let depth = (bound - frame.moves_left()) as usize;
            path[depth] = edge as u16;
            if frame.moves_left() == slack && is_goal(&frame.cells(), Some(edge)) {
                counts.pass_on(meter);
                let path = path[1..=depth].to_vec();
                meter.stats.generated -= self.not_taken(&path);
                return End::Solved(path);
            }
            let successors = &self.after[edge];
            if counts.is_due_after(successors.count) {
                counts.pass_on(meter);
                if let Err(limit) = meter.check(|| 0, bound) {
                    return End::Limit(limit);
                }
                counts = Counts::new(meter);
            }
            let forward = (frame.note.cast_unsigned() >> FORWARD) & 15;
            let nearer = frame.nearer_from(frame.note >> FIRST_SLIDE) & forward;
            let within = if slack < 2 { nearer } else { forward };
            let top = stack[height..].first_chunk_mut::<{ WIDTH + 1 }>().expect("room at the top");
            let mut kept = 0;
            for slide in &successors.slides {
                top[kept % (WIDTH + 1)] = frame.after(slide, nearer, self);
                kept += usize::from(within & slide.bit != 0);
            }
            height += within.count_ones() as usize;
        }
        counts.pass_on(meter);
        let (expanded, generated) =
            (meter.stats.expanded - expanded, meter.stats.generated - generated);
        // What was generated and not expanded is beyond the bound: by two, or by one where the
        // start's slack is odd. The start was not generated.
        End::Visited((generated > expanded - 1).then_some(2 - (bound - h) % 2))
    }

    /// How many slides were counted on the way to a solution, and come after those taken.
    fn not_taken(&self, path: &[u16]) -> u64 {
        let before = path.iter().map(|&edge| &self.after[usize::from(edge)].slides[..]);
        let before = std::iter::once(&self.after_start[..]).chain(before);
        let later = before.zip(path).map(|(slides, &taken)| {
            slides.iter().take_while(|slide| slide.edge != u32::from(taken)).count() as u64
        });
        later.sum()
    }
}

/// The states since the meter was last told, in registers.
#[derive(Clone, Copy)]
struct Counts {
    expanded: u64,
    generated: u64,
    /// The number of generated states at which the meter has to be told.
    most: u64,
}

impl Counts {
    fn new(meter: &Meter<'_>) -> Counts {
        let most = meter.next_poll().saturating_sub(meter.stats.generated);
        Counts { expanded: 0, generated: 0, most }
    }

    /// Counts an expansion, and returns whether the meter has to be told.
    #[inline(always)]
    fn is_due_after(&mut self, successors: u64) -> bool {
        self.expanded += 1;
        self.generated += successors;
        self.generated >= self.most
    }

    fn pass_on(self, meter: &mut Meter<'_>) {
        meter.stats.expanded += self.expanded;
        meter.stats.generated += self.generated;
    }
}

fn count_expansion(successors: u64, bound: u32, meter: &mut Meter<'_>) -> Result<(), Limit> {
    meter.stats.expanded += 1;
    meter.stats.generated += successors;
    meter.check(|| 0, bound)
}
