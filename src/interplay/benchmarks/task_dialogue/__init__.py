"""User agents for task-oriented dialogue: simulated users with goals test task bots."""

from difflib import get_close_matches

from interplay.benchmarks.task_dialogue.agenda import AGENDA
from interplay.benchmarks.task_dialogue.dialogue import Dialogue
from interplay.benchmarks.task_dialogue.imported import TOD
from interplay.benchmarks.task_dialogue.imported_multiwoz import MULTIWOZ
from interplay.benchmarks.task_dialogue.judges import JUDGE, Judged
from interplay.benchmarks.task_dialogue.people import read_human
from interplay.benchmarks.task_dialogue.prompt_files import PROMPTS
from interplay.benchmarks.task_dialogue.protocol import (
    BOT,
    PIPELINE,
    SYSTEM,
    SYSTEMS,
    USER,
    calls,
    digest,
    play,
)
from interplay.benchmarks.task_dialogue.rules import BASELINE
from interplay.benchmarks.task_dialogue.scenarios import scenarios
from interplay.benchmarks.task_dialogue.scoring import measures, score
from interplay.benchmarks.task_dialogue.simulators import LONGEST_UTTERANCE, SIMULATORS, TRACKING, VANILLA
from interplay.benchmarks.task_dialogue.tables import summarize
from interplay.benchmarks.task_dialogue.trials import TRIALS
from interplay.benchmarks.task_dialogue.writing import generator
from interplay.core.benchmark import Benchmark, Called, Option, Options, Role, Tryout, prompts_option
from interplay.core.failures import Mistake, nearest
from interplay.core.wire import Sampling

RULES, BY_RULE = "rules", "agenda"  # what is typed for the parts that need no model
MISTYPED = 0.8  # how like a kind of system a name must be to be no bot of a user's
OPTIONS = (
    Option(
        "system",
        PIPELINE,
        "how a model is put to work: pipeline (domain, state, database, answer), agent (calls tools), prompt (a brief "
        "alone), bot (hears the user's words alone); or rules, a URL, a bot's file or name: what is measured",
        choices=SYSTEMS,
        open=True,
        shape="KIND|URL|NAME",
    ),
    Option(
        "simulator",
        TRACKING,
        "how the user is played: vanilla, thought (thinks first), tracking (keeps the state of its goal), or agenda "
        "(by rule, no model)",
        choices=SIMULATORS,
        open=True,
        shape="KIND",
    ),
    Option("exchanges", "15", "at most so many exchanges, whoever the user is", number=(1, 100)),
    Option(
        "utterance",
        str(LONGEST_UTTERANCE),
        "the most characters that a simulated user says at once",
        number=(40, 5000),
    ),
    Option("patience", "3", "how often the agenda tries something before it gives it up", number=(1, 20)),
    Option(
        "user_error", "0", "how often the agenda says a wrong value for a slot, in percent", number=(0, 100)
    ),
    Option(
        "slot_error", "0", "how often the rules hear a wrong value for a slot, in percent", number=(0, 100)
    ),
    Option(
        "goal_shown",
        "no",
        "show the goal to judges where they say whether the task was completed; the paper hides it",
        choices=("no", "yes"),
        of_judging=True,
    ),
    Option(
        "explanation",
        "400",
        "the most characters of each explanation that a judge writes",
        number=(20, 5000),
        of_judging=True,
    ),
    prompts_option(PROMPTS),
    Option(
        "human",
        "",
        "a .jsonl or .csv file of what people say of dialogues, to hold judges against: scenario, model, rater, "
        "criterion, value",
        read=read_human,
        path=True,
        of_table=True,
    ),
)


def roles(options: Options) -> tuple[Role, ...]:
    user = f"has a goal and talks to the system; {AGENDA} is one without a model"
    judge = "judges every dialogue; there may be several, or none"
    return (
        Role(SYSTEM, "subject", Sampling(0.0, None, 512), "serves the user; the system that is measured"),
        Role(USER, "simulator", Sampling(0.7, None, 512), user),
        Role(JUDGE, "judge", Sampling(0.0, None, 1024), judge, optional=True),
    )


def called(asked: Called) -> Called:
    """A system that is no kind is what is measured; an agenda is a user by rule."""
    options, models, roles = dict(asked.options), asked.models, dict(asked.roles)
    system = options.get("system", PIPELINE)
    if system not in SYSTEMS:
        kinds = (*SYSTEMS, RULES)
        is_a_word = system != RULES and not {"/", "."} & set(system)
        if is_a_word and get_close_matches(system, kinds, cutoff=MISTYPED):
            raise Mistake(f"there is no system {system!r}; {nearest(system, kinds)}")
        if models:
            raise Mistake("--system names what is measured, and so does --model; leave one of them out")
        models = (BASELINE,) if system == RULES else (system,)
        options["system"] = PIPELINE if system == RULES else BOT
    simulator = options.get("simulator", TRACKING)
    if simulator not in (*SIMULATORS, BY_RULE):
        raise Mistake(f"there is no simulator {simulator!r}; {nearest(simulator, (*SIMULATORS, BY_RULE))}")
    if simulator == BY_RULE:
        if roles.get(USER, (AGENDA,)) != (AGENDA,):
            raise Mistake(f"--simulator {BY_RULE} needs no model for the user; leave --model-role {USER} out")
        options["simulator"], roles[USER] = TRACKING, (AGENDA,)
    return Called(options, models, roles)


benchmark = Benchmark(
    name="task_dialogue",
    paper="TOD",
    meaning="simulated users with goals test task bots, by judges and by the database",
    roles=roles,
    options=OPTIONS,
    outcome=Dialogue,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    judging=Judged,
    score=score,
    summarize=summarize,
    measures=measures,
    spread=lambda options: 0.6,
    called=called,
    by_rule={SYSTEM: (BASELINE,), USER: (AGENDA,)},
    data_flag="--goals",
    generator=generator,
    trials=TRIALS,
    importers=(MULTIWOZ, TOD),
    tryout=Tryout(
        limit=2,
        options={"simulator": VANILLA, "exchanges": "2", "utterance": "80", "explanation": "40"},
        sampling={SYSTEM: {"max_tokens": 160}, JUDGE: {"temperature": 1.0}},
    ),
)

__all__ = ["benchmark"]
