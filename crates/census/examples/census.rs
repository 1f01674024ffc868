//! A census with a checkpoint, progress and a limit on memory, as `hyperslide census` runs it.
//!
//!     cargo run --release -p hyperslide-census --example census -- cube:3:2 4 checkpoint-directory
//!
//! Run again after an interruption, it continues where it was.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hyperslide_census::{CensusEvent, CensusJob, CensusOptions, CheckpointOptions};
use hyperslide_puzzle::{Board, BoardSource, Metric};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [board, empty, directory] = &arguments[..] else {
        return Err("write BOARD EMPTY DIRECTORY, as in cube:3:2 4 checkpoint".into());
    };
    let BoardSource::Spec(spec) = board.parse()? else {
        return Err("write the board out".into());
    };
    let directory = PathBuf::from(directory);
    let options = CensusOptions {
        memory: 2_000_000_000,
        checkpoint: Some(CheckpointOptions {
            resume: directory.exists(),
            directory: directory.clone(),
            interval: Duration::from_secs(600),
        }),
        ..CensusOptions::default()
    };
    let job = CensusJob::new(Board::new(spec, Metric::Face)?, empty.parse()?, options)?;
    // Another thread may set this to stop the census soon.
    let cancel = AtomicBool::new(false);
    let census = job.run(&cancel, &mut |event| {
        if let CensusEvent::Searching(progress) = event {
            let (done, starts) = progress.starts;
            eprintln!("{done} of {starts} searches done, {} states left", progress.left);
        }
        ControlFlow::Continue(())
    })?;
    for component in &census.report.components {
        let diameter = component.diameter.map_or("unknown".to_owned(), |d| d.to_string());
        println!("{} x {} configurations: {diameter}", component.count, component.size);
    }
    if let Some(record) = census.record("a program of mine") {
        record.write(&directory.join("census.json"))?;
    }
    Ok(())
}
