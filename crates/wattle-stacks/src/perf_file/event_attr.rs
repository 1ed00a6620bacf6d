//! Attributes of an event (`struct perf_event_attr`), of every size that kernels had.

use wattle_wire::ByteOrder;

/// `PERF_SAMPLE_*` (`enum perf_event_sample_format`).
pub mod sampled {
    /// Address of the instruction.
    pub const IP: u64 = 1 << 0;
    /// Process and thread.
    pub const TID: u64 = 1 << 1;
    /// Time.
    pub const TIME: u64 = 1 << 2;
    /// Address of the data.
    pub const ADDR: u64 = 1 << 3;
    /// Values of counters.
    pub const READ: u64 = 1 << 4;
    /// Call chain.
    pub const CALLCHAIN: u64 = 1 << 5;
    /// Number of the counter.
    pub const ID: u64 = 1 << 6;
    /// CPU.
    pub const CPU: u64 = 1 << 7;
    /// Events since the sample before.
    pub const PERIOD: u64 = 1 << 8;
    /// Number of the counter itself, not of its group.
    pub const STREAM_ID: u64 = 1 << 9;
    /// Data of a tracepoint.
    pub const RAW: u64 = 1 << 10;
    /// Latest branches.
    pub const BRANCH_STACK: u64 = 1 << 11;
    /// Registers of the program.
    pub const REGS_USER: u64 = 1 << 12;
    /// Copy of the program's stack.
    pub const STACK_USER: u64 = 1 << 13;
    /// Number of the counter, at the same place for all events.
    pub const IDENTIFIER: u64 = 1 << 16;
}

/// `PERF_FORMAT_*` (`enum perf_event_read_format`).
pub(super) mod read {
    pub(crate) const TOTAL_TIME_ENABLED: u64 = 1 << 0;
    pub(crate) const TOTAL_TIME_RUNNING: u64 = 1 << 1;
    pub(crate) const ID: u64 = 1 << 2;
    pub(crate) const GROUP: u64 = 1 << 3;
    pub(crate) const LOST: u64 = 1 << 4;
}

/// Bits of the flags, as machines with the low byte first have them.
mod flag {
    pub const INHERIT: u64 = 1 << 1;
    pub const FREQ: u64 = 1 << 10;
    pub const SAMPLE_ID_ALL: u64 = 1 << 18;
    pub const USE_CLOCKID: u64 = 1 << 25;
}

/// `PERF_TYPE_TRACEPOINT`.
pub const TRACEPOINT: u32 = 2;

/// The part that the oldest kernels had and that is needed.
const LEAST: usize = 48;

/// Attributes of an event, as it was opened (`struct perf_event_attr`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventAttr {
    /// `PERF_TYPE_*`.
    pub kind: u32,
    /// The event among those of its type.
    pub config: u64,
    period: u64,
    /// Fields of a sample, as a mask of [`sampled`] bits.
    pub sample_type: u64,
    /// Fields of a counter's value (`PERF_FORMAT_*`).
    pub read_format: u64,
    flags: u64,
    /// Fields of a branch (`PERF_SAMPLE_BRANCH_*`).
    pub branch_sample_type: u64,
    /// Registers of the program that samples hold, as a mask.
    pub regs_user: u64,
    clockid: i32,
    /// Frames of a chain at most; 0 is the kernel's default.
    pub max_stack: u16,
}

impl EventAttr {
    /// Reads attributes; those that a shorter structure lacks are 0. `None` if it is shorter than any.
    pub fn parse(bytes: &[u8], order: ByteOrder) -> Option<Self> {
        if bytes.len() < LEAST {
            return None;
        }
        let size = order.word(bytes, 4)? as usize;
        // Size 0 is that of the first kernels.
        let size = if size == 0 { 64 } else { size };
        let bytes = bytes.get(..size).unwrap_or(bytes);
        let long = |at| order.long(bytes, at).unwrap_or(0);
        let flags = long(40);
        Some(Self {
            kind: order.word(bytes, 0)?,
            config: long(8),
            period: long(16),
            sample_type: long(24),
            read_format: long(32),
            flags: if order.is_big { flags.reverse_bits() } else { flags },
            branch_sample_type: long(72),
            regs_user: long(80),
            clockid: order.word(bytes, 92).unwrap_or(0).cast_signed(),
            max_stack: bytes.get(108..110).and_then(|it| order.number(it)).unwrap_or(0) as u16,
        })
    }

    /// Whether samples have a field.
    #[inline]
    pub fn has(&self, sampled: u64) -> bool {
        self.sample_type & sampled != 0
    }

    /// Events of one sample, where samples have no period of their own; `None` if the kernel adjusted it while it recorded.
    pub fn fixed_period(&self) -> Option<u64> {
        (self.flags & flag::FREQ == 0).then_some(self.period)
    }

    /// Whether all records end with a thread, a time and a CPU.
    #[inline]
    pub fn sample_id_all(&self) -> bool {
        self.flags & flag::SAMPLE_ID_ALL != 0
    }

    /// Whether threads that are started later are counted, too.
    pub fn is_inherited(&self) -> bool {
        self.flags & flag::INHERIT != 0
    }

    /// The clock of times (`clockid_t`), if it was chosen.
    pub fn clockid(&self) -> Option<i32> {
        (self.flags & flag::USE_CLOCKID != 0).then_some(self.clockid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(is_big: bool, size: usize) -> Vec<u8> {
        let long = |value: u64| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
        let word = |value: u32| if is_big { value.to_be_bytes() } else { value.to_le_bytes() };
        let flags = flag::FREQ | flag::SAMPLE_ID_ALL | flag::USE_CLOCKID;
        let flags = if is_big { flags.reverse_bits() } else { flags };
        let mut bytes = [
            &word(1)[..],
            &word(size as u32),
            &long(7),
            &long(4000),
            &long(0x1e7),
            &long(4),
            &long(flags),
        ]
        .concat();
        bytes.extend(long(0).repeat(4));
        bytes.extend(long(0xff));
        bytes.extend([word(8192), word(1)].concat());
        bytes.resize(size, 0);
        bytes
    }

    #[track_caller]
    fn check(is_big: bool, size: usize, regs: u64, clock: i32) {
        let attr =
            EventAttr::parse(&bytes(is_big, size), ByteOrder { is_big }).expect("long enough");
        assert_eq!((attr.kind, attr.config, attr.sample_type, attr.read_format), (1, 7, 0x1e7, 4));
        assert_eq!(
            (attr.regs_user, attr.clockid(), attr.fixed_period()),
            (regs, Some(clock), None)
        );
        assert!(attr.sample_id_all() && !attr.is_inherited());
    }

    #[test]
    fn every_size_and_order() {
        for is_big in [false, true] {
            for size in [64, 72, 80] {
                check(is_big, size, 0, 0);
            }
            for size in [96, 104, 112, 120, 128, 136, 152] {
                check(is_big, size, 0xff, 1);
            }
        }
        assert_eq!(EventAttr::parse(&[0; 47], ByteOrder::default()), None);
    }
}
