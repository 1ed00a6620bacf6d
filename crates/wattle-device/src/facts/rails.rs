//! Names of the power rails that the device's own monitor has.

use std::collections::BTreeSet;

use crate::facts::files::Files;

/// More than any monitor has.
const MOST: usize = 500;

/// The AIDL service of Android 12 and later.
pub(crate) const SERVICE: &str = "dumpsys android.hardware.power.stats.IPowerStats/default";
/// The HIDL service of Android 10 and 11. `lshal` is not there on every build.
pub(crate) const OLD_SERVICE: &str =
    "lshal debug android.hardware.power.stats@1.0::IPowerStats/default";
/// Kernel drivers of Pixel phones; readable for the shell on few.
pub(crate) const FILES: &str = "/sys/bus/iio/devices/*/enabled_rails";

/// The section that begins with one of these headings has a line a rail.
const HEADINGS: [&str; 2] = ["energy meter =", "rail energy data ="];

/// Rails of the service's text: `[S4M_VDD_CPUCL0]:CPU   1234.56 mWs`, or name and subsystem in columns of their own.
pub(crate) fn of_service(text: &str) -> BTreeSet<String> {
    let is_heading = |line: &&str| HEADINGS.iter().any(|heading| line.contains(heading));
    let lines = text.lines().skip_while(|line| !is_heading(line)).skip(1);
    let lines = lines.take_while(|line| !line.starts_with("====="));
    lines.filter_map(rail_of_line).take(MOST).collect()
}

/// The rail of a line: the last word before the energy. Old services print the subsystem first.
fn rail_of_line(line: &str) -> Option<String> {
    let before = line.split("mWs").next().filter(|before| before.len() < line.len())?;
    let mut words: Vec<&str> = before.split_whitespace().collect();
    words.pop()?.parse::<f64>().ok()?;
    name(words.last()?)
}

/// Rails of the kernel's list: `CH0[S10M_VDD_TPU]:TPU`, `CH3: S4M`, or bare names.
pub(crate) fn of_files(files: &Files<'_>) -> BTreeSet<String> {
    let lines = files.all().flat_map(|(_, content)| content.lines());
    lines.filter_map(|line| line.split_whitespace().last().and_then(name)).take(MOST).collect()
}

/// A rail's name without channel and subsystem.
fn name(word: &str) -> Option<String> {
    let inside = word.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    let name = inside.map_or_else(|| word.split(':').next().unwrap_or(word), |(name, _)| name);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!name.is_empty() && name.chars().all(plain)).then(|| name.to_owned())
}
