"""Secrets are taken out of bytes in every spelling, and nothing else is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.models.hiding import SHORTEST_SECRET, Secrets
from tests.models.asking import KEY, assert_hidden, spelled

PLAIN = st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\\")
KEYS = st.text(PLAIN, min_size=SHORTEST_SECRET, max_size=60).map(lambda text: f"{text}7")  # a key has a digit


@pytest.mark.parametrize("way", spelled())
def test_every_spelling_is_found(way: str) -> None:
    hidden = Secrets([KEY]).out_of(f"before {spelled()[way]} after".encode())
    assert_hidden(hidden)
    assert b"[key]" in hidden
    assert hidden.startswith(b"before ")
    assert hidden.endswith(b" after")


@given(KEYS, st.binary(max_size=5), st.binary(max_size=5))
def test_any_key_is_found_in_every_spelling(key: str, before: bytes, after: bytes) -> None:
    for way, spelling in spelled(key).items():
        hidden = Secrets([key]).out_of(before + b" " + spelling.encode() + b" " + after)
        assert b"[key]" in hidden
        if not way.startswith("base64 of"):
            assert spelling.encode() not in hidden


@given(KEYS)
def test_json_stays_json(key: str) -> None:
    for text in (key, f'"{key}"', f"\\{key}", f"{key}\\"):
        json.loads(Secrets([key]).out_of(json.dumps({"a": text, "b": [text]}).encode()))


@given(st.binary(max_size=200))
def test_what_holds_no_secret_is_left_as_it_is(raw: bytes) -> None:
    assert Secrets([KEY]).out_of(raw) == raw
    assert Secrets([]).out_of_part(raw) == raw


def test_several_secrets_are_all_found() -> None:
    assert (
        Secrets(["first-secret-1", "", "second-secret-2"]).out_of(b"first-secret-1, second-secret-2")
        == b"[key], [key]"
    )


@pytest.mark.parametrize("key", ["", "x", "none", "EMPTY", "not-needed", "a" * (SHORTEST_SECRET - 1)])
def test_what_is_too_short_for_a_secret_is_none(key: str) -> None:
    raw = b"x none EMPTY not-needed aaaaaaaaaaaaa eA== bm9uZQ=="
    assert Secrets([key]).out_of_part(raw) == raw


@pytest.mark.parametrize("way", ["plain", "base64", "URL"])
def test_the_beginning_of_a_secret_is_taken_off_the_end_of_a_part(way: str) -> None:
    spelling = spelled()[way].rstrip("=")
    for length in range(4, len(spelling) - 1):
        raw = b"so far: " + spelling[:length].encode()
        assert Secrets([KEY]).out_of_part(raw) == b"so far: "
        assert Secrets([KEY]).out_of(raw) == raw


@pytest.mark.parametrize("raw", [b"\\" * 300_000, b"%25" * 100_000, KEY[:-1].encode() * 20_000])
def test_bytes_made_to_be_slow_are_searched_to_their_end(raw: bytes) -> None:
    assert Secrets([KEY]).out_of(raw + b" " + KEY.encode()) == raw + b" [key]"
