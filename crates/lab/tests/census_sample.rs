//! Records of censuses against random puzzles.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use hyperslide_census::{BlockCounts, CensusJob, CensusOptions, Survey};
use hyperslide_lab::{
    CensusRecord, CensusSample, Provenance, SampleError, SampleOptions, sample_blocks,
    sample_census,
};
use hyperslide_puzzle::{Board, BoardSpec, Metric};
use hyperslide_search::Limits;
use hyperslide_table::Watch;

fn record(name: &str) -> PathBuf {
    PathBuf::from(format!("{}/../../records/census/{name}.json", env!("CARGO_MANIFEST_DIR")))
}

fn sample(
    name: &str,
    puzzles: usize,
    forge: fn(&mut CensusRecord),
) -> Result<CensusSample, SampleError> {
    let (mut record, board, survey) =
        CensusRecord::read(&record(name), u64::MAX, Watch::default()).unwrap();
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

/// The census of the 3-cube with two empty vertices, by searches in files, and its counts of
/// blocks.
fn small_census() -> (CensusRecord, Board, Survey, BlockCounts) {
    let folder = std::env::temp_dir().join(format!("hyperslide-blocks-{}", std::process::id()));
    let never = AtomicBool::new(false);
    let board = Board::new(BoardSpec::Cube { d: 3, k: 1 }, Metric::Face).unwrap();
    let options = CensusOptions { blocks: Some(folder.clone()), ..CensusOptions::default() };
    let job = CensusJob::new(board.clone(), 2, options).unwrap();
    let census = job.run(&never, &mut |_| ControlFlow::Continue(())).unwrap();
    let record = census.record(Provenance::now("test")).unwrap();
    let survey = Survey::new(&board, 2).unwrap();
    let counts = BlockCounts::of_searches(&board, &survey, &record.starts, &folder, &never);
    std::fs::remove_dir_all(&folder).unwrap();
    (record, board, survey, counts.unwrap())
}

#[test]
fn states_of_blocks_agree_with_their_counts() {
    let (record, board, survey, counts) = small_census();
    assert!(counts.starts.len() > 1);
    let options = SampleOptions { puzzles: 5_000, seed: 5, limits: Limits::default() };
    let sample = |counts: &BlockCounts| {
        let go_on = &mut |_| ControlFlow::Continue(());
        sample_blocks(&record, &board, &survey, counts, &options, &AtomicBool::new(false), go_on)
    };
    let honest = sample(&counts).unwrap();
    assert_eq!((honest.blocks, honest.states), (50, 5_000));
    assert!(honest.agrees(), "{honest:?}");
    // The blocks of each orbit size exchange their counts: the layers stay what they are.
    let mut forged = counts.clone();
    for blocks in &mut forged.starts {
        let layers: Vec<_> = blocks.iter().map(|block| block.layers.clone()).collect();
        for number in 0..blocks.len() {
            let alike: Vec<usize> = (0..blocks.len())
                .filter(|&other| blocks[other].orbit == blocks[number].orbit)
                .collect();
            let place = alike.iter().position(|&other| other == number).unwrap();
            blocks[number].layers.clone_from(&layers[alike[(place + 1) % alike.len()]]);
        }
    }
    assert!(sample(&forged).map_or(true, |sample| !sample.agrees()));
}
