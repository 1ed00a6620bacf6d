//! Keeping a run: all its rows, in one transaction.

use std::collections::HashMap;

use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe, Row as _, Transaction};

use crate::dialect::Dialect;
use crate::method_block::{self, BlockEntry, METHODS};
use crate::time_now::now_ms;
use crate::{KeptLedger, NewRun, RunId, figure_row};

/// Rows of one statement. SQLite takes 32,766 values a statement.
const ROWS: usize = 256;

/// Writes the rows of a run.
pub(crate) async fn run(
    transaction: &mut Transaction<'_, Any>,
    dialect: Dialect,
    new: &NewRun,
    ledger: &KeptLedger,
) -> sqlx::Result<RunId> {
    // First, because it makes all other writers wait, on PostgreSQL too: numbers of apps and methods are given below.
    let id = next(transaction, "run").await?;
    let app = app(transaction, &new.facts.app.package).await?;
    let content = (dialect == Dialect::Postgres).then_some(new.ledger.as_slice());
    let insert = "INSERT INTO ledger (sha256, bytes, content) VALUES ($1, $2, $3) ON CONFLICT (sha256) DO NOTHING";
    let insert = sqlx::query(insert).bind(&ledger.sha256).bind(ledger.bytes as i64);
    insert.bind(content.map(<[u8]>::to_vec)).execute(&mut **transaction).await?;
    row(id, app, new, ledger).execute(&mut **transaction).await?;
    components(transaction, id, new).await?;
    methods(transaction, id, app, new).await?;
    Ok(RunId(id))
}

/// The run that was kept under a key. Other writers wait from here on.
pub(crate) async fn with_key(
    transaction: &mut Transaction<'_, Any>,
    key: &str,
) -> sqlx::Result<Option<RunId>> {
    lock(transaction).await?;
    let known = sqlx::query("SELECT run FROM kept_once WHERE key = $1").bind(key.to_owned());
    let known = known.fetch_optional(&mut **transaction).await?;
    known.map(|row| row.try_get(0).map(RunId)).transpose()
}

/// The first run of an app with this ledger.
pub(crate) async fn with_ledger(
    connection: &mut sqlx::AnyConnection,
    app: &str,
    sha256: &str,
) -> sqlx::Result<Option<RunId>> {
    let text = "SELECT MIN(run.id) FROM run JOIN app ON app.id = run.app WHERE run.ledger = $1 AND app.package = $2";
    let query = sqlx::query(text).bind(sha256.to_owned()).bind(app.to_owned());
    let row = query.fetch_one(connection).await?;
    Ok(row.try_get::<Option<i64>, _>(0)?.map(RunId))
}

/// Gives a key to a run that is being kept.
pub(crate) async fn remember_key(
    transaction: &mut Transaction<'_, Any>,
    key: &str,
    run: RunId,
) -> sqlx::Result<()> {
    let insert = sqlx::query("INSERT INTO kept_once (key, run) VALUES ($1, $2)");
    insert.bind(key.to_owned()).bind(run.0).execute(&mut **transaction).await.map(|_| ())
}

/// Makes other writers wait, without a change.
pub(crate) async fn lock(transaction: &mut Transaction<'_, Any>) -> sqlx::Result<()> {
    let lock = sqlx::query("UPDATE counter SET value = value WHERE name = 'run'");
    lock.execute(&mut **transaction).await.map(|_| ())
}

async fn next(transaction: &mut Transaction<'_, Any>, counter: &str) -> sqlx::Result<i64> {
    let next = "UPDATE counter SET value = value + 1 WHERE name = $1 RETURNING value";
    let next = sqlx::query(next).bind(counter.to_owned());
    next.fetch_one(&mut **transaction).await?.try_get(0)
}

async fn app(transaction: &mut Transaction<'_, Any>, package: &str) -> sqlx::Result<i64> {
    let known = sqlx::query("SELECT id FROM app WHERE package = $1").bind(package.to_owned());
    if let Some(row) = known.fetch_optional(&mut **transaction).await? {
        return row.try_get(0);
    }
    let id = next(transaction, "app").await?;
    let insert = sqlx::query("INSERT INTO app (id, package) VALUES ($1, $2)");
    insert.bind(id).bind(package.to_owned()).execute(&mut **transaction).await?;
    Ok(id)
}

