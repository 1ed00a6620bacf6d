//! One event of a log, whatever header it came with.

use std::fmt;

/// A GUID as Windows lays it out in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid {
    /// `Data1`.
    pub data1: u32,
    /// `Data2`.
    pub data2: u16,
    /// `Data3`.
    pub data3: u16,
    /// `Data4`.
    pub data4: [u8; 8],
}

impl Guid {
    /// That of nothing.
    pub const NONE: Self = Self { data1: 0, data2: 0, data3: 0, data4: [0; 8] };

    /// From its five groups of digits, as they are written: `Guid::new(0x9e814aad, 0x3204, 0x11d2, 0x9a82, 0x0060_08a8_6939)`.
    pub const fn new(data1: u32, data2: u16, data3: u16, fourth: u16, fifth: u64) -> Self {
        let [a, b] = fourth.to_be_bytes();
        let [_, _, c, d, e, f, g, h] = fifth.to_be_bytes();
        Self { data1, data2, data3, data4: [a, b, c, d, e, f, g, h] }
    }

    /// From sixteen bytes as Windows lays them out in memory.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let [a, b, c, d, e, f, g, h, data4 @ ..] = bytes;
        Self {
            data1: u32::from_le_bytes([a, b, c, d]),
            data2: u16::from_le_bytes([e, f]),
            data3: u16::from_le_bytes([g, h]),
            data4,
        }
    }

    /// From text, with or without braces.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('{').trim_end_matches('}');
        let mut groups = text.split('-');
        let mut group = |digits: usize| {
            let group = groups.next().filter(|it| it.len() == digits)?;
            group
                .bytes()
                .all(|it| it.is_ascii_hexdigit())
                .then(|| u64::from_str_radix(group, 16).ok())?
        };
        let guid = Self::new(
            group(8)? as u32,
            group(4)? as u16,
            group(4)? as u16,
            group(4)? as u16,
            group(12)?,
        );
        groups.next().is_none().then_some(guid)
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { data1, data2, data3, data4: [a, b, rest @ ..] } = self;
        write!(f, "{data1:08x}-{data2:04x}-{data3:04x}-{a:02x}{b:02x}-")?;
        rest.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Kind of header of an event, which determines how its payload's layout is identified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// `SYSTEM_TRACE_HEADER` or `PERFINFO_TRACE_HEADER`: the kernel's own, by group and type.
    Kernel {
        /// `EVENT_TRACE_GROUP_*` (high byte of the hook id).
        group: u8,
    },
    /// `EVENT_TRACE_HEADER` or `EVENT_INSTANCE_HEADER`: classic, by its class's GUID and opcode (MOF).
    Classic,
    /// `MESSAGE_TRACE_HEADER`: a message of WPP, by its GUID and number (`id`), whose layout only its program's symbols know.
    Message,
    /// `EVENT_HEADER`: by manifest (provider and id) or with a schema of its own (TraceLogging).
    Modern,
}

/// One event of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventRecord<'a> {
    /// By which kind of header.
    pub(crate) kind: EventKind,
    /// Provider, or class of a classic event; zero for the kernel's own.
    pub(crate) provider: Guid,
    /// `EVENT_DESCRIPTOR.Id`; 0 where there is none.
    pub(crate) id: u16,
    /// Version of its layout.
    pub(crate) version: u8,
    /// Opcode; the type of the kernel's own events.
    pub(crate) opcode: u8,
    /// `EVENT_DESCRIPTOR.Channel`: 11 marks TraceLogging.
    pub(crate) channel: u8,
    /// `EVENT_DESCRIPTOR.Level`.
    pub(crate) level: u8,
    /// `EVENT_DESCRIPTOR.Task`.
    pub(crate) task: u16,
    /// `EVENT_DESCRIPTOR.Keyword`.
    pub(crate) keyword: u64,
    /// The process that was on the CPU; `None` where the header has none (`PERFINFO_TRACE_HEADER`).
    pub(crate) pid: Option<u32>,
    /// The thread that was on the CPU.
    pub(crate) tid: Option<u32>,
    /// `EVENT_HEADER.ActivityId`; zero where there is none.
    pub(crate) activity: Guid,
    /// The CPU whose buffer it lay in.
    pub(crate) cpu: u32,
    /// When, in ticks of the log's clock.
    pub(crate) time: i64,
    /// Size of pointers in its payload, in bytes: of the process for modern events, of the log for others.
    pub(crate) pointer_size: u8,
    /// Extended data items between header and payload (`EVENT_HEADER_EXTENDED_DATA_ITEM`), as they are; empty without.
    pub(crate) extended: &'a [u8],
    /// `MofData`/`UserData`.
    pub(crate) payload: &'a [u8],
    /// Offset in bytes from the start of the (unpacked) log.
    pub(crate) offset: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_are_written_and_read_alike() {
        let kernel = Guid::new(0x9e81_4aad, 0x3204, 0x11d2, 0x9a82, 0x0060_08a8_6939);
        let text = "9e814aad-3204-11d2-9a82-006008a86939";
        assert_eq!(kernel.to_string(), text);
        assert_eq!(Guid::parse(text), Some(kernel));
        assert_eq!(Guid::parse("{9E814AAD-3204-11D2-9A82-006008A86939}"), Some(kernel));
        let bytes =
            [0xad, 0x4a, 0x81, 0x9e, 4, 0x32, 0xd2, 0x11, 0x9a, 0x82, 0, 0x60, 8, 0xa8, 0x69, 0x39];
        assert_eq!(Guid::from_bytes(bytes), kernel);
        for text in [
            "",
            "9e814aad-3204-11d2-9a82",
            "9e814aad-3204-11d2-9a82-00600+a86939",
            &format!("{text}-0"),
        ] {
            assert_eq!(Guid::parse(text), None, "{text}");
        }
    }
}
