//! The ledger beside the recording of a run.

/// The name of the ledger that `wattle run` and `wattle record` write into the folder of a run.
pub const RUN_LEDGER: &str = "run.ledger.json.zst";
