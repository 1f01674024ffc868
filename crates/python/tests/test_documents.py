"""The examples of the guide and of the package's front page, and the stubs."""

import ast
import doctest
import importlib.metadata
import inspect
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import hyperslide
from hyperslide import _core

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def blocks(path, language):
    text = path.read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found, f"{path} has no example"
    return found


def test_the_guide():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL * 0)
    shared = {}
    for number, block in enumerate(blocks(ROOT / "docs" / "python.md", "pycon")):
        test = parser.get_doctest(block, shared, f"block {number}", "docs/python.md", 0)
        runner.run(test, clear_globs=False)
        shared.update(test.globs)
    assert runner.summarize().failed == 0


def test_the_front_page(capsys):
    for block in blocks(HERE.parent / "README.md", "python"):
        exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out.splitlines()[0] == "31 True"


def test_the_examples_have_types(tmp_path):
    """The examples of the guide and of the front page, without what they print, and a program."""
    guide = "\n".join(blocks(ROOT / "docs" / "python.md", "pycon"))
    sources = {
        "guide.py": "".join(one.source for one in doctest.DocTestParser().get_examples(guide)),
        "front_page.py": "\n".join(blocks(HERE.parent / "README.md", "python")),
    }
    for name, source in sources.items():
        (tmp_path / name).write_text(source, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(HERE.parent / "pyproject.toml")]
    example = str(HERE.parent / "examples" / "small_network.py")
    found = subprocess.run([*mypy, *sources, example], cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_small_network_beats_weighted_conflicts():
    main = runpy.run_path(str(HERE.parent / "examples" / "small_network.py"))["main"]
    found = main(puzzles=60)
    assert found["the network"][0] < found["weighted-conflicts"][0]


def test_the_stubs_name_what_there_is():
    """mypy checks the modules against the stubs; this checks the stubs against the compiled part."""
    tree = ast.parse((HERE.parent / "python" / "hyperslide" / "_core.pyi").read_text(encoding="utf-8"))
    stubbed = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert public == set(stubbed)
    for name, node in stubbed.items():
        members = [node] if isinstance(node, ast.FunctionDef) else node.body
        for member in members:
            if not isinstance(member, ast.FunctionDef):
                continue
            owner = _core if member is node else getattr(_core, name)
            real = getattr(owner, member.name)
            if member is not node:
                is_property = any(getattr(d, "id", "") == "property" for d in member.decorator_list)
                assert is_property == inspect.isgetsetdescriptor(real), f"{name}.{member.name}"
            if member.name.startswith("__") or inspect.isgetsetdescriptor(real):
                continue
            known = [one.arg for one in member.args.args + member.args.kwonlyargs]
            known = [one for one in known if one not in ("self", "cls")]
            real_names = [one for one in inspect.signature(real).parameters if one not in ("self", "cls")]
            assert real_names == known, f"{name}.{member.name}"
    for name in ("Board", "Puzzle", "Table"):
        missing = {
            one for one in vars(getattr(_core, name)) if not one.startswith("_")
        } - {one.name for one in stubbed[name].body if isinstance(one, ast.FunctionDef)}
        assert not missing


def test_the_stubs_agree_with_what_there_is(tmp_path):
    """Arguments and their defaults, and what is only positional."""
    allowed = tmp_path / "allowed"
    # What is imported for types only.
    allowed.write_text("hyperslide._data.networkx\nhyperslide._data.scipy\n", encoding="utf-8")
    settings = ["--mypy-config-file", str(HERE.parent / "pyproject.toml"), "--allowlist", str(allowed)]
    command = [sys.executable, "-m", "mypy.stubtest", "hyperslide", "--concise", "--ignore-unused-allowlist"]
    ran = subprocess.run([*command, *settings], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_wheel_is_for_every_version():
    tags = importlib.metadata.distribution("hyperslide").read_text("WHEEL")
    assert re.search(r"^Tag: cp310-abi3-", tags, re.MULTILINE), tags


@pytest.mark.parametrize("name", hyperslide.__all__)
def test_everything_is_documented(name):
    assert inspect.getdoc(getattr(hyperslide, name)) or name in ("__version__", "registry")
