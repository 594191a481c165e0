"""Start servers on this computer: JupyterLab and the server of mdBook."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from typing import NoReturn

from course.errors import CourseError


def check_port(port: int) -> None:
    """Raise CourseError if this port can't be used on this computer."""
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
    """Replace this process by another program, so that Ctrl-C goes to that program."""
    sys.stdout.flush()
    if os.name == "nt":  # on Windows, exec would leave the terminal, and split paths at spaces
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(subprocess.call(command, env=environment))
    os.execve(command[0], command, environment)
