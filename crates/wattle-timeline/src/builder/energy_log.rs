//! Rails, batteries, energy consumers and meters while a recording is read.

use rustc_hash::FxHashMap;
use wattle_units::BootNanos;

use super::extent::Extent;
use super::rail_log::RailLog;
use crate::{
    BatterySample, BatteryTrack, EnergyConsumer, EnergyReadings, EnergySample, MeterTrack, NameId,
    SyncMark, Uid, Window,
};

/// A power rail: see [`EnergyBuilder::rail`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RailKey(u32);

#[derive(Debug, Default)]
pub(crate) struct EnergyLog {
    readings: EnergyReadings,
    rails: RailLog,
    /// Of samples of rails, since somebody asked for it.
    sampled: Extent,
    battery_index: FxHashMap<Option<NameId>, usize>,
    consumer_index: FxHashMap<i32, u32>,
}

impl EnergyLog {
    pub fn has_batteries(&self) -> bool {
        !self.readings.batteries.is_empty()
    }

    /// From the first to the last sample of a rail since the last call.
    pub fn take_rail_span(&mut self) -> Option<Window> {
        let span = std::mem::take(&mut self.sampled).span();
        span.map(|(first, last)| Window::new(first, last))
    }

    pub fn finish(self) -> EnergyReadings {
        let mut readings = self.readings;
        readings.rails = self.rails.finish();
        for battery in &mut readings.batteries {
            battery.samples.sort_by_key(|sample| sample.time);
        }
        readings.consumer_samples.sort_by_key(|sample| sample.time);
        readings.sync_marks.sort_by_key(|mark| mark.time);
        readings
    }
}

/// Adds readings of energy, power and batteries: see [`super::TimelineBuilder::energy`].
#[derive(Debug)]
pub struct EnergyBuilder<'a> {
    pub(super) extent: &'a mut Extent,
    pub(super) log: &'a mut EnergyLog,
}

impl EnergyBuilder<'_> {
    /// The rail with this name, of one run of the monitor.
    pub fn rail(
        &mut self,
        name: NameId,
        session: u64,
        subsystem: Option<NameId>,
        sampling_rate: u32,
    ) -> RailKey {
        RailKey(self.log.rails.rail(name, session, subsystem, sampling_rate))
    }

    /// A reading of the rail's counter, in microwatt-seconds.
    pub fn rail_sample(&mut self, key: RailKey, time: BootNanos, energy: u64) {
        self.extent.reach(time);
        self.log.sampled.reach(time);
        self.log.rails.sample(key.0, time, energy);
    }

    /// A poll of the battery with this name.
    pub fn battery(&mut self, name: Option<NameId>, sample: BatterySample) {
        self.extent.reach(sample.time);
        let batteries = &mut self.log.readings.batteries;
        let index = *self.log.battery_index.entry(name).or_insert(batteries.len());
        if index == batteries.len() {
            batteries.push(BatteryTrack { name, samples: Vec::new() });
        }
        if let Some(track) = batteries.get_mut(index) {
            track.samples.push(sample);
        }
    }

    /// A consumer of Android's energy-estimation breakdown.
    pub fn consumer(&mut self, consumer: EnergyConsumer) {
        let consumers = &mut self.log.readings.consumers;
        let next = consumers.len() as u32;
        let index = *self.log.consumer_index.entry(consumer.id).or_insert(next);
        if index == next {
            consumers.push(consumer);
        } else if let Some(known) = consumers.get_mut(index as usize) {
            *known = consumer;
        }
    }

    /// A value of the energy-estimation breakdown, in microwatt-seconds. False if the consumer is not known.
    pub fn consumer_sample(
        &mut self,
        time: BootNanos,
        consumer: i32,
        uid: Option<Uid>,
        energy: i64,
    ) -> bool {
        self.extent.reach(time);
        let Some(consumer) = self.log.consumer_index.get(&consumer).copied() else {
            return false;
        };
        self.log.readings.consumer_samples.push(EnergySample { time, consumer, uid, energy });
        true
    }

    /// Power measured by a meter. Its samples are in order.
    pub fn meter(&mut self, track: MeterTrack) {
        if let (Some(first), Some(last)) = (track.time.first(), track.time.last()) {
            self.extent.reach(*first);
            self.extent.reach(*last);
        }
        self.log.readings.meters.push(track);
    }

    /// A mark written into the recording for aligning a meter.
    pub fn sync_mark(&mut self, time: BootNanos, text: NameId) {
        self.extent.reach(time);
        self.log.readings.sync_marks.push(SyncMark { time, text });
    }
}
