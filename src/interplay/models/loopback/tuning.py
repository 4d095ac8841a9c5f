"""The fine-tuning routes of a loopback server: what is asked of them, what they answer, what they refuse."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from aiohttp import BodyPartReader, web

from .jobs import File, Job, Tuning
from .ledger import canonical, digest_of
from .shapes import Asked, OpenAIShape, Refused, Said

FILES, JOBS = "/v1/files", "/v1/fine_tuning/jobs"
ROUTES = (
    f"POST {FILES}",
    f"GET {FILES}",
    f"GET {FILES}/{{file}}",
    f"POST {JOBS}",
    f"GET {JOBS}",
    f"GET {JOBS}/{{job}}",
    f"POST {JOBS}/{{job}}/cancel",
)
PURPOSE = "fine-tune"
LONGEST_SUFFIX, MOST_EPOCHS, MOST_METADATA = 64, 50, 16
LONGEST_METADATA_KEY, LONGEST_METADATA = 64, 512
Thing = TypeVar("Thing", File, Job)
_JOB_FIELDS = ("model", "training_file", "suffix", "seed", "hyperparameters", "method", "metadata")


@dataclass(frozen=True)
class Form:
    """A multipart form: its plain fields, and its file."""

    fields: Mapping[str, str]
    filename: str
    content: bytes


@dataclass(frozen=True)
class Call:
    """A request to one of the routes, read."""

    route: str
    name: str  # the id in the path
    query: Mapping[str, str]
    body: Any

    @property
    def model(self) -> str:
        named = self.body.get("model") if isinstance(self.body, dict) else None
        return named if isinstance(named, str) else ""

    @property
    def digest(self) -> str:
        body = self.body
        if isinstance(body, Form):
            body = [dict(body.fields), body.filename, digest_of(body.content)]
        return digest_of(canonical([self.route, self.name, dict(self.query), body]))

    def asked(self, number: int) -> Asked:
        """What a script sees of it that stands under the name of the route."""
        body = self.body if isinstance(self.body, dict) else {}
        return Asked(self.route, (), body, number, None)


def route_of(request: web.Request) -> str:
    """The method and the path, with a name in the place of an id."""
    resource = request.match_info.route.resource
    return f"{request.method} {resource.canonical if resource else request.path}"


async def read_call(request: web.Request, largest: int) -> Call:
    """The request, or Refused where it is too large."""
    route = route_of(request)
    name = next(iter(request.match_info.values()), "")
    body: Any = None
    if request.content_type.startswith("multipart/"):
        body = await _read_form(request, largest)
    elif request.method == "POST":
        try:
            body = json.loads(await request.read())
        except (ValueError, RecursionError):
            body = None
        except web.HTTPRequestEntityTooLarge:
            raise _too_large(largest) from None
    return Call(route, name, dict(request.query), body)


async def _read_form(request: web.Request, largest: int) -> Form | None:
    fields: dict[str, str] = {}
    filename, content, size = "", b"", 0
    try:
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader):  # a form in a form
                return None
            pieces = []
            while piece := await part.read_chunk():
                size += len(piece)
                if size > largest:
                    raise _too_large(largest)
                pieces.append(piece)
            if part.name == "file":
                filename, content = part.filename or "", b"".join(pieces)
            else:
                fields[part.name or ""] = b"".join(pieces).decode("utf-8", "replace")
    except ValueError:  # no boundary, or not where it should be
        return None
    return Form(fields, filename, content)


def _too_large(largest: int) -> Refused:
    return Refused(413, f"A request may have {largest} bytes at most.")


@dataclass(frozen=True)
class Answering(OpenAIShape):
    """The shape of a route's answer, for faults that spoil it: what is said stands in a note beside it."""

    usual: Mapping[str, Any]

    def write(self, asked: Asked, said: Said) -> dict[str, Any]:
        return {**self.usual, "note": said.text}

    def without_choices(self, answer: dict[str, Any]) -> dict[str, Any]:
        return {}


