"""Signals that ask the runner to stop -> a note that its loops look at, so that nothing is left half done."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any

ASKED_BY = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """While entered, SIGINT, SIGTERM and SIGHUP are noted instead of acted on.

    `fileno` becomes readable when one comes. Outside the main thread nothing is caught and nothing is ever noted.
    """

    def __init__(self) -> None:
        self.noted: list[int] = []
        self._before: dict[int, Any] = {}
        self._wakeup_before = -1
        self.fileno, self._write_end = -1, -1

    def __enter__(self) -> Interrupts:
        self.fileno, self._write_end = os.pipe()
        os.set_blocking(self.fileno, False)
        os.set_blocking(self._write_end, False)
        if threading.current_thread() is threading.main_thread():
            self._wakeup_before = signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)
            for number in ASKED_BY:
                if signal.getsignal(number) is not signal.SIG_IGN:  # nohup and background jobs stay as they were
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if threading.current_thread() is threading.main_thread():
            signal.set_wakeup_fd(self._wakeup_before)
        os.close(self.fileno)
        os.close(self._write_end)

    @property
    def requested(self) -> str | None:
        """The name of the first signal that came, such as `SIGINT`; None when none did."""
        return signal.Signals(self.noted[0]).name if self.noted else None

    @property
    def insisted(self) -> bool:
        """Whether a second signal came: no more patience."""
        return len(self.noted) > 1

    def drain(self) -> None:
        """Make `fileno` quiet again."""
        try:
            while os.read(self.fileno, 512):
                pass
        except BlockingIOError:
            return

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.noted.append(number)
