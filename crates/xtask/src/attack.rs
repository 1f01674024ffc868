//! The server under attack: schemathesis sends it requests made from its own document, valid and
//! invalid, and checks that no answer is of status 5xx or other than the document says.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::commands::run;

/// The version of schemathesis: another one finds other things.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";
/// Requests to each operation at most, so that there are ten thousand in all.
pub const CASES: u32 = 400;

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

/// Attacks a server of this program.
pub fn test(program: &Path, cases: u32) -> Result<(), String> {
    let schemathesis = schemathesis()?;
    let mut server = Server::start(program)?;
    let mut attack = Command::new(&schemathesis);
    // It leaves files where it runs.
    let folder = schemathesis.parent().unwrap_or(Path::new("."));
    attack
        .current_dir(folder)
        .arg("run")
        .arg(format!("{}api/openapi.json", server.address))
        .args(["--checks", CHECKS])
        .args(["--phases", "examples,coverage,fuzzing", "--mode", "all"])
        .args(["--max-examples", &cases.to_string(), "--seed", "1", "--workers", "2"])
        .args(["--request-timeout", "30", "--no-color", "--warnings", "off"]);
    let attacked = run("the server under attack", &mut attack);
    let is_running = matches!(server.child.try_wait(), Ok(None));
    attacked?;
    if is_running { Ok(()) } else { Err("the server ended under attack".to_owned()) }
}

/// The program, in an environment of Python of its own under the folder of what is built.
fn schemathesis() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("where am I? {error}"))?;
    let folder = own.with_file_name("schemathesis");
    let program = folder.join("bin/schemathesis");
    let answers = || {
        let output = Command::new(&program).arg("--version").output();
        let version = SCHEMATHESIS.rsplit('=').next().unwrap_or_default();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(version))
    };
    if !answers() {
        eprintln!("xtask: installing {SCHEMATHESIS}");
        let mut make = Command::new("python3");
        let made = make.args(["-m", "venv", "--clear"]).arg(&folder).status();
        let mut pip = Command::new(folder.join("bin/pip"));
        let installed =
            pip.args(["install", "--quiet", "--disable-pip-version-check", SCHEMATHESIS]);
        let is_well = |status: std::io::Result<std::process::ExitStatus>| {
            status.is_ok_and(|status| status.success())
        };
        if !is_well(made) || !is_well(installed.status()) || !answers() {
            return Err(format!(
                "{SCHEMATHESIS} cannot be installed: it needs Python 3.10 with venv and pip (Debian: python3-venv)"
            ));
        }
    }
    Ok(program)
}

/// A server that ends with the attack.
struct Server {
    child: Child,
    address: String,
    folder: PathBuf,
}

impl Server {
    fn start(program: &Path) -> Result<Server, String> {
        let failed = |error: std::io::Error| format!("the server does not start: {error}");
        let folder = std::env::temp_dir().join(format!("hyperslide-attack-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let database = format!("sqlite:{}", folder.join("plays.sqlite").display());
        let mut command = Command::new(program);
        command
            .args(["serve", "--port", "0", "--rate", "1000000", "--limit-time", "1"])
            .args(["--database", &database])
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let errors = child.stderr.take().ok_or("the server has no log")?;
        let (mut line, mut errors) = (String::new(), BufReader::new(errors));
        errors.read_line(&mut line).map_err(failed)?;
        let address = line.split_whitespace().find(|word| word.starts_with("http://"));
        let address = address.ok_or_else(|| format!("the server says: {line}"))?.to_owned();
        // What else it says is shown, and never fills the pipe.
        std::thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                eprintln!("{line}");
            }
        });
        Ok(Server { child, address, folder })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
