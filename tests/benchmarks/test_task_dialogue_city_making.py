"""The city that ships is what its source makes, and the checks find what could be wrong with one."""

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.city import DAYS, read_city
from interplay.benchmarks.task_dialogue.city_checks import (
    POSTCODE_AREAS,
    about_city,
    full_groups,
    holds,
    is_everyday,
    names_of,
)
from interplay.benchmarks.task_dialogue.city_making import CITY, differences, main, make_city, read_source

Rows = Any  # what a file of the database holds
Edit = Callable[[Rows], object]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CITY, tmp_path / "city"))


def edit_json(path: Path, edit: Edit) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    edit(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def edit_trains(path: Path, edit: Edit) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    keys = list(rows[0])
    edit(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, keys)
        writer.writeheader()
        writer.writerows(rows)


def set_in(number: int, **values: object) -> Edit:
    return lambda rows: rows[number].update(values)


def rename(number: int, name: str) -> Edit:
    return set_in(number, name=name)


# What ships


def test_the_city_that_ships_is_what_its_source_makes_and_nothing_is_wrong_with_it() -> None:
    assert main(["--check"]) == []


def test_the_script_ends_with_nothing_said_when_all_is_well() -> None:
    command = [sys.executable, "-m", "interplay.benchmarks.task_dialogue.city_making"]
    done = subprocess.run([*command, "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = subprocess.run([*command, "--chekc"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, "there is only --check, not --chekc")


def test_some_full_tables_are_at_hours_when_people_eat_and_most_at_the_weekend() -> None:
    slots = [slot for taken in read_city(CITY).full["restaurant"].values() for slot in taken]
    weekend = [slot for slot in slots if slot.split()[0] in ("friday", "saturday", "sunday")]
    assert "saturday 19:00" in slots
    assert len(slots) / 2 < len(weekend) < len(slots)


def test_small_groups_are_full_at_one_time_and_free_at_another() -> None:
    city = read_city(CITY)
    groups = full_groups(city, "restaurant")
    pairs = 0
    for (food, area, price), times in groups.items():
        rows = city.query("restaurant", {"food": food, "area": area, "pricerange": price})
        assert 1 <= len(rows) <= 2
        pairs += len(rows) == 2
        for row in rows:
            taken = set(city.full["restaurant"][row["id"]])
            assert times <= taken
            assert not {f"{day} 17:00" for day in DAYS} & taken
    assert pairs > 0


def test_every_name_is_found_in_a_sentence_and_no_other_with_it() -> None:
    city = read_city(CITY)
    for name in (name for name in names_of(city) if "hospital" not in name):  # that goes by its departments
        found = city.named_in(f"Is {name} any good, and how do I get there?")
        assert {row["name"] for _, row in found} == {name}


def test_streets_lie_in_one_area_and_each_is_used() -> None:
    source = read_source()
    streets = [street for area in source["streets"].values() for street in area]
    assert len(set(streets)) == len(streets)
    placed = [row["street"] for rows in source["places"].values() for row in rows]
    assert set(streets) == {
        *placed,
        source["hospital"]["street"],
        *(row["street"] for row in source["police"]),
    }


# Making


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_another_seed_makes_another_city_that_is_as_good(seed: int, tmp_path: Path) -> None:
    source = read_source()
    made, other = make_city(source), make_city({**source, "seed": seed})
    assert made == make_city(source)
    assert {name for name in made if made[name] != other[name]} == {*made} - {"taxi_rows.json"}
    for name, text in other.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert about_city(tmp_path) == []


def test_a_change_of_one_line_leaves_the_other_domains_as_they_were() -> None:
    source = read_source()
    made = make_city(source)
    source["line"][0]["sunday"]["takes"] += 1
    assert {name for name, text in make_city(source).items() if text != made[name]} == {"train_rows.csv"}


def test_files_that_differ_are_named(copy: Path) -> None:
    made = make_city(read_source())
    assert differences(copy, made) == []
    (copy / "taxi_rows.json").unlink()
    (copy / "old_rows.json").write_text("[]", encoding="utf-8")
    edit_json(copy / "hotel_rows.json", rename(0, "the other grand"))
    assert differences(copy, made) == [
        "hotel_rows.json is not what the source makes",
        "old_rows.json is not made here",
        "taxi_rows.json is missing",
    ]


# What the checks find


def near_the_end(rows: Rows) -> None:
    rows[5]["arriveBy"] = "23:59"


def take_out(rows: Rows) -> None:
    rows[:] = [row for row in rows if (row["departure"], row["day"]) != ("ostrey", "sunday")]


def same_at_the_weekend(rows: Rows) -> None:
    line = [row for row in rows if row["departure"] == "ostrey"]
    week = [row for row in line if row["day"] == "monday"]
    rows[:] = [row for row in rows if row not in line or row["day"] not in ("saturday", "sunday")]
    for number, day in enumerate(("saturday", "sunday")):
        rows += [{**row, "day": day, "trainID": f"{row['trainID']}{number}"} for row in week]


def all_in_the_north(rows: Rows) -> None:
    for row in rows:
        row["area"] = "north"


def without_introductions(rows: Rows) -> None:
    for row in rows:
        row.pop("introduction", None)


def first_full(domain: str, taken: object) -> Edit:
    return lambda full: full[domain].update({next(iter(full[domain])): taken})


def keep_full(domain: str, count: int) -> Edit:
    return lambda full: full.update({domain: dict(list(full[domain].items())[:count])})


@pytest.mark.parametrize(
    "name, edit, complaint",
    [
        (
            "restaurant",
            lambda rows: rows.__delitem__(slice(20, None)),
            "there are 20 rows of restaurant, not 104",
        ),
        ("police", lambda rows: rows.pop(), "there are 2 rows of police, not 3"),
        ("taxi", lambda rows: rows.append(rows[0]), "with one row of taxi"),
        ("taxi", set_in(0, taxi_colors="black"), "row 1 of taxi has 'black' as its taxi_colors"),
        ("taxi", set_in(0, taxi_colors=["red", "red"]), "taxi_colors 'red' is there 2 times"),
        ("hotel", lambda rows: rows[2].pop("stars"), "row 3 of hotel has the keys"),
        ("hotel", set_in(0, introduction="Nice."), "row 1 of hotel has the keys"),
        ("hotel", set_in(0, stars=4), "row 1 of hotel has 4 as its stars"),
        ("hotel", set_in(0, stars="six"), "stars of hotel is 'six'"),
        ("hotel", set_in(0, price={"single": "45"}), "row 1 of hotel has {'single': '45'} as its price"),
        ("hotel", set_in(0, price={"single": "80", "double": "70"}), "the rooms of the linnow grand cost"),
        ("hotel", set_in(4, price={"single": "70", "double": "80"}), "a single room of a cheap hotel"),
        ("hotel", set_in(0, id="h002"), "id of hotel 'h002' is there 2 times"),
        ("restaurant", set_in(0, area="Centre"), "area of restaurant is 'Centre'"),
        ("restaurant", set_in(0, food="Indian"), "'Indian', which is not in plain small letters"),
        ("restaurant", set_in(0, phone="01223960001"), "01223960001, which is not set aside for fiction"),
        ("restaurant", set_in(0, phone="01632960297"), "phone '01632960297' is there 2 times"),
        ("restaurant", set_in(0, postcode="cb12ab"), "postcodes are of several areas"),
        ("restaurant", set_in(0, postcode="cb12ab"), "cb12ab, of an area that exists"),
        ("restaurant", set_in(0, postcode="mh1 2ab"), "'mh1 2ab', which has not the right form"),
        ("restaurant", set_in(0, postcode="mh29aa"), "postcode district of several areas: 'mh2'"),
        ("restaurant", set_in(0, address="12 tanners row"), "address of several places: '12 tanners row'"),
        ("hospital", set_in(0, name="saint hilary hospital"), "there are several hospitals"),
        ("hospital", set_in(0, department="cardiology"), "department 'cardiology' is there 2 times"),
        ("attraction", {"entrance fee": "?"}, "entrance fee of attraction is '?'"),
        ("attraction", {"entrance fee": "4 euros"}, "'4 euros', which has not the right form"),
        ("attraction", rename(0, "lal kothi"), "name 'lal kothi' is there 2 times"),
        ("attraction", rename(0, "house of lal kothi"), "of 'house of lal kothi' and 'lal kothi' one is"),
        ("attraction", rename(0, "Lal-Kothi's"), "which is not in plain small letters"),
        ("attraction", rename(0, "kothi & co"), "'kothi & co', which has not the right form"),
        ("attraction", rename(0, "museum  of tin"), "'museum  of tin', which has not the right form"),
        ("attraction", rename(0, "ostrey museum"), "of 'ostrey' and 'ostrey museum' one is"),
        (
            "attraction",
            rename(0, "the scuttle cabinet of peculiar quillwork and lace"),
            "more than 45 characters",
        ),
        ("attraction", rename(0, "the city museum"), "'the city museum' has no word that sets it apart"),
        ("attraction", rename(0, "northern north kiln"), "'northern north kiln' holds the value 'north'"),
        ("attraction", rename(0, "thai puppetry"), "'thai puppetry' holds the value 'thai'"),
        ("attraction", rename(0, "ropewalk"), "'ropewalk' is a part of the address"),
        ("attraction", rename(0, "gnocchi"), "'gnocchi' is named in what is said of 'trattoria balduina'"),
        ("attraction", rename(0, "the idiot museum"), "'idiot' may offend"),
        ("restaurant", set_in(0, introduction="Food that idiots like."), "'idiots' may offend"),
        ("restaurant", set_in(0, introduction="Good."), "'Good.' is not one or two sentences"),
        ("restaurant", set_in(0, introduction="Thalis on a plate."), "begins 'thalis on' is there 2 times"),
        ("restaurant", without_introductions, "123 of 123 restaurants have no introduction"),
        ("restaurant", all_in_the_north, "the centre has not the most restaurants"),
        ("restaurant", all_in_the_north, "there is no restaurant for indian, west"),
        ("attraction", all_in_the_north, "there is no attraction for park, centre"),
        ("train", set_in(1, trainID="TR12"), "'TR12', which has not the right form"),
        ("train", lambda rows: rows[1].update(trainID=rows[0]["trainID"]), "is there 2 times"),
        ("train", near_the_end, "takes 17 minutes and arrives 23:59"),
        ("train", set_in(0, leaveAt="24:05"), "leaveAt of train is '24:05'"),
        ("train", set_in(0, day="mon"), "day of train is 'mon'"),
        ("train", set_in(0, duration="17 min"), "'17 min', which has not the right form"),
        ("train", set_in(3, price="9.90 pounds"), "the trains marlhythe tarrowby monday differ in price"),
        ("train", lambda rows: rows.pop(4), "go at intervals of 30, 60 minutes"),
        ("train", lambda rows: rows.pop(0), "the trains from marlhythe to tarrowby differ between weekdays"),
        ("train", take_out, "no train goes from ostrey to marlhythe on sunday"),
        ("train", set_in(0, departure="ostrey"), "a train goes from ostrey to tarrowby and not by marlhythe"),
        ("train", same_at_the_weekend, "the trains from ostrey to marlhythe are the same at the weekend"),
        ("full", lambda full: full.pop("hotel"), "full.json is about restaurant, train, not"),
        ("full", lambda full: full["train"].update(TR0001=1), "full.json: there is no train 'TR0001'"),
        ("full", lambda full: full["hotel"].update(h999=["friday"]), "full.json: there is no hotel 'h999'"),
        ("full", first_full("train", 5), "has 5"),
        ("full", first_full("train", True), "has True"),
        ("full", first_full("hotel", ["someday"]), "has ['someday']"),
        ("full", first_full("hotel", list(DAYS)), "has ['monday', 'tuesday'"),
        ("full", first_full("restaurant", ["friday 22:00"]), "has ['friday 22:00']"),
        ("full", first_full("restaurant", ["friday 19:10"]), "has ['friday 19:10']"),
        ("full", first_full("restaurant", ["friday 19:00"] * 2), "has ['friday 19:00', 'friday 19:00']"),
        ("full", keep_full("restaurant", 39), "full.json has 39 of 123 rows of restaurant"),
        ("full", keep_full("hotel", 14), "full.json has 14 of 40 rows of hotel"),
        ("full", keep_full("train", 100), "full.json has 100 of 2,698 rows of train"),
        ("full", keep_full("hotel", 3), "3 small groups alike in type, area, pricerange are full together"),
    ],
)
def test_a_planted_mistake_is_found(copy: Path, name: str, edit: Any, complaint: str) -> None:
    change: Edit = set_in_first(edit) if isinstance(edit, dict) else edit
    if name == "train":
        edit_trains(copy / "train_rows.csv", change)
    else:
        edit_json(copy / ("full.json" if name == "full" else f"{name}_rows.json"), change)
    found = about_city(copy)
    assert any(complaint in one for one in found), found


def set_in_first(values: dict[str, str]) -> Edit:
    return lambda rows: rows[0].update(values)


def test_a_domain_that_is_missing_is_found(copy: Path) -> None:
    (copy / "police_rows.json").unlink()
    assert any("the domains are" in one for one in about_city(copy))


def test_the_areas_of_postcodes_are_all_that_exist() -> None:
    areas = POSTCODE_AREAS.split()
    assert len(areas) == len(set(areas)) == 124
    assert read_source()["postcode_area"] not in areas


@pytest.mark.parametrize(
    "name", ["the restaurant", "city hotel", "cheap eats", "the old house", "river park"]
)
def test_names_of_everyday_words_are_known(name: str) -> None:
    assert is_everyday(name, ["hotel", "park"])


@pytest.mark.parametrize("name", ["la cigarra", "the pewter hare", "averill college", "fathom forty"])
def test_a_single_uncommon_word_sets_a_name_apart(name: str) -> None:
    assert not is_everyday(name, ["college"])


@pytest.mark.parametrize(
    "text, part, held",
    [
        ("the weaver's rest", "Weavers", True),
        ("old weavers rest home", "the weaver's rest", True),
        ("thunderbolt go-karts", "go karts", True),
        ("thistledown tearooms", "thistle", False),
        ("the blue shutter", "shutter blue", False),
    ],
)
def test_a_part_is_held_as_whole_words_only(text: str, part: str, held: bool) -> None:
    assert holds(text, part) is held
