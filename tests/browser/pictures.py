"""The README's pictures, of a store whose models say what demo.toml beside this has; `make pictures` takes them."""

import json
import random
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interplay import api
from interplay.models.loopback import Asked, Loopback, Said, rehearse, serving
from interplay.store.records import Records
from tests.browser.chromium import Window, chromium
from tests.web.served import serving as serving_pages

DEMO = tomllib.loads((Path(__file__).parent / "demo.toml").read_text(encoding="utf-8"))
MODELS: Mapping[str, Any] = DEMO["models"]
PRICE = "price = { input = 0.5, output = 2.0 }\n"


def said(asked: Asked) -> Said:
    """An answer by hand: of a player, of who asks, or of a judge."""
    name = asked.model.rpartition("/")[2]
    turn = sum(message["role"] == "assistant" for message in asked.messages)
    if name in MODELS:
        return Said(_line(MODELS[name]["lines"], turn))
    if name == "asker":
        return Said(json.dumps({"next_utterance": _line(DEMO["asker"], turn)}))
    return Said(json.dumps(_judged(asked)))


def _line(lines: list[str], turn: int) -> str:
    return lines[turn % len(lines)]


def _judged(asked: Asked) -> dict[str, Any]:
    """A verdict that follows the quality of whoever is judged, with an opinion of the judge's own."""
    text = " ".join(message["content"] for message in asked.messages)
    quality = next((one["quality"] for one in MODELS.values() if one["lines"][0] in text), 1.5)
    quality += random.Random(text).gauss(0, 0.7)  # the day of the player, which both judges see
    rng = random.Random(f"{asked.model}{text}")
    verdict: dict[str, Any] = json.loads(rehearse(asked))
    for entry in verdict.values():
        for key in entry:
            if key.endswith("_score"):
                entry[key] = min(5, max(1, round(rng.gauss(quality, 0.6))))
        for key in entry:
            if key.endswith("_explanation"):
                entry[key] = _explained(entry.get(key.replace("_explanation", "_score"), 3), rng)
        entry["is_refusal_explanation"], entry["is_refusal"] = "It answers.", False
    return verdict


def _explained(score: int, rng: random.Random) -> str:
    return str(rng.choice(next(one["texts"] for one in DEMO["said"] if score >= one["least"])))


def play(store: Path) -> str:
    """A run of role_play; its id."""
    models = store.with_name("models.toml")
    names = [*MODELS, "asker", "judge-a", "judge-b"]
    models.write_text("".join(f'[models."{name}"]\nmodel = "openai/{name}"\n{PRICE}' for name in names))
    with serving(Loopback({"*": said})) as url:
        how = api.setup(store, base_url=url, models=models)
        roles = {"interrogator": "asker", "judge": ["judge-a", "judge-b"]}
        return api.run("role_play", list(MODELS), roles=roles, limit=16, null=True, how=how).id


def take(folder: Path) -> None:
    """Take the pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / "interplay.db"
        run = play(store)
        with Records(store) as records:
            rows = records.conversations(records.find(run))
            wanted = ("cedar", "lift-mechanic / the-long-wait")
            number = next(row.number for row in rows if (row.subject, row.scenario.label) == wanted)
        with serving_pages(store) as served, chromium() as browser:
            name, _, secret = served.cookie.partition("=")
            cookies = [{"name": name, "value": secret, "url": served.address}]
            with browser.window(served.address, cookies) as window:
                _picture(window, "/boards/role_play/", "light", (1200, 1000), folder / "board.png")
                page = f"/runs/{run}/conversations/{number}/"
                _picture(window, page, "dark", (1200, 1000), folder / "conversation.png", "#said-title")
                compared = f"/runs/{run}/compare/?a=cedar&b=alder"
                _picture(window, compared, "light", (390, 844), folder / "compare-phone.png")


def _picture(
    window: Window, address: str, scheme: str, size: tuple[int, int], file: Path, to: str = ""
) -> None:
    window.page.set_viewport_size({"width": size[0], "height": size[1]})
    window.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    window.open(address)
    if to:
        into_view = "to => document.querySelector(to).scrollIntoView({block: 'start', behavior: 'instant'})"
        window.page.evaluate(into_view, to)
    window.page.wait_for_load_state("networkidle")
    window.page.wait_for_timeout(300)
    window.page.screenshot(path=file)


if __name__ == "__main__":
    take(Path(sys.argv[1]))
