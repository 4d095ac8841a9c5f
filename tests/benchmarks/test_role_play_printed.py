"""The numbers that the PingPong paper printed follow from the rules of scoring."""

import pytest

from interplay.benchmarks.role_play.scoring import length_normalised
from interplay.core.benchmark import Played
from tests.benchmarks.verdicts import only_row, played, verdict

# The paper's Tables 3 and 4, version 2: LN score, aggregate, in character, fluency, entertaining, length.

RUSSIAN = {
    "Claude 3.5 Sonnet": (4.63, 4.68, 4.80, 4.80, 4.44, 388),
    "Gemini Pro 1.5": (4.49, 4.49, 4.60, 4.75, 4.13, 213),
    "GPT-4o Mini": (4.49, 4.49, 4.62, 4.82, 4.04, 329),
    "GPT-4o": (4.47, 4.47, 4.61, 4.82, 3.99, 301),
    "Gemma 2 Ataraxy 9b": (4.45, 4.45, 4.61, 4.53, 4.21, 302),
    "Claude 3 Opus": (4.44, 4.62, 4.72, 4.67, 4.48, 753),
    "Nous Hermes 3 405b": (4.44, 4.44, 4.53, 4.74, 4.05, 286),
    "Llama 3.1 405b": (4.42, 4.54, 4.66, 4.69, 4.26, 536),
    "Gemma 2 27b": (4.41, 4.41, 4.63, 4.73, 3.88, 210),
    "Command R+ 104b": (4.38, 4.47, 4.52, 4.73, 4.16, 470),
}
ENGLISH = {
    "Claude 3.5 Sonnet": (4.65, 4.65, 4.74, 4.93, 4.29, 418),
    "Llama 3.1 405b": (4.61, 4.65, 4.68, 4.93, 4.35, 548),
    "Llama 3.1 70b": (4.61, 4.66, 4.71, 4.93, 4.33, 562),
    "GPT-4o Mini": (4.56, 4.56, 4.60, 4.94, 4.13, 457),
    "Claude 3 Opus": (4.53, 4.71, 4.75, 4.92, 4.46, 1032),
    "Gemma 2 Ataraxy 9b": (4.52, 4.52, 4.60, 4.79, 4.17, 358),
    "Gemma 2 27b": (4.51, 4.51, 4.56, 4.92, 4.06, 291),
    "GPT-4o": (4.50, 4.50, 4.56, 4.94, 4.02, 484),
    "Gemini Pro 1.5": (4.50, 4.50, 4.54, 4.88, 4.07, 265),
    "Euryale 70b v2.2": (4.48, 4.48, 4.48, 4.88, 4.08, 384),
}
PRINTED = [("Russian", 331, name, row) for name, row in RUSSIAN.items()]
PRINTED += [("English", 479, name, row) for name, row in ENGLISH.items()]
ROUNDING = 0.0101  # of the printed inputs
Row = tuple[float, float, float, float, float, float]


def one_conversation_with(in_character: float, entertaining: float, fluency: float) -> Played:
    """A conversation of a hundred turns whose mean scores are these."""

    def turns(mean: float) -> list[int]:
        fours = round(100 * (5 - mean))
        return (
            [4] * fours + [5] * (100 - fours) if fours <= 100 else [3] * (fours - 100) + [4] * (200 - fours)
        )

    return played(
        0, verdict("j", *zip(turns(in_character), turns(entertaining), turns(fluency), strict=True))
    )


@pytest.mark.parametrize(("language", "median", "name", "row"), PRINTED)
def test_the_aggregate_of_the_printed_criteria_is_the_printed_aggregate(
    language: str, median: int, name: str, row: Row
) -> None:
    _, aggregate, in_character, fluency, entertaining, _ = row
    found = only_row(one_conversation_with(in_character, entertaining, fluency))

    assert found["in_character"].value == pytest.approx(in_character)
    assert found["aggregate"].value == pytest.approx(aggregate, abs=ROUNDING)


@pytest.mark.parametrize(("language", "median", "name", "row"), PRINTED)
def test_the_printed_ln_score_follows_from_the_printed_aggregate_and_length(
    language: str, median: int, name: str, row: Row
) -> None:
    ln_score, aggregate, *_, length = row

    assert length_normalised(aggregate, length, median) == pytest.approx(ln_score, abs=ROUNDING)


@pytest.mark.parametrize("table", [RUSSIAN, ENGLISH], ids=["Russian", "English"])
def test_the_medians_of_the_other_language_would_not_give_the_printed_scores(table: dict[str, Row]) -> None:
    wrong = 479 if table is RUSSIAN else 331
    off = [abs(length_normalised(row[1], row[5], wrong) - row[0]) > ROUNDING for row in table.values()]

    assert any(off)
