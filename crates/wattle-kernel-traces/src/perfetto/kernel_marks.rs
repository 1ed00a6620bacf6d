//! Drivers' imitations of atrace marks: display, camera, 2-D engine, panel and vendor variants.

use wattle_units::BootNanos;
use wattle_wire::Fields;

use super::Reader;
use crate::kernel::Mark;

/// `FtraceEvent`: the marks and where each keeps what.
struct Layout {
    event: u32,
    pid: u32,
    name: u32,
    /// One of the letters of atrace.
    kind: u32,
    /// 1 for begin and 0 for end, where there is no letter.
    begin: u32,
    value: u32,
    /// Their pid is not that of the writing thread's process.
    distrust_pid: bool,
}

/// A driver's mark, with the fields of all kinds.
struct DriverMark<'a> {
    /// One of the letters of atrace.
    kind: u8,
    pid: u32,
    name: &'a [u8],
    value: i64,
}

const NO: u32 = 0;

const fn layout(event: u32, [pid, name, kind, begin, value]: [u32; 5]) -> Layout {
    Layout { event, pid, name, kind, begin, value, distrust_pid: false }
}

/// `DpuTracingMarkWriteFtraceEvent` names other processes than the writer's.
const DPU: Layout = Layout { distrust_pid: true, ..layout(348, [1, 4, 5, NO, 6]) };

const LAYOUTS: [Layout; 8] = [
    // TracingMarkWriteFtraceEvent (mdss)
    layout(80, [1, 2, NO, 3, NO]),
    // SdeTracingMarkWriteFtraceEvent
    layout(333, [1, 2, 3, 5, 4]),
    DPU,
    // G2dTracingMarkWriteFtraceEvent
    layout(349, [1, 4, 5, NO, 6]),
    // MaliTracingMarkWriteFtraceEvent
    layout(350, [2, 1, 3, NO, 4]),
    // LwisTracingMarkWriteFtraceEvent
    layout(467, [3, 4, 2, NO, 5]),
    // SamsungTracingMarkWriteFtraceEvent
    layout(484, [1, 2, 4, NO, 5]),
    // PanelWriteGenericFtraceEvent
    layout(490, [1, 4, 5, NO, 6]),
];

/// `ZeroFtraceEvent`: flags of its own (`systrace.proto`).
const ZERO: u32 = 331;
const ZERO_BEGIN: u64 = 1;
const ZERO_END: u64 = 2;
const ZERO_COUNTER: u64 = 4;

impl Reader<'_> {
    /// Reads a driver's mark. Whether the event is one.
    pub(super) fn kernel_mark(
        &mut self,
        time: BootNanos,
        tid: u32,
        number: u32,
        bytes: &[u8],
    ) -> bool {
        if number == ZERO {
            self.zero_mark(time, tid, bytes);
            return true;
        }
        let Some(layout) = LAYOUTS.iter().find(|layout| layout.event == number) else {
            return false;
        };
        let (mut pid, mut name, mut kind, mut begin, mut value) = (0, &[][..], 0, None, 0);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                number if number == layout.pid => pid = field.value.uint() as u32,
                number if number == layout.name => name = field.value.bytes(),
                number if number == layout.kind => kind = field.value.uint(),
                number if number == layout.begin => begin = Some(field.value.bool()),
                number if number == layout.value => value = field.value.int(),
                _ => {}
            }
        }
        let kind = match (u8::try_from(kind), begin) {
            (Ok(0), Some(true)) => b'B',
            (Ok(0), Some(false)) => b'E',
            (Ok(kind), _) => kind,
            (Err(_), _) => 0,
        };
        if layout.distrust_pid && kind != b'C' {
            pid = 0;
        }
        self.driver_mark(time, tid, &DriverMark { kind, pid, name, value });
        true
    }

    fn zero_mark(&mut self, time: BootNanos, tid: u32, bytes: &[u8]) {
        let (mut flag, mut name, mut pid, mut value) = (0, &[][..], 0, 0);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                1 => flag = field.value.uint(),
                2 => name = field.value.bytes(),
                3 => pid = field.value.uint() as u32,
                4 => value = field.value.int(),
                _ => {}
            }
        }
        let kind = match flag {
            flag if flag & ZERO_BEGIN != 0 => b'B',
            flag if flag & ZERO_END != 0 => b'E',
            flag if flag & ZERO_COUNTER != 0 => b'C',
            _ => 0,
        };
        self.driver_mark(time, tid, &DriverMark { kind, pid, name, value });
    }

    fn driver_mark(&mut self, time: BootNanos, tid: u32, mark: &DriverMark<'_>) {
        let DriverMark { kind, pid, name, value } = *mark;
        let mark = match kind {
            b'B' => Mark::Begin { pid, name },
            b'E' => Mark::End { pid },
            b'I' => Mark::Instant { pid, name },
            b'C' => Mark::Counter { pid, name, value },
            _ => return self.counts.unread("driver's mark of an unknown kind"),
        };
        self.kernel.mark(self.builder, time, tid, mark);
    }
}
