from enum import Enum

class DistanceAlgorithm(Enum):
    DAMERAU_OSA = 2

class EditDistance:
    def __init__(self, algorithm: DistanceAlgorithm) -> None: ...
    def compare(self, string_1: str, string_2: str, max_distance: int) -> int: ...
