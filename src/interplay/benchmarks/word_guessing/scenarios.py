"""Scenarios of word guessing: a pair of words, and which seats have the first of them."""

from collections.abc import Sequence
from itertools import chain, combinations, zip_longest
from math import lcm
from pathlib import Path

from interplay.benchmarks.word_guessing.checks import unplayable
from interplay.benchmarks.word_guessing.lexicon import plain
from interplay.benchmarks.word_guessing.words import GENERAL, TOPICS, Pair, read_pairs, shipped
from interplay.core.benchmark import Material, Options, Scenario
from interplay.core.failures import Mistake, nearest

VERSUS, FOUR, TABLE = EXPERIMENTS = ("versus", "four", "table")
LETTERS = "abcdefghijkl"  # of the seats where all are measured; more would make too many splits
MOST_SEATS = len(LETTERS)
FEWEST_BY_PAPER = 3  # rounds of a game that the paper's filter keeps
_SPLIT_OF = {VERSUS: "1-1", FOUR: "2-2"}


def read_split(typed: str) -> str:
    """Two group sizes, as in 2-2."""
    sizes = typed.split("-")
    if len(sizes) != 2 or not all(_is_size(size) for size in sizes):
        raise Mistake(f"--split is two group sizes as in 2-2, not {typed[:40]!r}")
    if sum(map(int, sizes)) > MOST_SEATS:
        raise Mistake(f"--split {typed}: at most {MOST_SEATS} players sit at a table")
    return "-".join(str(int(size)) for size in sizes)


def _is_size(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= len("99") and int(text) > 0


def read_topics(typed: str) -> str:
    """Names of our lists, in our order."""
    known = (GENERAL, *TOPICS)
    wanted = [name.strip().lower() for name in typed.split(",") if name.strip()]
    for name in wanted:
        if name not in known:
            raise Mistake(f"there is no word list {name!r}; {nearest(name, known)}")
    if not wanted:
        raise Mistake("--topics names word lists, as in food,sports; leave it out for the experiment's own")
    return ",".join(name for name in known if name in wanted)


def plainly(options: dict[str, str]) -> dict[str, str]:
    """The options without what is the experiment's own anyway, and with the smaller group of a table first."""
    experiment, split = options["experiment"], options["split"]
    if experiment == TABLE and split:
        split = "-".join(sorted(split.split("-"), key=int))
    topics = "" if options["topics"] == ",".join(_topics_of(experiment)) else options["topics"]
    return {**options, "split": "" if split == _SPLIT_OF.get(experiment) else split, "topics": topics}


def sizes_of(options: Options) -> tuple[int, int]:
    """How many players each group has; in versus, the subject's group first."""
    experiment = options["experiment"]
    split = options["split"] or _SPLIT_OF.get(experiment, "")
    if not split:
        raise Mistake("--experiment table needs the sizes of both groups: --split as in 2-2 or 1-3")
    if experiment == FOUR and split != _SPLIT_OF[FOUR]:
        raise Mistake(f"--experiment four plays 2-2; for --split {split} take --experiment table")
    first, _, second = split.partition("-")
    return int(first), int(second)


def scenarios(options: Options, data: Path | None = None) -> Material:
    """Every pair with every split, in an order whose every beginning is balanced over topics, pairs and splits."""
    if options["rules"] == "paper" and int(options["rounds"]) < FEWEST_BY_PAPER:
        raise Mistake(
            f"--rules paper counts games of {FEWEST_BY_PAPER} rounds or more: --rounds {options['rounds']} leaves none"
        )
    if data is not None and options["topics"]:
        raise Mistake(
            "--topics chooses among the lists that ship; with --data all pairs of the file are played"
        )
    pairs = _in_turn(_checked(data) if data else [p for topic in _topics(options) for p in shipped(topic)])
    splits = _splits(options)
    round_ = lcm(len(pairs), len(splits))
    found = []
    for number in range(len(pairs) * len(splits)):
        pair = pairs[number % len(pairs)]
        found.append(_scenario(pair, splits[(number + number // round_) % len(splits)], options))
    return Material(tuple(found))


def _topics(options: Options) -> Sequence[str]:
    return options["topics"].split(",") if options["topics"] else _topics_of(options["experiment"])


def _topics_of(experiment: str) -> tuple[str, ...]:
    return TOPICS if experiment == VERSUS else (GENERAL,)


def _checked(path: Path) -> list[Pair]:
    """A user's pairs; one that cannot be played, or is there twice, is a mistake."""
    pairs = read_pairs(path)
    seen: dict[frozenset[str], int] = {}
    for number, pair in enumerate(pairs, 1):
        for problem in unplayable(pair):
            raise Mistake(f"{path}, pair {number} ({pair}): {problem}")
        before = seen.setdefault(frozenset(plain(word.text) for word in pair.words), number)
        if before != number:
            raise Mistake(f"{path}, pair {number} ({pair}) is there already as pair {before}")
    return pairs


def _in_turn(pairs: Sequence[Pair]) -> list[Pair]:
    """The topics take turns."""
    by_topic: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_topic.setdefault(pair.topic, []).append(pair)
    return [pair for pair in chain.from_iterable(zip_longest(*by_topic.values())) if pair is not None]


def _splits(options: Options) -> list[tuple[int, ...]]:
    """Which seats, counted from 1, have the first word: each group once or more with either word."""
    first, second = sizes_of(options)
    seats = range(1, first + second + 1)
    if options["experiment"] == VERSUS:
        return [tuple(seats[:first]), tuple(seats[first:])]
    sizes = sorted({first, second})
    return [chosen for size in sizes for chosen in combinations(seats, size)]


def _scenario(pair: Pair, with_a: tuple[int, ...], options: Options) -> Scenario:
    if options["experiment"] == VERSUS:
        mine, others = pair.words if 1 in with_a else pair.words[::-1]
        who = f"{mine.text} v {others.text}"
    else:
        seats = [seat for seat in range(1, sum(sizes_of(options)) + 1) if seat not in with_a]
        who = f"{pair.a.text} ({_listed(with_a)}) v {pair.b.text} ({_listed(seats)})"
    return Scenario({**pair.content(), "with_a": list(with_a)}, f"{pair.topic}: {who}")


def _listed(seats: Sequence[int]) -> str:
    return ", ".join(LETTERS[seat - 1] for seat in seats)
