"""A store with a small run of every benchmark, played over HTTP with a scripted provider."""

import sys
from collections.abc import Callable
from pathlib import Path

from interplay import api
from interplay.models.loopback import Asked, Loopback, Said, rehearse, serving

MODELS = ("openai/alder", "openai/birch", "openai/cedar")
Wording = Callable[[Asked, str], str | Said]  # from what was asked and would be said to what is said


def stock(store: Path, wording: Wording = lambda asked, said: said) -> dict[str, str]:
    """Play a little of everything; the ids of the runs by benchmark. Wording may change whatever a model says."""

    def script(asked: Asked) -> Said:
        found = wording(asked, rehearse(asked))
        return found if isinstance(found, Said) else Said(found)

    found: dict[str, str] = {}
    with serving(Loopback({"*": script})) as url:
        how = api.setup(store, base_url=url)

        def run(benchmark: str, *, models: int = 2, limit: int = 3, **given: object) -> None:
            made = api.run(benchmark, list(MODELS[:models]), limit=limit, how=how, **given)  # type: ignore[arg-type]
            found[benchmark] = made.id

        judges = ["openai/judge-one", "openai/judge-two"]
        run("role_play", models=3, limit=4, roles={"interrogator": "openai/asker", "judge": judges})
        run("simulation", roles={"judge": judges})
        run("word_guessing", models=3, limit=2, roles={"opponent": "openai/opponent"})
        run("task_dialogue", roles={"user": "openai/user", "judge": judges})
        run("social_interaction", limit=2, roles={"judge": judges[:1]})
    return found


if __name__ == "__main__":
    sys.stdout.write(f"{stock(Path(sys.argv[1]))}\n")
