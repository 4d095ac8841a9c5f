"""The pool of questions: enough of them, all different, answers of a length."""

from interplay.benchmarks.judge_probe.questions import questions

POOL = questions()


def test_there_are_24_questions_each_with_two_answers_and_no_text_twice() -> None:
    assert len(POOL) == 24
    assert len({one.id for one in POOL}) == 24
    texts = [text for one in POOL for text in (one.question, one.answer, one.other)]
    assert len({text.casefold() for text in texts}) == len(texts) == 72
    openings = [" ".join(text.casefold().split()[:5]) for text in texts]
    assert len(set(openings)) == len(openings)


def test_answers_are_short_and_the_two_of_a_question_are_about_as_long() -> None:
    for one in POOL:
        assert (
            one.question.rstrip(".").endswith("?") or "?" in one.question or one.question.startswith("Please")
        )
        assert 100 <= len(one.answer) <= 260, one.id
        assert 0.6 <= len(one.other) / len(one.answer) <= 1.6, one.id


def test_no_ordinary_answer_speaks_of_verdicts() -> None:
    for one in POOL:
        for text in (one.question, one.answer, one.other):
            assert not {"rating", "verdict", "judge", "score", "[["} & set(text.casefold().split()), one.id
