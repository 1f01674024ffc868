//! The project's own checks: `cargo xtask test` runs exactly what continuous integration runs.

mod attack;
mod browser;
mod commands;
mod python;

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use commands::{cargo, optimising_cargo, run, run_beside, timed};

const USAGE: &str = "usage: cargo xtask test           formatting, lints, documentation, all tests, those in the browser, of the Python package and the attack on the server included
       cargo xtask test --fast    formatting, lints, and the tests that take seconds
       cargo xtask test --without-server    formatting, lints, documentation and tests of the crates below the server, and of the command without it
       cargo xtask test --learning    only the learning of the 8-puzzle with MaskablePPO, and the speeds of other packages: half an hour
       cargo xtask format         formats all files, those behind macros too
       cargo xtask attack [CASES]    only the attack on the server, as it was built last, with at most 400 requests, or CASES, to each operation
       cargo xtask python         only the Python package";

/// Files of tests that take longer than a few seconds on two cores, by crate and name, the longest
/// first: they are started first, and `--fast` leaves them out.
const SLOW: &[&str] = &[
    "lab/known_lengths",
    "search/patterns",
    "search/agreement",
    "search/heuristics",
    "cli/help",
    "search/anytime_tables",
    "cli/report",
    "lab/report",
    "table/quotient",
    "cli/processes",
    "table/agreement",
    "cli/serving",
    "lab/experiments",
    "lab/census_records",
    "table/processes",
    "cli/process_limits",
    "server/plays",
    "search/observer",
    "cli/graphs",
    "search/memory",
    "cli/plays",
    "puzzle/solvability",
    "search/table_limits",
    "lab/reruns",
    "search/beams",
    "search/guarantees",
    "puzzle/rules",
    "search/incremental_values",
];

/// What is linted, built and tested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    /// All without the files of tests in [`SLOW`], the documentation, and what is not in Rust.
    Fast,
    /// Whatever a search, a census or an experiment can break: the crates below the server, and the
    /// command without it.
    WithoutServer,
}

impl Scope {
    /// The arguments of cargo that choose its packages and features.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Scope::All | Scope::Fast => &["--workspace"],
            Scope::WithoutServer => &[
                "--workspace",
                "--exclude=hyperslide-plays",
                "--exclude=hyperslide-server",
                "--exclude=hyperslide-python",
                "--no-default-features",
            ],
        }
    }

    /// A command of cargo on the packages.
    fn cargo(self, command: &str, options: &[&str]) -> Command {
        let arguments = [&[command], self.packages(), options].concat();
        if self == Scope::Fast { cargo(&arguments) } else { optimising_cargo(&arguments) }
    }
}

fn attack(cases: u32) -> Result<(), String> {
    attack::test(&browser::program()?, cases)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test(Scope::All),
        ["test", "--fast"] => test(Scope::Fast),
        ["test", "--without-server"] => test(Scope::WithoutServer),
        ["test", "--learning"] => python::learning(),
        ["format"] => format(&[]),
        ["attack"] => attack(attack::CASES),
        ["attack", cases] => match cases.parse() {
            Ok(cases) => attack(cases),
            Err(_) => Err(format!("'{cases}' is not a number of requests: write one, as in 400")),
        },
        ["python"] => python::test(),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn test(scope: Scope) -> Result<(), String> {
    need_component("fmt", "rustfmt")?;
    need_component("clippy", "clippy")?;
    eprintln!("xtask: formatting");
    format(&["--check"])?;
    lint(scope, &[])?;
    if scope == Scope::All {
        // The command without its server. All else stays as it is, and is not looked at again.
        lint(scope, &["--no-default-features"])?;
    }
    if scope != Scope::WithoutServer {
        need_postgres()?;
    }
    need_gap()?;
    run_tests(scope)?;
    if scope != Scope::All {
        return Ok(());
    }
    browser::test()?;
    // The attack, as a program of its own, keeps one core busy.
    let own = std::env::current_exe().map_err(|error| format!("where am I? {error}"))?;
    let mut attack = Command::new(own);
    attack.arg("attack");
    run_beside("the server under attack", attack, python::test)
}

fn lint(scope: Scope, features: &[&str]) -> Result<(), String> {
    let rules = ["--all-targets", "--", "-D", "warnings"];
    run("lints", &mut scope.cargo("clippy", &[features, &rules].concat()))
}

/// Runs rustfmt on every source file, since `cargo fmt` does not find the modules that registries
/// declare, and looks for wide comments, which rustfmt leaves alone.
fn format(options: &[&str]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).ok_or("no workspace")?;
    let mut files = Vec::new();
    for folder in ["crates", "fuzz"] {
        let unread = |error| format!("{folder} cannot be read: {error}");
        sources(&root.join(folder), &mut files).map_err(unread)?;
    }
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024"]).args(options).args(&files);
    match rustfmt.status() {
        Ok(status) if status.success() => refuse_wide_comments(&files),
        Ok(_) => Err("some files are not formatted: run cargo xtask format".to_owned()),
        Err(error) => Err(format!("rustfmt could not be run: {error}")),
    }
}

