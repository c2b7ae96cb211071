"""Which tests judge a mutant, fastest and nearest first. A mutant that these do not kill counts as a survivor, even if
some other test of the suite would."""

from __future__ import annotations

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
    "unit/test_floor",
    "unit/test_hard_cases_floor",
    "oracle/test_floor_oracle",
    "property/test_floor_properties",
]
_DUAL = [
    "unit/test_dual",
    "unit/test_hard_cases_dual",
    "oracle/test_dual_oracle",
    "property/test_dual_properties",
]

# The files of src/cpp/core, after the C++ tests.
CORE = {
    **dict.fromkeys(("csr_rows", "dense_rows", "packets", "row_blocks", "row_passes", "vectors", "places"), _ROWS),
    **dict.fromkeys(("tilt", "tilt_pass"), _ROWS),
    "thread_pool": ["unit/test_dual", "contract/test_threads_and_sets", "contract/test_interrupted_fits"],
    "covariance": ["unit/test_covariance", "unit/test_passes", *_DUAL],
    "block_passes": ["unit/test_passes", "unit/test_sources", "unit/test_source_fit"],
    **dict.fromkeys(("cosine", "embed", "embedder", "fourier_block"), _EMBEDDING),
    **dict.fromkeys(
        ("corral_factor", "floor", "floor_methods", "floor_passes", "min_norm_point", "min_norm_point_floor",
         "nonnegative_least_squares", "pairwise_frank_wolfe_floor", "working_set"),
        _FLOOR,
    ),
}  # fmt: skip


def tests_of_core(file: str) -> list[str]:
    """Those of a file of src/cpp/core; whatever is not named above belongs to the dual."""
    return CORE.get(file.split(".")[0], _DUAL)


# They only name what others compute; so do the command line and the report, which are packages of their own.
NOT_JUDGED = {"__init__", "__main__"}

