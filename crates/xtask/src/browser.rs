//! The front-end: its types and units are checked, it is built anew and compared with what is
//! committed, and it is tried in a browser. Installs what that lacks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::commands::{optimising_cargo, run};

/// Checks, builds and tries what is in `web/`.
///
/// Node.js and npm have to be there; Chromium is installed where that is possible, and the packages
/// of the lock file are.
pub fn test() -> Result<(), String> {
    let web = web();
    for program in ["node", "npm"] {
        if !answers(program) {
            return Err(format!(
                "{program} is missing: install Node.js 20 or newer (Debian: nodejs and npm)"
            ));
        }
    }
    let chromium = chromium()?;
    run(
        "the packages of web/",
        Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(&web),
    )?;
    for (what, script) in [("types of the front-end", "check"), ("units of the front-end", "unit")]
    {
        run(what, Command::new("npm").args(["run", "--silent", script]).current_dir(&web))?;
    }
    compare_build(&web)?;
    // As the tests are built, so that it is there already: a build without them has other features.
    let build = ["test", "--workspace", "--no-run", "--quiet"];
    run("the program", &mut optimising_cargo(&build))?;
    let program = program()?;
    let mut tests = Command::new("node");
    tests
        .args(["--test", "--test-concurrency=2", "tests/"])
        .current_dir(&web)
        .env("CHROMIUM", chromium);
    run("tests in the browser", tests.env("HYPERSLIDE", &program))
}

/// Builds the front-end into a folder of its own and compares it, byte for byte, with the files
/// that are committed and part of the program.
fn compare_build(web: &Path) -> Result<(), String> {
    let built = std::env::temp_dir().join(format!("hyperslide-web-{}", std::process::id()));
    let folder = built.to_str().ok_or("the folder for temporary files has no plain name")?;
    let arguments = ["vite", "build", "--logLevel", "warn", "--emptyOutDir", "--outDir", folder];
    run("the front-end", Command::new("npx").args(arguments).current_dir(web))?;
    let (fresh, committed) = (files(&built)?, files(&web.join("../crates/server/assets"))?);
    let _ = std::fs::remove_dir_all(&built);
    let names = fresh.keys().chain(committed.keys());
    match names.into_iter().find(|&name| fresh.get(name) != committed.get(name)) {
        None => Ok(()),
        Some(name) => Err(format!(
            "{name} of the built front-end is not what is committed: run npm run build in web/, and \
             commit crates/server/assets"
        )),
    }
}

/// The files of a folder and what is in them.
fn files(root: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", root.display());
    let (mut found, mut open) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                found.insert(name, std::fs::read(&path).map_err(failed)?);
            }
        }
    }
    Ok(found)
}

/// The program as the tests of this workspace build it.
pub fn program() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("where am I? {error}"))?;
    let program = own.with_file_name(format!("hyperslide{}", std::env::consts::EXE_SUFFIX));
    let is_there = program.is_file();
    is_there.then_some(program.clone()).ok_or_else(|| format!("{} is missing", program.display()))
}

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

/// Where Chromium is: as the environment says, or as Debian has it, installed if need be.
fn chromium() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("CHROMIUM").map(PathBuf::from) {
        let is_there = named.is_file();
        return is_there.then_some(named.clone()).ok_or_else(|| {
            format!("CHROMIUM is '{}', and no file is there: name the program", named.display())
        });
    }
    let installed = PathBuf::from("/usr/bin/chromium");
    if !installed.is_file() {
        eprintln!("xtask: installing Chromium");
        install("chromium");
    }
    let is_there = installed.is_file();
    is_there.then_some(installed).ok_or_else(|| {
        "Chromium is missing: install it (Debian: apt-get install chromium) or name it in CHROMIUM"
            .to_owned()
    })
}

/// Installs a package where Debian's packages are; elsewhere it does nothing.
pub fn install(package: &str) {
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        let command = command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        command.status().is_ok_and(|status| status.success())
    };
    // A list of packages that is out of date may do.
    apt(&["update", "-qq"]);
    apt(&["install", "-y", "-qq", package]);
}

fn answers(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
