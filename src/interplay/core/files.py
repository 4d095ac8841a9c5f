"""Files that a user names: read whole, as text, up to a size."""

from pathlib import Path

from interplay.core.failures import Mistake, why


def text_of(path: Path, largest: int) -> str:
    """The text of a file of at most so many bytes; a mark of its byte order is left out."""
    try:
        if path.stat().st_size > largest:
            raise Mistake(f"{path} is larger than {largest:,} bytes")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error
