//! Learns the weights of a family, such as that of the heuristic `weighted-conflicts`, from what
//! beams keep.
//!
//! The states of a layer have about the same estimate, and only a few of them, the survivors, still
//! have successors dozens of layers later. A good estimate would have distinguished them from the
//! others. Suppose that a state is drawn from the layer with a probability proportional to
//! exp(-estimate): the weights then descend the gradient of the survivors' cross entropy, by Adam
//! (Kingma and Ba 2015). The survivors are chosen by later layers, about which more is known, so
//! that no solution has to be known, and none has to be short.

use hyperslide_puzzle::{Puzzle, VertexSet};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Beam;
use super::graph::{AllSlides, Found, GraphBeam, Layer, Slides};
use super::weights_guide::WeightsGuide;
use crate::control::{Control, Limits, Meter};
use crate::engine::move_pruning::{DETOURS, MovePruning};
use crate::heuristics::{
    Cells, Followed, Heuristic, HeuristicError, Incremental, LearnedWeights, Numbers, WeightFamily,
    WeightNumber, cells_on,
};
use crate::parallel::each;
use crate::table_cache::TableCache;

/// How a [`Learner`] goes about it.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// States that beams keep of each layer.
    pub width: usize,
    /// Survivors are the states that still have successors this many layers later.
    pub look: usize,
    /// Roughly how far a weight moves in a step, in thirds of a move.
    pub rate: f32,
    /// The number of threads.
    pub threads: usize,
}

/// What came of a [`Learner::round`].
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// Puzzles that the beams solved.
    pub solved: usize,
    /// Their solutions' mean length; 0 when there are none.
    pub mean_length: f64,
    /// Layers that were learned from.
    pub layers: usize,
    /// The mean of the negative logarithms of the probabilities to draw a survivor.
    pub loss: f64,
}

/// Weights that learn: the same puzzles, lessons and seed give the same ones.
pub struct Learner {
    family: &'static WeightFamily,
    random: Xoshiro256PlusPlus,
    /// What is learned; the greater all of them are, the surer.
    values: Vec<f32>,
    /// A running mean of `values`.
    mean: Vec<f32>,
    /// Adam's running means of the gradient and of its square.
    first: Vec<f32>,
    second: Vec<f32>,
    steps: i32,
    /// From `mean` to moves.
    scale: f32,
    cache: TableCache,
}

/// Some states of one layer, the survivors first: 72 bytes a state.
struct Sample {
    states: Vec<(Cells, VertexSet)>,
    survivors: usize,
    /// How many states of the layer one of the others stands for, and one of the survivors for one.
    others_weight: f32,
}

impl Learner {
    /// The number of layers from one that is learned from to the next.
    const STRIDE: usize = 6;
    /// The most survivors, and others, that are drawn from a layer.
    const SURVIVORS: usize = 12;
    const OTHERS: usize = 60;
    /// The number of samples in a step.
    const BATCH: usize = 64;
    /// Parts of a batch, whatever the number of threads, so that sums are the same.
    const PARTS: usize = 8;
    /// Generated states for one of the beam's width, after which a puzzle is given up.
    const PATIENCE: u64 = 2_000;
    /// What `values` of good weights come to, in moves.
    const SURE: f32 = 3.0;

    /// Begins with some weights.
    pub fn new(start: &LearnedWeights, seed: u64) -> Learner {
        let values: Vec<f32> = start.values.iter().map(|value| value * Learner::SURE).collect();
        let count = start.family.count;
        Learner {
            family: start.family,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            mean: values.clone(),
            values,
            first: vec![0.0; count],
            second: vec![0.0; count],
            steps: 0,
            scale: 1.0 / Learner::SURE,
            cache: TableCache::default(),
        }
    }

    /// The weights as they are now, in moves.
    pub fn weights(&self) -> LearnedWeights {
        self.in_moves(&self.mean)
    }

    fn in_moves(&self, values: &[f32]) -> LearnedWeights {
        let values = values.iter().map(|value| value * self.scale).collect();
        LearnedWeights { family: self.family, values }
    }

