//! Whole graphs: the figures in records/benchmarks/whole-graphs.jsonl, beside the memory's speed
//! and a plain search in the same run.
//!
//! `cargo bench --bench whole_graphs` prints them; with `-- --record FILE` it also adds them to a
//! file as JSON lines; its path is relative to the root of the repository. Takes some minutes.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

mod common;

use hyperslide_census::{CensusProgress, Ended, RunOptions, Survey, run as run_census};
use hyperslide_puzzle::{Board, BoardSpec, Metric, Puzzle};
use hyperslide_table::{
    BreadthFirst, InstructionSet, Layers, SearchOptions, Signals, Space, SpaceOptions,
    available_threads,
};
use hyperslide_testkit::byte_array_layers;
use serde_json::{Value, json};

use common::{record, record_file, seconds};

/// A start of puz[4,1,6] without symmetries.
const PUZ_4_1_6: &str = "1=5,2=6,3=7,4=8,5=9,6=10,7=11,8=12,9=14,10=15";

fn main() {
    let file = record_file();
    let bandwidth = bandwidth();
    let mut measurements =
        vec![three_by_four(bandwidth), one_start(bandwidth), all_starts(), in_files(bandwidth)];
    measurements.extend(two_processes());
    measurements.push(bandwidth_value(bandwidth));
    if let Some(file) = file {
        record(&file, measurements);
    }
}

/// Bytes a second that all threads together read from an array of 1 GiB, which no cache holds.
fn bandwidth() -> f64 {
    const WORDS: usize = 1 << 27;
    let words: Vec<u64> = (0..WORDS as u64).collect();
    let share = WORDS.div_ceil(available_threads());
    let read = |part: &[u64]| part.iter().fold(0u64, |bits, word| bits | word);
    let times = (0..3).map(|_| {
        seconds(|| {
            std::thread::scope(|scope| {
                for part in words.chunks(share) {
                    scope.spawn(move || std::hint::black_box(read(part)));
                }
            });
        })
        .0
    });
    (WORDS * 8) as f64 / times.fold(f64::INFINITY, f64::min)
}

fn bandwidth_value(bandwidth: f64) -> Value {
    println!("memory: {:.1} GB/s read by {} threads", bandwidth / 1e9, available_threads());
    json!({ "measurement": "memory", "read_bytes_per_s": bandwidth, "threads": available_threads() })
}

/// Set-up and search, as `hyperslide layers` does them.
fn layers(line: &str, instruction_set: InstructionSet) -> (f64, Layers, u64, u64) {
    let (time, (layers, bytes, words)) = seconds(|| {
        let puzzle = Puzzle::from_line(line).expect("the line is a puzzle");
        let space = Space::new(puzzle.board(), puzzle.start(), &SpaceOptions::default());
        let space = space.expect("it is small enough");
        let options = SearchOptions { instruction_set, ..SearchOptions::default() };
        let mut search = BreadthFirst::new(&space, options).expect("there is memory");
        search.start(&[*puzzle.start()]).expect("it starts in its space");
        let signals = Signals::default();
        let layers = search.run(&signals, |_| ControlFlow::Continue(())).clone();
        let bytes = BreadthFirst::bytes(&space, true, 1) as u64 + space.bytes();
        (layers, bytes, signals.words.load(Ordering::Relaxed))
    });
    (time, layers, bytes, words)
}

/// The fastest of some runs.
fn best_of(runs: usize, line: &str, instruction_set: InstructionSet) -> (f64, Layers, u64, u64) {
    let measured = (0..runs).map(|_| layers(line, instruction_set));
    measured.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a run at least")
}

