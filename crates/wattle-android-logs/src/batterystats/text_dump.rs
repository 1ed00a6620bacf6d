//! The whole dump for people, line by line.

use wattle_timeline::{Names, Package, Uid};

use super::dump_findings::{Findings, Form};
use super::global_text::GlobalText;
use super::history_text::TextHistory;
use super::power_text::PowerText;
use super::uid_text::UidText;

/// Part of the dump that a line belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Outside,
    History,
    Summary,
    Power,
    /// Known, and of no use here; by its title.
    Passed(&'static str),
}

/// Reads a dump.
#[derive(Debug)]
pub(crate) struct TextReader {
    pub found: Findings,
    part: Part,
    near: Option<i64>,
    history: TextHistory,
    global: GlobalText,
    power: PowerText,
    uid: UidText,
}

/// First line of the part about charges.
pub(crate) const POWER: &str = "Estimated power use (mAh):";

/// Titles that begin a part.
const TITLES: [(&str, Part); 9] = [
    ("Battery History", Part::History),
    ("Old battery History", Part::Passed("Old battery History")),
    ("Per-PID Stats", Part::Passed("Per-PID Stats")),
    ("Discharge step durations", Part::Passed("Discharge step durations")),
    ("Charge step durations", Part::Passed("Charge step durations")),
    ("Daily stats", Part::Passed("Daily stats")),
    ("Statistics since last charge", Part::Summary),
    ("Statistics since last unplugged", Part::Passed("Statistics since last unplugged")),
    ("Total Statistics", Part::Passed("Total Statistics")),
];

impl TextReader {
    /// One whose dump was made near to a time, nanoseconds since 1970.
    pub fn new(artifact: usize, near: Option<i64>) -> Self {
        Self {
            found: Findings::new(artifact, Form::Text),
            part: Part::Outside,
            near,
            history: TextHistory::near(near),
            global: GlobalText::default(),
            power: PowerText::default(),
            uid: UidText::default(),
        }
    }

    /// A line without its end.
    pub fn line(&mut self, line: &str, names: &mut Names, packages: &mut dyn FnMut(Package)) {
        self.found.counts.lines += 1;
        let first = line.as_bytes().first();
        if first.is_some_and(u8::is_ascii_alphabetic)
            && let Some((_, part)) = TITLES.iter().find(|(title, _)| line.starts_with(title))
        {
            self.begin(*part);
            return;
        }
        match self.part {
            Part::History => self.history.line(line, names, &mut self.found),
            Part::Summary => self.summary(line, names, packages),
            Part::Power if line.trim().is_empty() => self.part = Part::Summary,
            Part::Power => self.power.line(line, names, &mut self.found),
            Part::Passed(title) => {
                if !line.trim().is_empty() {
                    self.found.unread(title);
                }
            }
            // `--usage` gives this part alone.
            Part::Outside if line.trim() == POWER => {
                self.found.begin_summary();
                self.part = Part::Power;
            }
            Part::Outside => {
                if !line.trim().is_empty() {
                    self.found.unread("lines outside of any part");
                }
            }
        }
    }

    fn begin(&mut self, part: Part) {
        self.uid.end(&mut self.found);
        self.part = part;
        match part {
            Part::History => self.history = TextHistory::near(self.near),
            Part::Summary => {
                self.found.begin_summary();
                self.global = GlobalText::default();
                self.uid = UidText::default();
            }
            _ => {}
        }
    }

    fn summary(&mut self, line: &str, names: &mut Names, packages: &mut dyn FnMut(Package)) {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        if text.is_empty() {
            return;
        }
        if indent <= 2
            && let Some(uid) = text.strip_suffix(':').and_then(Uid::of_android_name)
        {
            self.uid.begin(uid, &mut self.found);
        } else if text == POWER {
            self.part = Part::Power;
            self.power = PowerText::default();
        } else if let Some(clocks) = text.strip_prefix("CPU freqs:") {
            self.uid.clocks(clocks.trim());
        } else if let Some(uid) = self.uid.current() {
            let Self { uid: reader, global, found, .. } = self;
            if indent <= 2 {
                reader.end(found);
                found.unread("lines after the uids");
            } else if !global.controller_line(text, Some(uid), names, found) {
                reader.line(line, names, packages, found);
            }
        } else if let Some(kind) = passed_globally(text) {
            self.found.unread(kind);
        } else {
            self.global.line(line, names, &mut self.found);
        }
    }

    /// Everything that was found.
    pub fn finish(mut self) -> Findings {
        self.uid.end(&mut self.found);
        self.found
    }
}

/// Lists of the device that say the same as the uids do, or nothing of power.
fn passed_globally(text: &str) -> Option<&'static str> {
    let kinds = ["Kernel Wake lock ", "Wake lock ", "Wakeup reason ", "Uid ", "Bandwidth "];
    kinds.iter().find(|kind| text.starts_with(**kind)).map(|kind| kind.trim_end())
}
