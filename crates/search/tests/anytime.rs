//! The anytime search within limits, and on a machine that others keep busy.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Config, Control, Limits, Outcome, TableCache, solve};
use hyperslide_table::{StoreEvent, TableStore};

/// The first of Korf's 15-puzzles; a shortest solution has 57 moves.
const KORF_1: &str =
    "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
const OPTIMUM: usize = 57;

/// A directory of this test alone, which is removed when it ends.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let directory = format!("hyperslide-anytime-{}-{name}", std::process::id());
        Directory(std::env::temp_dir().join(directory))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Nothing is lost when it stays: the system clears its temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process that got no CPU time during the share of the time in which its tables are built tries
/// again, and uses the tables that another process has finished since then.
#[test]
fn tables_of_a_starved_process_are_tried_again() {
    const TIME: Duration = Duration::from_secs(4);

    let puzzle = Puzzle::from_line(KORF_1).unwrap();
    let (theirs, ours) = (Directory::new("theirs"), Directory::new("ours"));
    let finished = Arc::new(TableCache::new(TableStore::new(Some(theirs.0.clone()), |_| {})));
    let other = Config::new("idastar", Some("patterns"), [], 0).unwrap();
    solve(&puzzle, &Config { cache: finished, ..other }, &Control::default()).unwrap();

    let begun = Arc::new(AtomicUsize::new(0));
    let (from, to, count) = (theirs.0.clone(), ours.0.clone(), Arc::clone(&begun));
    let store = TableStore::new(Some(ours.0.clone()), move |event| {
        if matches!(event, StoreEvent::Building { .. })
            && count.fetch_add(1, Ordering::Relaxed) == 0
        {
            // The share is less than a quarter of the time.
            std::thread::sleep(TIME / 4);
            std::fs::create_dir_all(&to).unwrap();
            for entry in std::fs::read_dir(&from).unwrap() {
                let entry = entry.unwrap();
                std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
            }
        }
    });
    let config = Config::named("anytime").unwrap();
    let config = Config { cache: Arc::new(TableCache::new(store)), ..config };
    let limits = Limits { time: Some(TIME), ..Limits::default() };
    let report = solve(&puzzle, &config, &Control { limits, ..Control::default() }).unwrap();
    let Outcome::Solved { moves, optimal, lower_bound } = report.outcome else {
        panic!("{:?}", report.outcome)
    };
    assert_eq!((moves.len(), optimal, lower_bound), (OPTIMUM, true, OPTIMUM as u32));
    assert_eq!(begun.load(Ordering::Relaxed), 1, "tables that were finished are built again");
}

/// Parts of the search that have too little memory are tried again until the time is over.
#[test]
fn time_ends_a_search_without_memory() {
    let puzzle = Puzzle::from_line("grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0").unwrap();
    let limits =
        Limits { time: Some(Duration::from_millis(300)), memory: Some(0), ..Limits::default() };
    let config = Config::named("anytime").unwrap();
    let report = solve(&puzzle, &config, &Control { limits, ..Control::default() }).unwrap();
    // Its solution is not proven shortest, so it went on as long as it could.
    assert!(matches!(report.outcome, Outcome::Solved { optimal: false, .. }), "{report:?}");
}
