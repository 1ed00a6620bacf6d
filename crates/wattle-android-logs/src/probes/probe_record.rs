//! Records of probes as the sinks `file` and `logcat` keep them (`docs/probe-formats.md`).

/// Kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Enter,
    Exit,
    Unwind,
    Call,
    Back,
    Fail,
    Drain,
    Drained,
}

const KINDS: [Kind; 8] = [
    Kind::Enter,
    Kind::Exit,
    Kind::Unwind,
    Kind::Call,
    Kind::Back,
    Kind::Fail,
    Kind::Drain,
    Kind::Drained,
];

/// The letters of log lines, in the order of the kinds.
const LETTERS: &[u8; 8] = b"EXUCBFDR";

/// Ids are below this.
const IDS: u64 = 1 << 28;

/// One record: monotonic nanoseconds, and `id << 3 | kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub time: i64,
    code: u32,
}

impl Record {
    /// From the number that the file has; `None` if the id is impossible.
    pub fn from_code(time: i64, code: u64) -> Option<Self> {
        (code >> 3 < IDS).then_some(Self { time, code: code as u32 })
    }

    /// From a letter and an id of a log line.
    pub fn from_letter(time: i64, letter: u8, id: u64) -> Option<Self> {
        let kind = LETTERS.iter().position(|known| *known == letter)? as u64;
        (id < IDS).then_some(Self { time, code: (id << 3 | kind) as u32 })
    }

    pub fn kind(self) -> Kind {
        KINDS.get((self.code & 7) as usize).copied().unwrap_or(Kind::Enter)
    }

    pub fn id(self) -> u32 {
        self.code >> 3
    }

    /// Returns the number of bytes that a returned call moved; 0 where none or not known, and for all other kinds.
    pub fn bytes(self) -> u32 {
        if self.kind() == Kind::Back { self.id() } else { 0 }
    }
}
