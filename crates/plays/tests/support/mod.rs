//! A server of PostgreSQL of the test's own, in a temporary folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that ends with the test.
pub struct Postgres {
    folder: PathBuf,
    programs: PathBuf,
    /// The address of its database.
    pub address: String,
}

/// The folder of the server's programs: the newest that Debian has, or the one of `initdb`.
fn programs() -> PathBuf {
    let installed = Path::new("/usr/lib/postgresql");
    let mut versions: Vec<PathBuf> = std::fs::read_dir(installed)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect())
        .unwrap_or_default();
    versions.retain(|folder| folder.join("initdb").is_file());
    versions.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = || std::env::split_paths(&path).find(|folder| folder.join("initdb").is_file());
    versions.pop().or_else(in_path).expect(
        "PostgreSQL is missing: install it (Debian: apt-get install postgresql), or run cargo xtask test, \
         which does",
    )
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// A program as the user that may run it: PostgreSQL refuses to run as root.
fn command(program: &Path) -> Command {
    if is_root() {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

fn succeed(output: &Output, what: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {error}");
}

impl Postgres {
    /// Starts a server that only this machine reaches, without a password.
    pub fn start() -> Postgres {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let programs = programs();
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir()
            .join(format!("hyperslide-postgres-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        if is_root() {
            let output = Command::new("chown").arg("postgres").arg(&folder).output().unwrap();
            succeed(&output, "chown");
        }
        let data = folder.join("data");
        let mut initdb = command(&programs.join("initdb"));
        let initdb = initdb.args(["-A", "trust", "-U", "postgres", "--no-sync", "-D"]).arg(&data);
        succeed(&initdb.current_dir(&folder).output().unwrap(), "initdb");
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let options = format!("-p {port} -c listen_addresses=127.0.0.1 -k {}", folder.display());
        let mut start = command(&programs.join("pg_ctl"));
        let start = start.arg("-D").arg(&data).arg("-l").arg(folder.join("log"));
        // Its output is not read: the server keeps it open.
        let start = start.args(["-w", "-o", &options, "start"]).current_dir(&folder);
        let started = start.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        assert!(started.status().unwrap().success(), "pg_ctl start");
        let address = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        Postgres { folder, programs, address }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let mut stop = command(&self.programs.join("pg_ctl"));
        let stop = stop.arg("-D").arg(self.folder.join("data")).args(["-m", "immediate", "stop"]);
        let _ = stop.current_dir(&self.folder).output();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
