//! Events in order of time into the timeline.

use wattle_timeline::{ArtifactQuality, TimelineBuilder};

use super::clock::EventClock;
use super::counts::Counts;
use super::event::EventRecord;
use super::log_header::LogHeader;
use super::merge::Sink;
use super::schema::ModernEvents;

/// What reading needs.
pub(super) struct Reader<'b> {
    builder: &'b mut TimelineBuilder,
    clock: EventClock,
    counts: Counts,
    modern: ModernEvents,
    progress: &'b mut dyn FnMut(u64),
}

impl<'b> Reader<'b> {
    pub fn new(
        builder: &'b mut TimelineBuilder,
        _log: &LogHeader,
        clock: EventClock,
        progress: &'b mut dyn FnMut(u64),
    ) -> Self {
        Self {
            builder,
            clock,
            counts: Counts::default(),
            modern: ModernEvents::default(),
            progress,
        }
    }

    /// Tells what is known at the end only.
    pub fn finish(self, quality: &mut ArtifactQuality) {
        self.counts.tell(quality);
        self.modern.finish(self.builder, quality);
    }
}

impl Sink for Reader<'_> {
    #[inline]
    fn event(&mut self, record: &EventRecord<'_>) {
        let time = self.clock.time(record.time);
        self.builder.cpu_seen(record.cpu, time);
        let is_used = self.modern.event(record, time);
        self.counts.count(record, is_used);
    }

    fn lost(&mut self, cpu: u32) {
        self.builder.cpu_lost_events(cpu);
    }

    fn progress(&mut self, done: u64) {
        (self.progress)(done);
    }
}
