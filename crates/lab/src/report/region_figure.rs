//! The figure of local value iteration.

use super::figure::{COLOURS, Drawing, Figure, Panel, Series, Shape};
use crate::compare::{RegionPoint, region_points};
use crate::experiment::Experiment;
use crate::experiment::file::FigureSpec;
use crate::record::TaskRecord;

/// Figure 2: mean and greatest number of moves, and the time of training, by the size of the region on the first board.
pub(super) fn draw(experiment: &Experiment, spec: &FigureSpec, records: &[TaskRecord]) -> Figure {
    let (board, points) = region_points(experiment, records);
    let line = |name: &str,
                colour: usize,
                shape: Shape,
                of: &dyn Fn(&RegionPoint) -> Option<f64>| {
        let points = points.iter().filter_map(|point| Some((point.region as f64, of(point)?)));
        Series { name: name.to_owned(), colour: COLOURS[colour], shape, points: points.collect() }
    };
    let moves = Panel {
        title: "Moves".to_owned(),
        x: "tokens of a region".to_owned(),
        y: "moves".to_owned(),
        series: vec![
            line("greatest", 1, Shape::Line, &|point| Some(point.maximum.into())),
            line("mean", 0, Shape::Line, &|point| Some(point.mean)),
            line("", 1, Shape::Published, &|point| point.published_maximum.map(f64::from)),
            line("", 0, Shape::Published, &|point| point.published_mean),
        ],
        ..Panel::default()
    };
    let training = Panel {
        title: "Training".to_owned(),
        x: "tokens of a region".to_owned(),
        y: "time of training".to_owned(),
        is_logarithmic: true,
        series: vec![
            line("", 0, Shape::Line, &|point| Some(point.training_cpu_s)),
            line("", 0, Shape::Published, &|point| point.published_training_s),
        ],
    };
    let puzzles = points.first().map_or(0, |point| point.puzzles);
    let (seed, name) = (experiment.file.seed, experiment.name());
    let drawing = Drawing {
        name: spec.name.clone(),
        title: spec.title.clone(),
        lines: vec![
            format!("{puzzles} random puzzles of {board}, seed {seed}. Experiment {name}."),
            "Triangles: published. Training is CPU time of one thread; published is wall-clock time."
                .to_owned(),
        ],
        rows: vec![vec![Some(moves), Some(training)]],
        panel: (520, 360),
    };
    drawing.draw()
}
