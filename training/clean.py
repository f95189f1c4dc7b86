"""Names the failures that the networks of the other folds take for good prints; they are left out of the final run.

Good photos that look like failures stay: they are the ones to learn from.

    python training/clean.py --records records.json --out dropped.txt
"""

import argparse
import json
from pathlib import Path

import numpy as np

from photos import GPL_SOURCES

# In sources known to call rough walls failures, one that looks less like a failure than this share of the good photos do
# is left out. Elsewhere a failure that is missed is a small or dark one, the kind that most needs to be learned.
FAILING_BELOW = 0.75
LOOSE_SOURCES = ("prottos",)


def doubtful(records):
    """The names of the photos to leave out, in order."""
    learned = [record for record in records if record["source"] not in GPL_SOURCES]
    good = [record["whole"] for record in learned if not record["failing"]]
    too_low = np.quantile(good, FAILING_BELOW)
    dull = [record for record in learned if record["failing"] and record["whole"] < too_low]
    return sorted(record["name"] for record in dull if record["source"] in LOOSE_SOURCES)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", required=True, help="records.json of folds.py")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    names = doubtful(json.loads(Path(options.records).read_text())["photos"])
    Path(options.out).write_text("".join(f"{name}\n" for name in names))
    print(f"{len(names)} photos left out")


if __name__ == "__main__":
    main()
