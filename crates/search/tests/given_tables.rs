//! Whole tables that a configuration brings along: which puzzles they answer, and what is believed
//! of tables that are wrong.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Config, Control, Limits, Outcome, Report, SolveError, TableCache, solve};
use hyperslide_table::{Abstraction, BuildOptions, DistanceTable, Encoding, Signals, TableStore};
use hyperslide_testkit::PlainPuzzle;

fn table(line: &str, encoding: Encoding) -> DistanceTable {
    let abstraction = Abstraction::whole(&Puzzle::from_line(line).unwrap()).unwrap();
    let options = BuildOptions { encoding, ..BuildOptions::default() };
    let proceed = &mut |_: &_| ControlFlow::Continue(());
    DistanceTable::build(abstraction, &options, &Signals::default(), proceed).unwrap()
}

fn run(line: &str, algorithm: &str, table: &Arc<DistanceTable>) -> Report {
    let table = Some(Arc::clone(table));
    let config = Config { table, ..Config::named(algorithm).unwrap() };
    solve(&Puzzle::from_line(line).unwrap(), &config, &Control::default()).unwrap()
}

/// The length of an optimal solution, or `None` when there is none.
fn length(report: &Report) -> Option<usize> {
    match &report.outcome {
        Outcome::Solved { moves, optimal: true, .. } => Some(moves.len()),
        Outcome::Unsolvable(_) => None,
        other => panic!("no limit was set: {other:?}"),
    }
}

#[test]
fn a_given_table_answers_its_puzzle_and_no_other() {
    let known = Arc::new(table("grid:2:3 1,2,3,4,5,0", Encoding::Mod3));
    for (line, asked, answered) in [
        ("grid:2:3 4,5,0,1,2,3", "auto", "table"),
        ("grid:2:3 4,5,0,1,2,3", "astar", "astar"),
        ("grid:2:3 2,1,3,4,5,0", "table", "table"),
        // Another goal, another token.
        ("grid:2:3 1,2,3,4,0,5 -> 0,1,2,3,4,5", "auto", "idastar"),
        ("grid:2:3 1,2,3,4,0,6 -> 1,2,3,4,6,0", "auto", "idastar"),
    ] {
        let report = run(line, asked, &known);
        let expected = PlainPuzzle::new(&Puzzle::from_line(line).unwrap()).shortest();
        assert_eq!((length(&report), report.algorithm), (expected, answered), "{line}");
    }
}

/// Replaces all distances of a file by one byte, with checksums that are right.
fn forge(path: &Path, byte: u8) -> DistanceTable {
    let mut file = fs::read(path).unwrap();
    let description = DistanceTable::describe(path).unwrap();
    let start = file.len() - description.payload_bytes as usize;
    file[start..].fill(byte);
    let forged = crc32fast::hash(&file[start..]);
    // Magic, version, length and checksum of the description, the description.
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let text = std::str::from_utf8(&file[20..20 + length]).unwrap();
    let of = |checksum: u32| format!("\"payload_crc32\":{checksum}");
    assert!(text.contains(&of(description.payload_crc32)), "{text}");
    let text = text.replace(&of(description.payload_crc32), &of(forged));
    let mut head = file[..12].to_vec();
    head.extend((text.len() as u32).to_le_bytes());
    head.extend(crc32fast::hash(text.as_bytes()).to_le_bytes());
    head.extend(text.as_bytes());
    assert!(head.len() <= start, "the description fits before the distances");
    head.resize(start, 0);
    head.extend(&file[start..]);
    fs::write(path, head).unwrap();
    DistanceTable::open(path).unwrap()
}

