"""Calls that may end their process, each in a forked child."""

from __future__ import annotations

import os
from collections.abc import Callable


def in_child(action: Callable[[], str]) -> str:
    """What `action` says when it runs in a forked child, or what is wrong about its end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            end = action()
        except BaseException as error:
            end = f"FAILED: {type(error).__name__}: {error}"
        os.write(writing, end.encode()[:4000])
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return f"FAILED: killed by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said
