"""Rules of the weight and second scores, compared on stored scores: the tables of docs/evidence/crossfitting.md.

DRR_DATA=... python -m benchmarks.laboratory store --out FOLDER --halves 0 1 2    # fits; resumes where it stopped
python -m benchmarks.laboratory compare --out FOLDER --halves 1                   # prints both tables
"""
