"""The paper's evaluation, rerun: data, protocol, methods, statistics, tables and figures."""
