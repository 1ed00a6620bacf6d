//! GPUs, TPUs, bus clocks, network packets and disk operations while a recording is read.

use rustc_hash::FxHashMap;
use wattle_units::{BootNanos, Hertz};

use super::extent::Extent;
use super::task_lives::ThreadTable;
use super::task_log::TaskLog;
use crate::{
    DevfreqTrack, DiskOperation, GpuTimeline, GpuWorkPeriod, HardwareActivity, NameId,
    NetworkPacket, Steps, TpuTimeline,
};

#[derive(Debug, Default)]
pub(crate) struct HardwareLog {
    gpus: FxHashMap<u32, Gpu>,
    tpus: FxHashMap<u32, Tpu>,
    devfreq: Vec<(NameId, Vec<(BootNanos, Hertz)>)>,
    devfreq_index: FxHashMap<NameId, usize>,
    packets: Vec<NetworkPacket>,
    /// Threads by their kernel number until the end.
    disk: Vec<DiskOperation>,
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

impl HardwareLog {
    pub fn finish(mut self, threads: &ThreadTable<'_>) -> HardwareActivity {
        let mut gpus: Vec<_> = self.gpus.into_iter().map(|(id, gpu)| gpu.finish(id)).collect();
        gpus.sort_by_key(|gpu| gpu.id);
        let mut tpus: Vec<_> = self.tpus.into_iter().map(|(id, tpu)| tpu.finish(id)).collect();
        tpus.sort_by_key(|tpu| tpu.cluster);
        let devfreq = self.devfreq.into_iter();
        let devfreq = devfreq
            .map(|(name, changes)| DevfreqTrack { name, frequency: Steps::from_changes(changes) })
            .collect();
        self.packets.sort_by_key(|packet| packet.time);
        for operation in &mut self.disk {
            if !operation.thread.is_idle() {
                let begin = operation.window.start.value();
                operation.thread = threads.thread(operation.thread.0, begin);
            }
        }
        self.disk.sort_by_key(|operation| (operation.window.start, operation.window.end));
        HardwareActivity { gpus, tpus, devfreq, packets: self.packets, disk: self.disk }
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

impl Tpu {
    fn finish(self, cluster: u32) -> TpuTimeline {
        TpuTimeline {
            cluster,
            frequency: Steps::from_changes(self.frequency),
            requests: Steps::from_changes(self.requests),
        }
    }
}

/// Adds activity of hardware other than CPUs: see [`super::TimelineBuilder::hardware`].
#[derive(Debug)]
pub struct HardwareBuilder<'a> {
    pub(super) extent: &'a mut Extent,
    pub(super) tasks: &'a mut TaskLog,
    pub(super) log: &'a mut HardwareLog,
}

impl HardwareBuilder<'_> {
    /// The GPU runs at this frequency from now on.
    pub fn gpu_frequency(&mut self, gpu: u32, time: BootNanos, frequency: Hertz) {
        self.extent.reach(time);
        self.log.gpus.entry(gpu).or_default().frequency.push((time, frequency));
    }

    /// The GPU's power state from now on (see [`GpuTimeline::power_state`]).
    pub fn gpu_power_state(&mut self, gpu: u32, time: BootNanos, state: u8) {
        self.extent.reach(time);
        self.log.gpus.entry(gpu).or_default().power_state.push((time, state));
    }

    /// An app had work on the GPU. The window of the timeline stays as it is: periods are reported late.
    pub fn gpu_work(&mut self, gpu: u32, period: GpuWorkPeriod) {
        self.log.gpus.entry(gpu).or_default().work.push(period);
    }

    /// The TPU cluster runs at this frequency from now on.
    pub fn tpu_frequency(&mut self, cluster: u32, time: BootNanos, frequency: Hertz) {
        self.extent.reach(time);
        self.log.tpus.entry(cluster).or_default().frequency.push((time, frequency));
    }

    /// So many requests are in flight on the TPU cluster from now on.
    pub fn tpu_requests(&mut self, cluster: u32, time: BootNanos, requests: u32) {
        self.extent.reach(time);
        self.log.tpus.entry(cluster).or_default().requests.push((time, requests));
    }

    /// A bus or memory clock from now on.
    pub fn devfreq(&mut self, device: NameId, time: BootNanos, frequency: Hertz) {
        self.extent.reach(time);
        let tracks = &mut self.log.devfreq;
        let index = *self.log.devfreq_index.entry(device).or_insert(tracks.len());
        if index == tracks.len() {
            tracks.push((device, Vec::new()));
        }
        if let Some((_, changes)) = tracks.get_mut(index) {
            changes.push((time, frequency));
        }
    }

    /// A network packet, or a bundle of equal ones.
    pub fn packet(&mut self, packet: NetworkPacket) {
        self.extent.reach(packet.time);
        self.log.packets.push(packet);
    }

    /// A disk operation, with the kernel's number of its thread; 0 where it is not known which thread asked for it.
    pub fn disk_operation(&mut self, pid: Option<u32>, operation: DiskOperation) {
        self.extent.reach(operation.window.start);
        self.extent.reach(operation.window.end);
        let begin = operation.window.start.value();
        match pid {
            _ if operation.thread.is_idle() => {}
            Some(pid) => self.tasks.member(begin, operation.thread.0, pid),
            None => self.tasks.mention_thread(begin, operation.thread.0),
        }
        self.log.disk.push(operation);
    }
}
