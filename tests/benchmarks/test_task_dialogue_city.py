"""The database of task dialogue: what meets a wish, by value and by time, and which names a text says."""

import json
from pathlib import Path

import pytest

from interplay.benchmarks.task_dialogue.city import (
    City,
    known,
    meets,
    no_matter,
    own_city,
    plain,
    read_city,
    same,
)
from interplay.core.failures import Mistake
from tests.benchmarks.small_town import TOWN

LINE = {"departure": "tarnwick", "destination": "ferrow", "day": "monday"}


def trains(**wanted: str) -> list[str]:
    return [row["trainID"] for row in TOWN.query("train", {**LINE, **wanted})]


def names(domain: str, **wanted: str) -> list[str]:
    return [row["name"] for row in TOWN.query(domain, wanted)]


def test_a_query_gives_the_rows_that_meet_every_slot() -> None:
    assert names("restaurant", food="italian") == ["the copper ladle", "nasturtium"]
    assert names("restaurant", food="italian", area="north") == ["nasturtium"]
    assert names("restaurant", food="italian", area="south") == []
    assert len(names("restaurant")) == 3


@pytest.mark.parametrize(
    "value", ["dontcare", "don't care", "any", "Does not matter", "doesn't matter", "anywhere"]
)
def test_what_does_not_matter_matches_all(value: str) -> None:
    assert no_matter(value)
    assert names("restaurant", food="italian", area=value) == ["the copper ladle", "nasturtium"]
    assert trains(leaveAt=value) == trains()


@pytest.mark.parametrize("value", ["centre", "cheap", "the anywhere", "many"])
def test_other_values_do_matter(value: str) -> None:
    assert not no_matter(value)


def test_leave_at_and_arrive_by_are_limits() -> None:
    assert trains() == ["TR1001", "TR1002", "TR1003"]
    assert trains(leaveAt="10:30") == ["TR1002", "TR1003"]
    assert trains(leaveAt="11:00") == ["TR1002", "TR1003"]
    assert trains(arriveBy="12:00") == ["TR1002", "TR1001"]  # the nearest first
    assert trains(arriveBy="09:48") == ["TR1001"]
    assert trains(leaveAt="10:00", arriveBy="12:00") == ["TR1002"]
    assert trains(leaveAt="14:00") == []


def test_a_time_that_is_none_meets_nothing() -> None:
    assert trains(leaveAt="noon") == []


def test_values_are_compared_as_people_write_them() -> None:
    assert names("restaurant", name="Copper Ladle") == ["the copper ladle"]
    assert names("restaurant", name="the st elmos kitchen") == ["st. elmo's kitchen"]
    assert names("hotel", type="guest house") == ["wharf house"]
    assert names("restaurant", area="Center", food="indian") == ["st. elmo's kitchen"]
    assert same("9:00", "09:00")
    assert not same("9:00", "9:15")


def test_what_a_database_does_not_know_meets_nothing_and_is_not_told() -> None:
    row = TOWN.rows["restaurant"][2]
    assert known(row, "phone") == ""
    assert not meets(row, "phone", "?")


def test_names_are_found_in_the_order_of_the_text() -> None:
    found = TOWN.named_in("Try Nasturtium, or St Elmo's Kitchen; TR1002 takes you there.")
    assert [known(row, "name") or row["trainID"] for _, row in found] == [
        "nasturtium",
        "st. elmo's kitchen",
        "TR1002",
    ]


def test_a_name_inside_a_longer_one_is_not_meant() -> None:
    city = City({"restaurant": ({"name": "plum"}, {"name": "plum and pear"})})
    assert [row["name"] for _, row in city.named_in("We like Plum and Pear.")] == ["plum and pear"]
    assert [row["name"] for _, row in city.named_in("We like plum, and pears.")] == ["plum"]
    assert city.named_in("We like plums.") == []


def test_a_domain_of_a_users_own_is_asked_by_all_its_slots() -> None:
    city = City(
        {"pizza": ({"id": "1", "name": "margherita", "size": "large"}, {"name": "funghi", "size": "small"})}
    )
    assert city.search_slots("pizza") == ("name", "size")
    assert [row["name"] for row in city.query("pizza", {"size": "small"})] == ["funghi"]


def test_a_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "pizza_db.json").write_text(json.dumps([{"name": "funghi"}]))
    (tmp_path / "train_rows.csv").write_text("trainID,departure,destination\nTR1,a,b\n")
    (tmp_path / "full.json").write_text('{"train": {"TR1": 0}}')
    city = read_city(tmp_path)
    assert city.domains == ("pizza", "train")
    assert city.query("train", {"departure": "a", "destination": "b"})[0]["trainID"] == "TR1"
    assert city.full == {"train": {"TR1": 0}}


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("notes.txt", "x", "holds no database"),
        ("pizza_db.json", "{", "is no JSON"),
        ("pizza_db.json", '{"a": 1}', "is not a list of rows"),
        ("pizza_db.json", "[1]", "is not a list of rows"),
        ("pizza_db.csv", "name,size\nfunghi,small,9,more\n", "line 2 has more cells"),
        ("pizza_db.csv", f"name\n{'x' * 200_000}\n", "is no CSV"),
        ("_db.json", "[]", "holds no database"),
    ],
)
def test_a_folder_that_is_no_database_is_a_mistake(
    tmp_path: Path, file: str, content: str, said: str
) -> None:
    (tmp_path / file).write_text(content)
    with pytest.raises(Mistake, match=said):
        read_city(tmp_path)


