"""What all tests need."""

import signal

# A program that a shell starts in its background ignores Ctrl-C, and so would the tests of it.
signal.signal(signal.SIGINT, signal.default_int_handler)