/// What bounds a search: how much of the memory's speed it would need if no cache helped.
fn describe(
    name: &str,
    instruction_set: InstructionSet,
    measured: &(f64, Layers, u64, u64),
    bandwidth: f64,
) -> Value {
    let (time, layers, bytes, words) = measured;
    let states = layers.total();
    let touched = *words as f64 * 8.0;
    let bits = 8.0 * *bytes as f64 / states as f64;
    println!(
        "{name} {instruction_set}: {time:.2} s, {:.0} million states/s, {bits:.2} bits a state, {:.2} bytes touched a \
         state: {:.1} GB/s, {:.1} times what memory gives",
        states as f64 / time / 1e6,
        touched / states as f64,
        touched / time / 1e9,
        touched / time / bandwidth,
    );
    json!({
        "measurement": name, "path": instruction_set.name(), "states": states, "depth": layers.depth(), "wall_s": time,
        "states_per_s": states as f64 / time, "bytes_held": bytes, "bits_per_state": bits,
        "bytes_touched_per_state": touched / states as f64, "bytes_touched_per_s": touched / time,
        "of_memory_bandwidth": touched / time / bandwidth, "threads": available_threads(),
    })
}

/// The whole 3x4 puzzle, beside a byte a state with rank and unrank.
fn three_by_four(bandwidth: f64) -> Value {
    let line = "grid:3:4 1,2,3,4,5,6,7,8,9,10,11,0";
    let paths: Vec<Value> = InstructionSet::available()
        .map(|path| describe("3x4 puzzle", path, &best_of(5, line, path), bandwidth))
        .collect();
    let found = layers(line, InstructionSet::best()).1;
    let (baseline, plain) = seconds(|| byte_array_layers(3, 4));
    assert_eq!(plain, found.states, "the plain search finds the same layers");
    let best = paths[0]["wall_s"].as_f64().unwrap_or(f64::NAN);
    println!(
        "3x4 puzzle, a byte a state: {baseline:.1} s on one core, {:.0} times as long",
        baseline / best
    );
    json!({ "measurement": "3x4 puzzle", "paths": paths, "byte_array_wall_s": baseline,
            "byte_array_times_as_long": baseline / best })
}

/// One start of puz[4,2,7]: 4,064,256,000 states.
fn one_start(bandwidth: f64) -> Value {
    let line =
        "cube:4:2 1=0,2=1,3=2,4=3,5=4,6=5,7=7,8=9,9=13 -> 1=*,2=*,3=*,4=*,5=*,6=*,7=*,8=*,9=*";
    let paths = InstructionSet::available().map(|path| {
        // The first one pays for memory that the machine has never given to anyone.
        let measured = best_of(3, line, path);
        assert_eq!(measured.1.total(), 4_064_256_000);
        describe("puz[4,2,7], one start", path, &measured, bandwidth)
    });
    json!({ "measurement": "puz[4,2,7], one start", "paths": paths.collect::<Vec<_>>() })
}

/// All starts of puz[4,2,8].
fn all_starts() -> Value {
    let (time, states) = seconds(|| {
        let board = Board::new(BoardSpec::Cube { d: 4, k: 2 }, Metric::Face).expect("a tesseract");
        let survey = Survey::new(&board, 8).expect("it has 12,870 occupied sets");
        let mut done = Vec::new();
        let mut on_progress = |_: &CensusProgress<'_>| ControlFlow::Continue(());
        let options = RunOptions::default();
        let ended = run_census(
            &board,
            &survey,
            &options,
            &mut done,
            None,
            &Signals::default(),
            &mut on_progress,
        );
        assert_eq!(ended.expect("nothing fails"), Ended::Complete);
        assert_eq!(done.iter().map(|start| start.eccentricity()).max(), Some(19));
        done.iter().flat_map(|start| &start.layers).sum::<u64>()
    });
    println!(
        "puz[4,2,8], all 70 starts: {time:.1} s, {:.0} million states/s",
        states as f64 / time / 1e6
    );
    json!({ "measurement": "puz[4,2,8], all starts", "wall_s": time, "states": states,
            "states_per_s": states as f64 / time, "threads": available_threads() })
}

