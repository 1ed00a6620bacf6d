//! Input events (`AndroidInputEvent`): when something was touched or pressed, and when a window got it.
//!
//! They become moments on a track of the device. Which key or where on the screen is not kept.

use wattle_timeline::{Overlap, RawScope};
use wattle_units::BootNanos;
use wattle_wire::Fields;

use super::Reader;

/// `WinscopeExtensions.android_input_event` (`frameworks_native_winscope.proto`).
const ANDROID_INPUT_EVENT: u32 = 5;

/// `AndroidInputEvent` (`android_input_event.proto`): the moments that its events mean.
fn moment(number: u32) -> Option<&'static str> {
    Some(match number {
        1 | 2 => "motion",
        3 | 4 => "key",
        5 | 6 => "dispatch to a window",
        _ => return None,
    })
}

impl Reader<'_> {
    /// `WinscopeExtensions`, of which only input events are read.
    pub(super) fn winscope_extensions(&mut self, time: BootNanos, bytes: &[u8]) {
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number == ANDROID_INPUT_EVENT {
                self.input_event(time, field.value.bytes());
            } else {
                self.counts.unread(&format!("winscope_extensions field {}", field.number));
            }
        }
    }

    pub(super) fn input_event(&mut self, time: BootNanos, bytes: &[u8]) {
        let fields = Fields::new(bytes).map_while(Result::ok);
        let Some(moment) = fields.filter_map(|field| moment(field.number)).next() else {
            self.counts.unread("android_input_event of an unknown kind");
            return;
        };
        let track = self.builder.names.intern("Input events");
        let key = self.builder.code().slice_track(RawScope::Global, Some(track), Overlap::Nest, 0);
        let name = self.builder.names.intern(moment);
        self.builder.code().track_instant(time, key, name);
    }
}
