//! Files of perf, record by record: sizes, and offsets of what is behind the records, fit again.

use super::{Mutator, put, u16_at, u64_at};

/// Bytes of the head of a file.
const HEAD: usize = 104;
/// Bytes of the head of a stream.
const STREAM: usize = 16;
/// Offsets of the place of the data, its size and the set of parts behind it, in the head.
const DATA: usize = 40;
const DATA_SIZE: usize = 48;
const FEATURES: usize = 72;
/// Bytes of a record's header: kind, flags, size.
const HEADER: usize = 8;
/// Kinds of records: those of the kernel, of perf and of simpleperf.
const KINDS: [u32; 4] = [22, 86, 32_768 + 16, 0];

pub fn mutated(mutator: &mut Mutator<'_>, bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.starts_with(b"PERFILE2") {
        return None;
    }
    let is_stream = u64_at(bytes, 8)? == STREAM as u64;
    let (from, to) = if is_stream {
        (STREAM, bytes.len())
    } else {
        let from = usize::try_from(u64_at(bytes, DATA)?).ok()?;
        let size = usize::try_from(u64_at(bytes, DATA_SIZE)?).ok()?;
        (from, from.checked_add(size)?.min(bytes.len()))
    };
    if mutator.one_in(8) {
        // Attributes and parts: what describes the records.
        let mut all = bytes.to_vec();
        let describes = if mutator.one_in(2) { 0..from.min(all.len()) } else { to..all.len() };
        mutator.word(&mut all[describes]);
        return Some(all);
    }
    let mut rest = bytes.get(from..to)?;
    let mut records = Vec::new();
    while let Some(size) = u16_at(rest, 6).filter(|size| *size >= HEADER) {
        let Some((record, behind)) = rest.split_at_checked(size) else { break };
        records.push(record.to_vec());
        rest = behind;
    }
    if records.is_empty() || mutator.one_in(4) {
        mutator.rearrange(&mut records);
    } else {
        let at = mutator.below(records.len());
        change(mutator, &mut records[at]);
    }
    let mut all = bytes.get(..from)?.to_vec();
    all.extend(records.concat());
    all.extend(rest);
    let moved = all.len() as u64;
    all.extend(bytes.get(to..)?);
    if !is_stream && from >= HEAD {
        put(&mut all, DATA_SIZE, &(moved - from as u64).to_le_bytes());
        let moved_by = moved.wrapping_sub(to as u64);
        let count: u32 = bytes[FEATURES..HEAD].iter().map(|byte| byte.count_ones()).sum();
        for nth in 0..count as usize {
            let at = moved as usize + nth * 16;
            let Some(offset) = u64_at(&all, at) else { break };
            put(&mut all, at, &offset.wrapping_add(moved_by).to_le_bytes());
        }
    }
    Some(all)
}

fn change(mutator: &mut Mutator<'_>, record: &mut Vec<u8>) {
    match mutator.below(8) {
        0 => {
            let most = KINDS[mutator.below(KINDS.len())];
            let kind = most.saturating_sub(mutator.below(24) as u32);
            put(record, 0, &kind.to_le_bytes());
        }
        1 => mutator.word(&mut record[4..6]),
        _ => {
            let mut body = record.split_off(HEADER);
            mutator.content(&mut body);
            record.extend(body);
        }
    }
    record.resize(record.len().next_multiple_of(8).min(65_528), 0);
    let size = (record.len() as u16).to_le_bytes();
    put(record, 6, &size);
}
