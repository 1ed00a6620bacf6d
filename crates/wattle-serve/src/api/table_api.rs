//! The lists of pages as files: JSON and CSV of the same rows.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::IntoParams;
use wattle_history::utc_time;
use wattle_jobs::{JobFilter, Project, Role};
use wattle_store::RunFilter;

use super::run_api::{RunQuery, RunState};
use crate::http::{WebError, WebErrorKind};
use crate::project_budgets::JudgedApp;
use crate::run_devices::SeenDevice;
use crate::run_findings::MOST_RUNS;
use crate::run_titles::RunTitles;
use crate::runs_beside::run_numbers;
use crate::site::{ApiCaller, Site};

/// The names of the lists.
const LISTS: [&str; 7] = ["runs", "jobs", "findings", "budgets", "devices", "models", "energies"];

/// The columns of each list as CSV. They do not depend on the rows, so that scripts can read them.
fn columns(list: &str) -> &'static [&'static str] {
    match list {
        "runs" => &[
            "id",
            "title",
            "url",
            "time_ms",
            "time",
            "app",
            "version",
            "commit",
            "branch",
            "device",
            "scenario",
            "duration_s",
            "total.joules",
            "total.low_joules",
            "total.high_joules",
            "app_energy.joules",
            "app_energy.low_joules",
            "app_energy.high_joules",
            "ledger_sha256",
        ],
        "jobs" => &[
            "id",
            "url",
            "title",
            "kind",
            "state",
            "progress",
            "fraction",
            "reason",
            "created_ms",
            "created",
            "ended_ms",
            "ended",
            "report",
            "answer",
        ],
        "findings" => &[
            "run",
            "url",
            "time_ms",
            "time",
            "app",
            "rule",
            "severity",
            "title",
            "who",
            "thread",
            "up_to_joules",
            "from_s",
            "to_s",
            "remedy",
        ],
        "budgets" => &[
            "app",
            "scenario",
            "subject",
            "at_most_joules",
            "grow_at_most_share",
            "joules",
            "low_joules",
            "high_joules",
            "growth_share",
            "verdict",
            "text",
        ],
        "devices" => &["title", "models", "runs", "last_run", "last_ms", "last", "device"],
        "models" => &["name", "version", "socs", "devices", "source"],
        "energies" => &["run", "title", "kind", "name", "joules", "low_joules", "high_joules"],
        _ => &[],
    }
}

/// Conditions on the rows of a list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TableQuery {
    /// Package name of the app, of runs and findings.
    pub app: Option<String>,
    /// A part of the device's name, of runs.
    pub device: Option<String>,
    /// The latest so many runs.
    pub last: Option<u32>,
    /// Numbers of the runs whose energies are compared, such as `3,5,7`.
    pub runs: Option<String>,
}

/// A rule with what was found, as a row.
#[derive(Debug, Serialize)]
struct BudgetRow {
    app: String,
    scenario: Option<String>,
    subject: String,
    at_most_joules: Option<f64>,
    grow_at_most_share: Option<f64>,
    joules: Option<f64>,
    low_joules: Option<f64>,
    high_joules: Option<f64>,
    growth_share: Option<f64>,
    verdict: &'static str,
    text: String,
}

/// The rows of judged apps.
fn budget_rows(judged: Vec<JudgedApp>) -> Vec<BudgetRow> {
    let mut rows = Vec::new();
    for JudgedApp { app, report } in judged {
        for row in report.into_iter().flat_map(|report| report.rows) {
            let measured = row.measured.map(|measured| measured.energy);
            rows.push(BudgetRow {
                app: app.clone(),
                growth_share: row.share(),
                scenario: row.scenario,
                subject: row.rule.subject.to_string(),
                at_most_joules: row.rule.at_most.map(|limit| limit.0.value()),
                grow_at_most_share: row.rule.grow_at_most.map(|growth| growth.share),
                joules: measured.map(|it| it.joules),
                low_joules: measured.map(|it| it.low),
                high_joules: measured.map(|it| it.high),
                verdict: row.verdict.name(),
                text: row.text,
            });
        }
    }
    rows
}

