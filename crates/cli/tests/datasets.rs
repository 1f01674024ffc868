//! Data sets as files for NumPy, read again, against the distances of single searches.

use std::fs::File;
use std::io::Read;
use std::process::Command;

use crate::common::{folder, json, path, text};
use assert_cmd::cargo::cargo_bin;
use hyperslide_lab::{Dataset, DatasetFileError};
use hyperslide_puzzle::Puzzle;
use zip::ZipArchive;

#[test]
fn a_data_set_holds_exact_distances_and_best_moves() {
    let folder = folder("datasets");
    let file = folder.join("states.npz");
    let file = path(&file);
    let puzzle = "grid:2:3 1,2,3,4,5,0";
    for by in ["uniform", "distance"] {
        let arguments = ["dataset", puzzle, "--count", "40", "--by", by, "--out", file];
        assert_eq!(text(&arguments), format!("40 states written to {file}\n"));
        let mut archive = ZipArchive::new(File::open(file).unwrap()).unwrap();
        let mut names: Vec<String> =
            archive.file_names().map(|name| name.unwrap().into_owned()).collect();
        names.sort();
        assert_eq!(names, ["cost_to_go.npy", "optimal_actions.npy", "puzzle.npy", "states.npy"]);
        let states = array(&mut archive, "states.npy", "'|u1'", "(40, 6)");
        let costs = distances(&array(&mut archive, "cost_to_go.npy", "'<i2'", "(40,)"));
        let optimal = array(&mut archive, "optimal_actions.npy", "'|b1'", "(40, 4)");
        for (number, state) in states.chunks(6).enumerate().step_by(5) {
            let solve = |cells: &[u8]| {
                let cells: Vec<String> = cells.iter().map(u8::to_string).collect();
                let line = format!("grid:2:3 {}", cells.join(","));
                json(&["solve", &line])["length"].as_i64()
            };
            assert_eq!(solve(state), Some(costs[number].into()));
            let best = optimal[4 * number..][..4].iter().position(|&is_best| is_best == 1);
            let Some(best) = best else {
                assert_eq!(costs[number], 0);
                continue;
            };
            // The empty vertex moves up, right, down or left.
            let blank = state.iter().position(|&cell| cell == 0).unwrap();
            let from = [blank.wrapping_sub(3), blank + 1, blank + 3, blank.wrapping_sub(1)][best];
            let mut next = state.to_vec();
            next.swap(blank, from);
            assert_eq!(solve(&next), Some((costs[number] - 1).into()));
        }
    }
    // A row of Parquet for each state, from which the same data set is read.
    let columns = folder.join("states.parquet");
    text(&["dataset", puzzle, "--count", "40", "--by", "distance", "--out", path(&columns)]);
    let read = Dataset::read_parquet(&columns).unwrap();
    let mut archive = ZipArchive::new(File::open(file).unwrap()).unwrap();
    assert_eq!(read.puzzle.goal(), Puzzle::from_line(puzzle).unwrap().goal());
    let mut array = |name, kind, shape| array(&mut archive, name, kind, shape);
    assert_eq!(read.states, array("states.npy", "'|u1'", "(40, 6)"));
    assert_eq!(read.distances, distances(&array("cost_to_go.npy", "'<i2'", "(40,)")));
    let optimal: Vec<u8> = read.optimal_actions.iter().map(|&is_best| is_best.into()).collect();
    assert_eq!(optimal, array("optimal_actions.npy", "'|b1'", "(40, 4)"));
    assert!(matches!(
        Dataset::read_parquet(std::path::Path::new(file)),
        Err(DatasetFileError::Parquet(_))
    ));
    let again = folder.join("again.npz");
    text(&["dataset", puzzle, "--count", "40", "--by", "distance", "--out", path(&again)]);
    assert_eq!(std::fs::read(file).unwrap(), std::fs::read(again).unwrap(), "same seed, same file");
}

#[test]
fn a_full_disk_leaves_the_data_set_that_was_there() {
    let folder = folder("datasets-full");
    let puzzle = "grid:2:3 1,2,3,4,5,0";
    for name in ["states.npz", "states.parquet"] {
        let file = folder.join(name);
        text(&["dataset", puzzle, "--count", "40", "--out", path(&file)]);
        let before = std::fs::read(&file).unwrap();
        // Files may have at most 16 KiB.
        let line = format!(
            "trap '' XFSZ; ulimit -f 16; exec '{}' dataset '{puzzle}' --count 50000 --out '{}'",
            cargo_bin!("hyperslide").display(),
            path(&file)
        );
        let output = Command::new("bash").args(["-c", &line]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(
            error.starts_with("hyperslide: cannot write ") && error.lines().count() == 1,
            "{error}"
        );
        assert!(std::fs::read(&file).unwrap() == before, "{name}");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "nothing is left behind");
}

/// The bytes of an array, whose header has to be as NumPy writes it.
fn array(archive: &mut ZipArchive<File>, name: &str, kind: &str, shape: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00", "{name}");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(end % 64, 0, "{name}");
    let header = std::str::from_utf8(&bytes[10..end]).unwrap();
    let wanted = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}");
    assert_eq!(header.strip_suffix('\n').unwrap().trim_end_matches(' '), wanted, "{name}");
    bytes.split_off(end)
}

fn distances(bytes: &[u8]) -> Vec<i16> {
    bytes.chunks_exact(2).map(|two| i16::from_le_bytes([two[0], two[1]])).collect()
}
