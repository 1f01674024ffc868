//! What `hyperslide compare` does, as a program of its own.
//!
//! ```text
//! cargo run --release -p hyperslide-lab --example compare -- cubical auto 'xdp weight=2'
//! ```
//!
//! Every solver tries every puzzle of the suite for at most a second. The runs are recorded in
//! `compare.jsonl`, so that the same command continues where it was stopped.

use std::error::Error;
use std::path::Path;

use hyperslide_lab::{Benchmark, BenchmarkOptions, NamedPuzzle, RecordFile, RunLimits, Solver};
use hyperslide_puzzle::Metric;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let suite = arguments.next().unwrap_or_else(|| "cubical".to_owned());
    let mut solvers = arguments.map(|text| text.parse()).collect::<Result<Vec<Solver>, _>>()?;
    if solvers.is_empty() {
        solvers = vec!["auto".parse()?, "weighted-astar weight=2".parse()?];
    }
    let benchmark = Benchmark {
        puzzles: NamedPuzzle::suite(&suite, None, Metric::Face)?,
        solvers,
        seed: 0,
        limits: RunLimits { time_s: Some(1.0), ..RunLimits::default() },
        jobs: 1,
    };
    let mut records = RecordFile::open(Path::new("compare.jsonl"))?;
    let options = BenchmarkOptions {
        records: Some(&mut records),
        command: "examples/compare".to_owned(),
        ..BenchmarkOptions::default()
    };
    let report = benchmark.run(options, &mut |progress| {
        let left = progress.left().map_or(f64::NAN, |left| left.as_secs_f64());
        eprint!("\r{} of {} runs, {left:.0} s left ", progress.done, progress.total.unwrap_or(0));
    })?;
    eprintln!();
    for standing in report.standings {
        println!(
            "{}: {} of {} solved, {} proven, {:.2} moves above the optimum, {:.3} s",
            standing.solver,
            standing.solved,
            standing.instances,
            standing.proven,
            standing.mean_excess.unwrap_or(f64::NAN),
            standing.wall_s,
        );
    }
    for refusal in report.refusals {
        eprintln!("{refusal}");
    }
    Ok(())
}
