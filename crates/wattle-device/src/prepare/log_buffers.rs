//! The ring buffers of Android's log, which lose the oldest lines when they are too small.

use std::collections::BTreeMap;

use crate::command::run;
use crate::prepare::log_size::LogSize;
use crate::prepare::{Before, Change, Undo, UndoOutcome};
use crate::questions::first_line;
use crate::{Device, DeviceError, quote};

/// Sizes by buffer. Every version has its own way with the unit:
/// `main: ring buffer is 256Kb (…` (5 to 10), `256 KiB (…` (11 and later), `/dev/log/main: …` (4.4).
fn parse(text: &str) -> BTreeMap<String, LogSize> {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<(String, LogSize)> {
    let (name, rest) = line.split_once(": ring buffer is ")?;
    let name = name.trim().trim_start_matches("/dev/log/");
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (number, unit) = rest.split_at_checked(digits)?;
    let unit = unit.trim_start().chars().next().unwrap_or('B').to_ascii_uppercase();
    let factor =
        LogSize::UNITS.iter().find(|(letter, _)| *letter == unit).map_or(1, |(_, unit)| *unit);
    Some((name.to_owned(), LogSize(number.parse::<u64>().ok()?.checked_mul(factor)?)))
}

fn sizes(device: &dyn Device) -> Result<BTreeMap<String, LogSize>, DeviceError> {
    let text = run(device, "logcat -g")?;
    let sizes = parse(&text);
    if sizes.is_empty() {
        return Err(DeviceError::Unexpected {
            what: "logcat -g".into(),
            expected: "the sizes of the log's buffers".into(),
            found: first_line(&text),
        });
    }
    Ok(sizes)
}

fn shown(sizes: &BTreeMap<String, LogSize>) -> String {
    let each: Vec<String> = sizes.iter().map(|(buffer, size)| format!("{buffer} {size}")).collect();
    each.join(", ")
}

fn resize(device: &dyn Device, buffer: &str, size: LogSize) -> Result<(), DeviceError> {
    run(device, &format!("logcat -b {} -G {size}", quote(buffer))).map(drop)
}

/// Every buffer that is smaller gets this size.
#[derive(Clone, Debug)]
pub(crate) struct EnlargedLog(pub(crate) LogSize);

impl EnlargedLog {
    fn small(&self, sizes: BTreeMap<String, LogSize>) -> BTreeMap<String, LogSize> {
        sizes.into_iter().filter(|(_, size)| *size < self.0).collect()
    }
}

impl Change for EnlargedLog {
    fn description(&self) -> String {
        "log buffers enlarged".into()
    }

    fn look(&self, device: &dyn Device) -> Result<Before, DeviceError> {
        let sizes = sizes(device)?;
        let state = Some(shown(&sizes));
        let before = self.small(sizes);
        let during = before.keys().map(|buffer| (buffer.clone(), self.0)).collect();
        Ok(Before {
            state,
            as_wanted: before.is_empty(),
            undo: Some(Undo::LogBuffers { before, during }),
        })
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        let small = self.small(sizes(device)?);
        small.keys().try_for_each(|buffer| resize(device, buffer, self.0))
    }

    fn verify(&self, device: &dyn Device, undo: Option<&mut Undo>) -> Result<String, DeviceError> {
        let found = sizes(device)?;
        if let Some(Undo::LogBuffers { during, .. }) = undo {
            for (buffer, size) in &found {
                during.entry(buffer.clone()).and_modify(|ours| *ours = *size);
            }
        }
        let state = shown(&found);
        if self.small(found).is_empty() {
            return Ok(state);
        }
        Err(DeviceError::Unexpected {
            what: "logcat -G".into(),
            expected: format!("buffers of {}", self.0),
            found: state,
        })
    }
}

pub(crate) fn restore(
    device: &dyn Device,
    before: &BTreeMap<String, LogSize>,
    during: &BTreeMap<String, LogSize>,
) -> Result<UndoOutcome, DeviceError> {
    let found = sizes(device)?;
    let mut changed = BTreeMap::new();
    for (buffer, size) in before {
        let now = found.get(buffer);
        if now == Some(size) {
            continue;
        }
        match now {
            Some(now) if Some(now) != during.get(buffer) => {
                changed.insert(buffer.clone(), *now);
            }
            _ => resize(device, buffer, *size)?,
        }
    }
    if !changed.is_empty() {
        return Ok(UndoOutcome::Changed(shown(&changed)));
    }
    let found = sizes(device)?;
    if before.iter().all(|(buffer, size)| found.get(buffer) == Some(size)) {
        return Ok(UndoOutcome::Back);
    }
    Err(DeviceError::Unexpected {
        what: "logcat -G".into(),
        expected: shown(before),
        found: shown(&found),
    })
}

/// Clears the buffers, so that earlier runs do not mix into this one.
#[derive(Clone, Debug)]
pub(crate) struct ClearedLog;

impl Change for ClearedLog {
    fn description(&self) -> String {
        "log buffers cleared".into()
    }

    fn look(&self, _device: &dyn Device) -> Result<Before, DeviceError> {
        Ok(Before::default())
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        // A command of its own: `a; logcat -c` in one would hide that it failed. While the log is written to fast, the
        // daemon sometimes refuses; once more is enough then.
        match run(device, "logcat -c") {
            Err(DeviceError::Refused { .. }) => run(device, "logcat -c").map(drop),
            done => done.map(drop),
        }
    }

    fn verify(
        &self,
        _device: &dyn Device,
        _undo: Option<&mut Undo>,
    ) -> Result<String, DeviceError> {
        Ok("empty".into())
    }
}
