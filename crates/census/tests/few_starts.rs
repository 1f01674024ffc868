//! Diameters from few starts, against those from all.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hyperslide_census::{
    Census, CensusJob, CensusOptions, CensusRecord, CheckpointOptions, Repetition, StartResult,
    StartsToVerify, Survey, verify,
};
use hyperslide_puzzle::{Board, BoardSource, Metric};
use hyperslide_table::{Signals, Watch};

fn board(name: &str) -> Board {
    Board::new(name.parse::<BoardSource>().unwrap().into_spec().unwrap(), Metric::Face).unwrap()
}

fn census(name: &str, empty: usize, options: CensusOptions) -> Census {
    let job = CensusJob::new(board(name), empty, options).unwrap();
    job.run(&AtomicBool::new(false), &mut |_| ControlFlow::Continue(())).unwrap()
}

fn few() -> CensusOptions {
    CensusOptions { diameters_only: true, ..CensusOptions::default() }
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("hyperslide-few-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn few_starts_give_the_diameters_of_all() {
    let graphs = [
        ("grid:3:3", 1),
        ("grid:3:3", 2),
        ("grid:2:4", 3),
        ("torus:3:3", 2),
        ("cube:3:1", 1),
        ("cube:3:1", 4),
        ("cube:3:2", 3),
        ("cube:3:2", 4),
        ("cube:3:2", 5),
        ("cube:3:3", 7),
        ("cube:4:1", 12),
        ("cube:4:2", 11),
        ("cube:4:3", 12),
        ("graph:petersen", 3),
        // Some tokens never move.
        ("graph:4:0-1,1-2", 1),
        ("graph:4:0-1,0-2,1-2", 1),
        ("cube:4:3", 10),
        ("cube:4:3", 11),
        ("faces:8:0-2-4-6,0-2-7,0-7,1-4,2-4-5-6", 5),
    ];
    let mut saved = 0;
    for (name, empty) in graphs {
        let all = census(name, empty, CensusOptions::default());
        let some = census(name, empty, few());
        assert!(some.is_finished && some.report.complete, "{name} {empty}");
        for (one, other) in some.report.components.iter().zip(&all.report.components) {
            assert_eq!(one.diameter, other.diameter, "{name} {empty}");
            assert!(one.radius.is_none() || one.radius == other.radius, "{name} {empty}");
        }
        // Each start that was searched has the layers that it has among all.
        for start in &some.starts {
            let same = all.starts.iter().find(|other| other.occupied == start.occupied).unwrap();
            assert_eq!(start.layers, same.layers, "{name} {empty}");
        }
        saved += all.starts.len() - some.starts.len();
    }
    assert!(saved > 50, "only {saved} searches were saved");
}

#[test]
fn one_start_settles_cubes_with_k_1() {
    for empty in 2..=5 {
        let found = census("cube:3:1", empty, few()).report;
        assert_eq!((found.searched, found.complete), (1, true));
        let largest = found.largest().unwrap();
        assert_eq!(largest.radius, Some(3 * (8 - empty as u32)));
        // All eccentricities are the same, as a search from each start finds.
        let all = census("cube:3:1", empty, CensusOptions::default()).report;
        assert_eq!(largest.eccentricities, all.largest().unwrap().eccentricities);
    }
}

#[test]
fn searches_in_files_have_the_same_depths() {
    // On the second board some tokens never move.
    for (name, empty) in [("cube:4:1", 11), ("graph:4:0-1,0-2,1-2", 1)] {
        let folder = folder("files");
        let in_memory = census(name, empty, few());
        let blocks = Some(folder.clone());
        let in_files = census(name, empty, CensusOptions { blocks, memory: 1 << 30, ..few() });
        assert_eq!(in_files.starts, in_memory.starts);
        assert_eq!(in_files.report, in_memory.report);
        assert!(in_files.starts[0].orbit_depths.is_some());
        std::fs::remove_dir_all(folder).unwrap();
        // What was found is found again, in another order of the vertices.
        let (board, survey) = (board(name), Survey::new(&board(name), empty).unwrap());
        let mut on_progress = |_: &_, _: &_| ControlFlow::Continue(());
        let all = Repetition { starts: StartsToVerify::All, seed: 1, memory: u64::MAX };
        let signals = Signals::default();
        let again =
            verify(&board, &survey, &in_memory.starts, all, &signals, &mut on_progress).unwrap();
        assert!(again.iter().all(hyperslide_census::Again::agrees), "{name} {empty}");
    }
}

#[test]
fn a_search_that_was_stopped_goes_on_with_its_depths() {
    let folder = folder("resumed");
    let options = |resume| CensusOptions {
        checkpoint: Some(CheckpointOptions {
            directory: folder.clone(),
            resume,
            interval: Duration::ZERO,
        }),
        ..few()
    };
    let whole = census("cube:4:2", 11, few());
    let job = CensusJob::new(board("cube:4:2"), 11, options(false)).unwrap();
    let mut layers = 0;
    let stopped = job.run(&AtomicBool::new(false), &mut |_| {
        layers += 1;
        if layers > 6 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(!stopped.unwrap().is_finished);
    let resumed = census("cube:4:2", 11, options(true));
    assert_eq!(resumed.starts, whole.starts);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_record_of_few_starts_is_checked() {
    let folder = folder("record");
    let path = folder.join("record.json");
    let found = census("grid:3:3", 2, few());
    let record = found.record(()).unwrap();
    assert!(record.starts.len() < found.report.orbits);
    record.write(&path).unwrap();
    let read = || CensusRecord::<()>::read(&path, u64::MAX, Watch::default());
    let (read_again, board, survey) = read().unwrap();
    assert_eq!(read_again, record);
    let again = |starts: &[StartResult], survey: &Survey| {
        let all = Repetition { starts: StartsToVerify::All, seed: 1, memory: u64::MAX };
        let mut on_progress = |_: &_, _: &_| ControlFlow::Continue(());
        verify(&board, survey, starts, all, &Signals::default(), &mut on_progress).unwrap()
    };
    let agreed = again(&record.starts, &survey);
    assert_eq!(agreed.len(), record.starts.len());
    assert!(agreed.iter().all(hyperslide_census::Again::agrees));

    // A depth that is not the right one is found by the repeated search.
    let mut wrong = record.clone();
    let depths = wrong.starts[0].orbit_depths.as_mut().unwrap();
    let least = depths.iter_mut().min().unwrap();
    *least -= 1;
    assert!(!again(&wrong.starts, &survey)[0].agrees());

    // Too few starts, and starts without depths, settle nothing.
    let mut short = record.clone();
    short.starts.pop();
    let mut bare = record.clone();
    bare.starts[0].orbit_depths = None;
    for mut record in [short, bare] {
        record.digest = hyperslide_census::census_digest(&record.census, &record.starts);
        record.report = hyperslide_census::CensusReport::new(&board, &survey, &record.starts, None);
        record.write(&path).unwrap();
        let message = read().unwrap_err().to_string();
        assert!(message.contains("do not settle the diameters"), "{message}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
