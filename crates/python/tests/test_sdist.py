"""The source distribution holds all that its crates compile in, the licences, and the versions of what they need.

`cargo xtask test` installs the package from it.
"""

import json
import posixpath
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]


def included(name, text):
    """Return the paths of the files and folders that a source file compiles in."""
    production = text.split("#[cfg(test)]\nmod ")[0]
    for path in re.findall(r'include_(?:str|bytes)!\(\s*"([^"]+)"', production):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    for path in re.findall(r'include_dir!\(\s*"\$CARGO_MANIFEST_DIR/([^"]+)"', production):
        yield posixpath.normpath(posixpath.join(name.split("/src/")[0], path))


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    maturin = [sys.executable, "-m", "maturin", "sdist", "--out", str(folder)]
    subprocess.run(maturin, cwd=PACKAGE, check=True, capture_output=True)
    (archive,) = folder.iterdir()
    return archive


def test_whatever_is_compiled_in_is_there_and_the_licences(archive):
    with tarfile.open(archive) as files:
        texts = {
            one.name: files.extractfile(one).read().decode()
            for one in files
            if re.search(r"/crates/[a-z]+/src/.*\.rs$", one.name)
        }
        names = set(files.getnames())
    wanted = {path for name, text in texts.items() for path in included(name, text)}
    has = lambda path: path in names or any(name.startswith(f"{path}/") for name in names)  # noqa: E731
    assert len(wanted) > 20
    assert sorted(path for path in wanted if not has(path)) == []
    root = archive.name.removesuffix(".tar.gz")
    assert {f"{root}/LICENSE-MIT", f"{root}/LICENSE-APACHE"} <= names


def locked(folder):
    """Return the packages of a lock with their versions and checksums."""
    text = (folder / "Cargo.lock").read_text(encoding="utf-8")
    return {re.sub(r"dependencies = \[.*?\]", "", one, flags=re.DOTALL).strip() for one in text.split("[[package]]")[1:]}


def test_the_versions_are_those_of_the_lock(archive, tmp_path):
    """cargo takes from the lock what other crates of the workspace need, and keeps the rest as it is."""
    with tarfile.open(archive) as files:
        files.extractall(tmp_path, filter="data")
    folder = tmp_path / archive.name.removesuffix(".tar.gz")
    before = locked(folder)
    assert before == locked(PACKAGE.parents[1])
    cargo = ["cargo", "metadata", "--offline", "--format-version", "1"]
    found = subprocess.run(cargo, cwd=folder, check=True, capture_output=True, text=True)
    assert len(json.loads(found.stdout)["packages"]) > 100
    assert 100 < len(locked(folder)) and locked(folder) < before
