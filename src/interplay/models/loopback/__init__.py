"""A loopback provider in OpenAI's, in Anthropic's and in a bot's shape; imports nothing else of interplay."""

from .faults import Fault
from .jobs import Tuning
from .ledger import Event
from .scripts import Script, rehearse
from .server import Loopback, serving
from .shapes import Asked, Said
from .tuning import ROUTES

__all__ = ["ROUTES", "Asked", "Event", "Fault", "Loopback", "Said", "Script", "Tuning", "rehearse", "serving"]
