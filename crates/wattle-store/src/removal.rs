//! Deleting runs, and what nothing refers to any more.

use std::collections::BTreeSet;

use sqlx::{Any, Row as _, Transaction};

use crate::time_now::now_ms;
use crate::{RunId, run_rows};

/// Deletes the rows of runs. Returns the number of runs that were there.
pub(crate) async fn delete(
    transaction: &mut Transaction<'_, Any>,
    runs: &[RunId],
) -> sqlx::Result<usize> {
    run_rows::lock(transaction).await?;
    let mut deleted = 0;
    for run in runs {
        // Through the list of blocks of its app: the table's key begins with them.
        let blocks = "DELETE FROM method_block WHERE run = $1 AND app = (SELECT app FROM run WHERE id = $1) AND block IN \
            (SELECT DISTINCT number / 32 FROM method WHERE app = (SELECT app FROM run WHERE id = $1))";
        sqlx::query(blocks).bind(run.0).execute(&mut **transaction).await?;
        let components = sqlx::query("DELETE FROM component_figure WHERE run = $1");
        components.bind(run.0).execute(&mut **transaction).await?;
        let row = sqlx::query("DELETE FROM run WHERE id = $1").bind(run.0);
        deleted += row.execute(&mut **transaction).await?.rows_affected() as usize;
    }
    Ok(deleted)
}

/// Deletes rows of ledgers without runs, and returns the ledgers that have some. Until the transaction ends nobody can keep a run.
pub(crate) async fn used_ledgers(
    transaction: &mut Transaction<'_, Any>,
) -> sqlx::Result<BTreeSet<String>> {
    run_rows::lock(transaction).await?;
    let orphans =
        "DELETE FROM ledger WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.ledger = ledger.sha256)";
    sqlx::query(orphans).execute(&mut **transaction).await?;
    let swept = sqlx::query("UPDATE counter SET value = $1 WHERE name = 'swept_ms'").bind(now_ms());
    swept.execute(&mut **transaction).await?;
    let rows = sqlx::query("SELECT sha256 FROM ledger").fetch_all(&mut **transaction).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}
