//! Plays as an operator meets them: tables that other programs read, backups while serving, a
//! server that is killed at any moment, and a disk that is full.

#![cfg(unix)]

#[path = "../../plays/tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{folder, path, refuses, run, text};
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use support::Postgres;

const PUZZLE: &str = "grid:2:2 1,2,0,3 -> 1,2,3,0";

/// A server that is killed with the test.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(database: &str) -> Server {
        Server::of(Command::new(cargo_bin!("hyperslide")).args([
            "serve",
            "--port",
            "0",
            "--rate",
            "1000000",
            "--log",
            "off",
            "--database",
            database,
        ]))
    }

    fn of(command: &mut Command) -> Server {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let url = format!("http://{}", address.unwrap_or_else(|| panic!("{line}")));
        Server { child, url }
    }

    /// Ends the process at once, as a power failure would.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn agent() -> ureq::Agent {
    let timeout = Some(Duration::from_secs(20));
    ureq::Agent::config_builder().http_status_as_error(false).timeout_global(timeout).build().into()
}

/// The status and the answer; none when there is no answer.
fn post(url: &str, secret: &str, body: &Value) -> Option<(u16, Value)> {
    let sent = agent().post(url).header("X-Person-Secret", secret).send_json(body);
    let mut response = sent.ok()?;
    let text = response.body_mut().read_to_string().ok()?;
    Some((response.status().as_u16(), serde_json::from_str(&text).ok()?))
}

fn agree(server: &Server) -> String {
    let (_, person) =
        post(&format!("{}/api/people", server.url), "", &json!({ "consent": 1 })).unwrap();
    person["secret"].as_str().unwrap().to_owned()
}

fn play(key: &str, ms: usize) -> Value {
    json!({ "puzzle": PUZZLE, "moves": format!("3-2@{ms}"), "control": "keys", "key": key })
}

/// All rows of a database, by the times of their moves, which each play of these tests has for
/// itself.
fn rows(database: &str) -> BTreeMap<String, usize> {
    let lines = text(&["plays", "export", "--format", "jsonl", "--database", database]);
    let mut counts = BTreeMap::new();
    for line in lines.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        *counts.entry(row["moves"].as_str().unwrap().to_owned()).or_insert(0) += 1;
    }
    counts
}

/// How often the server is killed: ten times, or as often as `HYPERSLIDE_KILLS` says.
fn rounds() -> usize {
    std::env::var("HYPERSLIDE_KILLS").map_or(10, |text| {
        text.parse().unwrap_or_else(|_| panic!("HYPERSLIDE_KILLS is '{text}': write a number"))
    })
}

/// Kills the server again and again while clients send plays. What was acknowledged is there, and
/// nothing is there twice, although clients send again what was not.
fn withstands_kills(database: &str) {
    const CLIENTS: usize = 8;
    let rounds = rounds();
    let next = AtomicUsize::new(1);
    let acknowledged = Mutex::new(Vec::new());
    let unsure: Mutex<Vec<usize>> = Mutex::default();
    // Each play belongs to one of several people, since the plays of one are kept one after the
    // other.
    let mut secrets: Vec<String> = Vec::new();
    // Not random, but unrelated to anything that the server does.
    let mut moment = 7919u64;
    for round in 0..rounds {
        let mut server = Server::start(database);
        if round == 0 {
            secrets.extend((0..CLIENTS).map(|_| agree(&server)));
        }
        let stop = AtomicBool::new(false);
        let url = format!("{}/api/plays", server.url);
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let again = unsure.lock().unwrap().pop();
                        let ms = again.unwrap_or_else(|| next.fetch_add(1, Ordering::Relaxed));
                        let secret = &secrets[ms % CLIENTS];
                        match post(&url, secret, &play(&format!("key {ms}"), ms)) {
                            Some((201, _)) => acknowledged.lock().unwrap().push(ms),
                            _ => unsure.lock().unwrap().push(ms),
                        }
                    }
                });
            }
            moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            std::thread::sleep(Duration::from_millis(60 + (moment >> 33) % 400));
            server.kill();
            stop.store(true, Ordering::Relaxed);
        });
    }
    let counts = rows(database);
    let acknowledged = acknowledged.into_inner().unwrap();
    println!(
        "{rounds} kills: {} plays acknowledged, {} kept, none lost and none twice",
        acknowledged.len(),
        counts.len()
    );
    assert!(acknowledged.len() > 10 * rounds, "{} acknowledged", acknowledged.len());
    for ms in &acknowledged {
        assert!(counts.contains_key(&format!("3-2@{ms}")), "the play of {ms} ms was lost");
    }
    assert!(counts.values().all(|&count| count == 1), "a play was kept twice");
    // Plays that were not acknowledged may be there, but only once; nothing else is.
    assert!(counts.len() <= acknowledged.len() + CLIENTS * rounds);
}

