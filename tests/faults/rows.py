"""The faults of the fault table, in their order: how each is injected, and what must hold after it."""

from dataclasses import dataclass

ALWAYS = (
    "After every fault: no finished row is lost; a step has at most one finished row; extra calls are at most the "
    "intents that were in flight; the store's integrity check is ok; the final tables equal those of an undisturbed "
    "run; no more is spent than the budget allows; whoever typed the command sees one line with the cause and the "
    "next command, and no traceback."
)

BUSY = " (times the load per core, where that is above 1)"  # see harness.allowed


@dataclass(frozen=True)
class Row:
    """One fault."""

    name: str
    injected: str
    holds: str
    least: int = 1  # times that it must have been injected


ROWS = (
    Row(
        "kill -9",
        "SIGKILL at the k-th event of the server's ledger, in play, judging, comparing, collecting, writing, reading",
        "all of the above",
        200,
    ),
    Row("chains of kills", "ten times SIGKILL on one run, each at a drawn event", "all of the above", 200),
    Row(
        "exit at the n-th commit",
        "the process ends without a word just before, or just after, its n-th commit, for every n of a run",
        "all of the above",
        40,
    ),
    Row(
        "disk full: pages",
        "SQLite may not take more than so many pages",
        "stops within one call with exit code 4, goes on where there is room, loses nothing",
        5,
    ),
    Row("disk full: file size", "RLIMIT_FSIZE of the process", "the same", 3),
    Row("disk full: small tmpfs", "a file system of 600 kB that others have filled", "the same", 3),
    Row(
        "database locked",
        "another connection holds a write transaction for 10 s and for 120 s",
        "sends nothing that cannot be written down; waits, or says so after a minute with exit code 4; goes on",
        2,
    ),
    Row(
        "database deleted",
        "the store's files are unlinked at an event of the ledger",
        "noticed within one call; stops; no empty store is made in its place; a copy put back goes on",
        5,
    ),
    Row(
        "database truncated",
        "the store is cut to nothing or to half at an event of the ledger",
        "noticed within one call; stops; what is left is not taken for a store; a copy put back goes on",
        5,
    ),
    Row(
        "429 storm",
        "an endpoint that refuses all, with Retry-After 1, -5, abc, a date, 10^9; an endpoint with a quota",
        "one probe per window; at most 1.2 times the calls of a calm run; 90% of the concurrency back within 60 s",
        5,
    ),
    Row(
        "30% of 5xx and resets",
        "500, 502, 503, 529 and connection resets for three requests in ten",
        "at most 1.2 times the calls that such an endpoint makes necessary; 90% of the concurrency back within 60 s",
        2,
    ),
    Row(
        "hung socket",
        "no connection, no first byte, half a header, half a body, one byte per second",
        "the call ends within its limit + 2 s (connect 10, first byte 60, idle 30, total 300 s) and is sent again",
        5,
    ),
    Row(
        "malformed body",
        "truncated JSON, HTML with 200, wrong length, empty choices, null content, bytes that are not UTF-8, 30 MB",
        "named, its raw bytes kept (of a huge one the first megabyte and a hash), asked for again, the run goes on",
        9,
    ),
    Row(
        "odd usage",
        "usage that is missing or negative",
        "estimated, and flagged on the board",
        4,
    ),
    Row(
        "awkward text",
        "NUL, lone surrogate, bidi controls, escape sequences in answers",
        "recorded, judged and shown without harm, raw bytes kept",
        4,
    ),
    Row(
        "clock jumps a day",
        "a calendar that is a day ahead, then a day behind, again and again",
        "durations are monotonic, the order of the record is that of play, results are the same",
        2,
    ),
    Row(
        "model changes behind an alias",
        "another version or fingerprint in the middle of a run, and between two starts",
        "recorded, and the run is marked as mixed",
        6,
    ),
    Row(
        "budget with 50 workers",
        "runs with budgets in money, tokens, calls, over endpoints that fail, fall silent or are cut off; kills",
        "never exceeded; at least 99% of what is left for a whole call is used",
        1000,
    ),
    Row(
        "Ctrl-C once, SIGTERM",
        "the signal while calls are under way",
        f"stops within 10 s{BUSY}, nothing is dropped, says how to go on",
        2,
    ),
    Row(
        "Ctrl-C twice",
        "a second SIGINT while calls hang, or while another program holds the store locked",
        f"ends within 1 s{BUSY}, nothing that was answered is lost",
        2,
    ),
    Row(
        "two processes on one run",
        "the same command while the first is at work, and several at once",
        f"all but one exit within 2 s{BUSY} without a call, and name the holder",
        2,
    ),
    Row("Ray worker killed", "SIGKILL of a worker process of Ray", "extra calls are at most those in flight"),
    Row("Ray node killed", "SIGKILL of a raylet with all its workers", "the same"),
    Row("Ray driver killed", "SIGKILL of the driver, which is started again", "the same"),
    Row(
        "PostgreSQL backend terminated",
        "pg_terminate_backend of the writer's connection in mid-transaction",
        "extra calls are at most those in flight",
    ),
    Row("worker killed", "SIGKILL of one process of --workers", "extra calls are at most those in flight"),
    Row(
        "driver with workers killed", "SIGKILL of the driver of --workers, which is started again", "the same"
    ),
    Row(
        "web server killed: labels",
        "SIGKILL of the server of pages while two people label",
        "every acknowledged label is there once; the page recovers by itself",
        50,
    ),
    Row(
        "web server killed: play",
        "SIGKILL of the server of pages while somebody plays",
        "every acknowledged move is there once, no answer is paid twice; the page recovers by itself",
        50,
    ),
    Row(
        "judge never in form",
        "nothing, only thoughts, deep nesting, NaN, cut off, two verdicts, the candidate's own words",
        "at most 3 tries, then unscored, with its share on the board",
        7,
    ),
    Row(
        "simulator out of form",
        "an emulated user that says nothing, is cut off, echoes, repeats itself, never stops talking",
        "at most 3 tries, then void by name; a loop is found within 3 repeats",
        6,
    ),
    Row(
        "memory of 10,000 conversations",
        "a run of 10,000 conversations as a process of its own",
        "peak memory under 400 MB, and flat",
    ),
)
NAMES = tuple(row.name for row in ROWS)
