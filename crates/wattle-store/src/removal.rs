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

/// Deletes the rows of ledgers without runs. Returns those, and the marked ones that have no row: nobody has them. Until the transaction
/// ends nobody can keep a run.
pub(crate) async fn orphans(
    transaction: &mut Transaction<'_, Any>,
    marked: &[String],
) -> sqlx::Result<BTreeSet<String>> {
    run_rows::lock(transaction).await?;
    let delete = "DELETE FROM ledger WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.ledger = ledger.sha256) RETURNING sha256";
    let rows = sqlx::query(delete).fetch_all(&mut **transaction).await?;
    let mut orphans =
        rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<BTreeSet<String>>>()?;
    for sha256 in marked {
        let known = sqlx::query("SELECT 1 FROM ledger WHERE sha256 = $1").bind(sha256.clone());
        if known.fetch_optional(&mut **transaction).await?.is_none() {
            orphans.insert(sha256.clone());
        }
    }
    let swept = sqlx::query("UPDATE counter SET value = $1 WHERE name = 'swept_ms'").bind(now_ms());
    swept.execute(&mut **transaction).await?;
    Ok(orphans)
}
