//! Options of a file.

use crate::tracepoints::{Contents, CpuData};
use wattle_wire::ByteCursor;

/// Numbers of options (`trace-cmd.dat(5)`).
pub(super) mod id {
    pub const DONE: u16 = 0;
    pub const DATE: u16 = 1;
    pub const CPUSTAT: u16 = 2;
    pub const BUFFER: u16 = 3;
    pub const TRACECLOCK: u16 = 4;
    pub const UNAME: u16 = 5;
    pub const HOOK: u16 = 6;
    pub const OFFSET: u16 = 7;
    pub const CPUCOUNT: u16 = 8;
    pub const VERSION: u16 = 9;
    pub const PROCMAPS: u16 = 10;
    pub const TRACEID: u16 = 11;
    pub const TIME_SHIFT: u16 = 12;
    pub const GUEST: u16 = 13;
    pub const TSC2NSEC: u16 = 14;
    pub const STRINGS: u16 = 15;
    pub const HEADER_INFO: u16 = 16;
    pub const FTRACE_EVENTS: u16 = 17;
    pub const EVENT_FORMATS: u16 = 18;
    pub const KALLSYMS: u16 = 19;
    pub const PRINTK: u16 = 20;
    pub const CMDLINES: u16 = 21;
    pub const BUFFER_TEXT: u16 = 22;
    pub const BTF_FILE: u16 = 23;
    pub const LAST_BOOT_INFO: u16 = 24;
    pub const MODULES_FILE: u16 = 25;
}

/// Takes in an option that both versions have alike.
pub(super) fn common(id: u16, data: &[u8], contents: &mut Contents) {
    let text = || data.split(|byte| *byte == 0).next().unwrap_or_default();
    match id {
        id::DATE => {
            // Microseconds.
            contents.clock.wall_offset =
                integer(text()).and_then(|micros| micros.checked_mul(1000));
        }
        id::OFFSET => {
            contents.clock.offset =
                contents.clock.offset.saturating_add(integer(text()).unwrap_or(0));
        }
        id::CPUSTAT => {
            contents.overruns = contents.overruns.saturating_add(overruns(text()));
        }
        id::TRACECLOCK => {
            contents.clock.name = contents.clock.name.take().or_else(|| Some(clock(text())));
        }
        id::UNAME => contents.release = std::str::from_utf8(text()).ok().map(str::to_owned),
        id::TIME_SHIFT => contents.clock.is_guest = true,
        id::TSC2NSEC => {
            let mut cursor = ByteCursor::new(data, 0, contents.order);
            contents.clock.cycles =
                cursor.u32().zip(cursor.u32()).filter(|(multiplier, _)| *multiplier > 0);
        }
        id::HOOK
        | id::CPUCOUNT
        | id::VERSION
        | id::PROCMAPS
        | id::TRACEID
        | id::GUEST
        | id::STRINGS
        | id::BTF_FILE
        | id::LAST_BOOT_INFO
        | id::MODULES_FILE => {}
        _ => contents.unknown += 1,
    }
}

/// `[local] global counter …`, or the clock alone.
pub(super) fn clock(text: &[u8]) -> Vec<u8> {
    let inside = text.split(|byte| *byte == b'[').nth(1);
    let inside = inside.and_then(|rest| rest.split(|byte| *byte == b']').next());
    inside.unwrap_or(text).trim_ascii().to_vec()
}

/// Decimal, or hexadecimal with `0x`; with a sign or without.
fn integer(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let value = match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => text.parse().ok()?,
    };
    value.checked_mul(sign)
}

/// Events that a CPU's buffer lost, by the kernel's statistics of it.
fn overruns(text: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(text);
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    let of_losses = pairs
        .filter(|(key, _)| matches!(key.trim(), "overrun" | "dropped events" | "commit overrun"));
    let counts = of_losses.filter_map(|(_, value)| value.trim().parse::<u64>().ok());
    counts.fold(0, u64::saturating_add)
}

/// The buffers of CPUs: number of CPUs, then number, place and size of each.
pub(super) fn cpus(cursor: &mut ByteCursor<'_>) -> Option<Vec<CpuData>> {
    let count = cursor.count()?;
    let mut cpus = Vec::new();
    for _ in 0..count {
        let cpu = cursor.u32()?;
        cpus.push(cpu_data(cursor, cpu)?);
    }
    Some(cpus)
}

/// Place and size of a CPU's data.
pub(super) fn cpu_data(cursor: &mut ByteCursor<'_>, cpu: u32) -> Option<CpuData> {
    let (start, size) = (cursor.size()?, cursor.size()?);
    Some(CpuData { cpu, range: start..start.checked_add(size)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_options() {
        assert_eq!(clock(b"local global [boot] mono\n"), b"boot");
        assert_eq!(clock(b"mono"), b"mono");
        assert_eq!(integer(b"0x1f"), Some(31));
        assert_eq!(integer(b"-12"), Some(-12));
        assert_eq!(integer(b"x"), None);
        let stats =
            b"CPU: 0\nentries: 5\noverrun: 7\ncommit overrun: 1\nbytes: 9\ndropped events: 2\n";
        assert_eq!(overruns(stats), 10);
    }
}
