"""Fine-tuning at an endpoint of the OpenAI shape: examples go up once, one job is made, its model is waited for."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from interplay.core.failures import Mistake
from interplay.core.wire import clean
from interplay.models.calling import RETRIED, CallFailed
from interplay.models.fine_tuning_job import CANCELLED, DONE, FAILED, Wanted, is_id, status_of
from interplay.models.openai_compatible import OPENAI
from interplay.models.posting import Answer, Endpoint, Post, error_text, failure_of, is_count
from interplay.models.teaching import Example, lines_of

FILES, JOBS = "/files", "/fine_tuning/jobs"
PURPOSE = "fine-tune"
JOBS_ON_A_PAGE = 100
MOST_PAGES = 10_000
LONGEST_NAME = 300
# Pauses, in intervals: a second at first, a minute at most.
LONGEST_PAUSE = 60
GROWTH, GROWTH_IN_TROUBLE = 1.5, 2.0
TRIES = 10  # of one request: some four minutes
TRIES_OF_A_POLL = 66  # an hour: a job that runs is not given up because its endpoint is away
# After these it is unknown whether something was made; then it is looked for, and made again only so often.
_UNSURE = frozenset({"timeout", "connection", "malformed"})
MOST_UNSURE = 3
_NOT_YET = ("not ready", "being processed", "not been processed", "still processing")
_OVER_FILES = frozenset({"error", "failed", "deleted", "deleting"})

Found = TypeVar("Found")


@dataclass(frozen=True)
class JobState:
    """How far a job is, in the endpoint's word; trouble says why it could not be seen just now."""

    job: str
    status: str = ""
    model: str = ""  # the fine-tuned one, as its provider calls it, once there is one
    trained_tokens: int | None = None  # where the endpoint says
    trouble: str = ""


class _Taken(CallFailed):
    """The endpoint took something on, but did not say under which id."""