#[test]
fn a_server_on_sqlite_is_killed_again_and_again() {
    let folder = folder("plays-killed");
    withstands_kills(&format!("sqlite:{}", path(&folder.join("plays.sqlite"))));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_server_on_postgres_is_killed_again_and_again() {
    let postgres = Postgres::start();
    withstands_kills(&postgres.address);
}

/// On a file system of 700 kB plays are refused with the reason once it is full, and those that
/// were acknowledged stay.
#[test]
fn a_full_disk_is_refused_clearly() {
    let folder = folder("plays-full");
    let small = folder.join("small");
    std::fs::create_dir(&small).unwrap();
    let database = format!("sqlite:{}", path(&small.join("plays.sqlite")));
    // The mount is of this process alone, and goes with it.
    let mut server = Server::of(
        Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
            .arg("mount -t tmpfs -o size=700k none \"$1\" && exec \"$2\" serve --port 0 --rate 1000000 --log off --database \"$3\"")
            .arg("sh")
            .arg(&small)
            .arg(cargo_bin!("hyperslide"))
            .arg(&database),
    );
    let secret = agree(&server);
    let url = format!("{}/api/plays", server.url);
    // What the process sees there, with something else that takes up room.
    let inside = format!("/proc/{}/root{}", server.child.id(), path(&small));
    let other = Path::new(&inside).join("other");
    std::fs::write(&other, vec![1; 300_000]).unwrap();
    // A long play: there and back again.
    let long = "3-2@1 2-3@1 ".repeat(2000);
    let mut kept = 0;
    let refused = loop {
        let body =
            json!({ "puzzle": PUZZLE, "moves": format!("{long}3-2@{kept}"), "control": "keys" });
        match post(&url, &secret, &body).unwrap() {
            (201, _) => kept += 1,
            (status, answer) => break (status, answer),
        }
        assert!(kept < 100, "the disk is never full");
    };
    assert_eq!(refused.0, 503, "{}", refused.1);
    let error = refused.1["error"].as_str().unwrap();
    assert!(error.contains("disk") && error.contains("nothing was kept"), "{error}");
    // It still reads, and everything that was acknowledged is there.
    let mine =
        agent().get(format!("{}/api/people/me", server.url)).header("X-Person-Secret", &secret);
    let text =
        mine.call().unwrap().body_mut().with_config().limit(50 << 20).read_to_string().unwrap();
    let plays: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(plays["plays"].as_array().unwrap().len(), kept);
    // Once there is room plays are kept again.
    std::fs::remove_file(&other).unwrap();
    assert_eq!(post(&url, &secret, &play("room", 5)).unwrap().0, 201);
    server.kill();
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn backups_are_made_and_restored_while_a_server_serves() {
    let folder = folder("plays-backup");
    let database = format!("sqlite:{}", path(&folder.join("plays.sqlite")));
    let backup = folder.join("backup.sqlite");
    let server = Server::start(&database);
    let (ada, ben) = (agree(&server), agree(&server));
    let url = format!("{}/api/plays", server.url);
    for ms in 1..=20 {
        let who = if ms % 2 == 0 { &ada } else { &ben };
        assert_eq!(post(&url, who, &play(&format!("{ms}"), ms)).unwrap().0, 201);
    }
    let before = rows(&database);
    let said = text(&["plays", "backup", path(&backup), "--database", &database]);
    assert!(said.contains("of 2 people"), "{said}");
    assert_eq!(rows(&format!("sqlite:{}", path(&backup))), before);
    // A backup is not overwritten by mistake.
    let again = run(&["plays", "backup", path(&backup), "--database", &database]);
    assert_eq!(again.status.code(), Some(2));
    // Later plays go, earlier ones come back, and who has deleted everything stays deleted.
    assert_eq!(post(&url, &ada, &play("late", 999)).unwrap().0, 201);
    let gone =
        agent().delete(format!("{}/api/people/me", server.url)).header("X-Person-Secret", &ben);
    assert_eq!(gone.call().unwrap().status(), 200);
    let restored = run(&["plays", "restore", path(&backup), "--database", &database]);
    assert!(restored.status.success() && restored.stderr.is_empty(), "{restored:?}");
    let after = rows(&database);
    assert!(!after.contains_key("3-2@999"));
    assert!(after.keys().all(|moves| moves[4..].parse::<usize>().unwrap() % 2 == 0), "{after:?}");
    assert!(!after.is_empty() && after.len() < before.len());
    // The server goes on with what was restored.
    assert_eq!(post(&url, &ada, &play("later", 1001)).unwrap().0, 201);
    assert_eq!(post(&url, &ben, &play("nobody", 1003)).unwrap().0, 403);
    // An empty database does not know who has deleted everything, and its owner is told.
    let empty = format!("sqlite:{}", path(&folder.join("empty-before.sqlite")));
    let restored = run(&["plays", "restore", path(&backup), "--database", &empty]);
    let warning = String::from_utf8_lossy(&restored.stderr);
    assert!(restored.status.success() && warning.contains("the database was empty"), "{warning}");
    assert_eq!(warning.lines().count(), 1, "{warning}");
    assert_eq!(rows(&empty), before);
    // What is no backup changes nothing, and is not changed.
    let kept = rows(&database);
    let other = folder.join("other.sqlite");
    let letters =
        "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('CREATE TABLE letters (text)')";
    assert!(
        Command::new("python3").args(["-c", letters, path(&other)]).status().unwrap().success()
    );
    let (empty, text_file) = (folder.join("empty.sqlite"), folder.join("letter.txt"));
    std::fs::write(&empty, "").unwrap();
    std::fs::write(&text_file, "dear ".repeat(1000)).unwrap();
    let live = folder.join("plays.sqlite");
    for (file, word) in [
        (&other, "is not a backup"),
        (&empty, "is not a backup"),
        (&text_file, "is not a backup"),
        (&live, "is the database itself"),
    ] {
        let before = std::fs::read(file).unwrap();
        let refused = run(&["plays", "restore", path(file), "--database", &database]);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{error}");
        assert!(error.contains(word) && error.lines().count() == 1, "{error}");
        assert!(std::fs::read(file).unwrap() == before || *file == live);
        // Nor is a database made for it.
        let new = folder.join("new.sqlite");
        let new_database = format!("sqlite:{}", path(&new));
        if *file != live {
            let refused = run(&["plays", "restore", path(file), "--database", &new_database]);
            assert_eq!(refused.status.code(), Some(2));
            assert!(!new.exists());
        }
    }
    assert_eq!(rows(&database), kept);
    let missing = run(&["plays", "restore", path(&folder.join("none")), "--database", &database]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(!folder.join("none").exists());
    drop(server);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// An operator deletes the plays of one person by the code, or all that nobody played, while the
/// server serves; a code that nobody has deletes nothing.
#[test]
fn plays_of_one_person_or_all_simulated_ones_are_deleted() {
    let folder = folder("plays-forget");
    let database = format!("sqlite:{}", path(&folder.join("plays.sqlite")));
    let in_database = ["--database", database.as_str()];
    let forget = |whose: &[&str]| run(&[&["plays", "forget"], whose, &in_database].concat());
    let missing = forget(&["--simulated"]);
    refuses(&missing, "there is no database");
    simulate(&database);
    let server = Server::start(&database);
    let (ada, ben) = (agree(&server), agree(&server));
    let url = format!("{}/api/plays", server.url);
    for (who, ms) in [(&ada, 1), (&ada, 2), (&ben, 3)] {
        assert_eq!(post(&url, who, &play(&format!("{ms}"), ms)).unwrap().0, 201);
    }
    let table = || text(&[&["plays", "export"], &in_database[..]].concat());
    let before = table();
    let row = before.lines().find(|row| row.contains("3-2@3,") || row.ends_with("3-2@3")).unwrap();
    let code = row.split(',').nth(1).unwrap().to_owned();
    refuses(&forget(&["--code", "nobody"]), "nobody has the code 'nobody'");
    for wrong in [&[][..], &["--code", "x", "--simulated"]] {
        assert_eq!(forget(wrong).status.code(), Some(2), "{wrong:?}");
    }
    assert_eq!(table(), before);
    let said = forget(&["--code", &code]);
    assert!(String::from_utf8_lossy(&said.stdout).starts_with("1 play of "), "{said:?}");
    let said = forget(&["--code", &code]);
    assert!(String::from_utf8_lossy(&said.stdout).contains("were deleted before"), "{said:?}");
    // The server knows the person no longer.
    assert_eq!(post(&url, &ben, &play("4", 4)).unwrap().0, 403);
    let simulated = before.lines().count() - 4;
    let said = forget(&["--simulated"]);
    let expected = format!("{simulated} plays of ");
    assert!(String::from_utf8_lossy(&said.stdout).starts_with(&expected), "{said:?}");
    let left = table();
    assert!(left.lines().count() == 3 && !left.contains("slips-1"), "{left}");
    // What was deleted does not come back.
    let file = folder.join("before.csv");
    std::fs::write(&file, &before).unwrap();
    text(&[&["plays", "import", path(&file)], &in_database[..]].concat());
    assert_eq!(table(), left);
    let again = run(&[&["plays", "simulate", PUZZLE, "--seed", "5"], &in_database[..]].concat());
    refuses(&again, "choose another --seed");
    drop(server);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A backup on a medium that cannot be written is read, and nothing is left beside one that could
/// be.
#[test]
fn a_backup_is_read_where_nothing_can_be_written() {
    let folder = folder("plays-read-only");
    let medium = folder.join("medium");
    std::fs::create_dir(&medium).unwrap();
    let backup = medium.join("plays.sqlite");
    let database = format!("sqlite:{}", path(&backup));
    simulate(&database);
    let there = || std::fs::read_dir(&medium).unwrap().count();
    assert_eq!(there(), 1);
    let before = text(&["plays", "export", "--database", &database]);
    assert_eq!(there(), 1);
    // The mount is of this process alone, and goes with it.
    let in_read_only = |arguments: &[&str]| {
        let output = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
            .arg("mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \"$@\"")
            .arg("sh")
            .arg(&medium)
            .arg(cargo_bin!("hyperslide"))
            .args(arguments)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(in_read_only(&["plays", "export", "--database", &database]), before);
    let restored = format!("sqlite:{}", path(&folder.join("restored.sqlite")));
    in_read_only(&["plays", "restore", path(&backup), "--database", &restored]);
    assert_eq!(text(&["plays", "export", "--database", &restored]), before);
    in_read_only(&["plays", "backup", path(&folder.join("again.sqlite")), "--database", &database]);
    assert_eq!(there(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

fn simulate(database: &str) {
    let arguments = [
        "plays",
        "simulate",
        PUZZLE,
        "cube:3:2 a=0,b=3 -> a=7,b=4",
        "--ranked",
        "grid:2:3",
        "--starts",
        "6",
        "--people",
        "12",
        "--seed",
        "5",
        "--database",
        database,
    ];
    let said = text(&arguments);
    assert!(said.contains("12 simulated people"), "{said}");
    let again = text(&arguments);
    assert!(again.starts_with("0 plays"), "{again}");
}

/// Where no table fits, each way is searched for, and the time that is given is kept to.
#[test]
fn simulated_plays_of_large_boards_end_in_time() {
    let folder = folder("plays-late");
    let database = format!("sqlite:{}", path(&folder.join("plays.sqlite")));
    let began = std::time::Instant::now();
    let simulate = ["plays", "simulate", "--database", &database, "--limit-time"];
    let late = run(&[&simulate[..], &["2", "--ranked", "grid:6:6", "--people", "60"]].concat());
    assert_eq!(late.status.code(), Some(4), "a limit came first");
    let said = String::from_utf8(late.stdout).unwrap();
    assert!(said.contains("the time is over"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    let plays = text(&["plays", "export", "--format", "jsonl", "--database", &database]);
    let added: usize = said.split(' ').next().unwrap().replace(',', "").parse().unwrap();
    assert_eq!(plays.lines().count(), added);
    // Adding a million people takes longer, too.
    let late = run(&[&simulate[..], &["0.5", PUZZLE, "--people", "1000000"]].concat());
    assert_eq!(late.status.code(), Some(4));
    assert!(String::from_utf8(late.stdout).unwrap().starts_with("0 plays of "));
    let wrong = run(&[&simulate[..], &["soon", PUZZLE]].concat());
    assert_eq!(wrong.status.code(), Some(2));
    for option in [["--starts", "3"], ["--tokens", "5"], ["--kind", "fewest"]] {
        let error = run(&[&["plays", "simulate", PUZZLE], &option[..]].concat()).stderr;
        assert!(String::from_utf8(error).unwrap().contains("--ranked"), "{option:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn tables_are_read_as_they_were_written() {
    let folder = folder("plays-tables");
    let database = |name: &str| format!("sqlite:{}", path(&folder.join(name)));
    simulate(&database("a"));
    let csv = text(&["plays", "export", "--database", &database("a")]);
    for format in ["csv", "jsonl", "parquet"] {
        let file = folder.join(format!("plays.{format}"));
        text(&[
            "plays",
            "export",
            "--format",
            format,
            "--out",
            path(&file),
            "--database",
            &database("a"),
        ]);
        let other = database(&format!("of-{format}"));
        let first = text(&["plays", "import", path(&file), "--database", &other]);
        assert!(first.contains("0 known already"), "{first}");
        let second = text(&["plays", "import", path(&file), "--database", &other]);
        assert!(second.starts_with("0 plays added"), "{second}");
        assert_eq!(text(&["plays", "export", "--database", &other]), csv, "{format}");
    }
    // Neither the database nor what SQLite keeps beside it is written over, there or not.
    for ending in ["", "-wal", "-shm", "-journal"] {
        let beside = path(&folder.join("a")).to_owned() + ending;
        let export = ["plays", "export", "--database", &database("a"), "--out", &beside];
        refuses(&run(&export), "is what this command reads, and would be lost");
    }
    assert_eq!(text(&["plays", "export", "--database", &database("a")]), csv);
    // A row whose numbers do not follow from its moves is refused, and so is one of no play.
    let lines: Vec<&str> = csv.lines().collect();
    for (wrong, word) in [
        (lines[3].replace(",true,", ",false,"), "row 3"),
        (lines[3].replace('@', "#"), "row 3"),
        ("nonsense".to_owned(), "row 3"),
    ] {
        let file = folder.join("wrong.csv");
        let table = [lines[0], lines[1], lines[2], wrong.as_str()].join("\n");
        std::fs::write(&file, table).unwrap();
        let output = run(&["plays", "import", path(&file), "--database", &database("wrong")]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(word) && error.lines().count() == 1, "{error}");
        // The rows before it stay.
        assert_eq!(text(&["plays", "export", "--database", &database("wrong")]).lines().count(), 3);
    }
    let empty = folder.join("empty.csv");
    std::fs::write(&empty, "").unwrap();
    let output = run(&["plays", "import", path(&empty), "--database", &database("wrong")]);
    assert_eq!(output.status.code(), Some(2));
    let output = run(&["plays", "import", path(&folder.join("a")), "--database", &database("b")]);
    assert_eq!(output.status.code(), Some(2));
    std::fs::remove_dir_all(&folder).unwrap();
}

const READ: &str = "
import json, sys
import duckdb, pandas
csv, parquet = sys.argv[1:]
a = pandas.read_parquet(parquet)
b = pandas.read_csv(csv)
assert list(a.columns) == list(b.columns), (a.columns, b.columns)
assert len(a) == len(b) > 0
for name in a.columns:
    left, right = a[name], b[name]
    if name == 'day':
        left = left.astype(str)
    same = (left == right) | (left.isna() & right.isna())
    assert same.all(), (name, left[~same], right[~same])
assert str(a.dtypes['length']) == 'int64' and str(a.dtypes['solved']) == 'bool', a.dtypes
rows = duckdb.sql(f\"SELECT count(*), sum(length), count(*) FILTER (WHERE simulated IS NULL), min(day) FROM '{parquet}'\").fetchall()[0]
print(json.dumps([rows[0], int(rows[1]), rows[2], str(rows[3]), int(a['length'].sum())]))
";

/// In an environment of Python of the test's own, which is kept for the next time.
#[test]
fn parquet_is_read_by_pandas_and_duckdb() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = target.join("plays-python");
    let python = environment.join("bin/python");
    let has_all = || {
        let imports = ["-c", "import pandas, pyarrow, duckdb"];
        Command::new(&python).args(imports).output().is_ok_and(|output| output.status.success())
    };
    if !has_all() {
        let made =
            Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment).status();
        let installed = Command::new(environment.join("bin/pip"))
            .args([
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "pandas",
                "pyarrow",
                "duckdb",
            ])
            .status();
        assert!(
            made.is_ok_and(|made| made.success())
                && installed.is_ok_and(|installed| installed.success()),
            "pandas, pyarrow and duckdb cannot be installed: Python 3.10 with venv and pip is needed"
        );
    }
    let folder = folder("plays-parquet");
    let database = format!("sqlite:{}", path(&folder.join("plays.sqlite")));
    simulate(&database);
    for format in ["csv", "parquet"] {
        let file = folder.join(format!("plays.{format}"));
        text(&[
            "plays",
            "export",
            "--format",
            format,
            "--out",
            path(&file),
            "--database",
            &database,
        ]);
    }
    let read = Command::new(&python)
        .args(["-c", READ])
        .args([folder.join("plays.csv"), folder.join("plays.parquet")])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&read.stderr);
    assert!(read.status.success(), "{error}");
    let found: Value = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!((&found[1], &found[2]), (&found[4], &json!(0)), "all are simulated");
    assert!(found[0].as_u64().unwrap() > 60);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_model_is_learned_and_plays() {
    let folder = folder("plays-learn");
    let database = format!("sqlite:{}", path(&folder.join("plays.sqlite")));
    let few = run(&["plays", "learn", "--database", &database]);
    assert_eq!(few.status.code(), Some(2));
    simulate(&database);
    let learned = crate::common::json(&["plays", "learn", "--database", &database]);
    assert_eq!(learned["simulated"], json!(["slips-1"]));
    let guesses = learned["guesses"].as_array().unwrap();
    let loss = |name: &str| {
        guesses.iter().find(|guess| guess["name"] == name).unwrap()["log_loss"].as_f64().unwrap()
    };
    assert!(loss("the model") < loss("uniform"), "{guesses:?}");
    // Whoever follows shortest ways but for slips is predicted best by them.
    assert!(loss("optimal") < loss("uniform"), "{guesses:?}");
    let said = text(&["plays", "learn", "--database", &database]);
    assert!(said.contains("(simulated, by the policy slips-1)"), "{said}");
    let model = learned["model"].as_str().unwrap();
    let solved = crate::common::json(&[
        "solve",
        "grid:2:3 5,4,3,2,1,0 -> 1,2,3,4,5,0",
        "--algorithm",
        "humanlike",
        "--model",
        model,
    ]);
    assert!(["solved", "unsolvable"].contains(&solved["status"].as_str().unwrap()), "{solved}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_mistyped_database_is_refused_and_not_made() {
    let folder = folder("plays-mistyped");
    let missing = folder.join("mistyped.sqlite");
    let database = format!("sqlite:{}", path(&missing));
    let (export, backup) = (folder.join("plays.csv"), folder.join("backup.sqlite"));
    for command in [
        &["plays", "export", "--out", path(&export)][..],
        &["plays", "backup", path(&backup)],
        &["plays", "learn"],
    ] {
        let options = ["--database", database.as_str()];
        refuses(&run(&[command, &options].concat()), "there is no database");
    }
    assert!(!missing.exists() && !export.exists() && !backup.exists());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_negative_number_of_plays_is_a_value() {
    refuses(&run(&["plays", "learn", "--plays", "-5"]), "-5 is not in 1..");
}

#[test]
fn people_cannot_be_simulated_on_an_unsolvable_puzzle() {
    let unsolvable = "grid:3:3 1,2,3,4,5,6,8,7,0";
    let folder = folder("plays-unsolvable");
    let database = format!("sqlite:{}", path(&folder.join("plays.sqlite")));
    let simulate = ["plays", "simulate", unsolvable, "--people", "2", "--database", &database];
    refuses(&run(&simulate), "nobody can solve grid:3:3 1,2,3,4,5,6,8,7,0");
    std::fs::remove_dir_all(&folder).unwrap();
}
