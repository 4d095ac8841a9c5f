"""Two goals for tests of simulated users: one with everything that may fail, and a small one."""

from interplay.benchmarks.task_dialogue.goals import goal_of

GOAL = goal_of(
    {
        "id": "one",
        "goal": {
            "restaurant": {
                "info": {"food": "thai", "area": "north", "pricerange": "dontcare"},
                "fail_info": {"food": "greek", "area": "north", "pricerange": "dontcare"},
                "book": {"people": "4", "day": "friday", "time": "19:30"},
                "fail_book": {"time": "19:00"},
                "reqt": ["phone", "entrance fee"],
            },
            "taxi": {
                "info": {"departure": "@restaurant", "destination": "the mill", "leaveAt": "21:00"},
                "reqt": ["car type"],
            },
        },
        "message": ["You want **greek** food in the **north**", "If there is none, **thai** food."],
    }
)
SMALL = goal_of(
    {
        "id": "two",
        "goal": {"police": {"info": {}, "reqt": ["phone"]}},
        "message": ["You need the **phone number** of the police."],
    }
)
