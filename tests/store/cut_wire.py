"""A wire between a program and a server that can be cut just when the server has said that it committed."""

import select
import socket
import threading
from pathlib import Path

from interplay.store.places import Server, place_of


class Wire:
    """Listens on a port of its own and hands everything on, until it is told to cut."""

    def __init__(self, server: Server, folder: Path):
        self._socket = folder / ".s.PGSQL.5432"
        self._listening = socket.create_server(("127.0.0.1", 0))
        port = self._listening.getsockname()[1]
        name = server.url.partition("?")[0].rpartition("/")[2]
        found = place_of(f"postgresql://postgres@127.0.0.1:{port}/{name}")
        assert isinstance(found, Server)
        self.place = found
        self.cuts = 0  # how many were made
        self._wanted = 0
        self._skipping = 0
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def cut_at_commit(self, after: int = 0) -> None:
        """The answer to a commit, after so many others, is lost, and the connection with it."""
        self._skipping, self._wanted = after, self._wanted + 1

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(str(self._socket))
            thread = threading.Thread(target=self._hand_on, args=(near, far))
            self._threads.append(thread)
            thread.start()

    def _hand_on(self, near: socket.socket, far: socket.socket) -> None:
        with near, far:
            while True:
                for ready in select.select([near, far], [], [])[0]:
                    try:
                        said = ready.recv(1 << 16)
                    except OSError:
                        return
                    if not said or (ready is far and self._is_to_be_cut(said)):
                        return
                    try:
                        (far if ready is near else near).sendall(said)
                    except OSError:
                        return

    def _is_to_be_cut(self, said: bytes) -> bool:
        if b"COMMIT\0" not in said or self.cuts >= self._wanted:
            return False
        self._skipping -= 1
        if self._skipping >= 0:
            return False
        self.cuts += 1
        return True

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._accepting.join()
        for thread in self._threads:
            thread.join(5)
