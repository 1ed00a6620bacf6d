//! The list of processes that systrace asks the device for (`ps`, `ps -t`), below the trace.

use wattle_timeline::{NameRank, ProcessFacts, TimelineBuilder, Uid};
use wattle_units::BootNanos;

use super::trace_line::number;

/// Rows that are kept.
const MAX_ROWS: usize = 1 << 16;

/// Positions of the columns.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    user: Option<usize>,
    pid: usize,
    tid: Option<usize>,
    parent: Option<usize>,
    /// Name of the process, the last column; of a thread `CMD`.
    name: usize,
}

#[derive(Debug)]
struct Row {
    pid: u32,
    tid: u32,
    parent: Option<u32>,
    uid: Option<Uid>,
    name: String,
}

/// A dump while it is being read.
#[derive(Debug, Default)]
pub(super) struct PsDump {
    columns: Option<Columns>,
    rows: Vec<Row>,
}

impl PsDump {
    /// Reads a line, if it is the head of a dump or a row of it.
    pub fn line(&mut self, text: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        if let Some(columns) = head(text) {
            self.columns = Some(columns);
            return true;
        }
        let Some(row) = self.columns.and_then(|columns| row(text, columns)) else { return false };
        if self.rows.len() < MAX_ROWS {
            self.rows.push(row);
        }
        true
    }

    /// Ends the table: the following lines are no rows.
    pub fn end(&mut self) {
        self.columns = None;
    }

    /// Rows that were read.
    pub fn rows(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Tells what the dump says; it was taken when the trace ended.
    pub fn tell(&self, time: BootNanos, builder: &mut TimelineBuilder) {
        for row in &self.rows {
            let name = builder.names.intern(&row.name);
            if row.tid != row.pid {
                builder.tasks().thread_of(time, row.tid, row.pid);
                builder.tasks().thread_name(time, row.tid, name, NameRank::Proc);
                continue;
            }
            let (parent, uid) = (row.parent, row.uid);
            let facts = ProcessFacts { parent, uid, name: Some(name), ..ProcessFacts::default() };
            builder.tasks().process(time, row.pid, facts);
        }
    }
}

fn head(text: &str) -> Option<Columns> {
    let titles: Vec<&str> = text.split_ascii_whitespace().collect();
    let find = |names: &[&str]| titles.iter().position(|title| names.contains(title));
    let pid = find(&["PID"])?;
    let name = find(&["NAME", "CMD", "CMDLINE"])?;
    // The state of the process has no title.
    let is_old = titles.contains(&"WCHAN") && titles.contains(&"PC");
    let name = if is_old { name + 1 } else { name };
    let (tid, parent) = (find(&["TID", "LWP"]), find(&["PPID"]));
    Some(Columns { user: find(&["USER", "UID"]), pid, tid, parent, name })
}

fn row(text: &str, columns: Columns) -> Option<Row> {
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let of = |place: usize| u32::try_from(number(fields.get(place)?.as_bytes())?).ok();
    let pid = of(columns.pid)?;
    let tid = columns.tid.map_or(Some(pid), of)?;
    let name = fields.get(columns.name..).filter(|name| !name.is_empty())?.join(" ");
    let uid = columns.user.and_then(|place| uid(fields.get(place)?));
    Some(Row { pid, tid, parent: columns.parent.and_then(of), uid, name })
}

/// `u0_a123`, `system`, `10123`.
fn uid(user: &str) -> Option<Uid> {
    Uid::of_platform_name(user).or_else(|| Uid::of_android_name(user))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Expected<'a> = (u32, u32, Option<u32>, Option<u32>, &'a str);

    #[track_caller]
    fn check(lines: &[&str], expected: &[Expected<'_>]) {
        let mut dump = PsDump::default();
        for line in lines {
            assert!(dump.line(line.as_bytes()), "{line:?}");
        }
        assert!(!dump.line(b"no row"), "a row that is none");
        let found: Vec<Expected<'_>> = dump
            .rows
            .iter()
            .map(|r| (r.pid, r.tid, r.parent, r.uid.map(|uid| uid.0), r.name.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn dumps_of_old_and_new_android() {
        check(
            &[
                "USER     PID   PPID  VSIZE  RSS     WCHAN    PC         NAME",
                "root      1     0     540    312   ffffffff 00000000 S /init",
                "u0_a5     640   124   1     2     ffffffff 00000000 S com.android.phone",
            ],
            &[
                (1, 1, Some(0), Some(0), "/init"),
                (640, 640, Some(124), Some(10_005), "com.android.phone"),
            ],
        );
        check(
            &["USER           PID   TID CMD", "u10_a7   50   51 Binder:50 1", "u0_i3  60 60 x"],
            &[(50, 51, None, Some(1_010_007), "Binder:50 1"), (60, 60, None, Some(99_003), "x")],
        );
    }
}
