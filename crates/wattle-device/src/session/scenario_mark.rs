//! Marks of the scenario's beginning and end: in the trace, and on the device's clock.

use std::time::Duration;

use crate::{Device, DeviceError};

const SHORT: Duration = Duration::from_secs(10);

/// Which end of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Start,
    Stop,
}

/// A moment of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Boot time in nanoseconds, in steps of 10 ms.
    pub(super) boot_ns: Option<i64>,
    /// Its wall clock: Unix seconds.
    pub(super) real_s: Option<i64>,
}

/// Writes a mark into the kernel's trace, which every process may, and reads the clocks. A device that does not let the
/// shell write there has the mark in `recording.json` alone.
pub(super) fn mark(device: &dyn Device, end: End) -> Result<Mark, DeviceError> {
    let word = match end {
        End::Start => "S|$$|wattle:scenario|1",
        End::Stop => "F|$$|wattle:scenario|1",
    };
    let script = format!(
        "read before rest </proc/uptime\n\
         for folder in /sys/kernel/tracing /sys/kernel/debug/tracing; do\n\
         [ -w $folder/trace_marker ] && echo \"{word}\" >$folder/trace_marker && break; done 2>/dev/null\n\
         read after rest </proc/uptime; echo \"$before $after $(date +%s)\""
    );
    let said = device.shell(&script, SHORT)?;
    Ok(parse(&said.text(), end))
}

fn parse(text: &str, end: End) -> Mark {
    let mut words = text.lines().last().unwrap_or_default().split_whitespace();
    let (before, after) = (words.next().and_then(nanoseconds), words.next().and_then(nanoseconds));
    // The scenario begins after its first mark, and has ended before its last.
    let boot_ns = match end {
        End::Start => after,
        End::Stop => before,
    };
    Mark { boot_ns, real_s: words.next().and_then(|word| word.parse().ok()) }
}

/// `14291.35` seconds.
fn nanoseconds(text: &str) -> Option<i64> {
    let (whole, hundredths) = text.split_once('.')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if hundredths.len() != 2 || !digits(hundredths) || !digits(whole) {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    whole.checked_mul(100)?.checked_add(hundredths.parse().ok()?)?.checked_mul(10_000_000)
}

#[cfg(test)]
mod tests {
    use super::{End, Mark, parse};

    #[test]
    fn the_scenario_lies_between_its_marks() {
        let text = "noise\n14291.35 14291.37 1764250000\n";
        let mark = |boot_ns| Mark { boot_ns: Some(boot_ns), real_s: Some(1_764_250_000) };
        assert_eq!(parse(text, End::Start), mark(14_291_370_000_000));
        assert_eq!(parse(text, End::Stop), mark(14_291_350_000_000));
        for text in ["", "x", "1 2 3", "1.2 3.4 5", "99999999999999999999.00 1.00 x"] {
            assert_eq!(
                parse(text, End::Start).boot_ns.filter(|ns| *ns != 1_000_000_000),
                None,
                "{text}"
            );
        }
    }
}
