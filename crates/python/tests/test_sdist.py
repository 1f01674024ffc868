"""The source distribution holds all that its crates compile in, and the licences."""

import posixpath
import re
import subprocess
import sys
import tarfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def included(name, text):
    """Return the paths of the files and folders that a source file compiles in."""
    production = text.split("#[cfg(test)]\nmod ")[0]
    for path in re.findall(r'include_(?:str|bytes)!\(\s*"([^"]+)"', production):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    for path in re.findall(r'include_dir!\(\s*"\$CARGO_MANIFEST_DIR/([^"]+)"', production):
        yield posixpath.normpath(posixpath.join(name.split("/src/")[0], path))


def test_whatever_is_compiled_in_is_there_and_the_licences(tmp_path):
    maturin = [sys.executable, "-m", "maturin", "sdist", "--out", str(tmp_path)]
    subprocess.run(maturin, cwd=PACKAGE, check=True, capture_output=True)
    (archive,) = tmp_path.iterdir()
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
