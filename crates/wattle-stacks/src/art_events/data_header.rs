//! The 32 bytes before the records.

use super::byte_source::number_at;

/// `kTraceMagicValue`.
pub(super) const MAGIC: &[u8] = b"SLOW";
/// `kTraceHeaderLength` and `kTraceHeaderLengthV2`.
pub(super) const LENGTH: usize = 32;
/// `0xF0` in the version: records come mixed with what they are about.
const STREAMING: u64 = 0xf0;
const MICRO: u64 = 1000;

/// Format of the data after the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordLayout {
    /// Records of one length, and where they are streamed threads, methods and the summary among them.
    Records {
        /// Bytes of a record.
        size: usize,
        /// Bytes of the thread's number.
        thread: usize,
        /// Whether threads, methods and the summary stand among them.
        is_streaming: bool,
    },
    /// Packets (`Trace::kFormatV2`, Android 15).
    Packets,
}

/// Fields of the data's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataHeader {
    /// Without the mark of streaming.
    pub version: u16,
    /// The form of what follows.
    pub layout: RecordLayout,
    /// Offset of the records.
    pub offset: usize,
    /// Reading of a clock when the trace began, nanoseconds.
    pub start: i64,
}

impl DataHeader {
    /// Whether each thread's own clock was read beside another one.
    pub fn is_dual(&self) -> bool {
        match self.layout {
            RecordLayout::Records { size, thread, .. } => size >= thread + 12,
            RecordLayout::Packets => self.version == 5,
        }
    }

    /// Reads a header.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let number = |at, length| {
            number_at(bytes, at, length).ok_or_else(|| "the file ends in its header".to_owned())
        };
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err("expected SLOW before the records, found something else".to_owned());
        }
        let word = number(4, 2)?;
        let is_streaming = word & STREAMING == STREAMING;
        let version = word & !STREAMING;
        if matches!(version, 4 | 5) {
            let start = nanos(number(6, 8)?, 1);
            let offset = LENGTH.min(bytes.len());
            return Ok(Self {
                version: version as u16,
                layout: RecordLayout::Packets,
                offset,
                start,
            });
        }
        let (size, thread) = match version {
            1 => (9, 1),
            2 => (10, 2),
            3 => (number(16, 2)? as usize, 2),
            _ => {
                return Err(format!(
                    "expected version 1 to 5, found {word}: no record can be read"
                ));
            }
        };
        if !(9 + usize::from(version > 1)..=64).contains(&size) {
            return Err(format!(
                "expected records of 10 or 14 bytes, found {size}: no record can be read"
            ));
        }
        let start = nanos(number(8, 8)?, MICRO);
        let offset = number(6, 2)? as usize;
        if offset < 16 {
            return Err(format!(
                "expected records after 32 bytes, found {offset}: no record can be read"
            ));
        }
        let layout = RecordLayout::Records { size, thread, is_streaming };
        Ok(Self { version: version as u16, layout, offset, start })
    }
}

/// Nanoseconds of a count; a count that no clock reaches is taken as none.
fn nanos(count: u64, unit: u64) -> i64 {
    let nanos = count.checked_mul(unit).and_then(|nanos| i64::try_from(nanos).ok());
    nanos.filter(|nanos| *nanos < i64::MAX / 2).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(version: u16, size: u16) -> Vec<u8> {
        let mut bytes = [MAGIC, &version.to_le_bytes(), &32_u16.to_le_bytes()].concat();
        bytes.extend(7_u64.to_le_bytes());
        bytes.extend(size.to_le_bytes());
        bytes.resize(LENGTH, 0);
        bytes
    }

    #[track_caller]
    fn check(version: u16, size: u16, expected: (u16, RecordLayout)) {
        let found = DataHeader::parse(&header(version, size)).expect("a header");
        assert_eq!((found.version, found.layout), expected);
    }

    #[test]
    fn versions() {
        let records =
            |size, thread, is_streaming| RecordLayout::Records { size, thread, is_streaming };
        check(1, 0, (1, records(9, 1, false)));
        check(2, 0, (2, records(10, 2, false)));
        check(3, 14, (3, records(14, 2, false)));
        check(3, 10, (3, records(10, 2, false)));
        check(0xf3, 14, (3, records(14, 2, true)));
        check(0xf2, 0, (2, records(10, 2, true)));
        check(4, 0, (4, RecordLayout::Packets));
        check(0xf5, 0, (5, RecordLayout::Packets));
        for (version, size) in [(0, 14), (6, 14), (3, 0), (3, 9), (3, 9999), (25610, 14)] {
            assert!(DataHeader::parse(&header(version, size)).is_err(), "{version} {size}");
        }
        assert_eq!(DataHeader::parse(&header(3, 14)).expect("a header").start, 7000);
        let whole = header(3, 14);
        assert!((0..18).all(|end| DataHeader::parse(&whole[..end]).is_err()));
    }
}
