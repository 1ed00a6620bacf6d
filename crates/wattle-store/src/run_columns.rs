//! Rows of the table of runs.

use sqlx::Row as _;
use sqlx::any::AnyRow;
use wattle_timeline::product_name;

use crate::{
    AppBuild, Circumstances, CodeVersion, KeptLedger, KeptRun, RunDevice, RunFacts, RunId,
    RunLabels, figure_row,
};

/// The columns of a run, in the order in which [`kept_run`] reads them.
pub(crate) const COLUMNS: &str = "run.id, run.kept_ms, app.package, run.version_name, run.version_code, \
    run.package_sha256, run.commit_id, run.branch, run.dirty, run.device_key, run.device_title, run.model_name, \
    run.model_version, run.scenario, run.conditions, run.tool, run.started_ms, run.duration_s, run.outcome, \
    run.series, run.build, run.iteration, run.total_joules, run.total_low, run.total_high, run.total_provenance, \
    run.app_joules, run.app_low, run.app_high, run.app_provenance, run.ledger, ledger.bytes";

/// The tables of a run.
pub(crate) const TABLES: &str =
    "run JOIN app ON app.id = run.app JOIN ledger ON ledger.sha256 = run.ledger";

/// A run of a row with [`COLUMNS`].
pub(crate) fn kept_run(row: &AnyRow) -> sqlx::Result<KeptRun> {
    let text = |at: usize| row.try_get::<Option<String>, _>(at);
    let number = |at: usize| row.try_get::<Option<i64>, _>(at);
    let small = |at: usize| -> sqlx::Result<Option<u32>> {
        Ok(number(at)?.and_then(|number| u32::try_from(number).ok()))
    };
    let conditions = text(14)?.and_then(|text| serde_json::from_str(&text).ok());
    let facts = RunFacts {
        app: AppBuild {
            package: row.try_get(2)?,
            version_name: text(3)?,
            version_code: number(4)?.map(|code| code as u64),
            sha256: text(5)?,
        },
        code: CodeVersion {
            commit: text(6)?,
            branch: text(7)?,
            dirty: number(8)?.map(|flag| flag != 0),
        },
        device: RunDevice {
            key: text(9)?,
            // Runs that were kept under a code name have the name of those that came later.
            title: text(10)?.map(|title| match product_name(&title) {
                Some(product) => product.to_owned(),
                None => title,
            }),
            model_name: text(11)?,
            model_version: small(12)?,
        },
        circumstances: Circumstances {
            scenario: text(13)?,
            conditions,
            tool: text(15)?,
            started_ms: number(16)?,
            duration_s: row.try_get(17)?,
            outcome: text(18)?,
        },
        labels: RunLabels { series: text(19)?, build: text(20)?, iteration: small(21)? },
    };
    let bytes: i64 = row.try_get(31)?;
    Ok(KeptRun {
        id: RunId(row.try_get(0)?),
        kept_ms: row.try_get(1)?,
        facts,
        total: figure_row::energy(row, 22)?,
        app: figure_row::energy(row, 26)?,
        ledger: KeptLedger {
            sha256: row.try_get(30)?,
            bytes: u64::try_from(bytes).unwrap_or_default(),
        },
    })
}
