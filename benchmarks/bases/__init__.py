"""Strong learners on all training rows, alone and rescored.

DRR_DATA=... python -m benchmarks.bases run --out FOLDER       # can be stopped and continued
python -m benchmarks.bases publish --out FOLDER                # tables and picture of docs/evidence/strong_bases.md
"""