    /// Solves puzzles by beams and learns from them.
    ///
    /// Memory: on each thread 70 bytes a state of a whole beam, and 5 KB a layer that is learned
    /// from.
    ///
    /// # Errors
    ///
    /// When the heuristic cannot be used on a puzzle.
    pub fn round(&mut self, puzzles: &[Puzzle], lesson: Lesson) -> Result<Round, HeuristicError> {
        let now = self.in_moves(&self.values);
        let seeds: Vec<(&Puzzle, u64)> =
            puzzles.iter().map(|puzzle| (puzzle, self.random.random())).collect();
        let solve = |_, (puzzle, seed)| Solved::by_beam(puzzle, &now, lesson, seed, &self.cache);
        let (solved, _) = each(lesson.threads, seeds.into_iter(), solve);
        let solved =
            solved.into_iter().filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?;
        let mut samples: Vec<(&dyn Numbers, &Sample)> = solved
            .iter()
            .flat_map(|solved| solved.samples.iter().map(|sample| (&*solved.numbers, sample)))
            .collect();
        samples.shuffle(&mut self.random);
        let mut loss = 0.0;
        for batch in samples.chunks(Learner::BATCH) {
            loss += self.step(batch, lesson);
        }
        let length: usize = solved.iter().map(|solved| solved.length).sum();
        let mut value = 0.0;
        for solved in &solved {
            for ((cells, empty), sign) in [(&solved.start, 1.0), (&solved.goal, -1.0)] {
                let mut add = |number| value += sign * self.mean[usize::from(number)];
                solved.numbers.each(cells, *empty, &mut add);
            }
        }
        if value > 0.0 {
            self.scale = length as f32 / value;
        }
        let count = solved.len();
        Ok(Round {
            solved: count,
            mean_length: length as f64 / count.max(1) as f64,
            layers: samples.len(),
            loss: loss / samples.len().max(1) as f64,
        })
    }

    /// Moves the weights by the gradient of a batch; returns the sum of its samples' losses.
    fn step(&mut self, batch: &[(&dyn Numbers, &Sample)], lesson: Lesson) -> f64 {
        const DECAYS: [f32; 2] = [0.9, 0.999];
        /// Keeps weights that hardly ever count from moving far.
        const LEAST: f32 = 1e-4;
        /// The share of a step in the running mean.
        const SHARE: f32 = 0.01;

        let parts = batch.chunks(batch.len().div_ceil(Learner::PARTS));
        let values = &self.values;
        let gradient = |_, part: &[(&dyn Numbers, &Sample)]| {
            let mut gradient = vec![0.0; values.len()];
            let mut loss = 0.0;
            for (numbers, sample) in part {
                loss += sample.learn(*numbers, values, &mut gradient);
            }
            (gradient, loss)
        };
        let (parts, _) = each(lesson.threads, parts, gradient);
        self.steps += 1;
        let [first_left, second_left] = DECAYS.map(|decay| 1.0 - decay.powi(self.steps));
        for number in 0..self.family.count {
            let sum: f32 = parts.iter().map(|(gradient, _)| gradient[number]).sum();
            let slope = sum / batch.len() as f32;
            let (first, second) = (&mut self.first[number], &mut self.second[number]);
            *first = DECAYS[0] * *first + (1.0 - DECAYS[0]) * slope;
            *second = DECAYS[1] * *second + (1.0 - DECAYS[1]) * slope * slope;
            let way = (*first / first_left) / ((*second / second_left).sqrt() + LEAST);
            self.values[number] -= lesson.rate * way;
            self.mean[number] += SHARE * (self.values[number] - self.mean[number]);
        }
        parts.iter().map(|(_, loss)| loss).sum()
    }
}

impl Sample {
    /// Adds its slopes to those of all weights, and returns its loss.
    fn learn(&self, numbers: &dyn Numbers, values: &[f32], gradient: &mut [f32]) -> f64 {
        let mut all_numbers: Vec<WeightNumber> = Vec::new();
        let mut ends = Vec::new();
        let mut estimates: Vec<f32> = Vec::new();
        for (cells, empty) in &self.states {
            let mut estimate = 0.0;
            numbers.each(cells, *empty, &mut |number| {
                estimate += values[number as usize];
                all_numbers.push(number);
            });
            estimates.push(estimate);
            ends.push(all_numbers.len());
        }
        let least = estimates.iter().copied().fold(f32::INFINITY, f32::min);
        let share = |(place, estimate): (usize, &f32)| {
            let weight = if place < self.survivors { 1.0 } else { self.others_weight };
            weight * (least - estimate).exp()
        };
        let shares: Vec<f32> = estimates.iter().enumerate().map(share).collect();
        let all: f32 = shares.iter().sum();
        let wanted = 1.0 / self.survivors as f32;
        let mut loss = 0.0;
        let mut begin = 0;
        for (place, (end, share)) in ends.into_iter().zip(&shares).enumerate() {
            let drawn = share / all;
            let mut slope = -drawn;
            if place < self.survivors {
                slope += wanted;
                loss -= f64::from(wanted * drawn.max(f32::MIN_POSITIVE).ln());
            }
            for &number in &all_numbers[begin..end] {
                gradient[number as usize] += slope;
            }
            begin = end;
        }
        loss
    }
}

/// What a beam shows about a puzzle.
struct Solved {
    length: usize,
    start: (Cells, VertexSet),
    goal: (Cells, VertexSet),
    numbers: Box<dyn Numbers>,
    samples: Vec<Sample>,
}

/// The states of a layer: their cells, and their empty vertices.
type Kept = Vec<(Cells, VertexSet)>;

