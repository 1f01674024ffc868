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