class FineTuning:
    """Fine-tuning of one model; what was begun by a process that died is found again, and never begun twice."""

    def __init__(self, name: str, remote_name: str, endpoint: Endpoint, *, interval: float = 1.0):
        self.name = name
        self._remote_name = remote_name
        self._at = endpoint
        self._interval = interval
        self._one_at_a_time = asyncio.Lock()  # who makes something sees what another has just made
        self._post = Post(
            name,
            endpoint.base_url,
            JOBS,
            headers={"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {},
            secrets=[endpoint.key],
            patience=endpoint.patience,
        )

    async def check(self) -> None:
        """Raise a Mistake if it is plain that no job can be made here; makes none."""
        if self._at.base_url == OPENAI and not self._at.key:
            raise Mistake(
                f"{self.name} needs a key: set OPENAI_API_KEY, or name another place with --base-url"
            )
        await self._post.check()
        try:
            await self._page(JOBS, {"limit": "1"})
        except CallFailed as failure:
            if failure.cause not in RETRIED:
                raise Mistake(
                    f"{self.name} cannot be fine-tuned at {self._at.base_url}: {failure}"
                ) from failure

    async def upload(self, examples: Sequence[Example], digest: str) -> str:
        """The id of the file with these examples: the one that is there, else one that is uploaded now."""
        name = f"interplay-{digest}.jsonl"
        content = lines_of(examples).encode("utf-8", "replace")

        def is_it(file: Mapping[str, Any]) -> bool:
            usable = status_of(file) not in _OVER_FILES and file.get("deleted") is not True
            return usable and file.get("filename") == name and file.get("purpose", PURPOSE) == PURPOSE

        return await self._find_or_make(
            lambda: self._find(FILES, {"purpose": PURPOSE}, is_it),
            lambda: self._post.upload(FILES, {"purpose": PURPOSE}, name, content),
        )

    async def create(self, file: str, digest: str, *, epochs: int | None, seed: int) -> str:
        """The id of the job under this digest and with these settings: the one that is there, else a new one.

        Where the endpoint keeps no metadata, a job is known by its file, and by what it tells of its settings.
        """
        wanted = Wanted(self._remote_name, file, digest, epochs, seed)
        return await self._find_or_make(
            lambda: self._find(JOBS, {"limit": str(JOBS_ON_A_PAGE)}, wanted.is_it),
            lambda: self._create(wanted),
        )

    async def _create(self, wanted: Wanted) -> Answer:
        """Ask for the job, without what the endpoint says it does not know."""
        body: Mapping[str, Any] | None = wanted.body()
        while body is not None:
            answer = await self._post.send(body)
            refused = answer.status in (400, 422) and not _not_yet(answer)
            body = wanted.simpler(body, answer.body.decode("utf-8", "replace")) if refused else None
        return answer

    async def finished(self, job: str, tell: Callable[[JobState], None]) -> str:
        """Wait for the job and give back the name of its model; `tell` hears how far it is, and of trouble.

        A job that failed or was cancelled raises CallFailed, with the endpoint's reason.
        """
        state, wait = JobState(job), self._interval
        while True:
            note = partial(_tell_of_trouble, tell, state)
            state = await self._patiently(partial(self._look_at, job), TRIES_OF_A_POLL, note)
            tell(state)
            if state.status in DONE:
                return state.model
            await asyncio.sleep(wait)
            wait = min(wait * GROWTH, self._interval * LONGEST_PAUSE)

    async def _look_at(self, job: str) -> JobState:
        answer = await self._post.get(f"{JOBS}/{quote(job, safe='')}")
        told = _object_in(answer)
        status, model = status_of(told), told.get("fine_tuned_model")
        if not status:
            raise answer.malformed("the answer tells no status of the job")
        if status in FAILED | CANCELLED:
            reason = error_text(answer.body) or "no reason is told"
            how = "was cancelled" if status in CANCELLED else "failed"
            detail = f"the fine-tuning job {job} {how}: {reason}"
            raise CallFailed("rejected", detail, raw=answer.kept)
        tuned = model if isinstance(model, str) and _is_name(model) else ""
        if status in DONE and not tuned:
            raise answer.malformed("the job is done, but the answer names no model")
        tokens = told.get("trained_tokens")
        return JobState(job, clean(status)[:LONGEST_NAME], tuned, tokens if is_count(tokens) else None)

    async def close(self) -> None:
        await self._post.close()

    async def _find_or_make(
        self, find: Callable[[], Awaitable[str | None]], make: Callable[[], Awaitable[Answer]]
    ) -> str:
        """The id of what is there already, else of what is made now; looked for anew before each try to make it."""
        async with self._one_at_a_time:
            tries, sends = 0, MOST_UNSURE
            trouble = CallFailed("malformed", "nothing was sent")
            while (found := await find()) is None:
                if tries == TRIES:
                    raise trouble
                if sends:
                    try:
                        return _made(await make())
                    except CallFailed as failure:
                        if failure.cause not in RETRIED:
                            raise
                        trouble = failure
                        sends = 0 if isinstance(failure, _Taken) else sends - (failure.cause in _UNSURE)
                await self._pause(tries, trouble.after)
                tries += 1
            return found

    async def _find(
        self, path: str, query: Mapping[str, str], is_it: Callable[[Mapping[str, Any]], bool]
    ) -> str | None:
        """The id of the first of a list that is the one, over all its pages."""
        after = ""
        seen: set[str] = set()
        for _ in range(MOST_PAGES):
            asked = {**query, "after": after} if after else query
            entries, more = await self._patiently(partial(self._page, path, asked), TRIES)
            for entry in entries:
                if is_it(entry):
                    return str(entry["id"])
            after = str(entries[-1]["id"]) if entries else ""
            if not after or more is False or (more is None and len(entries) < JOBS_ON_A_PAGE):
                return None
            if after in seen:
                if more is None:  # it gives all at once, whatever is asked
                    return None
                break
            seen.add(after)
        raise CallFailed("malformed", f"the list at {path} has no end")

    async def _page(self, path: str, query: Mapping[str, str]) -> tuple[list[dict[str, Any]], bool | None]:
        """The entries of one page of a list, and whether there are more; None where that is not told."""
        answer = await self._post.get(f"{path}?{urlencode(query)}")
        body = _object_in(answer)
        entries, more = body.get("data"), body.get("has_more")
        if not isinstance(entries, list) or not isinstance(more, bool | None):
            raise answer.malformed("the answer is no page of a list")
        if not all(isinstance(entry, dict) and is_id(entry.get("id")) for entry in entries):
            raise answer.malformed("the answer lists something without an id")
        return entries, more

    async def _patiently(
        self,
        act: Callable[[], Awaitable[Found]],
        tries: int,
        note: Callable[[CallFailed], None] = lambda failure: None,
    ) -> Found:
        """What an act gives that can be done again; trouble that may pass is sat out for so many tries in a row."""
        failed = 0
        while True:
            try:
                return await act()
            except CallFailed as failure:
                failed += 1
                if failure.cause not in RETRIED or failed == tries:
                    raise
                after = failure.after
                note(failure)
            await self._pause(failed - 1, after)

    async def _pause(self, tries: int, after: float | None) -> None:
        """Longer with each try that failed, and at least as long as the endpoint asks for."""
        grown = min(GROWTH_IN_TROUBLE ** min(tries, 30), LONGEST_PAUSE)
        await asyncio.sleep(max(self._interval * grown, after or 0.0))


def _object_in(answer: Answer) -> dict[str, Any]:
    """The JSON object that an endpoint says yes with."""
    if answer.status not in (200, 201):
        failure = failure_of(answer)
        if failure.cause == "rejected" and _not_yet(answer):
            raise CallFailed("server", failure.detail, raw=failure.raw, after=failure.after)
        raise failure
    body = answer.json()
    if not isinstance(body, dict):
        raise answer.malformed("the answer is no JSON object")
    return body


def _made(answer: Answer) -> str:
    """The id of what was made."""
    made = _object_in(answer).get("id")
    if not is_id(made):
        raise _Taken("malformed", "the answer has no id", raw=answer.kept)
    return str(made)


def _not_yet(answer: Answer) -> bool:
    """Is all that is wrong that a file, just uploaded, is not ready?"""
    said = error_text(answer.body).lower()
    return answer.status in (400, 422) and any(words in said for words in _NOT_YET)


def _is_name(model: str) -> bool:
    return 0 < len(model) <= LONGEST_NAME and model.isprintable() and " " not in model


def _tell_of_trouble(tell: Callable[[JobState], None], state: JobState, failure: CallFailed) -> None:
    tell(replace(state, trouble=str(failure)))