fn row<'q>(id: i64, app: i64, new: &NewRun, ledger: &KeptLedger) -> Query<'q, Any, AnyArguments> {
    const INSERT: &str = "INSERT INTO run (id, kept_ms, app, version_name, version_code, package_sha256, commit_id, branch, \
        dirty, device_key, device_title, model_name, model_version, scenario, conditions, tool, started_ms, duration_s, \
        outcome, series, build, iteration, total_joules, total_low, total_high, total_provenance, app_joules, app_low, \
        app_high, app_provenance, ledger) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
        $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31)";
    let facts = &new.facts;
    let (build, code, device) = (&facts.app, &facts.code, &facts.device);
    let (circumstances, labels) = (&facts.circumstances, &facts.labels);
    let conditions = circumstances.conditions.as_ref().map(ToString::to_string);
    let query = sqlx::query(INSERT)
        .bind(id)
        .bind(now_ms())
        .bind(app)
        .bind(build.version_name.clone())
        .bind(build.version_code.map(|code| code as i64))
        .bind(build.sha256.clone())
        .bind(code.commit.clone())
        .bind(code.branch.clone())
        .bind(code.dirty.map(i64::from))
        .bind(device.key.clone())
        .bind(device.title.clone())
        .bind(device.model_name.clone())
        .bind(device.model_version.map(i64::from))
        .bind(circumstances.scenario.clone())
        .bind(conditions)
        .bind(circumstances.tool.clone())
        .bind(circumstances.started_ms)
        .bind(circumstances.duration_s)
        .bind(circumstances.outcome.clone())
        .bind(labels.series.clone())
        .bind(labels.build.clone())
        .bind(labels.iteration.map(i64::from));
    let total = figure_row::columns(new.figures.total);
    let of_app = figure_row::columns(new.figures.app);
    [total, of_app]
        .into_iter()
        .fold(query, |query, (joules, low, high, provenance)| {
            query.bind(joules).bind(low).bind(high).bind(provenance)
        })
        .bind(ledger.sha256.clone())
}

async fn components(
    transaction: &mut Transaction<'_, Any>,
    id: i64,
    new: &NewRun,
) -> sqlx::Result<()> {
    for rows in new.figures.components.chunks(ROWS) {
        let head =
            "INSERT INTO component_figure (name, of_app, run, joules, low, high, provenance)";
        let text = values(head, 7, rows.len());
        let mut query = sqlx::query(AssertSqlSafe(text)).persistent(false);
        for row in rows {
            let (joules, low, high, provenance) = figure_row::columns(Some(row.energy));
            query = query.bind(row.name.clone()).bind(i64::from(row.is_app)).bind(id);
            query = query.bind(joules).bind(low).bind(high).bind(provenance);
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

async fn methods(
    transaction: &mut Transaction<'_, Any>,
    id: i64,
    app: i64,
    new: &NewRun,
) -> sqlx::Result<()> {
    let methods = &new.figures.methods;
    let numbers = numbers(transaction, app, methods.iter().map(|it| it.name.as_str())).await?;
    let mut blocks: Vec<(i64, BlockEntry)> = methods
        .iter()
        .filter_map(|method| {
            let number = u64::try_from(*numbers.get(method.name.as_str())?).ok()?;
            let (place, block) = ((number % METHODS) as u8, (number / METHODS) as i64);
            let (calls, own, total) = (method.calls, method.own, method.total);
            Some((block, BlockEntry { place, calls, own, total }))
        })
        .collect();
    blocks.sort_by_key(|(block, entry)| (*block, entry.place));
    let blocks: Vec<(i64, Vec<u8>)> = blocks
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|of_block| {
            let entries: Vec<BlockEntry> = of_block.iter().map(|(_, entry)| *entry).collect();
            Some((of_block.first()?.0, method_block::encode(&entries)))
        })
        .collect();
    for rows in blocks.chunks(ROWS) {
        let head = "INSERT INTO method_block (app, block, run, content)";
        let mut query = sqlx::query(AssertSqlSafe(values(head, 4, rows.len()))).persistent(false);
        for (block, content) in rows {
            query = query.bind(app).bind(*block).bind(id).bind(content.clone());
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(())
}

/// The numbers of methods of an app; new names get the next ones.
async fn numbers<'n>(
    transaction: &mut Transaction<'_, Any>,
    app: i64,
    names: impl Iterator<Item = &'n str>,
) -> sqlx::Result<HashMap<&'n str, i64>> {
    let known = sqlx::query("SELECT name, number FROM method WHERE app = $1").bind(app);
    let mut known_numbers: HashMap<String, i64> = HashMap::new();
    for row in known.fetch_all(&mut **transaction).await? {
        known_numbers.insert(row.try_get(0)?, row.try_get(1)?);
    }
    let mut next = known_numbers.values().max().map_or(0, |last| last + 1);
    let mut numbers = HashMap::new();
    let mut added: Vec<(i64, &str)> = Vec::new();
    for name in names {
        let number = known_numbers.get(name).copied().unwrap_or_else(|| {
            added.push((next, name));
            next += 1;
            next - 1
        });
        numbers.insert(name, number);
    }
    for rows in added.chunks(ROWS) {
        let text = values("INSERT INTO method (app, number, name)", 3, rows.len());
        let mut query = sqlx::query(AssertSqlSafe(text)).persistent(false);
        for (number, name) in rows {
            query = query.bind(app).bind(*number).bind((*name).to_owned());
        }
        query.execute(&mut **transaction).await?;
    }
    Ok(numbers)
}

/// `head VALUES ($1, $2), ($3, $4)`.
fn values(head: &str, columns: usize, rows: usize) -> String {
    use std::fmt::Write as _;
    let mut text = format!("{head} VALUES ");
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..columns {
            let comma = if column == 0 { "" } else { ", " };
            // Writing to a String does not fail.
            let _ = write!(text, "{comma}${}", row * columns + column + 1);
        }
        text.push(')');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_through() {
        let text = values("INSERT INTO x (a, b)", 2, 2);
        assert_eq!(text, "INSERT INTO x (a, b) VALUES ($1, $2), ($3, $4)");
    }
}
