//! Records of censuses against random puzzles.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use hyperslide_lab::{CensusRecord, CensusSample, SampleError, SampleOptions, sample_census};
use hyperslide_search::Limits;

fn record(name: &str) -> PathBuf {
    PathBuf::from(format!("{}/../../records/census/{name}.json", env!("CARGO_MANIFEST_DIR")))
}

fn sample(
    name: &str,
    puzzles: usize,
    forge: fn(&mut CensusRecord),
) -> Result<CensusSample, SampleError> {
    let (mut record, board, survey) = CensusRecord::read(&record(name)).unwrap();
    forge(&mut record);
    let options = SampleOptions { puzzles, seed: 5, limits: Limits::default() };
    let go_on = &mut |_| ControlFlow::Continue(());
    sample_census(&record, &board, &survey, &options, &AtomicBool::new(false), go_on)
}

#[test]
fn random_puzzles_agree_with_the_tesseract_15_puzzle() {
    let sample = sample("cube-4-1-1", 2_000, |_| ()).unwrap();
    assert!(sample.agrees(), "{:?}", sample.fit);
    assert_eq!(sample.inverses, 2_000);
    assert!(sample.counted_layers >= 11);
    assert_eq!(sample.solved.iter().sum::<u64>(), 2_000);
}

#[test]
fn random_puzzles_agree_with_several_starts() {
    let sample = sample("cube-4-1-10", 1_000, |_| ()).unwrap();
    assert!(sample.agrees(), "{:?}", sample.fit);
    assert_eq!(sample.inverses, 0);
}

#[test]
fn a_record_that_is_wrong_does_not_agree() {
    // As many states in all, most of them one layer too far.
    let shifted = sample("cube-4-1-1", 2_000, |record| {
        let layers = &mut record.starts[0].layers;
        for depth in (20..layers.len() - 1).rev() {
            let moved = layers[depth] / 4 * 3;
            layers[depth] -= moved;
            layers[depth + 1] += moved;
        }
    });
    assert!(!shifted.unwrap().agrees());
    let first_layers = sample("cube-4-1-1", 1, |record| record.starts[0].layers[9] += 1);
    assert!(matches!(first_layers, Err(SampleError::Layer { layer: 9, .. })));
    let too_short = sample("cube-4-1-1", 100, |record| record.starts[0].layers.truncate(30));
    assert!(matches!(too_short, Err(SampleError::TooFar { .. })));
}
