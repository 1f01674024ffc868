//! The Python package: it is installed from its sdist in an environment of its own, its types are
//! checked, and its tests and the examples of its guide are run there.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser;
use crate::commands::{run, run_quietly};

/// Builds, installs and tries what is in `crates/python`.
///
/// Python 3.10 with venv and pip has to be there; the packages of `tests/requirements.txt` are
/// installed in the environment.
pub fn test() -> Result<(), String> {
    let package = package();
    let environment = environment("python", &package.join("tests/requirements.txt"), false)?;
    let program = |name: &str| Command::new(environment.join("bin").join(name));
    let source = unpacked_sdist(&package, &environment)?;
    install_sdist(&environment, &source)?;
    let mut types = program("mypy");
    run("types of the Python package", types.arg("python/hyperslide").current_dir(&package))?;
    let mut tests = program("python");
    tests.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"]).current_dir(&package);
    tests.env("HYPERSLIDE_PROGRAM", browser::program()?);
    run("tests of the Python package", &mut tests)
}

/// Lets MaskablePPO learn the 8-puzzle, and measures CayleyPy, DeepXube and jumanji next to the
/// package.
///
/// Learning ends with an error if fewer puzzles are solved at its limit of time than
/// `examples/maskable_ppo.py` wants. PyTorch is that of the system where there is one, since the
/// wheels of PyTorch for Linux bring gigabytes of CUDA.
pub fn learning() -> Result<(), String> {
    let package = package();
    let builder = environment("python", &package.join("tests/requirements.txt"), false)?;
    let wheel = wheel(&package, &builder, "release")?;
    let torch = environment("learning", &package.join("benches/torch.txt"), true)?;
    let jax = environment("learning-jax", &package.join("benches/jax.txt"), false)?;
    for environment in [&torch, &jax] {
        install(environment, &wheel)?;
    }
    let python = |environment: &Path, script: &str| {
        let mut command = Command::new(environment.join("bin/python"));
        command.arg(script).current_dir(&package);
        command
    };
    run("the speed of jumanji", &mut python(&jax, "benches/jumanji_peer.py"))?;
    run("the speeds of CayleyPy and DeepXube", &mut python(&torch, "benches/torch_peers.py"))?;
    run("learning the 8-puzzle", &mut python(&torch, "examples/maskable_ppo.py"))
}

/// Builds the sdist and unpacks it, and returns its folder.
///
/// The files of an sdist are all of the same age. Those that have changed since it was unpacked
/// last are new here, and the others as old as they were, so that cargo builds what has changed.
fn unpacked_sdist(package: &Path, environment: &Path) -> Result<PathBuf, String> {
    let (made, unpacked) = (environment.join("sdist"), environment.join("unpacked"));
    let known = environment.join("source");
    for folder in [&made, &unpacked] {
        let _ = std::fs::remove_dir_all(folder);
    }
    let failed = |error: std::io::Error| format!("the sdist cannot be unpacked: {error}");
    std::fs::create_dir_all(&unpacked).map_err(failed)?;
    let mut build = Command::new(environment.join("bin/maturin"));
    build.args(["sdist", "--out"]).arg(&made).current_dir(package);
    run_quietly("the sdist of the Python package", &mut build)?;
    let archive = only_file(&made).ok_or("maturin made no sdist")?;
    let mut tar = Command::new("tar");
    tar.args(["-x", "-m", "--strip-components=1", "-f"]).arg(archive);
    run("unpacking it", tar.arg("-C").arg(&unpacked))?;
    keep_ages(&unpacked, &known).map_err(failed)?;
    let _ = std::fs::remove_dir_all(&known);
    std::fs::rename(&unpacked, &known).map_err(failed)?;
    Ok(known)
}

/// Makes the files of a folder as old as those in another one that are the same.
fn keep_ages(new: &Path, old: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(new)? {
        let entry = entry?;
        let (path, known) = (entry.path(), old.join(entry.file_name()));
        if path.is_dir() {
            keep_ages(&path, &known)?;
        } else if known.is_file() && std::fs::read(&path)? == std::fs::read(&known)? {
            let age = std::fs::metadata(&known)?.modified()?;
            std::fs::File::options().append(true).open(&path)?.set_modified(age)?;
        }
    }
    Ok(())
}

