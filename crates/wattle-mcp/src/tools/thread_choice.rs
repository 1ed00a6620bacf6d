//! The thread that a question names.

use wattle_report::{ProcessRow, Report, ThreadRow};

use super::recording_words::not_found;
use crate::answer::{ToolError, clip, counted, is_named};
use crate::opened::thread_title;

/// Other threads that are named.
const MOST_OTHERS: usize = 4;

/// The thread that a question names, and a sentence about others that it could mean.
#[derive(Clone, Debug)]
pub struct ThreadChoice<'r> {
    /// The thread.
    pub row: &'r ThreadRow,
    /// Its title: `main (tid 4000) of com.example.news`.
    pub title: String,
    /// A sentence where several match.
    pub others: Option<String>,
}

impl<'r> ThreadChoice<'r> {
    /// Finds a thread: by its title in answers, its name, its number, or a part of its name. `main` is the first thread of the app, whatever
    /// its name; threads of the app come before those of other programs.
    pub fn find(report: &'r Report, asked: &str) -> Result<Self, ToolError> {
        let processes = &report.software.processes;
        let mut app: Vec<&ThreadRow> = Vec::new();
        let mut all: Vec<&ThreadRow> = Vec::new();
        for process in processes {
            all.extend(&process.threads);
            if process.in_app {
                app.extend(&process.threads);
            }
        }
        let first_of_app: Vec<&ThreadRow> =
            app.iter().copied().filter(|row| Some(row.tid) == row.pid).collect();
        let meant = if asked.eq_ignore_ascii_case("main") && !app.is_empty() {
            if first_of_app.is_empty() {
                return Err(ToolError::new(
                    "the app's first thread (main) is not in this recording; top with by: thread lists those that are",
                ));
            }
            first_of_app
        } else {
            matching(&app, asked).or_else(|| matching(&all, asked)).unwrap_or_default()
        };
        let most = meant.iter().copied().max_by(|a, b| joules(a).total_cmp(&joules(b)));
        let Some(row) = most else {
            let known: Vec<String> = processes.iter().flat_map(titles).collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return Err(not_found("thread", asked, &known));
        };
        let named: Vec<String> = meant
            .iter()
            .filter(|other| !std::ptr::eq(**other, row))
            .take(MOST_OTHERS)
            .map(|other| clip(&title(other), 80))
            .collect();
        let others = (meant.len() > 1).then(|| {
            format!(
                "{} match; this is the one with most energy. Others: {}",
                counted(meant.len() as u64, "thread"),
                named.join(", ")
            )
        });
        Ok(Self { row, title: title(row), others })
    }
}

fn title(row: &ThreadRow) -> String {
    thread_title(&row.name, row.tid, &row.process)
}

fn titles(process: &ProcessRow) -> impl Iterator<Item = String> + '_ {
    process.threads.iter().map(title)
}

fn joules(row: &ThreadRow) -> f64 {
    row.energy.joules().map_or(f64::NEG_INFINITY, wattle_units::Joules::value)
}

/// The threads that match best; `None` where none does.
fn matching<'r>(rows: &[&'r ThreadRow], asked: &str) -> Option<Vec<&'r ThreadRow>> {
    let number: Option<u32> = asked.strip_prefix("tid ").unwrap_or(asked).parse().ok();
    let lower = asked.to_lowercase();
    let ways: [&dyn Fn(&ThreadRow) -> bool; 4] = [
        &|row| is_named(&title(row), asked),
        &|row| is_named(&row.name, asked),
        &|row| Some(row.tid) == number,
        &|row| row.name.to_lowercase().contains(&lower),
    ];
    ways.iter().find_map(|is_meant| {
        let found: Vec<&ThreadRow> = rows.iter().copied().filter(|row| is_meant(row)).collect();
        (!found.is_empty()).then_some(found)
    })
}
