//! `TRACE_LOGFILE_HEADER`: the first event of a log, in which it says what it is.
//!
//! Source: `evntrace.h` of the Windows SDK. Its two pointers (`LoggerName`, `LogFileName`) are as long as those of the system that wrote
//! it, so that what follows them lies at two places.

use super::payload::Payload;

/// Unit of event times (`ReservedFlags`, `ClientContext` of the session).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogClock {
    /// 1: `QueryPerformanceCounter`.
    PerformanceCounter,
    /// 2: units of 100 ns since 1601.
    SystemTime,
    /// 3: cycles of the CPU.
    Cycles,
}

/// Fields of a log's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogHeader {
    /// `BufferSize`.
    pub buffer_size: u32,
    /// Major and minor version of Windows.
    pub version: (u8, u8),
    /// `ProviderVersion`: the build of Windows.
    pub build: u32,
    /// `NumberOfProcessors`.
    pub cpus: u32,
    /// `EndTime`: 100 ns since 1601.
    pub end: i64,
    /// `BuffersWritten`.
    pub buffers: u32,
    /// `PointerSize`: 4 or 8.
    pub pointer_size: u8,
    /// `EventsLost`.
    pub events_lost: u32,
    /// `CpuSpeedInMHz`.
    pub megahertz: u32,
    /// `BootTime`: 100 ns since 1601.
    pub boot: i64,
    /// `PerfFreq`: ticks of the performance counter in a second.
    pub frequency: i64,
    /// `StartTime`: 100 ns since 1601.
    pub start: i64,
    /// `ReservedFlags`.
    pub clock: LogClock,
    /// `BuffersLost`.
    pub buffers_lost: u32,
    /// When it was written, in ticks of the log's clock.
    pub time: i64,
}

impl LogHeader {
    /// From the payload of the first event, and its time.
    pub fn read(bytes: &[u8], header_pointer_size: u8, time: i64) -> Option<Self> {
        let head = Payload::new(bytes, header_pointer_size);
        let pointer_size = match head.u32(44)? {
            4 => 4,
            8 => 8,
            _ => header_pointer_size,
        };
        let field = Payload::new(bytes, pointer_size);
        // Fifty-six bytes, two pointers and a TIME_ZONE_INFORMATION of 172 bytes; the times are aligned to eight.
        let times = field.after(56 + 172, 2).next_multiple_of(8);
        Some(Self {
            buffer_size: field.u32(0)?,
            version: (field.u8(4)?, field.u8(5)?),
            build: field.u32(8)?,
            cpus: field.u32(12)?,
            end: field.i64(16)?,
            buffers: field.u32(36)?,
            pointer_size,
            events_lost: field.u32(48)?,
            megahertz: field.u32(52)?,
            boot: field.i64(times).unwrap_or(0),
            frequency: field.i64(times + 8).unwrap_or(0),
            start: field.i64(times + 16).unwrap_or(0),
            clock: match field.u32(times + 24) {
                Some(2) => LogClock::SystemTime,
                Some(3) => LogClock::Cycles,
                _ => LogClock::PerformanceCounter,
            },
            buffers_lost: field.u32(times + 28).unwrap_or(0),
            time,
        })
    }

    /// Nanoseconds from the session's start to its end by the wall clock; `None` where the header does not state both.
    pub fn wall_nanos(&self) -> Option<i64> {
        let units = self.end.checked_sub(self.start).filter(|_| self.start > 0)?;
        units.checked_mul(100).filter(|nanos| *nanos > 0)
    }

    /// Windows XP and Server 2003, whose buffers begin with another header.
    pub fn is_windows_xp(&self) -> bool {
        self.version.0 < 6
    }
}
