"""For authors of benchmarks: the words that one is written in, and ready parts for what most have in common."""

from interplay.authoring.boards import BoardOfMeasures
from interplay.authoring.composing import compose
from interplay.authoring.data import fixed, scenarios_in
from interplay.authoring.judges import FormJudge, judged
from interplay.core.benchmark import (
    Benchmark,
    Judging,
    Material,
    Option,
    Options,
    Played,
    Preset,
    Role,
    Scenario,
    Score,
    Tryout,
    Verdict,
    prompts_option,
)
from interplay.core.benchmark_checks import check_benchmark
from interplay.core.board import Board, Column, Estimate, place_by
from interplay.core.conversation import Conversation, Seat
from interplay.core.failures import (
    CapFailure,
    Failure,
    LoopFailure,
    Mistake,
    RefusalFailure,
    SystemFailure,
    Unreadable,
)
from interplay.core.forms import JsonForm, Longest, Range, Text
from interplay.core.loops import LoopWatch
from interplay.core.measures import YES_OR_NO, Measure, Scale
from interplay.core.prompts import Prompts
from interplay.core.wire import Message, Sampling, digest_of
from interplay.judging.fence import fenced, mark_of
from interplay.statistics.intervals import clustered_mean, mean, rate

__all__ = [
    "YES_OR_NO",
    "Benchmark",
    "Board",
    "BoardOfMeasures",
    "CapFailure",
    "Column",
    "Conversation",
    "Estimate",
    "Failure",
    "FormJudge",
    "JsonForm",
    "Judging",
    "Longest",
    "LoopFailure",
    "LoopWatch",
    "Material",
    "Measure",
    "Message",
    "Mistake",
    "Option",
    "Options",
    "Played",
    "Preset",
    "Prompts",
    "Range",
    "RefusalFailure",
    "Role",
    "Sampling",
    "Scale",
    "Scenario",
    "Score",
    "Seat",
    "SystemFailure",
    "Text",
    "Tryout",
    "Unreadable",
    "Verdict",
    "check_benchmark",
    "clustered_mean",
    "compose",
    "digest_of",
    "fenced",
    "fixed",
    "judged",
    "mark_of",
    "mean",
    "place_by",
    "prompts_option",
    "rate",
    "scenarios_in",
]