impl Solved {
    /// `None` when the beam finds no solution, and when none is needed.
    fn by_beam(
        puzzle: &Puzzle,
        weights: &LearnedWeights,
        lesson: Lesson,
        seed: u64,
        cache: &TableCache,
    ) -> Result<Option<Solved>, HeuristicError> {
        let (heuristic, numbers) =
            ((weights.family.build)(puzzle, weights)?, (weights.family.numbers)(puzzle)?);
        if puzzle.goal().is_met(puzzle.start()) {
            return Ok(None);
        }
        let nodes = Some(lesson.width as u64 * Learner::PATIENCE);
        let limits = Limits { nodes, ..Limits::default() };
        let mut meter = Meter::new(&Control { limits, ..Control::default() });
        let beam = Beam { width: lesson.width, seed, below: u32::MAX, end: None };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut seen = Seen { beam, look: lesson.look, meter: &mut meter, random: &mut random };
        let seen = if puzzle.has_one_empty() {
            let pruning = MovePruning::of(cache, puzzle.board(), DETOURS, u64::MAX);
            seen.search(puzzle, &*heuristic, &*pruning)
        } else {
            seen.search(puzzle, &*heuristic, &AllSlides::new(puzzle.board()))
        };
        let Some((length, samples)) = seen else { return Ok(None) };
        let vertices = puzzle.board().vertex_set();
        Ok(Some(Solved {
            length,
            start: cells_on(vertices, puzzle.start()),
            goal: cells_on(vertices, puzzle.goal().labelled()),
            numbers,
            samples,
        }))
    }
}

/// A beam that is watched.
struct Seen<'a, 'm> {
    beam: Beam,
    look: usize,
    meter: &'a mut Meter<'m>,
    random: &'a mut Xoshiro256PlusPlus,
}

impl Seen<'_, '_> {
    /// The length of the solution, if one is found, and samples.
    fn search(
        &mut self,
        puzzle: &Puzzle,
        heuristic: &dyn Heuristic,
        slides: &impl Slides,
    ) -> Option<(usize, Vec<Sample>)> {
        match heuristic.incremental() {
            Some(Incremental::GridWeights(weights)) => self.follow(puzzle, weights, slides),
            Some(Incremental::NeighbourWeights(weights)) => self.follow(puzzle, weights, slides),
            Some(Incremental::TokenCosts(_) | Incremental::Patterns(_)) | None => {
                unreachable!("families have weights")
            }
        }
    }

    fn follow(
        &mut self,
        puzzle: &Puzzle,
        weights: &impl Followed,
        slides: &impl Slides,
    ) -> Option<(usize, Vec<Sample>)> {
        let mut layers: Vec<Kept> = Vec::new();
        let keep = |layer: &Layer<_>| {
            let empty = layer.states.iter().map(|state| slides.empty(state.arrival));
            layers.push(layer.cells.iter().map(|cells| **cells).zip(empty).collect());
        };
        let guide = WeightsGuide::new(puzzle, None, weights);
        let ended = GraphBeam::new(puzzle, guide, slides, 1).layers(self.beam, self.meter, keep);
        let samples = samples(&layers, &ended.ok()?.found?, self.look, self.random);
        Some((layers.len() + 1, samples))
    }
}

/// Samples of every [`Learner::STRIDE`]th layer.
fn samples<T>(
    layers: &[Kept],
    found: &Found<T>,
    look: usize,
    random: &mut Xoshiro256PlusPlus,
) -> Vec<Sample> {
    let mut samples = Vec::new();
    let Some(last) = layers.len().checked_sub(1) else { return samples };
    for number in (random.random_range(0..Learner::STRIDE)..last).step_by(Learner::STRIDE) {
        let end = (number + look).min(last);
        // At the end only the goal's parent counts.
        let mut survives: Vec<bool> =
            (0..layers[end].len()).map(|s| end < last || s == found.parent as usize).collect();
        for before in (number..end).rev() {
            let parents = found.traces[before + 1].parents.iter().zip(survives);
            let mut has_survivors = vec![false; layers[before].len()];
            for (&parent, _) in parents.filter(|&(_, survives)| survives) {
                has_survivors[parent as usize] = true;
            }
            survives = has_survivors;
        }
        let (survivors, others): (Vec<_>, Vec<_>) =
            (0..layers[number].len()).partition(|&state| survives[state]);
        // Where nearly all survive, nothing is learned.
        if survivors.is_empty() || others.len() < Learner::OTHERS.max(2 * survivors.len()) {
            continue;
        }
        let draw = |of: &[usize], most, random: &mut _| -> Vec<usize> {
            of.sample(random, most).copied().collect()
        };
        let drawn = draw(&survivors, Learner::SURVIVORS, random);
        let drawn_others = draw(&others, Learner::OTHERS, random);
        let stand_for = |all: &[usize], drawn: &[usize]| all.len() as f32 / drawn.len() as f32;
        samples.push(Sample {
            survivors: drawn.len(),
            others_weight: stand_for(&others, &drawn_others) / stand_for(&survivors, &drawn),
            states: drawn.iter().chain(&drawn_others).map(|&s| layers[number][s]).collect(),
        });
    }
    samples
}
