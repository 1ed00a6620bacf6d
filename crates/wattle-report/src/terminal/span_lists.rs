//! Frames, app starts, user journeys, foreground and background: one table of them.

use wattle_ledger::SpanKind;
use wattle_table::Described;

use super::listing::Listing;
use super::style::Style::{Dim, Plain, Warning};
use super::terminal_page::Page;
use crate::cells::joules;
use crate::{AppFrameRow, By, PeriodRow, Sort};

/// The thing looked for where nothing is known, and how to record it.
const fn nothing(by: By) -> (&'static str, &'static str) {
    match by {
        By::Frame => (
            "No frame is known in this recording: neither Android's frame timeline nor slices Choreographer#doFrame.",
            "To have them, record the data source android.surfaceflinger.frametimeline and the atrace categories gfx and view, with \
             the app in atrace_apps.",
        ),
        By::Startup => (
            "No app start in this recording: no slice launchingActivity#N or launching: PACKAGE of system_server.",
            "To have them, record the atrace category am while an app starts.",
        ),
        By::Journey => (
            "No user journey in this recording: no asynchronous slice J<NAME> or L<NAME>.",
            "To have them, record the atrace category view (Android 12 and later) while using the system's interface, or an app with \
             InteractionJankMonitor.",
        ),
        _ => (
            "No state of any app in this recording: neither oom_score_adj of processes nor apps in front of batterystats.",
            "To have them, record the data source linux.process_stats with proc_stats_poll_ms, or add a bug report of the same time.",
        ),
    }
}

impl Page<'_> {
    /// The table of a kind of stretches, and how it adds up to the total; or why there is none.
    pub(super) fn spans(&self, by: By, to: &mut String) {
        let spans = &self.report.spans;
        let (is_empty, kind, outside) = match by {
            By::Frame => (spans.frame_groups.is_empty(), SpanKind::Frame, "outside of any frame"),
            By::Startup => {
                (spans.startups.is_empty(), SpanKind::Startup, "outside of any app start")
            }
            By::Journey => {
                (spans.journeys.is_empty(), SpanKind::Journey, "outside of any user journey")
            }
            _ => (spans.app_states.is_empty(), SpanKind::State, "outside of any app"),
        };
        if is_empty {
            let (what, advice) = nothing(by);
            self.line_indented(to, Warning, what);
            self.line_indented(to, Plain, advice);
            return;
        }
        match by {
            By::Frame => self.frames(to),
            By::Startup => self.periods("App starts", &spans.startups, to),
            By::Journey => self.periods("User journeys", &spans.journeys, to),
            _ => self.list("Apps by state", spans.app_states.iter().collect(), to),
        }
        self.span_sums(kind, outside, to);
    }

    fn list<R: Described>(&self, heading: &str, mut rows: Vec<&R>, to: &mut String) {
        self.list_heading(to, heading, rows.len());
        rows.truncate(self.top);
        self.table(&Listing::new(rows).table(), to);
    }

    fn frames(&self, to: &mut String) {
        let spans = &self.report.spans;
        self.list("Frames by app and jank", spans.frame_groups.iter().collect(), to);
        let known: Vec<&AppFrameRow> =
            spans.frames.iter().filter(|frame| frame.energy.0.is_some()).collect();
        if !known.is_empty() {
            self.list("Frames with the most energy", known, to);
        }
        let frames: u64 = spans.frame_groups.iter().map(|row| row.frames).sum();
        let known: u64 = spans.frame_groups.iter().map(|row| row.known).sum();
        if known < frames {
            let line = format!(
                "{} of {frames} frames have no slices with their number (Choreographer#doFrame N, DrawFrames N), so their energy is \
                 not known",
                frames - known
            );
            self.line_indented(to, Dim, &line);
        }
        let line = "energy of a frame: that of the slices with its number on the app's threads; the work of SurfaceFlinger, GPU and \
                    display is outside";
        self.line_indented(to, Dim, line);
    }

    fn periods(&self, heading: &str, rows: &[PeriodRow], to: &mut String) {
        let mut rows: Vec<&PeriodRow> = rows.iter().collect();
        // Stable: without energies they stay in order of time.
        rows.sort_by(|one, other| match self.sort {
            Sort::Total => other.energy.rank().total_cmp(&one.energy.rank()),
            Sort::Own => other.own.rank().total_cmp(&one.own.rank()),
            Sort::Mean => {
                let mean = |row: &PeriodRow| row.mean_mw.unwrap_or(f64::NEG_INFINITY);
                mean(other).total_cmp(&mean(one))
            }
            Sort::Calls => other.duration.cmp(&one.duration),
        });
        let is_cut = rows.iter().take(self.top).any(|row| row.cut);
        self.list(heading, rows, to);
        if is_cut {
            self.line_indented(to, Dim, "some reach beyond the recorded time (JSON: cut)");
        }
    }

    /// The sum of the rows beside the total.
    fn span_sums(&self, kind: SpanKind, outside: &str, to: &mut String) {
        let Some(sum) = self.report.spans.sums.iter().find(|sum| sum.kind == kind) else { return };
        if self.report.energy.total.0.is_none() {
            return;
        }
        let rows = joules(sum.named);
        let rest = joules(sum.outside);
        let several = sum.repeated.joules().filter(|joules| joules.value() != 0.0);
        let several =
            several.map_or_else(String::new, |joules| format!(" − {joules} that several share"));
        let total = joules(self.report.energy.total);
        let line = format!("all rows {rows} + {outside} {rest}{several} = total {total}");
        self.line_indented(to, Plain, &line);
        to.push('\n');
    }
}