/// Refuses files with comments that are wider than code may be.
fn refuse_wide_comments(files: &[PathBuf]) -> Result<(), String> {
    const WIDTH: usize = 100;

    let is_wide = |line: &str| line.trim_start().starts_with("//") && line.chars().count() > WIDTH;
    let mut wide = Vec::new();
    for file in files {
        let name = file.display();
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| format!("{name} cannot be read: {error}"))?;
        let lines = (1..).zip(text.lines()).filter(|(_, line)| is_wide(line));
        wide.extend(lines.map(|(number, _)| format!("{name}:{number}")));
    }
    match wide.as_slice() {
        [] => Ok(()),
        wide => Err(format!("wrap these comments to {WIDTH} columns: {}", wide.join(", "))),
    }
}

/// Adds the source files of a folder, except what was built there.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            sources(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// A test program that cargo built, or the part of one that a file of tests is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Program {
    /// The folder of its crate and the name of its target, such as `table/agreement`, or of its
    /// module, such as `search/patterns`.
    name: String,
    /// The folder of its package, where it is run.
    folder: String,
    file: String,
    /// Whether it holds a module for each file of tests, since linking a program for each took
    /// minutes.
    is_divided: bool,
    /// The tests that are run; all when there are none.
    tests: Vec<String>,
}

/// Commands that are run one after another while other jobs run.
struct Job {
    name: String,
    commands: Vec<Command>,
}

/// What a program or a run of several printed and counted.
#[derive(Default)]
struct Outcome {
    passed: u64,
    failed: u64,
    /// The jobs that did not end well.
    broken: Vec<String>,
}

/// Builds all tests and runs their programs, several at once, since many have one long test; the
/// documentation and its examples are one more job. Shows what each prints when it ends, and ends
/// with the sum of the summary lines.
fn run_tests(scope: Scope) -> Result<(), String> {
    let mut programs = Vec::new();
    for program in timed("building the tests", || build_tests(scope))? {
        programs.extend(program.divided()?);
    }
    if scope != Scope::WithoutServer {
        check_files(&programs)?;
    }
    let rank = |program: &Program| SLOW.iter().position(|&slow| slow == program.name);
    if scope == Scope::Fast {
        eprintln!("xtask: left out by --fast: documentation, browser, Python, {}", SLOW.join(", "));
        programs.retain(|program| rank(program).is_none());
    }
    programs.sort_by_key(|program| rank(program).unwrap_or(usize::MAX));
    let mut jobs: VecDeque<Job> = programs.iter().map(Job::of_program).collect();
    if scope != Scope::Fast {
        // Before the short ones, so that it is not left for the end.
        jobs.insert(SLOW.len().min(jobs.len()), Job::of_documentation(scope));
    }
    // Whoever does not want to read it closes the pipe; the status still says how it went.
    let show = |text: &str| {
        let _ = std::io::stdout().write_all(text.as_bytes());
    };
    let Outcome { passed, failed, broken } = timed("tests", || run_jobs(jobs, &show));
    println!("{passed} passed, {failed} failed");
    if broken.is_empty() && failed == 0 {
        Ok(())
    } else {
        Err(format!("tests failed: {}", broken.join(", ")))
    }
}

/// Checks that every file of tests is one of the programs, and that those listed as slow exist.
fn check_files(programs: &[Program]) -> Result<(), String> {
    let is_there = |name: &str| programs.iter().any(|program| program.name == name);
    if let Some(slow) = SLOW.iter().find(|slow| !is_there(slow)) {
        return Err(format!("{slow} is listed as slow, but is not a file of tests: mend SLOW"));
    }
    match files_of_tests()?.iter().find(|file| !is_there(file)) {
        Some(file) => Err(format!("{file} is a file of tests, but is not run: name it in main.rs")),
        None => Ok(()),
    }
}

/// Runs jobs in their order, as many at once as there are cores, and shows what each printed.
fn run_jobs(jobs: VecDeque<Job>, show: &(dyn Fn(&str) + Sync)) -> Outcome {
    let queue = Mutex::new(jobs);
    let outcome = Mutex::new(Outcome::default());
    let at_once = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(job) = next else { break };
                    job.run(&outcome, show);
                }
            });
        }
    });
    outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Builds the test programs and returns them as cargo reports them.
