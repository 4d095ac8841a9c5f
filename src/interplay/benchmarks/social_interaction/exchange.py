"""What verdicts say of information exchange: what players learned, who told what first, and how matchers err."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from interplay.benchmarks.social_interaction.planting import KINDS
from interplay.benchmarks.social_interaction.precision import Found, Tried, way_of
from interplay.benchmarks.social_interaction.protocol import NPC, PLAYER, Session
from interplay.core.benchmark import Played
from interplay.core.board import Estimate
from interplay.statistics.clustered_rates import clustered_rate

NEVER = "never"
TELLERS = (NPC, PLAYER, NEVER)


@dataclass(frozen=True)
class Point:
    """One key point in one session, by one judge: who told it first, and how many of the players learned it."""

    number: int  # from 1
    teller: str
    learned: int
    players: int
    session: Hashable
    piece: Hashable


def piece_of(one: Played) -> str:
    """What makes sessions depend on each other: the knowledge that they are about."""
    return str(one.scenario.content["knowledge"]["title"])


def session_of(one: Played) -> tuple[str, str, int]:
    return one.scenario.id, one.subject, one.repeat


def found_of(played: Sequence[Played]) -> list[Found]:
    """What each judge found of each player."""
    return [
        Found(
            judge=verdict.judge,
            player=player["seat"],
            points=len(player["pairs"]),
            of=len(verdict.data["known"]),
            session=session_of(one),
            piece=piece_of(one),
        )
        for one in played
        if one.outcome is not None
        for verdict in one.verdicts
        if verdict.data is not None
        for player in verdict.data["players"]
    ]


def tried_of(played: Sequence[Played]) -> list[Tried]:
    """What each judge made of each known point of its planted lists."""
    return [
        Tried(
            judge=verdict.judge,
            piece=verdict.data["planted"]["piece"],
            kind=kind,
            is_paired=entry["paired"] > 0,
            is_right=0 < entry["paired"] == entry["learned"],
        )
        for one in played
        for verdict in one.verdicts
        if verdict.data is not None
        for kind in KINDS
        for entry in verdict.data["planted"][kind]
    ]


def points_of(played: Sequence[Played]) -> list[Point]:
    """Every key point of every session, by every judge."""
    found = []
    for one in played:
        for verdict in one.verdicts:
            if one.outcome is None or verdict.data is None:
                continue
            players = verdict.data["players"]
            learned = [known for player in players for _, known in player["pairs"]]
            found += [
                Point(
                    number=number,
                    teller=_teller(one.outcome, move),
                    learned=learned.count(number),
                    players=len(players),
                    session=session_of(one),
                    piece=piece_of(one),
                )
                for number, move in enumerate(verdict.data["first"], 1)
            ]
    return found


def _teller(outcome: Session, move: int) -> str:
    """The role of whoever made this move, from 1; 0 is nobody's."""
    if not move:
        return NEVER
    seat = outcome.moves[move - 1].seat
    return next(one.role for one in outcome.seats if one.seat == seat)


def told_by(points: Sequence[Point], tellers: Sequence[str]) -> Estimate:
    """The share of key points that one of these told first."""
    return clustered_rate([point.teller in tellers for point in points], _way(points))


def learned_share(points: Sequence[Point]) -> Estimate:
    """The share of players, over these key points, who learned them."""
    each = [(point, number < point.learned) for point in points for number in range(point.players)]
    return clustered_rate([learned for _, learned in each], _way([point for point, _ in each]))


def _way(points: Sequence[Point]) -> list[Hashable]:
    return way_of([(point.piece, point.session) for point in points])
