//! The built front-end is committed. These tests need no Node.js: they fail when the sources have
//! changed since it was built, or when a built file was changed by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
struct Manifest {
    sources: String,
    files: BTreeMap<String, String>,
}

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")
}

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The digests of all files at these paths, which may be missing, by their names from the root.
fn digests(root: &Path, paths: &[&str]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open: Vec<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.is_file() {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            found.insert(name, digest(&fs::read(&path).unwrap()));
        }
    }
    found
}

fn manifest() -> Manifest {
    let text = fs::read_to_string(assets().join("manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_built_front_end_is_that_of_its_sources() {
    // The same list as in web/manifest.ts.
    let sources = digests(
        &web(),
        &[
            "index.html",
            "manifest.ts",
            "package.json",
            "package-lock.json",
            "public",
            "src",
            "svelte.config.js",
            "tsconfig.json",
            "vite.config.ts",
        ],
    );
    assert!(sources.len() > 30, "the sources are there");
    let listed: String =
        sources.iter().map(|(name, digest)| format!("{name}\n{digest}\n")).collect();
    assert_eq!(
        digest(listed.as_bytes()),
        manifest().sources,
        "the front-end is out of date: run npm ci and npm run build in web/, and commit crates/server/assets"
    );
}

#[test]
fn built_files_are_as_they_were_built() {
    let mut files = digests(&assets(), &[""]);
    files.remove("manifest.json");
    assert_eq!(files, manifest().files);
}

/// What has to be there before anything can be seen.
#[test]
fn the_first_script_is_small() {
    let script = fs::metadata(assets().join("app.js")).unwrap().len();
    // Compressed it is at most 60 kB, which the tests in the browser check.
    assert!(script < 200_000, "{script} bytes");
}
