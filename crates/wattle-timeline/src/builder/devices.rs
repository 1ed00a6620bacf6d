//! Meters, batteries, GPUs and bus clocks while they are being read.

use rustc_hash::FxHashMap;
use wattle_units::{BootNanos, Hertz};

use super::TimelineBuilder;
use crate::{
    BatterySample, BatteryTrack, DevfreqTrack, EnergyConsumer, EnergySample, GpuTimeline,
    GpuWorkPeriod, NameId, Rail, Steps, Timeline, TpuTimeline, Uid,
};

/// A power rail: see [`TimelineBuilder::rail`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RailKey(u32);

#[derive(Debug, Default)]
pub(crate) struct Devices {
    rails: Vec<Rail>,
    rail_index: FxHashMap<(NameId, u64), u32>,
    batteries: Vec<BatteryTrack>,
    battery_index: FxHashMap<Option<NameId>, usize>,
    consumers: Vec<EnergyConsumer>,
    consumer_index: FxHashMap<i32, u32>,
    energies: Vec<EnergySample>,
    gpus: FxHashMap<u32, Gpu>,
    tpus: FxHashMap<u32, Tpu>,
    devfreq: Vec<(NameId, Vec<(BootNanos, Hertz)>)>,
    devfreq_index: FxHashMap<NameId, usize>,
}

#[derive(Debug, Default)]
struct Gpu {
    frequency: Vec<(BootNanos, Hertz)>,
    power_state: Vec<(BootNanos, u8)>,
    work: Vec<GpuWorkPeriod>,
}

#[derive(Debug, Default)]
struct Tpu {
    frequency: Vec<(BootNanos, Hertz)>,
    requests: Vec<(BootNanos, u32)>,
}

impl TimelineBuilder {
    /// The rail with this name, of one run of the monitor.
    pub fn rail(
        &mut self,
        name: NameId,
        session: u64,
        subsystem: Option<NameId>,
        sampling_rate: u32,
    ) -> RailKey {
        let devices = &mut self.devices;
        let next = devices.rails.len() as u32;
        let key = *devices.rail_index.entry((name, session)).or_insert(next);
        if key == next {
            let (time, energy) = (Vec::new(), Vec::new());
            devices.rails.push(Rail { name, subsystem, sampling_rate, time, energy });
        }
        RailKey(key)
    }

    /// What the rail's counter showed, in microwatt-seconds.
    pub fn rail_sample(&mut self, key: RailKey, time: BootNanos, energy: u64) {
        self.extend_to(time);
        if let Some(rail) = self.devices.rails.get_mut(key.0 as usize) {
            rail.time.push(time);
            rail.energy.push(energy);
        }
    }

    /// A poll of the battery with this name.
    pub fn battery(&mut self, name: Option<NameId>, sample: BatterySample) {
        self.extend_to(sample.time);
        let devices = &mut self.devices;
        let index = *devices.battery_index.entry(name).or_insert(devices.batteries.len());
        if index == devices.batteries.len() {
            devices.batteries.push(BatteryTrack { name, samples: Vec::new() });
        }
        if let Some(track) = devices.batteries.get_mut(index) {
            track.samples.push(sample);
        }
    }

    /// Whether any battery was polled so far.
    pub fn has_batteries(&self) -> bool {
        !self.devices.batteries.is_empty()
    }

    /// A consumer of the energy-estimation breakdown.
    pub fn energy_consumer(&mut self, consumer: EnergyConsumer) {
        let devices = &mut self.devices;
        let next = devices.consumers.len() as u32;
        let index = *devices.consumer_index.entry(consumer.id).or_insert(next);
        if index == next {
            devices.consumers.push(consumer);
        } else if let Some(known) = devices.consumers.get_mut(index as usize) {
            *known = consumer;
        }
    }

    /// A value of the energy-estimation breakdown. False if the consumer is not known.
    pub fn energy(
        &mut self,
        time: BootNanos,
        consumer: i32,
        uid: Option<Uid>,
        energy: i64,
    ) -> bool {
        self.extend_to(time);
        let Some(consumer) = self.devices.consumer_index.get(&consumer).copied() else {
            return false;
        };
        self.devices.energies.push(EnergySample { time, consumer, uid, energy });
        true
    }

