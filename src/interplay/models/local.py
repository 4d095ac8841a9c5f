"""GGUF models run in this process by llama.cpp, spoken to over loopback HTTP like any other endpoint."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake
from interplay.core.wire import Reply, Request
from interplay.models import embedded
from interplay.models.openai_compatible import OpenAICompatible
from interplay.models.posting import Endpoint, Patience
from interplay.models.prices import FREE, Price

EMBEDDED_SLOTS, EMBEDDED_CONTEXT = (
    8,
    4096,
)  # measured: the most tokens a second on two cores, 1.4 GB of memory
SLOTS, CONTEXT = 4, 8192
SLOW = 600.0  # seconds: a large model on a small machine takes its time
_QUIET = -1


class Local:
    """One GGUF file, loaded on first use."""

    price: Price | None = FREE
    remembers = False
    ignores: frozenset[str] = frozenset()

    def __init__(
        self,
        name: str,
        file: str,
        *,
        system_role: bool = True,
        most_connections: int = 0,
        timeout: float = 0.0,
    ):
        small = file == embedded.NAME
        self._slots, self._context = (EMBEDDED_SLOTS, EMBEDDED_CONTEXT) if small else (SLOTS, CONTEXT)
        self.most_connections: int | None = most_connections or self._slots
        self._system_role = system_role
        self._patience = timeout or SLOW
        self.name = name
        self._weights = embedded.FILE if small else Path(file).name
        self.endpoint = name
        self._file = file
        self.threads = 0  # as many as there are cores
        self._server: Any = None
        self._client: OpenAICompatible | None = None
        self._loading = asyncio.Lock()

    async def check(self) -> None:
        await asyncio.to_thread(self._path)

    async def reply(self, request: Request) -> Reply:
        client = self._client or await self._load()
        reply = await client.reply(request)
        return replace(reply, version=self._weights)  # the file's name: its place is nobody's business

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
        self._client = self._server = None

    def _path(self) -> Path:
        if self._file == embedded.NAME:
            return embedded.fetch()
        path = Path(self._file).expanduser()
        if not path.is_file():
            raise Mistake(
                f"{self.name}: there is no GGUF file {path}; local/{embedded.NAME} is the embedded model"
            )
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise Mistake(f"{self.name}: {path} is not a GGUF file")
        return path

    async def _load(self) -> OpenAICompatible:
        async with self._loading:
            if self._client is None:
                self._server = await asyncio.to_thread(
                    _serve, self._path(), self._slots, self._context, self.threads
                )
                endpoint = Endpoint(
                    base_url=self._server.listening_address + "/v1",
                    llama=True,
                    price=FREE,
                    system_role=self._system_role,
                    patience=Patience(first_byte=self._patience, total=self._patience),
                )
                self._client = OpenAICompatible(self.name, Path(self._file).name, endpoint)
        return self._client


def _serve(path: Path, slots: int, context: int, threads: int) -> Any:
    import xllamacpp  # here, not above: it loads 100 MB of shared library

    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.n_parallel = slots
    settings.n_ctx = slots * context
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads or os.cpu_count() or 1
    settings.verbosity = _QUIET
    try:
        return xllamacpp.Server(settings)
    except RuntimeError as error:
        raise Mistake(f"llama.cpp cannot load {path}: {error}") from error