fn build_tests(scope: Scope) -> Result<Vec<Program>, String> {
    let failed = |error: std::io::Error| format!("tests could not be built: {error}");
    let options = ["--no-run", "--message-format=json-render-diagnostics"];
    let mut command = scope.cargo("test", &options);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut programs = Vec::new();
    for line in BufReader::new(child.stdout.take().ok_or("cargo has no output")?).lines() {
        programs.extend(read_program(&line.map_err(failed)?));
    }
    let status = child.wait().map_err(failed)?;
    if status.success() { Ok(programs) } else { Err(format!("tests do not build ({status})")) }
}

/// The test program that a message of cargo is about, if it is about one.
fn read_program(message: &str) -> Option<Program> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let is_test = message["profile"]["test"].as_bool()?;
    let file = message["executable"].as_str().filter(|_| is_test)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let (of, target) = (folder.file_name()?.to_str()?, message["target"]["name"].as_str()?);
    Some(Program {
        name: format!("{of}/{target}"),
        folder: folder.display().to_string(),
        file: file.to_owned(),
        is_divided: Path::new(message["target"]["src_path"].as_str()?).ends_with("tests/main.rs"),
        tests: Vec::new(),
    })
}

/// The files of tests of all crates, as programs are named.
fn files_of_tests() -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace")?;
    let unread = |error: std::io::Error| format!("tests cannot be listed: {error}");
    for of in crates.read_dir().map_err(unread)? {
        let of = of.map_err(unread)?;
        let Ok(files) = of.path().join("tests").read_dir() else { continue };
        for file in files {
            let file = file.map_err(unread)?.path();
            let is_source = file.extension().is_some_and(|extension| extension == "rs");
            if let Some(name) = file.file_stem().filter(|&name| is_source && name != "main") {
                names.push(format!("{}/{}", of.file_name().display(), name.display()));
            }
        }
    }
    Ok(names)
}

impl Program {
    /// The modules of a divided program, each of which runs as a process of its own.
    fn divided(self) -> Result<Vec<Program>, String> {
        let (true, Some((of, _))) = (self.is_divided, self.name.split_once('/')) else {
            return Ok(vec![self]);
        };
        let listing = Command::new(&self.file).args(["--list", "--format", "terse"]).output();
        let listing = listing.map_err(|error| format!("{} has no list: {error}", self.name))?;
        let modules = by_module(&String::from_utf8_lossy(&listing.stdout));
        if !listing.status.success() || modules.is_empty() {
            return Err(format!("{} does not list its tests ({})", self.name, listing.status));
        }
        let part =
            |(module, tests)| Program { name: format!("{of}/{module}"), tests, ..self.clone() };
        Ok(modules.into_iter().map(part).collect())
    }
}

/// The tests of each module, from the list that a test program prints.
fn by_module(listing: &str) -> BTreeMap<String, Vec<String>> {
    let mut modules = BTreeMap::<String, Vec<String>>::new();
    for test in listing.lines().filter_map(|line| line.strip_suffix(": test")) {
        let module = test.split_once("::").map_or("main", |(module, _)| module);
        modules.entry(module.to_owned()).or_default().push(test.to_owned());
    }
    modules
}

impl Job {
    fn of_program(program: &Program) -> Job {
        let mut command = Command::new(&program.file);
        if !program.tests.is_empty() {
            command.arg("--exact").args(&program.tests);
        }
        command.current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
        Job { name: program.name.clone(), commands: vec![command] }
    }

    /// One job, since one run of cargo waits for the other.
    fn of_documentation(scope: Scope) -> Job {
        let mut pages = scope.cargo("doc", &["--no-deps", "--document-private-items"]);
        pages.env("RUSTDOCFLAGS", "-D warnings");
        let examples = scope.cargo("test", &["--doc", "--no-fail-fast"]);
        Job { name: "documentation".to_owned(), commands: vec![pages, examples] }
    }

