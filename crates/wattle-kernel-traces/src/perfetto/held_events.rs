//! Kernel events whose time is questionable, until the next event of their CPU decides: see [`crate::kernel::TimeOutliers`].

use wattle_timeline::Severity;
use wattle_units::BootNanos;

use super::Reader;
use super::ftrace::{Bundle, HeldEvents, RawEvents};
use crate::kernel::Judgement;
use crate::perfetto_packets::FtraceEvent;

impl Reader<'_> {
    /// Acts on a judgement that is not simply [`Judgement::Plausible`]. Whether the event can be used now; if not, it is held.
    #[cold]
    pub(super) fn settle(
        &mut self,
        judgement: Judgement<HeldEvents>,
        time: BootNanos,
        event: impl FnOnce() -> HeldEvents,
    ) -> bool {
        match judgement {
            Judgement::Plausible => true,
            Judgement::PlausibleAfterOutlier(held) => {
                self.set_apart(&held, Some(time));
                true
            }
            Judgement::QuestionableAfterOutlier(held) => {
                self.set_apart(&held, None);
                self.settle(Judgement::Questionable, time, event)
            }
            Judgement::Questionable => {
                let event = event();
                self.held.events.hold(event.bundle.cpu, time.value(), event);
                false
            }
            Judgement::Jump(held) => {
                self.use_held(&held);
                true
            }
        }
    }

    /// Uses the events that are held at the end of the trace.
    pub(super) fn finish_held(&mut self) {
        for held in self.held.events.finish() {
            self.use_held(&held);
        }
    }

    fn use_held(&mut self, held: &HeldEvents) {
        match &held.events {
            RawEvents::Compact(bytes) => self.compact_events(&held.bundle, bytes),
            RawEvents::One { timestamp, tid, number, bytes } => {
                let Some(time) = self.event_time(&held.bundle, *timestamp) else { return };
                let (timestamp, tid, number) = (*timestamp, *tid, *number);
                let event = FtraceEvent { timestamp, tid, number, bytes };
                self.event_at(&held.bundle, time, event);
            }
        }
    }

    /// Does not use what is far from the time at which the stream goes on.
    fn set_apart(&mut self, held: &HeldEvents, near: Option<BootNanos>) {
        let (Some(near), RawEvents::Compact(bytes)) = (near, &held.events) else {
            self.far(&held.bundle);
            return;
        };
        self.scratch.near = Some(near.value());
        self.compact_events(&held.bundle, bytes);
        self.scratch.near = None;
    }

    /// Counts an event that was set apart.
    #[cold]
    pub(super) fn far(&mut self, bundle: &Bundle) {
        self.counts.unread("event whose time cannot be right");
        self.counts.note(Severity::Warning, "time-outlier", Some(bundle.offset), || {
            "events whose time is more than a day from the events before and after them: not used".to_owned()
        });
    }
}