def test_a_domain_is_read_from_one_file(tmp_path: Path) -> None:
    (tmp_path / "pizza_db.json").write_text("[]")
    (tmp_path / "pizza_db.csv").write_text("name\nfunghi\n")
    with pytest.raises(Mistake, match="holds the rows of pizza twice"):
        read_city(tmp_path)


@pytest.mark.parametrize(
    "full", ["[1]", '{"restaurant": [1]}', '{"train": {"TR1": "x"}}', '{"hotel": {"h1": "friday"}}']
)
def test_what_is_booked_out_has_its_shape(tmp_path: Path, full: str) -> None:
    (tmp_path / "pizza_db.json").write_text("[]")
    (tmp_path / "full.json").write_text(full)
    with pytest.raises(Mistake, match="must be as in"):
        read_city(tmp_path)


def test_files_may_begin_with_a_mark_of_their_encoding(tmp_path: Path) -> None:
    (tmp_path / "pizza_db.csv").write_bytes(b'\xef\xbb\xbfname,size\r\n"fun\nghi",small\r\n')
    (tmp_path / "sushi_db.json").write_bytes(b'\xef\xbb\xbf[{"name": "maki"}]')
    city = read_city(tmp_path)
    assert dict(city.rows["pizza"][0]) == {"name": "fun\nghi", "size": "small"}
    assert city.rows["sushi"] == ({"name": "maki"},)


def test_rows_may_lack_slots_and_hold_what_is_no_text() -> None:
    rows = ({"trainID": "TR1"}, {"trainID": "TR2", "departure": "a", "destination": "b", "price": None})
    city = City({"train": rows, "pizza": ({"name": "funghi", "vegan": True, "size": 30},)})
    assert [row["trainID"] for row in city.query("train", {"departure": "A", "destination": "b"})] == ["TR2"]
    assert known(rows[1], "price") == ""
    assert [known(city.rows["pizza"][0], slot) for slot in ("vegan", "size")] == ["yes", "30"]
    assert city.query("pizza", {"size": "30", "vegan": "yes"})
    assert not city.query("pizza", {"vegan": "no"})


def test_names_are_found_without_their_accents_and_with_either_and() -> None:
    city = City({"restaurant": ({"name": "Café Zoë"}, {"name": "plum & pear"})})
    assert [row["name"] for _, row in city.named_in("Cafe Zoe, or Plum and Pear?")] == [
        "Café Zoë",
        "plum & pear",
    ]
    assert [row["name"] for _, row in city.named_in("CAFÉ ZOË’s is better.")] == ["Café Zoë"]


def test_a_house_is_what_all_its_departments_share() -> None:
    house = {"name": "infirmary", "address": "main road"}
    eyes, ears = ({**house, "id": one, "department": one, "phone": one} for one in ("eyes", "ears"))
    city = City({"hospital": (eyes, ears)})
    assert city.houses_in("Go to the Infirmary.") == [("hospital", house)]
    assert city.houses_in("Go to the eyes.") == []


def test_two_cities_that_hold_the_same_are_the_same() -> None:
    again = City(dict(TOWN.rows), dict(TOWN.full))
    assert again.digest == TOWN.digest
    assert City(TOWN.rows).digest != TOWN.digest


def test_the_city_that_ships_has_what_it_should() -> None:
    counts = {domain: len(rows) for domain, rows in own_city().rows.items()}
    wanted = {
        "restaurant": 100,
        "hotel": 30,
        "attraction": 80,
        "train": 2500,
        "hospital": 40,
        "police": 3,
        "taxi": 1,
    }
    assert counts.keys() == wanted.keys()
    assert all(counts[domain] >= least for domain, least in wanted.items())


def test_a_time_changes_what_is_found_in_the_city_that_ships_by_the_right_rows() -> None:
    city = own_city()
    row = city.rows["train"][0]
    line = {slot: row[slot] for slot in ("departure", "destination", "day")}
    everything = city.query("train", line)
    after = city.query("train", {**line, "leaveAt": "12:00"})
    before = city.query("train", {**line, "arriveBy": "12:00"})
    assert {one["trainID"] for one in after} == {
        one["trainID"] for one in everything if one["leaveAt"] >= "12:00"
    }
    assert {one["trainID"] for one in before} == {
        one["trainID"] for one in everything if one["arriveBy"] <= "12:00"
    }
    assert 0 < len(after) < len(everything)
    assert 0 < len(before) < len(everything)


def test_plain_keeps_a_lone_article() -> None:
    assert plain("The") == "the"
    assert plain("The Linnow") == "linnow"
