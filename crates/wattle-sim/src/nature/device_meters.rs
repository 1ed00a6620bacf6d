//! Energy of devices beside the processor, by process.

use std::collections::VecDeque;

use wattle_units::CompensatedSum;

use crate::{Device, SplitMix64};

/// Energy of one cache miss in joules: in memory, in system cache and fabric.
const MISS: (f64, f64) = (9e-9, 2e-9);
/// Energy of a miss grows by this share when memory is busy.
const BUSY_MISS: f64 = 0.2;
/// Power of busy graphics in watts.
const GRAPHICS: f64 = 0.9;
/// Energy of a request and of a byte of storage, in joules.
const STORAGE: (f64, f64) = (45e-6, 12e-9);
/// Energy of a packet and of a byte of Wi-Fi, in joules.
const WIFI: (f64, f64) = (22e-6, 30e-9);
/// Power in watts and time in nanoseconds for which Wi-Fi stays up after a packet.
const WIFI_TAIL: (f64, i64) = (0.16, 110_000_000);

/// Work of graphics.
#[derive(Clone, Copy, Debug)]
struct Job {
    process: usize,
    nanos: i64,
}

/// Meters of all devices; processes are by index.
#[derive(Clone, Debug)]
pub(crate) struct DeviceMeters {
    start: i64,
    settled: i64,
    by_process: Vec<[CompensatedSum; Device::ALL.len()]>,
    /// Power of the screen's content while each process is in front, in watts.
    contents: Vec<f64>,
    front: Option<usize>,
    /// Work that graphics has not done, the oldest first.
    jobs: VecDeque<Job>,
    /// Who sent or received last, and until when Wi-Fi stays up for it.
    wifi: Option<(usize, i64)>,
    /// Time that graphics has worked for each process since the last report, in nanoseconds.
    active: Vec<i64>,
}

impl DeviceMeters {
    pub fn new(
        start: i64,
        processes: usize,
        brightness: Option<f64>,
        mut random: SplitMix64,
    ) -> Self {
        let drawn = random.between(0.2, 1.0);
        let brightness = brightness.map_or(drawn, |share| share.clamp(0.0, 1.0));
        let contents = (0..processes)
            .map(|_| Device::FULL_SCREEN.value() * brightness * random.between(0.4, 1.6))
            .collect();
        Self {
            start,
            settled: start,
            by_process: vec![[CompensatedSum::default(); Device::ALL.len()]; processes],
            contents,
            front: None,
            jobs: VecDeque::new(),
            wifi: None,
            active: vec![0; processes],
        }
    }

    fn add(&mut self, device: Device, process: usize, joules: f64) {
        self.by_process[process][device as usize].add(joules);
    }

    /// A process has missed the caches, while memory was so busy.
    pub fn miss(&mut self, process: usize, misses: f64, pressure: f64) {
        self.add(Device::Memory, process, misses * MISS.0 * (1.0 + BUSY_MISS * pressure));
        self.add(Device::Fabric, process, misses * MISS.1);
    }

    /// A process has moved bytes through storage.
    pub fn store(&mut self, process: usize, requests: u32, bytes: u64) {
        self.add(
            Device::Storage,
            process,
            STORAGE.0 * f64::from(requests) + STORAGE.1 * bytes as f64,
        );
    }

    /// A process has moved bytes over Wi-Fi, at an instant up to which everything is settled.
    pub fn send(&mut self, process: usize, packets: u32, bytes: u64) {
        self.add(Device::Wifi, process, WIFI.0 * f64::from(packets) + WIFI.1 * bytes as f64);
        self.wifi = Some((process, self.settled + WIFI_TAIL.1));
    }

    /// A process gives graphics so much to do, at an instant up to which everything is settled.
    pub fn draw(&mut self, process: usize, nanos: i64) {
        self.jobs.push_back(Job { process, nanos });
    }

    /// Takes the time that graphics has worked since the last report, of the processes that it worked for.
    pub fn take_active(&mut self) -> Vec<(usize, i64)> {
        let all = self.active.iter_mut().enumerate();
        all.map(|(process, nanos)| (process, std::mem::take(nanos)))
            .filter(|(_, nanos)| *nanos > 0)
            .collect()
    }

    /// A process comes to the front, at an instant up to which everything is settled.
    pub fn show(&mut self, process: usize) {
        self.front = Some(process);
    }

    /// Lets time pass up to an instant.
    pub fn settle(&mut self, now: i64) {
        let passed = now - self.settled;
        if passed <= 0 {
            return;
        }
        if let Some(front) = self.front {
            self.add(Device::Display, front, self.contents[front] * passed as f64 * 1e-9);
        }
        if let Some((process, until)) = self.wifi {
            let up = (until.min(now) - self.settled).max(0);
            self.add(Device::Wifi, process, WIFI_TAIL.0 * up as f64 * 1e-9);
        }
        let mut left = passed;
        while let Some(job) = self.jobs.front_mut().filter(|_| left > 0) {
            let done = job.nanos.min(left);
            job.nanos -= done;
            left -= done;
            let Job { process, nanos } = *job;
            if nanos == 0 {
                self.jobs.pop_front();
            }
            self.active[process] += done;
            self.add(Device::Gpu, process, GRAPHICS * done as f64 * 1e-9);
        }
        self.settled = now;
    }

    /// Energy of a device whatever apps did, up to the instant of the last settling, in joules.
    pub fn base(&self, device: Device) -> f64 {
        device.base() * (self.settled - self.start) as f64 * 1e-9
    }

    /// Energy of a device that a process has caused, in joules.
    pub fn of_process(&self, device: Device, process: usize) -> f64 {
        self.by_process.get(process).map_or(0.0, |sums| sums[device as usize].value())
    }

    /// All energy of a device, in joules.
    pub fn joules(&self, device: Device) -> f64 {
        let mut sum = CompensatedSum::default();
        for sums in &self.by_process {
            sum.merge(sums[device as usize]);
        }
        self.base(device) + sum.value()
    }
}
