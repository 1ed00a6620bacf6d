//! Functions that simpleperf collected while it recorded: the features `file` and `file2`, and the records that came before them.

use wattle_wire::{Fields, Value};

use super::code_file::{CodeFileKind, CodeFiles};
use super::feature::text;
use wattle_wire::{ByteCursor, ByteOrder};

/// `FileFeature` of `record_file.proto`.
mod file_feature {
    pub const PATH: u32 = 1;
    pub const TYPE: u32 = 2;
    pub const MIN_VADDR: u32 = 3;
    pub const SYMBOL: u32 = 4;
    pub const ELF_FILE: u32 = 6;
    pub const KERNEL_MODULE: u32 = 7;
}

/// The feature `file`: files one after the other. Whether it was whole.
pub(super) fn read_files(bytes: &[u8], order: ByteOrder, dsos: &mut CodeFiles) -> bool {
    let mut cursor = ByteCursor::new(bytes, 0, order);
    while cursor.at < bytes.len() {
        let file = cursor.count().and_then(|size| cursor.take(size));
        if file.and_then(|file| read_file(file, order, dsos)).is_none() {
            return false;
        }
    }
    true
}

fn read_file(bytes: &[u8], order: ByteOrder, dsos: &mut CodeFiles) -> Option<()> {
    let mut cursor = ByteCursor::new(bytes, 0, order);
    let path = cursor.text()?;
    let kind = CodeFileKind::from_number(u64::from(cursor.u32()?));
    let min_vaddr = cursor.u64()?;
    let symbols = cursor.u32()?;
    for _ in 0..symbols {
        let (start, len) = (cursor.u64()?, cursor.u32()?);
        let name = cursor.text()?;
        dsos.symbol(path, kind, (start, u64::from(len)), name);
    }
    if kind == CodeFileKind::Dex {
        let count = cursor.count()?;
        cursor.take(count.checked_mul(8)?)?;
    }
    if let Some(dso) = dsos.add(path, kind) {
        dso.min_vaddr = min_vaddr;
        // Since Android 10; all ones where simpleperf did not know it.
        dso.offset_of_min_vaddr = cursor.u64().filter(|offset| *offset != u64::MAX);
    }
    Some(())
}

/// The feature `file2`: messages with their size before them. Whether it was whole.
pub(super) fn read_files2(bytes: &[u8], order: ByteOrder, dsos: &mut CodeFiles) -> bool {
    let mut cursor = ByteCursor::new(bytes, 0, order);
    while cursor.at < bytes.len() {
        let Some(message) = cursor.count().and_then(|size| cursor.take(size)) else { return false };
        if !read_file2(message, dsos) {
            return false;
        }
    }
    true
}

fn read_file2(message: &[u8], dsos: &mut CodeFiles) -> bool {
    let find = |number| Fields::find(message, number);
    let path = find(file_feature::PATH).map_or(&[][..], Value::bytes);
    let kind = CodeFileKind::from_number(find(file_feature::TYPE).map_or(0, Value::uint));
    let place = find(file_feature::ELF_FILE).or_else(|| find(file_feature::KERNEL_MODULE));
    if let Some(dso) = dsos.add(path, kind) {
        dso.min_vaddr = find(file_feature::MIN_VADDR).map_or(0, Value::uint);
        dso.offset_of_min_vaddr =
            place.map(|place| Fields::find(place.bytes(), 1).map_or(0, Value::uint));
    }
    let mut is_whole = true;
    for field in Fields::new(message) {
        let Ok(field) = field else {
            is_whole = false;
            break;
        };
        if field.number == file_feature::SYMBOL {
            let symbol = field.value.bytes();
            let number = |number| Fields::find(symbol, number).map_or(0, Value::uint);
            let name = Fields::find(symbol, 3).map_or(&[][..], Value::bytes);
            dsos.symbol(path, kind, (number(1), number(2)), name);
        }
    }
    is_whole
}

/// `SIMPLE_PERF_RECORD_DSO`: number, kind and path of a file.
pub(super) fn dso_record(body: &[u8], order: ByteOrder) -> Option<(u64, CodeFileKind, u64, &[u8])> {
    let mut cursor = ByteCursor::new(body, 0, order);
    let (kind, id, min_vaddr) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
    Some((id, CodeFileKind::from_number(kind), min_vaddr, text(body.get(cursor.at..)?)))
}

/// `SIMPLE_PERF_RECORD_SYMBOL`: number of its file, address and length, name.
pub(super) fn symbol_record(body: &[u8], order: ByteOrder) -> Option<(u64, (u64, u64), &[u8])> {
    let mut cursor = ByteCursor::new(body, 0, order);
    let (start, len, dso) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
    Some((dso, (start, len), text(body.get(cursor.at..)?)))
}
