"""What the small models learned and the experiments found; each file by a command."""

from pathlib import Path

CHECKPOINTS = Path(__file__).parent