# All other modules.
MODULES = {
    "_watched_file": ["unit/test_sources", "unit/test_checkpoint"],
    "_solve_arguments": ["unit/test_dual", "unit/test_floor", "unit/test_validation", "unit/test_score"],
    "_requests": ["unit/test_passes", "unit/test_source_fit"],
    "_raw_survey": ["unit/test_source_fit"],
    "_pass_columns": ["unit/test_source_fit", "unit/test_features"],
    "_parquet_source": ["unit/test_sources", "unit/test_source_fit"],
    "_npy_source": ["unit/test_sources", "unit/test_checkpoint"],
    "_nonfinite": ["unit/test_passes", "unit/test_sources", "unit/test_source_fit", "unit/test_validation"],
    "_csr_source": ["unit/test_sources", "unit/test_checkpoint"],
    "_convergence": ["unit/test_floor", "unit/test_dual", "unit/test_passes"],
    "_block_reading": ["unit/test_sources", "unit/test_source_fit"],
    "_answers": ["unit/test_passes", "unit/test_source_fit", "unit/test_checkpoint"],
    "_base_score": ["unit/test_classifier", "unit/test_classifier_settings", "unit/test_persistence"],
    "_bootstrap": ["unit/test_bootstrap", "unit/test_gain", "property/test_ranking_properties"],
    "_categorical": ["unit/test_features", "unit/test_source_fit", "property/test_features_properties"],
    "_checkpoint": ["unit/test_checkpoint"],
    "_classes": ["unit/test_classifier", "unit/test_score", "contract/test_sklearn_estimators"],
    "_columns": ["unit/test_features", "unit/test_source_fit", "property/test_features_properties"],
    "_dask": ["unit/test_dask"],
    "_dispatch": ["unit/test_dispatch"],
    "_display": ["unit/test_displays"],
    "_embedded_rows": ["unit/test_features", "unit/test_score", "unit/test_source_fit"],
    "_embedded_source": ["unit/test_source_fit", "unit/test_sources"],
    "_embedding": ["unit/test_features", "oracle/test_features_oracle", "property/test_features_properties"],
    "_ess_target": ["unit/test_score", "unit/test_source_fit"],
    "_files": ["unit/test_files", "unit/test_persistence", "unit/test_checkpoint"],
    "_holdout": ["unit/test_classifier", "unit/test_classifier_settings"],
    "_lbfgs": ["unit/test_dual", "oracle/test_dual_oracle"],
    "_models": ["unit/test_classifier", "unit/test_classifier_settings", "unit/test_persistence"],
    "_numbers": ["unit/test_features", "unit/test_validation"],
    "_pass_dual": ["unit/test_passes", "unit/test_source_fit", "unit/test_sources"],
    "_pass_floor": ["unit/test_passes", "unit/test_source_fit", "unit/test_sources"],
    "_pass_model": ["unit/test_passes", "unit/test_source_fit", "unit/test_sources"],
    "_progress": ["unit/test_dual", "unit/test_floor", "unit/test_passes"],
    "_raw_rows": ["unit/test_features", "unit/test_source_fit"],
    "_routing": ["unit/test_classifier", "contract/test_sklearn_estimators"],
    "_runner": ["unit/test_sources", "unit/test_source_fit", "unit/test_passes"],
    "_sampler_tags": ["unit/test_resampling", "contract/test_sklearn_estimators"],
    "_score_validation": ["unit/test_score_validation", "unit/test_fusion", "unit/test_decision", "unit/test_gain",
                          "unit/test_classifier"],
    "_seeds": ["unit/test_classifier_settings", "unit/test_features", "unit/test_resampling", "unit/test_gain"],
    "_source_fit": ["unit/test_source_fit"],
    "_source_raking": ["unit/test_sources", "unit/test_passes", "unit/test_source_fit"],
    "_table_source": ["unit/test_sources", "unit/test_source_fit"],
    "_tables": ["unit/test_features", "unit/test_arrow", "unit/test_source_fit", "unit/test_validation",
                "unit/test_classifier"],
    "_threads": ["unit/test_threads"],
    "_tree_checks": ["unit/test_persistence"],
    "_sparse": ["unit/test_validation"],
    "_trusted_types": ["unit/test_persistence"],
    "_validation": ["unit/test_validation", "unit/test_tilt", "unit/test_floor", "unit/test_dual"],
    "calibration": ["unit/test_calibration", "property/test_stage_properties", "unit/test_classifier"],
    "classifier": ["unit/test_classifier", "unit/test_classifier_settings", "contract/test_sklearn_estimators",
                   "contract/test_interrupted_fits"],
    "cut_rules": ["unit/test_decision", "property/test_stage_properties", "unit/test_classifier"],
    "decision": ["unit/test_decision", "property/test_stage_properties", "unit/test_classifier"],
    "diagnostics": ["unit/test_score", "unit/test_displays", "unit/test_classifier"],
    "exceptions": ["unit/test_dual", "unit/test_floor", "unit/test_score"],
    "export": ["unit/test_export"],
    "features": ["unit/test_features", "property/test_features_properties", "contract/test_sklearn_features"],
    "fusion": ["unit/test_fusion", "property/test_stage_properties", "unit/test_classifier"],
    "fusion_curve": ["unit/test_displays"],
    "fusion_weight": ["unit/test_fusion_weight", "unit/test_classifier"],
    "gain": ["unit/test_gain"],
    "moment_balance": ["unit/test_displays"],
    "multiclass": ["unit/test_classifier", "unit/test_classifier_settings"],
    "passes": ["unit/test_passes", "unit/test_source_fit", "unit/test_checkpoint"],
    "persistence": ["unit/test_persistence"],
    "raking": [
        "unit/test_floor",
        "unit/test_dual",
        "unit/test_tilt",
        "unit/test_hard_cases_dual",
        "unit/test_hard_cases_floor",
        "unit/test_sources",
        "unit/test_passes",
    ],
    "resampling": ["unit/test_resampling", "contract/test_sklearn_estimators"],
    "rescoring": ["unit/test_classifier", "unit/test_score", "property/test_stage_properties"],
    "results": ["unit/test_results", "unit/test_floor", "unit/test_dual", "unit/test_tilt"],
    "score": ["unit/test_score", "oracle/test_density_ratio", "unit/test_source_fit"],
    "sources": ["unit/test_sources", "unit/test_source_fit", "unit/test_checkpoint"],
    "theory": ["unit/test_theory", "unit/test_fusion"],
    "weight_concentration": ["unit/test_displays"],
}  # fmt: skip


def paths(names: list[str]) -> list[str]:
    return [f"tests/{name}.py" for name in names]
