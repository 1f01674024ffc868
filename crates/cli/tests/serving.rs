//! The server as a process: what it says, how it ends, and what it refuses to start with.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{folder, path, refuses, run};
use assert_cmd::cargo::cargo_bin;

/// A server, and the address that it says it serves at.
fn start(arguments: &[&str]) -> (Child, String, BufReader<std::process::ChildStderr>) {
    let mut command = Command::new(cargo_bin!("hyperslide"));
    command
        .args(["serve", "--port", "0", "--database", "none"])
        .args(arguments)
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
    (child, address, errors)
}

fn get(address: &str, target: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_server_answers_until_it_is_terminated() {
    let (mut child, address, mut errors) = start(&["--log", "info", "--log-format", "json"]);
    assert!(get(&address, "/health").contains("\"status\":\"ok\""));
    assert!(get(&address, "/").contains("<title>Hyperslide"));
    assert!(get(&address, "/report").contains("<html"));
    let started = Instant::now();
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    assert!(started.elapsed() < Duration::from_secs(10));
    let mut log = String::new();
    errors.read_to_string(&mut log).unwrap();
    assert!(log.lines().any(|line| line.contains("\"path\":\"/health\"")), "{log}");
    // What is logged names nobody.
    assert!(!log.contains("127.0.0.1"), "{log}");
}

/// What the server writes until it is terminated, after requests with these lines in their heads.
fn log_after(arguments: &[&str], heads: &[&str]) -> String {
    let (mut child, address, mut errors) = start(arguments);
    for head in heads {
        let mut stream = TcpStream::connect(&address).unwrap();
        let request = format!(
            "GET /api/levels HTTP/1.1\r\nHost: {address}\r\n{head}Connection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream.read_to_string(&mut String::new()).unwrap();
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    let mut log = String::new();
    errors.read_to_string(&mut log).unwrap();
    log
}

/// Connections that are closed unheard are warned of, but not each.
#[test]
fn closed_connections_are_warned_of() {
    let (mut child, address, mut errors) = start(&[]);
    let open: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(&address).unwrap()).collect();
    std::thread::sleep(Duration::from_secs(1));
    drop(open);
    child.kill().unwrap();
    child.wait().unwrap();
    let mut log = String::new();
    errors.read_to_string(&mut log).unwrap();
    assert_eq!(log.matches("connections are closed unheard").count(), 1, "{log}");
}

/// Where plays are kept is said, and does not depend on whether there is a home.
#[test]
fn a_server_says_where_plays_are_kept() {
    let folder = folder("kept");
    let file = folder.join("plays.sqlite");
    let database = format!("sqlite:{}", path(&file));
    for (arguments, words) in [
        (&["--database", &database][..], format!("plays are kept in {database}\n")),
        (&["--database", "none"], "no plays are kept".to_owned()),
        (&[], format!("plays are kept in sqlite:{}/hyperslide/plays.sqlite\n", path(&folder))),
    ] {
        let mut command = Command::new(cargo_bin!("hyperslide"));
        command.args(["serve", "--port", "0"]).args(arguments).stderr(Stdio::piped());
        let mut child = command.env("XDG_DATA_HOME", &folder).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut lines = [String::new(), String::new()];
        for line in &mut lines {
            errors.read_line(line).unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(lines[0].contains("serving at") && lines[1].contains(&words), "{lines:?}");
    }
    for arguments in [&["serve", "--port", "0"][..], &["plays", "export"]] {
        let mut command = Command::new(cargo_bin!("hyperslide"));
        command.args(arguments).env_remove("XDG_DATA_HOME").env_remove("HOME");
        refuses(&command.output().unwrap(), "name --database sqlite:FILE, or none");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Options that do not fit the proxy are named in the log, once.
#[test]
fn a_proxy_that_the_options_do_not_fit_is_warned_of() {
    let forwarded = "X-Forwarded-For: 203.0.113.9\r\n";
    let with = log_after(&[], &["", forwarded, forwarded]);
    assert_eq!(with.matches("start the server with --trust-proxy").count(), 1, "{with}");
    assert!(!with.contains("203.0.113.9"), "{with}");
    let without = log_after(&["--trust-proxy"], &[forwarded, "", ""]);
    assert_eq!(without.matches("no X-Forwarded-For under --trust-proxy").count(), 1, "{without}");
    for (arguments, head) in [(&[][..], ""), (&["--trust-proxy"], forwarded)] {
        let log = log_after(arguments, &[head]);
        assert!(!log.contains("--trust-proxy"), "{log}");
    }
}

#[test]
fn wrong_options_are_refused_in_one_line() {
    let (mut child, address, _errors) = start(&[]);
    let port = address.rsplit(':').next().unwrap().to_owned();
    for (arguments, word) in [
        (&["--port", port.as_str(), "--database", "none"][..], "choose another --port"),
        (&["--port", "70000"], "70000"),
        (&["--listen", "here"], "here"),
        (&["--host", "a/b"], "a/b"),
        (&["--host", "puzzles.example.org:8080"], "write a name without a port"),
        (&["--frame-ancestors", "x;y"], "x;y"),
        (&["--rate", "0"], "0"),
        (&["--jobs", "0"], "0"),
        (&["--limit-memory", "lots"], "lots"),
        (&["--log", "loud=very"], "loud=very"),
        (&["--log", "loud"], "'loud' is not a level"),
        (&["--port", "0", "--database", "mysql://ada:pw@host/x"], "mysql://...@host/x"),
        (&["--port", "0", "--database", "sqlite:/dev/null/plays"], "--database"),
        (&["--port", "0", "--database", "sqlite:"], "write sqlite:FILE, as in sqlite:/var"),
        (&["--port", "0", "--database", "sqlite::memory:"], "'sqlite::memory:' names no file"),
    ] {
        let output = run(&[&["serve"], arguments].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(word) && error.lines().count() == 1, "{arguments:?}: {error}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_copy_overwrites_nothing_else() {
    let folder = folder("site");
    let copy = folder.join("copy");
    let write = || run(&["site", "--out", path(&copy), "--from", "2027-01-01"]);
    let written = write();
    assert!(written.status.success());
    let said = String::from_utf8(written.stdout).unwrap();
    assert!(said.ends_with("daily puzzles from 2027-01-01 to 2028-01-01\n"), "{said}");
    let read = |name: &str| std::fs::read_to_string(copy.join(name)).unwrap();
    assert!(read("index.html").contains("data-static=\"true\""));
    assert!(read("data/levels.json").contains("2027-01-01"));
    assert!(read("data/boards.json").contains("\"cube:6:3\""));
    // An earlier copy is written anew, and is the same; files that only it had are removed, but
    // not those of others.
    let before = read("data/levels.json");
    for name in ["data/tables/999.bin", "assets/old.js", "CNAME"] {
        std::fs::write(copy.join(name), "old").unwrap();
    }
    let elsewhere = folder.join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("letter.txt"), "dear").unwrap();
    std::os::unix::fs::symlink(&elsewhere, copy.join("assets/link")).unwrap();
    assert!(write().status.success());
    assert_eq!(read("data/levels.json"), before);
    let is_there = |name: &str| copy.join(name).exists();
    assert!(!is_there("data/tables/999.bin") && !is_there("assets/old.js") && is_there("CNAME"));
    assert!(elsewhere.join("letter.txt").exists(), "links lead elsewhere");
    std::fs::write(folder.join("letter.txt"), "dear").unwrap();
    // A copy that was killed is written again: wait until its first file is there.
    let killed = folder.join("killed");
    let mut child = Command::new(cargo_bin!("hyperslide"))
        .args(["site", "--out", path(&killed)])
        .spawn()
        .unwrap();
    let begun = || std::fs::read_dir(&killed).is_ok_and(|mut entries| entries.next().is_some());
    while !begun() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(20));
    child.kill().unwrap();
    child.wait().unwrap();
    let again = run(&["site", "--out", path(&killed), "--from", "2027-01-01"]);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let output = run(&["site", "--out", path(&folder)]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("is not empty"), "{error}");
    let output = run(&["site", "--out", path(&copy), "--from", "soon"]);
    assert_eq!(output.status.code(), Some(2));
    let early = run(&["site", "--out", path(&copy), "--from", "2025-12-31"]);
    refuses(&early, "no daily puzzles before 2026-01-01");
    assert_eq!(read("data/levels.json"), before);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A disk that is full is not a mistake in the command.
#[cfg(target_os = "linux")]
#[test]
fn a_copy_on_a_full_disk_fails_as_other_files_do() {
    let small = folder("site-full");
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .arg("mount -t tmpfs -o size=400k none \"$1\" && exec \"$2\" site --out \"$1\"/copy")
        .arg("sh")
        .arg(&small)
        .arg(cargo_bin!("hyperslide"))
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("cannot write") && error.lines().count() == 1, "{error}");
    let closed = run(&["site", "--out", "/proc/copy"]);
    refuses(&closed, "cannot write /proc/copy");
    std::fs::remove_dir_all(&small).unwrap();
}
