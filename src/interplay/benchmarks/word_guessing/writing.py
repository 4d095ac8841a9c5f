"""New pairs of words: what a model wrote is checked, gathered, and made a file that can be played."""

from collections.abc import Sequence
from dataclasses import replace

import tomli_w

from interplay.benchmarks.generating import SEED, WRITER, best_pieces, board_of_writing, rank, told_of
from interplay.benchmarks.word_guessing.checks import Shelf, unfit, unplayable
from interplay.benchmarks.word_guessing.drafting import (
    Drafts,
    all_shipped,
    calls,
    digest,
    entry_of,
    laid_out,
    pair_of,
    play,
    read_topic,
    scenarios,
)
from interplay.benchmarks.word_guessing.lexicon import plain, same_phrase, tokens
from interplay.benchmarks.word_guessing.words import Pair, Word
from interplay.core.benchmark import (
    Benchmark,
    Option,
    Options,
    Played,
    Role,
    Scenario,
    Score,
    Tryout,
    Verdict,
)
from interplay.core.board import Board
from interplay.core.making import Generator, Origin, Piece
from interplay.core.wire import Sampling

MOST = 500
OPTIONS = (
    Option(
        "topic",
        "",
        "what all words have to do with, as in gardening; there is no default",
        read=read_topic,
        shape="TEXT",
    ),
    Option("n", "10", "how many pairs", number=(1, MOST)),
    SEED,
)


def gather(played: Sequence[Played], options: Options) -> list[Piece]:
    """Every pair by the best of its tries; no word of those that pass is in our lists, or in two of them."""
    shelf = Shelf(all_shipped())
    pieces = best_pieces(played, _place, lambda one: _piece(one, shelf))
    return _offered(pieces, options["topic"])


def _offered(pieces: Sequence[Piece], topic: str) -> list[Piece]:
    """The pieces, with a text for those alone that a person may keep, so that all of them fit into one file.

    A piece that failed stands back behind those that passed, and behind an earlier one that failed.
    """
    taken = Shelf(pair_of(piece.entry, topic) for piece in pieces if not piece.complaints)
    found = []
    for piece in pieces:
        if piece.complaints and piece.text:
            pair = pair_of(piece.entry, topic)
            clashes = taken.about(pair)
            if clashes:
                told = dict.fromkeys((*piece.complaints, *clashes))
                piece = replace(piece, text="", complaints=tuple(told))
            else:
                taken.put(pair)
        found.append(piece)
    return found


def _place(scenario: Scenario) -> int:
    number: int = scenario.content["number"]
    return number


def _piece(one: Played, shelf: Shelf) -> Piece:
    """The first of a try's pairs that passes, which is put on the shelf; else the one with the fewest complaints."""
    drafts: Drafts = one.outcome
    failed = []
    for pair in map(_settled, drafts.pairs):
        piece = _candidate(one.scenario, pair, shelf)
        if not piece.complaints:
            shelf.put(pair)
            return piece
        failed.append(piece)
    return min(failed, key=rank)


def _candidate(scenario: Scenario, pair: Pair, shelf: Shelf) -> Piece:
    complaints = (*_about(pair), *shelf.about(pair))
    text = laid_out(pair) if not complaints or _can_be_kept(pair) else ""
    return Piece(scenario.id, scenario.label, text, entry_of(pair), complaints)


def _settled(pair: Pair) -> Pair:
    """The pair without aliases that only repeat a word, or another alias of it, in some form."""
    return replace(pair, a=_without_repeats(pair.a), b=_without_repeats(pair.b))


def _without_repeats(word: Word) -> Word:
    kept: list[str] = []
    for name in word.names:
        if not kept or not any(same_phrase(tokens(plain(name)), tokens(plain(other))) for other in kept):
            kept.append(name)
    return Word(kept[0], tuple(kept[1:]))


def _about(pair: Pair) -> list[str]:
    """What is wrong with a pair by itself."""
    return [*unplayable(pair), *unfit(pair)]


def _can_be_kept(pair: Pair) -> bool:
    """Would a file with this pair be read and played, if a person wanted it whatever else is said of it?"""
    names = [name for word in pair.words for name in word.names]
    readable = all(name.isprintable() and any(map(str.isalnum, name)) for name in names)
    return readable and not unplayable(pair) and not Shelf().about(pair)


def score(outcome: Drafts, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """How many checks the best pair of a try fails by itself; whether its words are taken, only the whole can tell."""
    fewest = min(len(_about(_settled(pair))) for pair in outcome.pairs)
    return [Score("complaints", float(fewest), "rule: the checks of one pair")]


def summarize(played: Sequence[Played], options: Options) -> Board:
    """A row for each model: how many of its pairs passed, and what became of its tries."""
    title = f"word_guessing_writing ({options['topic']}, seed {options['seed']})"
    return board_of_writing(title, played, lambda tries: gather(tries, options))


def lacking(pieces: Sequence[Piece]) -> str:
    """What a file of these pieces would lack to be played."""
    return "" if pieces else "a pair"


def write(pieces: Sequence[Piece], origin: Origin) -> str:
    """The file that `interplay run word_guessing --data FILE` reads, one pair a line as in ours."""
    topic = origin.options["topic"]
    head = {
        "topic": topic,
        "meaning": f"words that have to do with {topic}, in pairs that a model wrote",
        **told_of(origin, "word_guessing"),
    }
    lines = [f"    {_in_one_line(piece)},\n" for piece in pieces]
    return "".join([tomli_w.dumps(head), "pairs = [\n", *lines, "]\n"])


def _in_one_line(piece: Piece) -> str:
    entry = piece.entry
    parts = [f"{key} = {_quoted(entry[key])}" for key in ("a", "b")]
    for key in ("a_also", "b_also"):
        if entry[key]:
            parts.append(f"{key} = [{', '.join(map(_quoted, entry[key]))}]")
    return f"{{ {', '.join(parts)} }}"


def _quoted(text: str) -> str:
    """A text as TOML has it."""
    return tomli_w.dumps({"text": text}).removeprefix("text = ").strip()


writing = Benchmark(
    name="word_guessing_writing",
    paper="AGE's data",
    meaning="a model writes pairs of similar words on a topic, which are checked",
    roles=lambda options: (Role(WRITER, "subject", Sampling(1.0, 0.95, 2048), "writes the pairs of words"),),
    options=OPTIONS,
    outcome=Drafts,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    score=score,
    summarize=summarize,
    spread=lambda options: 1.0,
    tryout=Tryout(limit=2, options={"topic": "gardening", "n": "2"}, sampling={}),
)
generator = Generator(writing, gather, lacking, write)