/// One start of puz[4,1,6], 29,059,430,400 states, in memory and in files. The start has no
/// symmetries, so that its blocks take 3.9 GB, and a search in files may use 4 GB.
fn in_files(bandwidth: f64) -> Value {
    let line = format!("cube:4:1 {PUZ_4_1_6} -> 1=*,2=*,3=*,4=*,5=*,6=*,7=*,8=*,9=*,10=*");
    let memory = layers(&line, InstructionSet::best());
    let files = files(&["cube:4:1", "--start", PUZ_4_1_6], "4G", "1");
    assert_eq!(files.states, memory.1.states, "the search in files finds the same layers");
    println!(
        "puz[4,1,6], one start: {:.1} s in memory, {:.1} s in files with {} MB of memory ({:.2} times as \
         long)",
        memory.0,
        files.wall_s,
        files.peak_bytes / 1_000_000,
        files.wall_s / memory.0,
    );
    json!({ "measurement": "puz[4,1,6], one start, in files",
            "in_memory": describe("puz[4,1,6], one start", InstructionSet::best(), &memory, bandwidth),
            "one_process": files.value(), "files_times_as_long": files.wall_s / memory.0 })
}

/// What two processes take beside one, on blocks that hardly need each other across processes (the
/// 2x7 grid, whose blocks have a prefix) and on blocks that mostly do.
fn two_processes() -> Vec<Value> {
    let cases: [(&str, &[&str], &str, &str); 2] = [
        ("2x7 puzzle, two processes", &["grid:2:7"], "6G", "3600M"),
        ("puz[4,1,6], two processes", &["cube:4:1", "--start", PUZ_4_1_6], "4G", "2400M"),
    ];
    let measured = cases.map(|(name, graph, alone, together)| {
        // The faster of two, in turns: a disk that many share is at times half as fast.
        let runs: Vec<_> =
            (0..2).map(|_| (files(graph, alone, "1"), files(graph, together, "2"))).collect();
        let (one, two): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        let faster = |runs: Vec<InFiles>| {
            let faster = runs.into_iter().min_by(|a, b| a.wall_s.total_cmp(&b.wall_s));
            faster.expect("there are two")
        };
        let (one, two) = (faster(one), faster(two));
        assert_eq!(one.states, two.states, "two processes find the same layers");
        let times = two.wall_s / one.wall_s;
        let memory = two.peak_bytes as f64 / one.peak_bytes as f64;
        println!(
            "{name}: {:.1} s by one with {} MB of memory (limit {alone}), {:.1} s by two ({times:.2} times as \
             long) with {} MB each ({memory:.2} of one process; limit for both {together})",
            one.wall_s,
            one.peak_bytes / 1_000_000,
            two.wall_s,
            two.peak_bytes / 1_000_000,
        );
        json!({ "measurement": name, "limit_of_one": alone, "limit_of_both": together,
                "one_process": one.value(), "two_processes": two.value(),
                "two_processes_times_as_long": times, "memory_of_a_process": memory })
    });
    measured.into()
}

/// A search by `hyperslide layers` in files.
struct InFiles {
    wall_s: f64,
    states: Vec<u64>,
    /// Of the process that had the most.
    peak_bytes: u64,
    files: Value,
}

impl InFiles {
    fn value(&self) -> Value {
        json!({ "wall_s": self.wall_s, "files": self.files })
    }
}

fn files(graph: &[&str], limit: &str, processes: &str) -> InFiles {
    let directory = std::env::temp_dir().join(format!("hyperslide-bench-{}", std::process::id()));
    let program = std::env::current_exe().expect("this program has a path");
    let program =
        program.ancestors().nth(2).expect("it lies in a target directory").join("hyperslide");
    let mut command = std::process::Command::new(&program);
    command.arg("layers").args(graph).args(["--format", "json", "--limit-memory", limit]);
    command.args(["--processes", processes, "--blocks"]).arg(&directory);
    let (wall_s, output) = seconds(|| command.output());
    let output = output.unwrap_or_else(|error| {
        panic!("{}: {error}: run cargo build --release first", program.display())
    });
    std::fs::remove_dir_all(&directory).expect("its files can be removed");
    let mut found: Value = serde_json::from_slice(&output.stdout).expect("it printed JSON");
    let states = serde_json::from_value(found["layers"].take()).expect("layers");
    let files = found["files"].take();
    let peaks: Vec<u64> =
        serde_json::from_value(files["peak_memory_bytes"].clone()).expect("memory");
    InFiles { wall_s, states, peak_bytes: peaks.into_iter().max().unwrap_or(0), files }
}