class Workshop:
    """The files that were uploaded, and the jobs that were made of them."""

    def __init__(self, tuning: Tuning) -> None:
        self.files: list[File] = []
        self.jobs: list[Job] = []
        self._tuning = tuning
        handlers: tuple[Callable[[Call], dict[str, Any]], ...] = (
            self._upload, self._list_files, self._show_file,
            self._create, self._list_jobs, self._show_job, self._cancel,
        )  # fmt: skip
        self._handlers = dict(zip(ROUTES, handlers, strict=True))

    def answer(self, call: Call) -> dict[str, Any]:
        """Do what is asked, or raise Refused."""
        return self._handlers[call.route](call)

    def job_of(self, model: str) -> Job | None:
        """The job that made this model, or is about to."""
        return next((job for job in self.jobs if job.model == model), None)

    def _upload(self, call: Call) -> dict[str, Any]:
        form = call.body
        if not isinstance(form, Form) or not form.filename:
            raise Refused(400, "The request is no form with a file.", "file")
        if form.fields.get("purpose") != PURPOSE:
            raise Refused(400, f"The purpose of a file is {PURPOSE!r} here.", "purpose")
        file = File(f"file-loopback-{len(self.files) + 1}", form.filename, PURPOSE, form.content)
        self.files.append(file)
        return file.as_json()

    def _list_files(self, call: Call) -> dict[str, Any]:
        wanted = call.query.get("purpose", PURPOSE)
        found = [file for file in self.files if file.purpose == wanted]
        return _page(found, call.query, usual=10_000, most=10_000)

    def _show_file(self, call: Call) -> dict[str, Any]:
        return _named(self.files, call.name, "file").as_json()

    def _create(self, call: Call) -> dict[str, Any]:
        body = call.body
        if not isinstance(body, dict):
            raise Refused(400, "The request body is not a JSON object.")
        for key in body:
            if key not in _JOB_FIELDS or (key == "method" and not self._tuning.method):
                raise Refused(400, f"Unknown parameter: {key!r}.", key, "unknown_parameter")
        if "metadata" in body and self._tuning.metadata == "refused":
            raise Refused(400, "Unknown parameter: 'metadata'.", "metadata", "unknown_parameter")
        _check_settings(body)
        file = next((file for file in self.files if file.id == body.get("training_file")), None)
        if file is None:
            raise Refused(400, "The training file does not exist.", "training_file", "invalid_training_file")
        made = Job(f"ftjob-loopback-{len(self.jobs) + 1}", body, file, self._tuning, _epochs_in(body))
        self.jobs.append(made)
        return made.as_json()

    def _list_jobs(self, call: Call) -> dict[str, Any]:
        return _page(self.jobs[::-1], call.query, usual=20, most=100)

    def _show_job(self, call: Call) -> dict[str, Any]:
        job = _named(self.jobs, call.name, "fine-tuning job")
        job.polled += 1
        return job.as_json()

    def _cancel(self, call: Call) -> dict[str, Any]:
        job = _named(self.jobs, call.name, "fine-tuning job")
        if job.status in ("succeeded", "failed", "cancelled"):
            raise Refused(400, f"The job {job.id} is over already: {job.status}.")
        job.cancelled = True
        return job.as_json()


def _named(things: Sequence[Thing], name: str, what: str) -> Thing:
    for thing in things:
        if thing.id == name:
            return thing
    raise Refused(404, f"There is no {what} {name!r}.", code="not_found")


def _page(things: Sequence[File | Job], query: Mapping[str, str], *, usual: int, most: int) -> dict[str, Any]:
    """What comes after the one that is named, and whether there is more."""
    limit = query.get("limit", str(usual))
    if not limit.isdecimal() or not 1 <= int(limit) <= most:
        raise Refused(400, f"The limit is a number from 1 to {most}.", "limit")
    start, after = 0, query.get("after")
    if after is not None:
        known = [thing.id for thing in things]
        if after not in known:
            raise Refused(400, f"There is nothing called {after!r} to go on after.", "after")
        start = known.index(after) + 1
    shown = things[start : start + int(limit)]
    more = len(things) > start + len(shown)
    return {"object": "list", "data": [thing.as_json() for thing in shown], "has_more": more}


def _check_settings(body: Mapping[str, Any]) -> None:
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise Refused(400, "The request names no model.", "model")
    suffix, seed, metadata = body.get("suffix"), body.get("seed"), body.get("metadata")
    if suffix is not None and not (isinstance(suffix, str) and len(suffix) <= LONGEST_SUFFIX):
        raise Refused(400, f"A suffix has {LONGEST_SUFFIX} characters at most.", "suffix")
    if seed is not None and not (type(seed) is int and 0 <= seed < 2**31):
        raise Refused(400, "A seed is a number from 0 to 2147483647.", "seed")
    if metadata is not None and not _is_metadata(metadata):
        raise Refused(400, "Metadata are at most 16 short texts, each under a short name.", "metadata")
    epochs = _hyperparameters(body).get("n_epochs", "auto")
    if epochs != "auto" and not (type(epochs) is int and 1 <= epochs <= MOST_EPOCHS):
        raise Refused(400, f"n_epochs is 'auto' or a number from 1 to {MOST_EPOCHS}.", "hyperparameters")


def _is_metadata(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and len(value) <= MOST_METADATA
        and all(
            len(key) <= LONGEST_METADATA_KEY and isinstance(text, str) and len(text) <= LONGEST_METADATA
            for key, text in value.items()
        )
    )


def _hyperparameters(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where the newer or the older way of asking has them."""
    found, at = body.get("hyperparameters"), "hyperparameters"
    method = body.get("method")
    if method is not None:
        at = "method"
        if not isinstance(method, dict) or method.get("type") != "supervised":
            raise Refused(400, "The method is 'supervised' here.", at)
        settings = method.get("supervised") or {}
        found = settings.get("hyperparameters") if isinstance(settings, dict) else settings
    if not isinstance(found or {}, dict):
        raise Refused(400, "Hyperparameters are an object.", at)
    return found or {}


def _epochs_in(body: Mapping[str, Any]) -> int | None:
    epochs = _hyperparameters(body).get("n_epochs")
    return epochs if isinstance(epochs, int) else None
