"""Works that wait for people: nothing is held for them, and they go on once somebody has spoken."""

from dataclasses import replace

from interplay.running.plan import Work
from interplay.running.tally import Tally
from interplay.store.records import Records, Run


class Parking:
    """Where one start leaves the works that people must move on."""

    def __init__(self, records: Records, run: Run, tally: Tally):
        self._records, self._run, self._tally = records, run, tally
        self._parked: dict[int, Work] = {}  # by the number of the conversation

    def park(self, number: int, work: Work) -> None:
        """Leave a work here; its conversation is in the record, and is not begun again."""
        self._parked[number] = replace(work, anew=False)
        self._tally.parked = len(self._parked)

    def answered(self) -> list[Work]:
        """Works that waited for people who have spoken since, each told once."""
        if not self._parked:
            return []
        waiting = self._records.waiting(self._run)
        found = [self._parked.pop(number) for number in self._parked.keys() - waiting]
        self._tally.parked = len(self._parked)
        return found