/// Installs what an sdist holds as a user would, but with the profile for tests, and with what was
/// built for this workspace: no other versions of any dependency are there.
fn install_sdist(environment: &Path, source: &Path) -> Result<(), String> {
    let target = environment.parent().and_then(Path::parent).ok_or("no folder of what is built")?;
    let mut path = std::ffi::OsString::from(environment.join("bin"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut install = Command::new(environment.join("bin/pip"));
    install.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    install.args(["--no-build-isolation", "--force-reinstall", "--config-settings"]);
    install.arg("build-args=--profile dev").arg(source);
    install.env("PATH", path).env("CARGO_TARGET_DIR", target);
    run("installing the Python package from its sdist", &mut install)
}

/// A file of a folder.
fn only_file(folder: &Path) -> Option<PathBuf> {
    Some(std::fs::read_dir(folder).ok()?.next()?.ok()?.path())
}

/// Builds the wheel with a profile of cargo and returns its file.
fn wheel(package: &Path, environment: &Path, profile: &str) -> Result<PathBuf, String> {
    let wheels = environment.join("wheels");
    // Only the wheel that is built now is to be found there.
    let _ = std::fs::remove_dir_all(&wheels);
    let mut build = Command::new(environment.join("bin/maturin"));
    build.args(["build", "--profile", profile, "--quiet", "--out"]).arg(&wheels);
    build.arg("--interpreter").arg(environment.join("bin/python")).current_dir(package);
    run("the wheel of the Python package", &mut build)?;
    only_file(&wheels).ok_or_else(|| "maturin made no wheel".to_owned())
}

/// Installs a wheel in an environment.
fn install(environment: &Path, wheel: &Path) -> Result<(), String> {
    let mut install = Command::new(environment.join("bin/pip"));
    install.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    run("the Python package", install.arg("--force-reinstall").arg(wheel))
}

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../python")
}

/// The interpreter of Python that has PyTorch: often that of the system, and not the first on the
/// path.
fn with_torch() -> Result<&'static str, String> {
    let has_torch = |python: &&str| {
        let mut ask = Command::new(python);
        ask.args(["-c", "import torch"]).stderr(std::process::Stdio::null());
        ask.status().is_ok_and(|status| status.success())
    };
    ["python3", "/usr/bin/python3"].into_iter().find(has_torch).ok_or_else(|| {
        "PyTorch is missing: install it for python3, or for the system (Debian: python3-torch and \
         libopenblas0-pthread)"
            .to_owned()
    })
}

/// An environment with these requirements, under the folder of what is built. It is made anew when
/// they have changed. With `on_system` the packages of the system can be used in it, and the
/// requirements are complete: what they depend on is not added.
fn environment(name: &str, requirements: &Path, on_system: bool) -> Result<PathBuf, String> {
    let (on_venv, on_pip): (&[&str], &[&str]) =
        if on_system { (&["--system-site-packages"], &["--no-deps"]) } else { (&[], &[]) };
    let own = std::env::current_exe().map_err(|error| format!("where am I? {error}"))?;
    let folder = own.with_file_name(name);
    let wanted = std::fs::read_to_string(requirements)
        .map_err(|error| format!("cannot read {}: {error}", requirements.display()))?;
    let installed = folder.join("requirements.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    eprintln!("xtask: installing {}", requirements.display());
    let mut make = Command::new(if on_system { with_torch()? } else { "python3" });
    let made = make.args(["-m", "venv", "--clear"]).args(on_venv).arg(&folder).status();
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]);
    let filled = pip.arg(requirements).args(on_pip).status();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_not_changed_keeps_its_age() {
        let folder = std::env::temp_dir().join(format!("hyperslide-ages-{}", std::process::id()));
        let (new, old) = (folder.join("new"), folder.join("old"));
        let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        for (root, changed) in [(&old, "before"), (&new, "after")] {
            std::fs::create_dir_all(root.join("deep")).unwrap();
            for (name, text) in [("same", "same"), ("deep/same", "same"), ("changed", changed)] {
                std::fs::write(root.join(name), text).unwrap();
            }
        }
        for name in ["same", "deep/same", "changed"] {
            let file = std::fs::File::options().append(true).open(old.join(name)).unwrap();
            file.set_modified(long_ago).unwrap();
        }
        std::fs::write(new.join("added"), "added").unwrap();
        keep_ages(&new, &old).unwrap();
        let is_old =
            |name| std::fs::metadata(new.join(name)).unwrap().modified().unwrap() == long_ago;
        assert_eq!(
            ["same", "deep/same", "changed", "added"].map(is_old),
            [true, true, false, false]
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
