"""Which tests judge a mutant, fastest and nearest first. A mutant that these do not kill counts as a survivor, even if
some other test of the suite would."""

from __future__ import annotations

from pathlib import Path

_ROWS = [
    "unit/test_tilt",
    "contract/test_bounds",
    "contract/test_threads_and_sets",
    "unit/test_floor",
    "unit/test_dual",
    "oracle/test_tilt_oracle",
    "property/test_tilt_properties",
]
_EMBEDDING = ["unit/test_features", "contract/test_bounds", "oracle/test_features_oracle"]
_FLOOR = [
    "unit/test_judges",
    "unit/test_floor",
    "unit/test_hard_cases_floor",
    "oracle/test_floor_oracle",
    "property/test_floor_properties",
]
_DUAL = [
    "unit/test_judges",
    "unit/test_dual",
    "unit/test_hard_cases_dual",
    "oracle/test_dual_oracle",
    "property/test_dual_properties",
]

_STREAMING = ["unit/test_passes", "unit/test_sources", "unit/test_source_fit"]

# The files of src/cpp/core, after the C++ tests.
CORE = {
    **dict.fromkeys(("csr_rows", "dense_rows", "packets", "row_blocks", "row_passes", "vectors", "views"), _ROWS),
    **dict.fromkeys(("thread_buffers", "tilt", "tilt_pass"), _ROWS),
    "thread_pool": ["unit/test_dual", "contract/test_threads_and_sets", "contract/test_interrupted_fits"],
    "covariance": ["unit/test_covariance", "unit/test_passes", *_DUAL],
    **dict.fromkeys(("floor_blocks", "tilt_blocks"), _STREAMING),
    **dict.fromkeys(("cosine", "embed", "embedder", "fourier_block"), _EMBEDDING),
    **dict.fromkeys(
        ("corral_factor", "floor", "floor_judge", "floor_passes", "min_norm_point", "min_norm_point_floor",
         "nonnegative_least_squares", "pairwise_frank_wolfe_floor", "passive_rows", "row_selection", "working_set"),
        _FLOOR,
    ),
}  # fmt: skip


def tests_of_core(file: str) -> list[str]:
    """Those of a file of src/cpp/core; whatever is not named above belongs to the dual."""
    return CORE.get(file.split(".")[0], _DUAL)


# They only name what others compute.
NOT_JUDGED = {"__main__", "report"}
_WITH_LOGIC = {"_native/__init__", "streaming/sources/__init__"}


_AROUND_THE_SOLVER = {"fusion", "calibration", "decision", "composition", "cli"}


def is_around_the_solver(module: str) -> bool:
    return module.split("/")[0] in _AROUND_THE_SOLVER


def judged(package: Path) -> set[str]:
    """The modules of the package whose operators are changed, by their paths without the ending."""
    found = {path.relative_to(package).with_suffix("").as_posix() for path in package.rglob("*.py")}
    named = {path for path in found if path.split("/")[0] not in NOT_JUDGED}
    return {path for path in named if not path.endswith("__init__") or path in _WITH_LOGIC}


_COMMANDS = ["cli/test_options", "cli/test_columns", "cli/test_commands", "cli/test_errors", "cli/test_words"]
_TABLES = ["cli/test_columns", "cli/test_errors", "cli/test_commands", "cli/test_words"]
_OPTIONS = ["cli/test_options", "cli/test_errors", "cli/test_words", "cli/test_commands", "cli/test_start"]
_STREAMS = ["cli/test_errors", "cli/test_commands", "cli/test_terminals"]

