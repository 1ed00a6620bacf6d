//! A sample (`PERF_RECORD_SAMPLE`), field after field in the kernel's order.

use super::event_attr::{EventAttr, read, sampled};
use wattle_wire::{ByteCursor, ByteOrder};

/// `PERF_SAMPLE_BRANCH_HW_INDEX`: one more number before the branches.
const BRANCH_HW_INDEX: u64 = 1 << 17;
/// `PERF_SAMPLE_BRANCH_COUNTERS`: one more number a branch.
const BRANCH_COUNTERS: u64 = 1 << 19;

/// `PERF_SAMPLE_REGS_ABI_64`.
const REGS_ABI_64: u64 = 2;

/// Addresses of a call chain as they lie in the file, innermost first, with the kernel's marks of context (`PERF_CONTEXT_*`).
#[derive(Clone, Copy, Debug, Default)]
pub struct CallChain<'a>(&'a [u8]);

impl<'a> CallChain<'a> {
    /// The addresses.
    pub fn iter(self, order: ByteOrder) -> impl Iterator<Item = u64> + 'a {
        self.0.chunks_exact(8).filter_map(move |bytes| order.long(bytes, 0))
    }
}

/// Value of one counter of a group (`PERF_FORMAT_GROUP`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterValue {
    /// Number of the counter.
    pub id: u64,
    /// Its count so far.
    pub value: u64,
}

/// A sample (`PERF_RECORD_SAMPLE`).
#[derive(Clone, Debug, Default)]
pub struct Sample<'a> {
    /// Address of the instruction.
    pub ip: Option<u64>,
    /// Process and thread.
    pub tid: Option<(u32, u32)>,
    /// The CPU.
    pub cpu: Option<u32>,
    /// Events since the sample before.
    pub period: Option<u64>,
    /// Values of the event's group of counters.
    pub readings: Vec<CounterValue>,
    /// The call chain.
    pub chain: Option<CallChain<'a>>,
    /// The data of a tracepoint.
    pub raw: Option<&'a [u8]>,
    /// Registers of the program, by the mask of the event.
    pub registers: Option<&'a [u8]>,
    /// Whether the registers are those of a 64-bit program (`PERF_SAMPLE_REGS_ABI_64`).
    pub is_64_bit: bool,
    /// Bytes of the program's stack that were to be copied for unwinding later.
    pub stack_size: u64,
    /// Those that were copied, from the stack pointer on.
    pub stack: &'a [u8],
}

impl<'a> Sample<'a> {
    /// Reads the body of a sample; `None` if it ends before its fields do.
    pub fn parse(body: &'a [u8], attr: &EventAttr, order: ByteOrder) -> Option<Self> {
        let mut cursor = ByteCursor::new(body, 0, order);
        let mut sample = Self::default();
        let skip = |field: u64, cursor: &mut ByteCursor<'a>| -> Option<u64> {
            if attr.has(field) { cursor.u64() } else { Some(0) }
        };
        skip(sampled::IDENTIFIER, &mut cursor)?;
        if attr.has(sampled::IP) {
            sample.ip = Some(cursor.u64()?);
        }
        if attr.has(sampled::TID) {
            sample.tid = Some((cursor.u32()?, cursor.u32()?));
        }
        for field in [sampled::TIME, sampled::ADDR, sampled::ID, sampled::STREAM_ID] {
            skip(field, &mut cursor)?;
        }
        if attr.has(sampled::CPU) {
            sample.cpu = Some(cursor.u32()?);
            cursor.u32()?;
        }
        if attr.has(sampled::PERIOD) {
            sample.period = Some(cursor.u64()?);
        }
        if attr.has(sampled::READ) {
            sample.readings = readings(&mut cursor, attr.read_format)?;
        }
        if attr.has(sampled::CALLCHAIN) {
            sample.chain = Some(CallChain(many(&mut cursor, 8)?));
        }
        if attr.has(sampled::RAW) {
            let size = cursor.count()?;
            sample.raw = Some(cursor.take(size)?);
        }
        if attr.has(sampled::BRANCH_STACK) {
            let count = cursor.size()?;
            let has = |bit: u64| usize::from(attr.branch_sample_type & bit != 0);
            let each = 24 + 8 * has(BRANCH_COUNTERS);
            let size = count.checked_mul(each)?.checked_add(8 * has(BRANCH_HW_INDEX))?;
            cursor.take(size)?;
        }
        if attr.has(sampled::REGS_USER) {
            let abi = cursor.u64()?;
            if abi != 0 {
                sample.is_64_bit = abi == REGS_ABI_64;
                sample.registers = Some(cursor.take(8 * attr.regs_user.count_ones() as usize)?);
            }
        }
        if attr.has(sampled::STACK_USER) {
            sample.stack_size = cursor.u64()?;
            // The room for it is followed by how much of it was filled.
            if sample.stack_size > 0 {
                let room = usize::try_from(sample.stack_size).ok().and_then(|it| cursor.take(it));
                let filled = cursor.u64().and_then(|filled| usize::try_from(filled).ok());
                let stack = room.zip(filled).map(|(room, it)| room.get(..it).unwrap_or(room));
                sample.stack = stack.unwrap_or_default();
            }
        }
        Some(sample)
    }

    /// The register of this number in the kernel's numbering for the machine, if it was recorded.
    pub fn register(&self, number: u32, mask: u64, order: ByteOrder) -> Option<u64> {
        let bit = 1_u64.checked_shl(number)?;
        let place = (mask & (bit - 1)).count_ones() as usize;
        if mask & bit == 0 {
            return None;
        }
        order.long(self.registers?, 8 * place)
    }
}

/// A number, and so many pieces of a size.
fn many<'a>(cursor: &mut ByteCursor<'a>, size: usize) -> Option<&'a [u8]> {
    let count = cursor.size()?;
    cursor.take(count.checked_mul(size)?)
}

/// `struct read_format`.
fn readings(cursor: &mut ByteCursor<'_>, format: u64) -> Option<Vec<CounterValue>> {
    let has = |bit: u64| format & bit != 0;
    let times =
        usize::from(has(read::TOTAL_TIME_ENABLED)) + usize::from(has(read::TOTAL_TIME_RUNNING));
    let rest = |cursor: &mut ByteCursor<'_>| -> Option<Option<u64>> {
        let id = if has(read::ID) { Some(cursor.u64()?) } else { None };
        if has(read::LOST) {
            cursor.u64()?;
        }
        Some(id)
    };
    if !has(read::GROUP) {
        cursor.u64()?;
        cursor.take(8 * times)?;
        rest(cursor)?;
        return Some(Vec::new());
    }
    let count = cursor.size()?;
    cursor.take(8 * times)?;
    let mut readings = Vec::new();
    for _ in 0..count {
        let value = cursor.u64()?;
        if let Some(id) = rest(cursor)? {
            readings.push(CounterValue { id, value });
        }
    }
    Some(readings)
}
