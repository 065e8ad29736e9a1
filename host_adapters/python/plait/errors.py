"""What a failed call becomes."""


class PlaitError(Exception):
    """A call failed. result: the number, native.PLAIT_ERROR_xxx. reason: what the library logged, which names the argument."""

    def __init__(self, call, result, text, reason):
        super().__init__(reason or f"{call}: {text}")
        self.call, self.result, self.reason = call, result, reason
