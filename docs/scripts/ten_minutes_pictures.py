"""Make the pictures of docs/ten_minutes.md: python docs/scripts/ten_minutes_pictures.py"""

from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

import netgiven as ng

FOLDER = Path(__file__).parents[1] / "pictures" / "ten_minutes"
WIDTH = 760
GIVEN = {"first": "degrees", "second": "degrees+blocks:department"}


def shrink(source: Path, target: Path) -> None:
    """A smaller picture with 200 colours."""
    picture = Image.open(source).convert("RGB")
    picture = picture.resize((WIDTH, picture.height * WIDTH // picture.width), Image.Resampling.LANCZOS)
    picture.quantize(200, dither=Image.Dither.NONE).save(target, optimize=True)


def main() -> None:
    """Draw the company given two priors, coloured by department."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        for name, given in GIVEN.items():
            drawn = Path(folder, f"{name}.png")
            ng.map_network(ng.datasets.company(), given, colour="department").save(drawn)
            shrink(drawn, FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
