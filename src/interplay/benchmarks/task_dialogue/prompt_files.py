"""The prompts of task dialogue: those of a run, which a user may replace, and those of who writes new goals."""

from importlib.resources import files
from pathlib import Path

from interplay.core.prompts import Prompts

_ALL = Prompts.read(Path(str(files(__package__) / "prompts"))).texts
WRITER_PROMPTS = Prompts({name: text for name, text in _ALL.items() if name.startswith("writer_")})
PROMPTS = Prompts({name: text for name, text in _ALL.items() if name not in WRITER_PROMPTS.texts})
