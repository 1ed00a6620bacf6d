//! One event of a log, whatever header it came with.

/// A GUID as Windows lays it out in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Guid {
    /// `Data1`.
    pub(crate) data1: u32,
    /// `Data2`.
    pub(crate) data2: u16,
    /// `Data3`.
    pub(crate) data3: u16,
    /// `Data4`.
    pub(crate) data4: [u8; 8],
}

/// What kind of header an event came with, which says what its payload's layout is known by.
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
    /// Where it begins: bytes from the start of the (unpacked) log.
    pub(crate) offset: u64,
}
