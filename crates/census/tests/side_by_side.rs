//! Censuses with starts side by side, which are stopped and resumed.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyperslide_census::{
    CensusKey, CensusProgress, Checkpoint, Ended, RunOptions, StartResult, Survey, run, starts,
};
use hyperslide_puzzle::{Board, BoardSpec, Metric};
use hyperslide_table::Signals;

/// Eleven empty vertices leave five tokens, whose runs have one word. Every slide changes the
/// colour.
const EMPTY: usize = 11;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("hyperslide-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn open(folder: &Path) -> (Checkpoint, Vec<StartResult>) {
    let key = CensusKey { board: "cube:4:1".to_owned(), metric: "face".to_owned(), empty: EMPTY };
    Checkpoint::open(folder, &key, true, Duration::from_secs(600)).unwrap()
}

/// Runs a census until `on_progress` breaks, and returns its starts in the order of the survey.
fn census(
    options: &RunOptions,
    checkpoint: Option<&Path>,
    signals: &Signals<'_>,
    mut on_progress: impl FnMut(&CensusProgress<'_>) -> ControlFlow<()>,
) -> (Ended, Vec<StartResult>) {
    let board = Board::new(BoardSpec::Cube { d: 4, k: 1 }, Metric::Face).unwrap();
    let survey = Survey::new(&board, EMPTY).unwrap();
    let (mut checkpoint, mut done) = match checkpoint.map(open) {
        Some((checkpoint, done)) => (Some(checkpoint), done),
        None => (None, Vec::new()),
    };
    let ended =
        run(&board, &survey, options, &mut done, checkpoint.as_mut(), signals, &mut on_progress)
            .unwrap();
    let ordered = starts(&survey)
        .filter_map(|(_, orbit)| done.iter().find(|d| d.set() == orbit.representative).cloned());
    (ended, ordered.collect())
}

fn alone() -> RunOptions {
    RunOptions { side_by_side_bytes: 0, ..RunOptions::default() }
}

#[test]
fn a_census_stopped_in_every_batch_comes_to_the_same_end() {
    let go_on = |_: &CensusProgress<'_>| ControlFlow::Continue(());
    let (ended, expected) = census(&alone(), None, &Signals::default(), go_on);
    assert_eq!(ended, Ended::Complete);
    assert!(expected.len() > 16);
    let folder = folder("side-by-side");
    let mut widest = 0;
    // Each batch is stopped once, within a layer or between two layers, and then repeated.
    loop {
        let before = open(&folder).1.len();
        let cancel = AtomicBool::new(false);
        let signals = Signals::new(&cancel);
        let (ended, done) = census(&RunOptions::default(), Some(&folder), &signals, |progress| {
            widest = widest.max(progress.layers.len());
            if progress.layers[0].depth() < 5 {
                return ControlFlow::Continue(());
            }
            cancel.store(before.is_multiple_of(16), Ordering::Relaxed);
            if before.is_multiple_of(16) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        assert!(matches!(ended, Ended::Stopped(Some(_))));
        assert_eq!(done.len(), before, "no start of a batch that was stopped early");
        let (ended, done) =
            census(&RunOptions::default(), Some(&folder), &Signals::default(), |progress| {
                if progress.starts.0 == before {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        if ended == Ended::Complete {
            assert_eq!(done, expected);
            break;
        }
        assert!(done.len() > before);
    }
    assert_eq!(widest, 8);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_start_that_was_searched_alone_is_gone_on_with_first() {
    let go_on = |_: &CensusProgress<'_>| ControlFlow::Continue(());
    let (_, expected) = census(&alone(), None, &Signals::default(), go_on);
    let folder = folder("begun-alone");
    let (ended, done) = census(&alone(), Some(&folder), &Signals::default(), |progress| {
        if progress.starts.0 < 3 || progress.layers[0].depth() < 7 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    let Ended::Stopped(Some(begun)) = ended else { panic!("{ended:?}") };
    assert_eq!((done.len(), begun.layers.len()), (3, 8));
    let kept = open(&folder).0.unfinished();
    assert_eq!(kept, Some(begun.set()));
    let mut first = None;
    let (ended, done) = census(&RunOptions::default(), Some(&folder), &Signals::default(), |p| {
        first.get_or_insert_with(|| (p.layers.len(), p.layers[0].states[..8].to_vec()));
        ControlFlow::Continue(())
    });
    assert_eq!(ended, Ended::Complete);
    assert_eq!(first, Some((1, begun.layers)), "its layers are there from the beginning");
    assert_eq!(done, expected);
    assert_eq!(open(&folder).0.unfinished(), None);
    std::fs::remove_dir_all(&folder).unwrap();
}