/// A device model of this program, as a row.
#[derive(Debug, Serialize)]
struct ModelRow {
    name: &'static str,
    version: u32,
    socs: String,
    devices: String,
    source: &'static str,
}

/// A row with its values in the order in which they are described.
#[derive(Debug)]
struct TableRow(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for TableRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Cells;
        impl<'de> Visitor<'de> for Cells {
            type Value = TableRow;

            fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str("a row")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<TableRow, M::Error> {
                let mut cells = Vec::new();
                while let Some(cell) = map.next_entry()? {
                    cells.push(cell);
                }
                Ok(TableRow(cells))
            }
        }
        deserializer.deserialize_map(Cells)
    }
}

/// Rows as JSON, one text each.
fn rows_of<T: Serialize>(rows: &[T]) -> Result<Vec<String>, WebError> {
    let texts = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>();
    texts.map_err(|error| WebError::internal(&error))
}

impl Site {
    async fn table(
        &self,
        project: &Project,
        list: &str,
        query: TableQuery,
    ) -> Result<Vec<String>, WebError> {
        let history = self.histories.of(project.id);
        match list {
            "runs" => {
                let TableQuery { app, device, last, .. } = query;
                let filter = RunFilter::from(RunQuery { app, device, branch: None, last });
                let runs = history.runs(filter).await?.into_iter();
                let titles = RunTitles::read(self, project.id).await?;
                let row = |run| RunState::new(&project.name, run, &titles);
                rows_of(&runs.map(row).collect::<Vec<_>>())
            }
            "jobs" => {
                let mut rows = Vec::new();
                for job in self.data.jobs().jobs(project.id, JobFilter::default()).await? {
                    rows.push(self.job_info(project, job).await?);
                }
                rows_of(&rows)
            }
            "findings" => {
                let last = query.last.map_or(MOST_RUNS, |last| last as usize);
                let found = self.findings((project.id, &project.name), query.app, last).await?;
                rows_of(&found.findings)
            }
            "budgets" => match self.policy(project.id).await? {
                Some(policy) => {
                    rows_of(&budget_rows(self.judged_apps(project.id, &policy.policy).await?))
                }
                None => Ok(Vec::new()),
            },
            "energies" => {
                let numbers = run_numbers(query.runs.as_slice())?;
                let titles = RunTitles::read(self, project.id).await?;
                rows_of(&self.several_runs(project.id, &numbers).await?.energies(&titles))
            }
            "devices" => rows_of(&SeenDevice::of_runs(&history.runs(RunFilter::default()).await?)),
            "models" => {
                let row = |model: &'static wattle_power::DeviceModel| ModelRow {
                    name: &model.name,
                    version: model.version,
                    socs: model.matching.socs.join(" "),
                    devices: model.matching.devices.join(" "),
                    source: &model.source,
                };
                rows_of(&wattle_power::library().iter().map(row).collect::<Vec<_>>())
            }
            _ => Err(WebError::not_found()),
        }
    }
}

/// Download a list of a page: `runs`, `jobs`, `findings` (what diagnoses of runs found), `budgets` (rules with what was found), `devices`
/// (those that runs are of), `models` or `energies` (of the runs that are named, compared), each as `NAME.csv` and `NAME.json`. Nested values of the JSON are one column each in the CSV.
#[utoipa::path(get, path = "/projects/{project}/tables/{file}", tag = "tables",
    params(("project" = String, Path, description = "Name of the project"), ("file" = String, Path, description = "Name of the file"), TableQuery),
    responses((status = 200, description = "The rows", content_type = "application/octet-stream"), (status = "4XX", body = WebError)))]
