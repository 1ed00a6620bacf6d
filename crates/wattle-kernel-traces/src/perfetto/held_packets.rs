//! Packets whose time is questionable, until the next packet of their writer decides: see [`crate::kernel::TimeOutliers`].

use wattle_timeline::{DomainId, Severity};
use wattle_units::BootNanos;

use super::Reader;
use super::ftrace::HeldEvents;
use crate::kernel::{Judgement, TimeOutliers};
use crate::perfetto_packets::Envelope;

/// Everything of which the next event or packet of the same stream decides whether its time can be right.
#[derive(Debug, Default)]
pub(super) struct HeldBack {
    /// Kernel events, by CPU.
    pub(super) events: TimeOutliers<HeldEvents>,
    /// Packets, by writer.
    pub(super) packets: TimeOutliers<HeldPacket>,
}

/// A packet that is held; its time is boot time.
#[derive(Debug)]
pub(super) struct HeldPacket {
    envelope: Envelope,
    bytes: Box<[u8]>,
}

impl Reader<'_> {
    /// Whether a packet can be used now; if not, it is held.
    #[inline]
    pub(super) fn is_time_plausible(
        &mut self,
        envelope: &Envelope,
        time: BootNanos,
        bytes: &[u8],
    ) -> bool {
        let judgement = self.held.packets.judge(envelope.writer, time.value());
        matches!(judgement, Judgement::Plausible)
            || self.settle_packet(judgement, envelope, time, bytes)
    }

    #[cold]
    fn settle_packet(
        &mut self,
        judgement: Judgement<HeldPacket>,
        envelope: &Envelope,
        time: BootNanos,
        bytes: &[u8],
    ) -> bool {
        let is_questionable = match judgement {
            Judgement::Plausible => false,
            Judgement::PlausibleAfterOutlier(held) => {
                self.packet_set_apart(&held);
                false
            }
            Judgement::Questionable => true,
            Judgement::QuestionableAfterOutlier(held) => {
                self.packet_set_apart(&held);
                true
            }
            Judgement::Jump(held) => {
                self.packet_again(&held.envelope, &held.bytes);
                false
            }
        };
        if is_questionable {
            // A timestamp of a clock that counts differences can be turned into boot time once only.
            let timestamp = Some(time.value().cast_unsigned());
            let clock = Some(DomainId::BOOTTIME.clock);
            let envelope = Envelope { timestamp, clock, ..*envelope };
            let held = HeldPacket { envelope, bytes: bytes.into() };
            self.held.packets.hold(envelope.writer, time.value(), held);
        }
        !is_questionable
    }

    /// Uses the packets that are held at the end of the trace: nothing says that they are wrong.
    pub(super) fn finish_held_packets(&mut self) {
        for HeldPacket { envelope, bytes } in self.held.packets.finish() {
            self.packet_again(&envelope, &bytes);
        }
    }

    fn packet_set_apart(&mut self, held: &HeldPacket) {
        self.counts.unread("packet whose time cannot be right");
        self.counts.ignored.add(held.bytes.len() as u64);
        self.counts.note(Severity::Warning, "time-outlier", Some(held.envelope.offset), || {
            "packets whose time is more than a day from the packets before and after them: not used".to_owned()
        });
    }
}