#[test]
fn a_forged_table_never_makes_a_puzzle_unsolvable() {
    let folder = std::env::temp_dir().join(format!("hyperslide-forged-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for encoding in [Encoding::Mod3, Encoding::Byte] {
        let honest = table("grid:2:3 1,2,3,4,5,0", encoding);
        for byte in [0x00, 0x55, 0xaa, 0xff] {
            let path = folder.join("forged.table");
            honest.write(&path).unwrap();
            let forged = Arc::new(forge(&path, byte));
            for algorithm in ["table", "auto"] {
                // Solvable: its hardest start, and one that the goal is next to.
                for (line, expected) in
                    [("grid:2:3 4,5,0,1,2,3", Some(21)), ("grid:2:3 1,2,3,4,0,5", Some(1))]
                {
                    let report = run(line, algorithm, &forged);
                    assert_eq!(length(&report), expected, "{algorithm}, {byte:#x}: {line}");
                }
                // Not solvable, which the parity of the permutation proves.
                let report = run("grid:2:3 2,1,3,4,5,0", algorithm, &forged);
                let Outcome::Unsolvable(reason) = report.outcome else { panic!("{algorithm}") };
                assert_eq!(reason.code(), "parity");
            }
        }
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// The report of an algorithm with the pattern databases of a folder.
fn with_patterns(line: &str, algorithm: &str, folder: &Path) -> Result<Report, SolveError> {
    let store = TableStore::new(Some(folder.to_owned()), |_| {});
    let mut config = Config::new(algorithm, Some("patterns"), [], 0).unwrap();
    config.cache = Arc::new(TableCache::new(store));
    let limits = Limits { memory: Some(300 << 20), ..Limits::default() };
    solve(&Puzzle::from_line(line).unwrap(), &config, &Control { limits, ..Control::default() })
}

fn is_solved(report: &Report) -> bool {
    matches!(report.outcome, Outcome::Solved { .. })
}

#[test]
fn forged_pattern_databases_never_make_a_puzzle_unsolvable() {
    const ALGORITHMS: [&str; 6] =
        ["astar", "idastar", "weighted-astar", "greedy", "nbs", "anytime"];
    for (number, line) in [
        (1, "grid:4:4 1,2,3,4,0,5,6,7,9,10,11,8,13,14,15,12"),
        (2, "grid:6:6 1=0,2=8,3=2,4=3,5=4,6=5,7=12 -> 1=0,2=1,3=2,4=3,5=4,6=5,7=6"),
    ] {
        let name = format!("hyperslide-forged-patterns-{number}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        // IDA* and the anytime search are slow when this many vertices are empty.
        let algorithms = if number == 1 { &ALGORITHMS[..] } else { &["astar", "nbs"] };
        for algorithm in algorithms {
            assert!(is_solved(&with_patterns(line, algorithm, &folder).unwrap()), "{algorithm}");
        }
        let files: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        assert!(!files.is_empty(), "they are kept in files");
        for byte in [0x00, 0xff] {
            for file in &files {
                forge(file, byte);
            }
            for algorithm in algorithms {
                let answer = with_patterns(line, algorithm, &folder);
                let is_right = match &answer {
                    Ok(report) => is_solved(report),
                    Err(error) => *error == SolveError::WrongTable,
                };
                assert!(is_right, "{algorithm}, {byte:#x}: {line}: {answer:?}");
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

/// On cubes of five and six dimensions with one empty vertex, pattern databases are larger than
/// what easy puzzles need without them; on the latter, preparing them alone takes longer than the
/// search.
#[test]
fn puzzles_that_are_easier_than_their_tables_get_none() {
    for (line, least) in [
        (
            "cube:5:1 1=0,2=15,3=31,4=7,5=5,6=28,7=23,8=30,9=16,10=10,11=14,12=17,13=11,14=13,\
        15=19,16=2,17=1,18=29,19=3,20=12,21=24,22=4,23=27,24=25,25=18,26=6,27=20,28=8,29=22,\
        30=26,31=21 -> 1=20,2=27,3=14,4=31,5=2,6=29,7=3,8=16,9=21,10=10,11=13,12=25,13=11,14=5,\
        15=1,16=0,17=24,18=23,19=7,20=8,21=26,22=4,23=30,24=17,25=18,26=6,27=22,28=12,29=28,\
        30=19,31=9",
            3_000_000,
        ),
        (
            "cube:6:1 1=0,2=63,3=15,4=57,5=20,6=40,7=35,8=27,9=14,10=9,11=59,12=18,13=41,14=54,15=31,\
            16=53,17=61,18=32,19=25,20=52,21=42,22=21,23=36,24=45,25=44,26=23,27=58,28=62,29=7,\
            30=43,31=37,32=17,33=5,34=60,35=56,36=11,37=29,38=13,39=38,40=51,41=30,42=49,43=34,\
            44=12,45=50,46=47,47=4,48=8,49=22,50=46,51=6,52=26,53=24,54=10,55=3,56=19,57=39,58=48,\
            59=28,60=1,61=16,62=33,63=2 -> 1=4,2=62,3=61,4=57,5=22,6=8,7=34,8=27,9=15,10=41,11=59,\
            12=18,13=43,14=52,15=31,16=39,17=63,18=32,19=24,20=48,21=50,22=53,23=36,24=45,25=44,\
            26=16,27=58,28=46,29=23,30=42,31=51,32=17,33=29,34=60,35=40,36=11,37=55,38=9,39=6,40=35,\
            41=30,42=21,43=38,44=56,45=54,46=47,47=5,48=28,49=20,50=14,51=7,52=26,53=12,54=10,55=3,\
            56=19,57=37,58=49,59=25,60=1,61=0,62=33,63=2",
            12_000_000,
        ),
    ] {
        let puzzle = Puzzle::from_line(line).unwrap();
        let search = |algorithm| {
            let config = Config::named(algorithm).unwrap();
            solve(&puzzle, &config, &Control::default()).unwrap()
        };
        let [plain, chosen] = ["idastar", "auto"].map(search);
        assert_eq!(length(&chosen), length(&plain));
        assert!(plain.stats.generated > least, "{}", plain.stats.generated);
        assert_eq!(chosen.stats.generated, plain.stats.generated);
    }
}
