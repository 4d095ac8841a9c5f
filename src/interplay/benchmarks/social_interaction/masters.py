"""Virtual game masters, as a user names them: a light reader, examples before a model's eyes, fine-tuning."""

from dataclasses import dataclass

from interplay.core.failures import Mistake, nearest

LIGHT, EXAMPLES, API, LOCAL, NONE = "light", "examples", "api", "local", "none"
KINDS = {
    LIGHT: "a small reader over sentence embeddings, trained here in minutes",
    f"{EXAMPLES}:MODEL": "a model that sees some windows with their answers before each question",
    f"{API}:MODEL": "a model that is fine-tuned at its endpoint, in the OpenAI shape",
    f"{LOCAL}:WEIGHTS": "a model that is fine-tuned on this machine: a .gguf file, a folder, or smollm2",
    NONE: "nobody reads; see interplay read",
}
_WITH_A_NAME = (EXAMPLES, API, LOCAL)


@dataclass(frozen=True)
class Master:
    """One virtual game master: how it learns, and the model that does."""

    kind: str
    model: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.model}" if self.model else self.kind


def read_dm(typed: str) -> str:
    """What --dm says, checked and in one spelling."""
    return ",".join(str(master) for master in masters_in(typed)) or NONE


def masters_in(typed: str) -> tuple[Master, ...]:
    """The game masters of a list such as light,examples:openai/NAME; none where nobody should read."""
    found = []
    for part in typed.split(","):
        kind, colon, model = (piece.strip() for piece in part.partition(":"))
        if kind not in (LIGHT, NONE, *_WITH_A_NAME):
            raise Mistake(f"there is no virtual game master {part.strip()!r}; {nearest(kind, KINDS)}")
        if bool(colon and model) != (kind in _WITH_A_NAME):
            shape = f"{kind}:NAME, as in {kind}:{'smollm2' if kind == LOCAL else 'openai/NAME'}"
            raise Mistake(f"--dm {part.strip()}: write {shape if kind in _WITH_A_NAME else kind}")
        found.append(Master(kind, model))
    chosen = tuple(dict.fromkeys(found))
    if any(master.kind == NONE for master in chosen):
        if len(chosen) > 1:
            raise Mistake("--dm none stands alone")
        return ()
    return chosen
