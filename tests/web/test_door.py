"""The names by which a server is called, and by which it is not."""

import pytest

from interplay.web.access import Door, door_of


def knows(door: Door, host: str, origin: str = "") -> bool:
    """Is a form taken that comes from a page of this origin?"""
    return not door.refuses("POST", {"host": host, "origin": origin or f"http://{host}"})


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "LocalHost:8765"])
def test_the_names_of_this_machine_are_good_with_the_port(host: str) -> None:
    assert knows(door_of("127.0.0.1", 8765), host)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.0.0.1:80", "localhost.:8765", "evil.test:8765", ""]
)
def test_other_names_and_other_ports_are_not(host: str) -> None:
    assert not knows(door_of("127.0.0.1", 8765), host)


def test_another_server_of_this_machine_changes_nothing_here() -> None:
    assert not knows(door_of("127.0.0.1", 8765), "127.0.0.1:8765", "http://127.0.0.1")
    assert not knows(door_of("127.0.0.1", 8765), "127.0.0.1:8765", "http://127.0.0.1:8766")
    assert not knows(door_of("127.0.0.1", 8765), "127.0.0.1:8765", "null")


def test_browsers_leave_out_port_80() -> None:
    assert knows(door_of("127.0.0.1", 80), "127.0.0.1")


def test_a_name_that_is_allowed_is_good_behind_another_server_too() -> None:
    door = door_of("127.0.0.1", 8765, ["labels.example.org"])
    assert knows(door, "labels.example.org", "https://labels.example.org")
    assert knows(door, "labels.example.org:8765")
    assert not knows(door, "labels.example.org:9000")


def test_a_name_that_is_allowed_with_its_port_is_good_with_no_other() -> None:
    door = door_of("127.0.0.1", 8765, ["labels.example.org:9000", "[fe80::2]"])
    assert knows(door, "labels.example.org:9000")
    assert not knows(door, "labels.example.org:8765")
    assert knows(door, "[fe80::2]:8765")


def test_a_server_on_an_address_of_the_newer_kind_is_called_in_brackets() -> None:
    assert knows(door_of("fe80::1", 8765), "[fe80::1]:8765")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_server_on_all_addresses_is_not_called_by_that(host: str) -> None:
    assert not knows(door_of(host, 8765), "0.0.0.0:8765")
    assert not knows(door_of(host, 8765), "[::]:8765")
    assert knows(door_of(host, 8765), "127.0.0.1:8765")