    /// The GPU runs at this frequency from now on.
    pub fn gpu_frequency(&mut self, gpu: u32, time: BootNanos, frequency: Hertz) {
        self.extend_to(time);
        self.devices.gpus.entry(gpu).or_default().frequency.push((time, frequency));
    }

    /// The GPU's power state from now on (see [`GpuTimeline::power_state`]).
    pub fn gpu_power_state(&mut self, gpu: u32, time: BootNanos, state: u8) {
        self.extend_to(time);
        self.devices.gpus.entry(gpu).or_default().power_state.push((time, state));
    }

    /// An app had work on the GPU. Does not reach past the window by itself: periods are reported late.
    pub fn gpu_work(&mut self, gpu: u32, period: GpuWorkPeriod) {
        self.devices.gpus.entry(gpu).or_default().work.push(period);
    }

    /// The TPU cluster runs at this frequency from now on.
    pub fn tpu_frequency(&mut self, cluster: u32, time: BootNanos, frequency: Hertz) {
        self.extend_to(time);
        self.devices.tpus.entry(cluster).or_default().frequency.push((time, frequency));
    }

    /// So many requests are in flight on the TPU cluster from now on.
    pub fn tpu_requests(&mut self, cluster: u32, time: BootNanos, requests: u32) {
        self.extend_to(time);
        self.devices.tpus.entry(cluster).or_default().requests.push((time, requests));
    }

    /// A bus or memory clock from now on.
    pub fn devfreq(&mut self, device: NameId, time: BootNanos, frequency: Hertz) {
        self.extend_to(time);
        let devices = &mut self.devices;
        let index = *devices.devfreq_index.entry(device).or_insert(devices.devfreq.len());
        if index == devices.devfreq.len() {
            devices.devfreq.push((device, Vec::new()));
        }
        if let Some((_, changes)) = devices.devfreq.get_mut(index) {
            changes.push((time, frequency));
        }
    }
}

impl Devices {
    pub fn finish(self, timeline: &mut Timeline) {
        timeline.rails = self.rails.into_iter().map(sorted).collect();
        timeline.batteries = self.batteries;
        for battery in &mut timeline.batteries {
            battery.samples.sort_by_key(|sample| sample.time);
        }
        timeline.energy_consumers = self.consumers;
        timeline.energy_samples = self.energies;
        timeline.energy_samples.sort_by_key(|sample| sample.time);
        timeline.gpus = self.gpus.into_iter().map(|(id, gpu)| gpu.finish(id)).collect();
        timeline.gpus.sort_by_key(|gpu| gpu.id);
        timeline.tpus = self
            .tpus
            .into_iter()
            .map(|(cluster, tpu)| TpuTimeline {
                cluster,
                frequency: Steps::from_changes(tpu.frequency),
                requests: Steps::from_changes(tpu.requests),
            })
            .collect();
        timeline.tpus.sort_by_key(|tpu| tpu.cluster);
        let tracks = self.devfreq.into_iter();
        timeline.devfreq = tracks
            .map(|(name, changes)| DevfreqTrack { name, frequency: Steps::from_changes(changes) })
            .collect();
    }
}

impl Gpu {
    fn finish(mut self, id: u32) -> GpuTimeline {
        self.work.sort_by_key(|period| period.window.start);
        GpuTimeline {
            id,
            frequency: Steps::from_changes(self.frequency),
            power_state: Steps::from_changes(self.power_state),
            work: self.work,
        }
    }
}

fn sorted(mut rail: Rail) -> Rail {
    if !rail.time.is_sorted() {
        let mut order: Vec<usize> = (0..rail.time.len()).collect();
        order.sort_by_key(|i| rail.time[*i]);
        rail.time = order.iter().map(|i| rail.time[*i]).collect();
        rail.energy = order.iter().map(|i| rail.energy[*i]).collect();
    }
    rail
}