pub async fn table(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, file)): Path<(String, String)>,
    Query(query): Query<TableQuery>,
) -> Result<Response, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    let known = file
        .rsplit_once('.')
        .filter(|(list, ending)| LISTS.contains(list) && matches!(*ending, "csv" | "json"));
    let no_such = || {
        let text = format!("no such table; there are {} as .csv and .json", LISTS.join(", "));
        WebError::new(WebErrorKind::NotFound, text)
    };
    let (list, ending) = known.ok_or_else(no_such)?;
    let rows = site.table(&project, list, query).await?;
    let (kind, text) = if ending == "csv" {
        let read: Result<Vec<TableRow>, _> =
            rows.iter().map(|row| serde_json::from_str(row)).collect();
        let read = read.map_err(|error| WebError::internal(&error))?;
        ("text/csv; charset=utf-8", csv(&read, columns(list)))
    } else {
        ("application/json", format!("[{}]\n", rows.join(",\n")))
    };
    let disposition = format!("attachment; filename=\"{list}.{ending}\"");
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CACHE_CONTROL, "private, no-cache".to_owned()),
    ];
    Ok((headers, text).into_response())
}

/// Rows as CSV, with these columns. Moments are in words, too.
fn csv(rows: &[TableRow], columns: &[&'static str]) -> String {
    let rows: Vec<Vec<(String, String)>> = rows.iter().map(cells).collect();
    let mut text = String::new();
    let line = |cells: Vec<&str>, text: &mut String| {
        let cells: Vec<String> = cells.into_iter().map(quoted).collect();
        // Writing to a string cannot fail.
        let _ = write!(text, "{}\r\n", cells.join(","));
    };
    line(columns.to_vec(), &mut text);
    for row in &rows {
        let cell = |column: &&str| {
            row.iter().find(|(name, _)| name == column).map_or("", |(_, value)| value.as_str())
        };
        line(columns.iter().map(cell).collect(), &mut text);
    }
    text
}

fn cells(row: &TableRow) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    for (name, value) in &row.0 {
        put(&mut cells, name, value);
    }
    cells
}

fn put(cells: &mut Vec<(String, String)>, name: &str, value: &Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                put(cells, &format!("{name}.{key}"), value);
            }
        }
        Value::Array(values) => {
            let is_plain = |value: &&Value| !value.is_object() && !value.is_array();
            let plain = values.iter().filter(is_plain).map(text_of);
            cells.push((name.to_owned(), plain.collect::<Vec<_>>().join("; ")));
        }
        value => {
            cells.push((name.to_owned(), text_of(value)));
            if let (Some(begin), Some(ms)) = (name.strip_suffix("_ms"), value.as_i64()) {
                cells.push((begin.to_owned(), utc_time::seconds(ms)));
            }
        }
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A cell of CSV. Programs that calculate take no text of somebody's trace for a formula.
fn quoted(cell: &str) -> String {
    let is_number = cell.parse::<f64>().is_ok();
    let is_formula = !is_number && cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let cell = if is_formula { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", cell.replace('"', "\"\""));
    }
    cell
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::{LISTS, columns, csv};

    #[test]
    fn rows_have_the_columns_of_their_list() {
        let rows = |texts: &[&str], columns: &[&'static str]| {
            let rows = texts.iter().map(|text| serde_json::from_str(text).unwrap());
            csv(&rows.collect::<Vec<_>>(), columns)
        };
        let two = [
            r#"{"z":1.5,"b":{"c":null}}"#,
            r#"{"b":{"c":"x,\"y\""},"d":[1,"two"],"e":"=1+1","f":-2}"#,
        ];
        let expected = "z,b.c,d,e,f\r\n1.5,,,,\r\n,\"x,\"\"y\"\"\",1; two,'=1+1,-2\r\n";
        assert_eq!(rows(&two, &["z", "b.c", "d", "e", "f"]), expected);
        let moment = "time_ms,time\r\n0,1970-01-01T00:00:00Z\r\n";
        assert_eq!(rows(&[r#"{"time_ms":0}"#], &["time_ms", "time"]), moment);
        assert_eq!(rows(&[], &["a", "b"]), "a,b\r\n", "no rows are a table, too");
        for list in LISTS {
            assert!(columns(list).len() > 3, "{list}");
        }
    }
}
