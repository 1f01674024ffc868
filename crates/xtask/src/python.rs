//! The Python package: its wheel is built and installed in an environment of its own, its types are
//! checked, and its tests and the examples of its guide are run there.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser::run;

/// Builds, installs and tries what is in `crates/python`.
///
/// Python 3.10 with venv and pip has to be there; the packages of `tests/requirements.txt` are installed
/// in the environment.
pub fn test() -> Result<(), String> {
    let package = package();
    let environment = environment(&package.join("tests/requirements.txt"))?;
    let program = |name: &str| Command::new(environment.join("bin").join(name));
    let wheels = environment.join("wheels");
    // Only the wheel that is built now is to be found there.
    let _ = std::fs::remove_dir_all(&wheels);
    let mut build = program("maturin");
    build.args(["build", "--profile", "dev", "--quiet", "--out"]).arg(&wheels);
    build.arg("--interpreter").arg(environment.join("bin/python")).current_dir(&package);
    run("the wheel of the Python package", &mut build)?;
    let wheel = std::fs::read_dir(&wheels)
        .ok()
        .and_then(|mut files| files.next()?.ok())
        .ok_or("maturin made no wheel")?
        .path();
    let mut install = program("pip");
    install.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    run("the Python package", install.arg("--force-reinstall").arg(wheel))?;
    let mut types = program("mypy");
    run("types of the Python package", types.arg("python/hyperslide").current_dir(&package))?;
    let mut tests = program("python");
    tests.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"]).current_dir(&package);
    run("tests of the Python package", &mut tests)
}

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../python")
}

/// An environment with these requirements, under the folder of what is built. It is made anew when they
/// have changed.
fn environment(requirements: &Path) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("where am I? {error}"))?;
    let folder = own.with_file_name("python");
    let wanted = std::fs::read_to_string(requirements)
        .map_err(|error| format!("cannot read {}: {error}", requirements.display()))?;
    let installed = folder.join("requirements.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    eprintln!("xtask: installing {}", requirements.display());
    let mut make = Command::new("python3");
    let made = make.args(["-m", "venv", "--clear"]).arg(&folder).status();
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]);
    let filled = pip.arg(requirements).status();
    let is_well = |status: std::io::Result<std::process::ExitStatus>| {
        status.is_ok_and(|status| status.success())
    };
    if !is_well(made) || !is_well(filled) || std::fs::write(&installed, wanted).is_err() {
        return Err(format!(
            "{} cannot be installed: it needs Python 3.10 or newer with venv and pip (Debian: python3-venv)",
            requirements.display()
        ));
    }
    Ok(folder)
}
