"""Servers for this computer: JupyterLab and mdBook's."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from typing import NoReturn

from course.errors import CourseError


def check_port(port: int) -> None:
    """Raise CourseError for a port of this computer that can't be used."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise CourseError(
                f"port {port} of 127.0.0.1 can't be used ({error}): "
                "choose another one with --port, or end what uses it"
            ) from None


def become(command: list[str], environment: Mapping[str, str] = os.environ) -> NoReturn:
    """Go on as another program, so that Ctrl-C asks that one."""
    sys.stdout.flush()
    if os.name == "nt":  # there exec would leave the terminal, and cut a path at its spaces
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(subprocess.call(command, env=environment))
    os.execve(command[0], command, environment)