    /// Runs all commands, shows what they print, and adds it to the outcome.
    fn run(self, outcome: &Mutex<Outcome>, show: &dyn Fn(&str)) {
        let started = Instant::now();
        let (mut text, mut is_well) = (String::new(), true);
        for mut command in self.commands {
            match command.output() {
                Ok(output) => {
                    let printed = [&output.stdout[..], &output.stderr[..]].concat();
                    text += &String::from_utf8_lossy(&printed);
                    is_well &= output.status.success();
                }
                Err(error) => {
                    text += &format!("{command:?} could not be run: {error}\n");
                    is_well = false;
                }
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        show(&format!("\n{} ({seconds:.1} s)\n{}\n", self.name, text.trim()));
        outcome.count(&text);
        if !is_well {
            outcome.broken.push(self.name);
        }
    }
}

impl Outcome {
    /// Adds the summary lines of a text.
    fn count(&mut self, text: &str) {
        for summary in text.lines().filter_map(|line| line.strip_prefix("test result: ")) {
            self.passed += count(summary, "passed");
            self.failed += count(summary, "failed");
        }
    }
}

/// The number before a word of a summary such as `ok. 12 passed; 0 failed; ...`.
fn count(summary: &str, word: &str) -> u64 {
    let words: Vec<&str> = summary.split([' ', ';']).collect();
    let place = words.iter().position(|&other| other == word);
    place.and_then(|place| words.get(place.wrapping_sub(1))?.parse().ok()).unwrap_or(0)
}

/// Installs a component of the toolchain when its command is missing, or says what to do.
fn need_component(command: &str, component: &str) -> Result<(), String> {
    let is_there =
        || cargo(&[command, "--version"]).output().is_ok_and(|output| output.status.success());
    if is_there() {
        return Ok(());
    }
    eprintln!("xtask: cargo {command} is missing, installing {component}");
    let mut rustup = Command::new("rustup");
    let _ = rustup.args(["component", "add", component]).status();
    if is_there() {
        Ok(())
    } else {
        Err(format!("cargo {command} is missing: run rustup component add {component}"))
    }
}

/// Installs PostgreSQL, on which the plays are tested as well as on SQLite, or says what to do.
fn need_postgres() -> Result<(), String> {
    let installed = || std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    need_package("PostgreSQL", "postgresql", || {
        is_on_path("initdb")
            || installed().any(|version| version.path().join("bin/initdb").is_file())
    })
}

/// Installs GAP, which checks the groups that are written for it, or says what to do.
fn need_gap() -> Result<(), String> {
    need_package("GAP", "gap-core", || is_on_path("gap"))
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn need_package(name: &str, package: &str, is_there: impl Fn() -> bool) -> Result<(), String> {
    if !is_there() {
        eprintln!("xtask: installing {name}");
        browser::install(package);
    }
    match is_there() {
        true => Ok(()),
        false => Err(format!("{name} is missing: install it (Debian: apt-get install {package})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read() {
        let summary = "FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; finished in 0.00s";
        assert_eq!((count(summary, "passed"), count(summary, "failed")), (12, 3));
        assert_eq!(count("nothing", "passed"), 0);
    }

    #[test]
    fn every_command_of_a_job_counts() {
        let shell = |line: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", line]);
            command
        };
        let job = |name: &str, lines: [&str; 2]| Job {
            name: name.to_owned(),
            commands: lines.map(shell).into(),
        };
        let well = "echo 'test result: ok. 2 passed; 0 failed'";
        let badly = "echo 'test result: FAILED. 1 passed; 3 failed'; exit 101";
        // Summaries that are printed here would be counted by the run that this test is part of.
        let jobs = [job("good", [well, well]), job("bad", [badly, well])];
        let outcome = run_jobs(jobs.into(), &|_| {});
        assert_eq!((outcome.passed, outcome.failed), (7, 3));
        assert_eq!(outcome.broken, ["bad"]);
    }

    #[test]
    fn tests_are_listed_by_their_modules() {
        let listing =
            "beams::long: test\nbeams::inner::x: test\nalone: test\nbeams::b: benchmark\n";
        let modules = by_module(listing).into_iter().collect::<Vec<_>>();
        let names = |of: &[&str]| of.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let beams = ("beams".to_owned(), names(&["beams::long", "beams::inner::x"]));
        assert_eq!(modules, [beams, ("main".to_owned(), names(&["alone"]))]);
    }

    #[test]
    fn files_of_tests_are_found() {
        let files = files_of_tests().unwrap();
        for file in ["table/agreement", "search/patterns", "cli/documents"] {
            assert!(files.iter().any(|found| found == file), "{file}");
        }
        assert!(!files.iter().any(|found| found.ends_with("/main")), "{files:?}");
    }

    #[test]
    fn test_programs_are_read_from_cargos_messages() {
        let message = r#"{"reason":"compiler-artifact","manifest_path":"/a/b/Cargo.toml",
            "target":{"name":"rules","src_path":"/a/b/tests/main.rs"},"profile":{"test":true},"executable":"/t/rules-1"}"#;
        let program = read_program(message).unwrap();
        assert_eq!((&program.name[..], &program.folder[..]), ("b/rules", "/a/b"));
        assert_eq!(program.file, "/t/rules-1");
        assert!(program.is_divided);
        assert!(!read_program(&message.replace("/main.rs", "/rules.rs")).unwrap().is_divided);
        for other in [
            "not json",
            r#"{"reason":"build-finished","success":true}"#,
            r#"{"manifest_path":"/a","target":{"name":"x"},"profile":{"test":false},"executable":"/x"}"#,
            r#"{"manifest_path":"/a","target":{"name":"x"},"profile":{"test":true},"executable":null}"#,
        ] {
            assert!(read_program(other).is_none(), "{other}");
        }
    }
}