# All other modules.
MODULES = {
    **dict.fromkeys(
        ("cli/_columns", "cli/_csv_files", "cli/_dialect", "cli/_labels", "cli/_schema", "cli/_tables",
         "cli/_typed_files", "cli/_training", "cli/_model"),
        _TABLES,
    ),
    **dict.fromkeys(("cli/_bases", "cli/_options", "cli/_rules", "cli/_parser", "cli/_words"), _OPTIONS),
    **dict.fromkeys(("cli/_errors", "cli/_main", "cli/_streams", "cli/_terminal", "cli/_writers"), _STREAMS),
    **dict.fromkeys(("cli/check", "cli/demo", "cli/fit", "cli/report", "cli/score"), _COMMANDS),
    "streaming/sources/watched_file": ["unit/test_sources", "unit/test_checkpoint"],
    "raking/arguments": ["unit/test_dual", "unit/test_floor", "unit/test_validation", "unit/test_score"],
    "streaming/answer_files": ["unit/test_checkpoint"],
    "streaming/block": ["unit/test_passes", "unit/test_sources", "unit/test_source_fit", "unit/test_dask"],
    "streaming/dataset": ["unit/test_sources", "unit/test_source_fit", "unit/test_passes", "unit/test_features"],
    "streaming/embedding": ["unit/test_source_fit", "unit/test_dask"],
    "streaming/feature_file": ["unit/test_source_fit", "unit/test_checkpoint"],
    "streaming/views": ["unit/test_sources", "unit/test_source_fit"],
    "streaming/queries/column_summary": ["unit/test_source_fit"],
    "streaming/queries/fetch": ["unit/test_passes"],
    "streaming/queries/norms": ["unit/test_source_fit"],
    "streaming/queries/picked_rows": ["unit/test_passes", "unit/test_source_fit", "unit/test_checkpoint"],
    "streaming/queries/price": ["unit/test_passes", "unit/test_source_fit"],
    "streaming/queries/query": ["unit/test_passes", "unit/test_sources", "unit/test_source_fit"],
    "streaming/queries/survey": ["unit/test_passes", "unit/test_source_fit"],
    "streaming/queries/target": ["unit/test_source_fit"],
    "streaming/queries/tilt": ["unit/test_passes", "unit/test_source_fit"],
    "streaming/columns": ["unit/test_source_fit", "unit/test_features"],
    "streaming/sources/parquet": ["unit/test_sources", "unit/test_source_fit"],
    "streaming/sources/npy": ["unit/test_sources", "unit/test_checkpoint"],
    "streaming/sources/csr": ["unit/test_sources", "unit/test_checkpoint"],
    "raking/convergence": ["unit/test_floor", "unit/test_dual", "unit/test_passes"],
    "streaming/block_reading": ["unit/test_sources", "unit/test_source_fit"],
    "composition/coded_labels": ["unit/test_bases", "unit/test_classifier", "unit/test_classifier_settings"],
    "composition/out_of_bag": ["unit/test_holdout", "unit/test_classifier"],
    "composition/fitting": ["unit/test_holdout", "unit/test_classifier", "unit/test_classifier_settings"],
    "features/preparation": ["cli/test_commands", "unit/test_persistence"],
    "persistence/table_classifier": ["cli/test_commands", "unit/test_persistence"],
    "raking/problem": ["unit/test_dual", "unit/test_floor", "unit/test_validation", "unit/test_passes"],
    "_checks/names": ["unit/test_named_targets", "unit/test_features", "cli/test_columns", "cli/test_terminals"],
    "composition/distributed_base": ["unit/test_dask"],
    "composition/prior": ["unit/test_prior", "unit/test_holdout", "unit/test_classifier"],
    "composition/second_score": ["unit/test_second_score", "unit/test_classifier"],
    "composition/table_forest": ["unit/test_bases"],
    "features/sparse_rows": ["unit/test_sparse_duals"],
    "features/table_encoder": ["unit/test_bases", "unit/test_features"],
    "raking/explanation": ["unit/test_explanation"],
    "raking/tolerance": ["unit/test_floor", "unit/test_dual"],
    "export/base": ["unit/test_export"],
    "export/comparison": ["unit/test_export"],
    "export/graph": ["unit/test_export"],
    "export/stages": ["unit/test_export"],
    "composition/scores": ["unit/test_classifier"],
    "composition/fitted_scores": ["unit/test_classifier", "unit/test_classifier_settings"],
    "composition/base_score": ["unit/test_classifier", "unit/test_classifier_settings", "unit/test_persistence",
                               "unit/test_bases"],
    "fusion/bootstrap": ["unit/test_bootstrap", "unit/test_gain", "property/test_ranking_properties"],
    "features/scaling": [
        "unit/test_standardise",
        "unit/test_features",
        "oracle/test_features_oracle",
        "unit/test_source_fit",
    ],
    "features/levels": ["unit/test_features", "unit/test_source_fit", "property/test_features_properties"],
    "streaming/checkpoint": ["unit/test_checkpoint"],
    "_checks/messages": ["unit/test_score_validation"],
    "_checks/labels": ["unit/test_classifier", "unit/test_score", "contract/test_sklearn_estimators"],
    "features/columns": ["unit/test_features", "unit/test_source_fit", "property/test_features_properties"],
    "streaming/dask": ["unit/test_dask"],
    "streaming/dask_table": ["unit/test_dask"],
    "composition/lazy_scores": ["unit/test_dask", "unit/test_classifier"],
    "_native/__init__": ["unit/test_dispatch"],
    "plotting/axes": ["unit/test_displays"],
    "features/embedding": ["unit/test_features", "oracle/test_features_oracle", "property/test_features_properties"],
    "raking/fitting": ["unit/test_score", "unit/test_one_versus_rest"],
    "raking/one_versus_rest": ["unit/test_one_versus_rest"],
    "raking/shared_rows": ["unit/test_one_versus_rest", "unit/test_holdout", "unit/test_classifier"],
    "raking/repeated_rows": ["unit/test_repeated_rows"],
    "raking/span": ["unit/test_one_versus_rest"],
    "raking/ess": ["unit/test_score", "unit/test_source_fit"],
    "_files": ["unit/test_files", "unit/test_persistence", "unit/test_checkpoint"],
    "composition/holdout": ["unit/test_holdout", "unit/test_classifier", "unit/test_classifier_settings"],
    "raking/paper_lbfgs": ["unit/test_dual", "oracle/test_dual_oracle"],
    "composition/models": ["unit/test_classifier", "unit/test_classifier_settings", "unit/test_holdout",
                           "unit/test_persistence", "unit/test_second_score"],
    "_checks/numbers": ["unit/test_features", "unit/test_validation"],
    "streaming/dual": ["unit/test_passes", "unit/test_source_fit", "unit/test_sources"],
    "streaming/floor": ["unit/test_passes", "unit/test_source_fit", "unit/test_sources"],
    "streaming/sampled_model": ["unit/test_passes", "unit/test_source_fit", "unit/test_sources"],
    "_native/fit_callbacks": ["unit/test_tasks"],
    "_native/tasks": ["unit/test_tasks"],
    "_native/progress": ["unit/test_dual", "unit/test_floor", "unit/test_passes"],
    "composition/routing": ["unit/test_classifier", "contract/test_sklearn_estimators"],
    "composition/sampler_tags": ["unit/test_resampling", "contract/test_sklearn_estimators"],
    "_checks/scores": ["unit/test_score_validation", "unit/test_fusion", "unit/test_decision", "unit/test_gain",
                          "unit/test_classifier"],
    "_checks/seeds": ["unit/test_classifier_settings", "unit/test_features", "unit/test_resampling", "unit/test_gain"],
    "streaming/fit": ["unit/test_source_fit"],
    "streaming/problem": ["unit/test_sources", "unit/test_passes", "unit/test_source_fit"],
    "_checks/tables": ["unit/test_features", "unit/test_arrow", "unit/test_source_fit", "unit/test_validation",
                "unit/test_classifier"],
    "_native/threads": ["unit/test_threads"],
    "persistence/tree_checks": ["unit/test_persistence"],
    "_checks/rows": ["unit/test_sources", "unit/test_source_fit", "unit/test_dask"],
    "_checks/sparse": ["unit/test_validation"],
    "persistence/trusted_types": ["unit/test_persistence"],
    "_checks/arrays": ["unit/test_validation", "unit/test_tilt", "unit/test_floor", "unit/test_dual"],
    "calibration": ["unit/test_calibration", "property/test_stage_properties", "unit/test_classifier"],
    "classifier": ["unit/test_classifier", "unit/test_classifier_settings", "contract/test_sklearn_estimators",
                   "contract/test_interrupted_fits"],
    "decision/rules": ["unit/test_decision", "property/test_stage_properties", "unit/test_classifier"],
    "decision/cuts": ["unit/test_decision", "property/test_stage_properties", "unit/test_classifier"],
    "raking/diagnostics": ["unit/test_score", "unit/test_displays", "unit/test_classifier"],
    "exceptions": ["unit/test_dual", "unit/test_floor", "unit/test_score"],
    "features/feature_map": ["unit/test_features", "property/test_features_properties",
                             "contract/test_sklearn_features"],
    "fusion/standardisation": ["unit/test_fusion", "property/test_stage_properties", "unit/test_classifier"],
    "fusion/separation": ["unit/test_fusion", "property/test_stage_properties", "unit/test_classifier"],
    "plotting/fusion_curve": ["unit/test_displays"],
    "fusion/weight": ["unit/test_fusion_weight", "unit/test_holdout", "unit/test_classifier"],
    "fusion/gain": ["unit/test_gain"],
    "plotting/moment_balance": ["unit/test_displays"],
    "composition/multiclass": ["unit/test_classifier", "unit/test_classifier_settings"],
    "streaming/passes": ["unit/test_passes", "unit/test_source_fit", "unit/test_checkpoint"],
    "persistence/model_files": ["unit/test_persistence"],
    "raking/functions": [
        "unit/test_floor",
        "unit/test_dual",
        "unit/test_tilt",
        "unit/test_hard_cases_dual",
        "unit/test_hard_cases_floor",
        "unit/test_sources",
        "unit/test_passes",
    ],
    "resampling": ["unit/test_resampling", "contract/test_sklearn_estimators"],
    "composition/rescoring": ["unit/test_holdout", "unit/test_classifier", "unit/test_score",
                              "property/test_stage_properties"],
    "raking/results": ["unit/test_results", "unit/test_floor", "unit/test_dual", "unit/test_tilt"],
    "raking/estimator": ["unit/test_score", "oracle/test_density_ratio", "unit/test_source_fit"],
    "streaming/sources/__init__": ["unit/test_sources", "unit/test_source_fit", "unit/test_checkpoint"],
    "theory": ["unit/test_theory", "unit/test_fusion"],
    "plotting/weight_concentration": ["unit/test_displays"],
}  # fmt: skip


# Files of tests that belong to one named above.
_PARTS = {
    "unit/test_classifier": [
        "unit/test_classifier_classes",
        "unit/test_classifier_refusals",
        "unit/test_named_holdout",
    ],
    "unit/test_features": ["unit/test_categories"],
    "unit/test_sources": ["unit/test_changing_files"],
    "unit/test_dual": ["unit/test_dual_refusals"],
}


def paths(names: list[str]) -> list[str]:
    return [f"tests/{part}.py" for name in names for part in (name, *_PARTS.get(name, []))]
