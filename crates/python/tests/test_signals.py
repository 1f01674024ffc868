"""Ctrl-C ends every call that may take long, soon and with `KeyboardInterrupt`."""

import signal
import subprocess
import sys
import time

import pytest

CHILD = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np, hyperslide as h
prepared = {}
print("ready", flush=True)
try:
    {}
    print("ended")
except KeyboardInterrupt:
    print("interrupted")
{}
"""


def interrupted(call, prepared="None", shown=None):
    """Return what a new process says, and the seconds after Ctrl-C, which comes early in the call."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(prepared, call, shown and f'print({shown})')], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        sent = time.monotonic()
        said, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    return said, time.monotonic() - sent


def test_ctrl_c_in_the_first_call_of_a_process():
    """NumPy is loaded before: what it raises while it is loaded would be a panic."""
    said, _ = interrupted("h.dataset('grid:3:3', 2 * 10**6)")
    assert said == "interrupted\n"


# Left alone, each runs far longer than the time it is given after Ctrl-C, and a few would never end.
LONG = {
    "a walk": ("h.Puzzle('grid:4:4').sample(1, walk=2**32 - 1)", None),
    "an environment": ("h.SlidingEnv('grid:4:4', walk=2**32 - 1).reset(seed=1)", None),
    "environments": ("h.SlidingVectorEnv('grid:4:4', 10**6, walk=10**4).reset(seed=1)", None),
    "random": ("h.random('grid:4:4', walk=2**32 - 1)", None),
    "a data set": ("h.dataset('grid:3:3', 3 * 10**7)", None),
    "distances of a data set": ("h.dataset('grid:3:3', 3 * 10**7, by='distance')", None),
    "states at a distance": ("h.Puzzle('grid:3:3').sample(3 * 10**7, distance=25)", None),
    "states of ranks": (
        "prepared[0].unrank(prepared[1])",
        "(h.Puzzle('grid:4:4 1,2,3,4,5,6,0,0,0,0,0,0,0,0,0,0'), np.zeros(10**8, np.int64))",
    ),
    "a heuristic": (
        "prepared[0].heuristic(prepared[1], 'linear-conflict')",
        "(h.Puzzle('grid:4:4'), h.Puzzle('grid:4:4').sample(10**6).repeat(20, 0))",
    ),
    "distances by descents": (
        "prepared[0].cost_to_go(prepared[1])",
        "(h.Table.build(h.Puzzle('grid:3:3'), bits=2), h.Puzzle('grid:3:3').sample(10**6).repeat(10, 0))",
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to another process")
@pytest.mark.parametrize("what", LONG)
def test_ctrl_c_ends_what_takes_long(what):
    said, seconds = interrupted(*LONG[what])
    assert said == "interrupted\n" and seconds < 2, seconds


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to another process")
def test_a_step_that_is_interrupted_was_not_played():
    prepared = (
        "h.SlidingVectorEnv('grid:4:4', 2, walk=2**32 - 1, max_episode_steps=1, autoreset_mode='same-step')\n"
        "goal = np.tile(h.Puzzle('grid:4:4').start, (2, 1))\n"
        "prepared.reset(seed=1, options={'states': goal})"
    )
    said, _ = interrupted("prepared.step(np.array([0, 3]))", prepared, "(prepared.states == goal).all()")
    assert said == "interrupted\nTrue\n"
