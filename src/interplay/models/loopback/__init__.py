"""A loopback provider: an OpenAI-shaped HTTP server on 127.0.0.1; imports nothing else of interplay."""

from .faults import Fault
from .ledger import Event
from .scripts import Asked, Said, Script, rehearse
from .server import Loopback, serving

__all__ = ["Asked", "Event", "Fault", "Loopback", "Said", "Script", "rehearse", "serving"]
