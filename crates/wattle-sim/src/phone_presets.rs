//! Phones to simulate.

use wattle_units::{Hertz, Nanos, Volts, Watts};

use crate::SplitMix64;
use crate::{
    BatterySpec, ClusterSpec, CurrentReading, CurvePoint, Device, DeviceSpec, PhoneSpec, RailClock,
    RailLoad, RailSpec, RecorderSpec,
};

/// Parameters of a cluster's curve: `active = capacitance · f · V(f)²`, the form of CMOS switching power, with a
/// voltage that grows with the frequency.
#[derive(Clone, Copy, Debug)]
struct Silicon {
    megahertz: (f64, f64),
    points: u32,
    /// Active power at the highest frequency, in milliwatts.
    highest: f64,
    /// Static power at the highest frequency, in milliwatts.
    leakage: f64,
    exit_micros: i64,
}

impl Silicon {
    fn cluster(self, cores: u32, work_per_cycle: f64) -> ClusterSpec {
        let (low, high) = self.megahertz;
        let steps = f64::from(self.points.max(2) - 1);
        let volts = |megahertz: f64| 0.55 + 0.5 * (megahertz / high).powi(2);
        let switching = |megahertz: f64| megahertz * volts(megahertz).powi(2);
        let curve = (0..self.points.max(2))
            .map(|point| {
                let megahertz = low + (high - low) * f64::from(point) / steps;
                let active = self.highest * switching(megahertz) / switching(high);
                CurvePoint {
                    // Whole megahertz, as kernels have them.
                    frequency: Hertz::from_kilohertz(megahertz.round() as u64 * 1000),
                    static_power: milliwatts(self.leakage * volts(megahertz) / volts(high)),
                    active: milliwatts(active),
                    idle0: milliwatts(3.0 + 0.06 * active),
                    idle1: Watts::ZERO,
                }
            })
            .collect();
        let deep_idle_exit = Nanos::new(self.exit_micros * 1000);
        ClusterSpec { cores, curve, deep_idle_exit, work_per_cycle }
    }
}

/// To a hundredth, as published tables have them.
fn milliwatts(value: f64) -> Watts {
    Watts::from_milliwatts((value * 100.0).round() / 100.0)
}

const LITTLE: Silicon = Silicon {
    megahertz: (300.0, 1800.0),
    points: 10,
    highest: 180.0,
    leakage: 24.0,
    exit_micros: 0,
};
const MIDDLE: Silicon = Silicon {
    megahertz: (400.0, 2250.0),
    points: 12,
    highest: 620.0,
    leakage: 30.0,
    exit_micros: 100,
};
const BIG: Silicon = Silicon {
    megahertz: (500.0, 2800.0),
    points: 14,
    highest: 1900.0,
    leakage: 48.0,
    exit_micros: 200,
};

impl PhoneSpec {
    /// Two little and two big cores, no rails, no battery: for fast tests.
    pub fn small() -> Self {
        Self {
            device: device("sim/small", "SimSmall"),
            clusters: vec![LITTLE.cluster(2, 1.0), BIG.cluster(2, 2.0)],
            rails: Vec::new(),
            unmetered: Vec::new(),
            brightness: None,
            battery: None,
            recorder: RecorderSpec::default(),
        }
    }

    /// Four little, two middle and two big cores with an on-device power monitor and a battery, after the
    /// Pixel 6 family.
    pub fn pixel_like() -> Self {
        let clusters = vec![LITTLE.cluster(4, 1.0), MIDDLE.cluster(2, 1.6), BIG.cluster(2, 2.2)];
        let mut rails = cpu_rails(clusters.len());
        for (name, subsystem, power) in
            [("VSYS_PWR_DISPLAY", "Display", 0.62), ("L15M_VDD_SLC_M", "SLC", 0.045)]
        {
            rails.push(rail(name, subsystem, vec![RailLoad::Constant(Watts::new(power))]));
        }
        Self {
            device: device("sim/pixel_like", "SimPixel"),
            clusters,
            rails,
            unmetered: Vec::new(),
            brightness: None,
            battery: Some(BatterySpec {
                voltage: Volts::new(4.05),
                period: Nanos::new(1_000_000_000),
                reading: CurrentReading::Android,
                rest: Watts::new(0.31),
                charger: Watts::ZERO,
                // 4410 mAh.
                capacity_coulombs: 15_876.0,
                charge_coulombs: 0.8 * 15_876.0,
            }),
            recorder: RecorderSpec::default(),
        }
    }

    /// The same phone with rails for every device whose power follows from what apps do, with names of the Pixel 6 family,
    /// instead of rails that always draw the same.
    #[must_use]
    pub fn with_device_rails(mut self) -> Self {
        let devices = [
            ("S2S_VDD_G3D", "GPU", Device::Gpu),
            ("VSYS_PWR_DISPLAY", "Display", Device::Display),
            ("L2S_PLL_MIPI_UFS", "UFS(Disk)", Device::Storage),
            ("VSYS_PWR_WLAN_BT", "WLAN_BT", Device::Wifi),
        ];
        self = self.with_memory_rails();
        self.rails.retain(|rail| rail.name != "VSYS_PWR_DISPLAY");
        self.add_devices(&devices);
        self
    }

    /// The same phone with rails of memory and fabric whose power follows from cache misses.
    #[must_use]
    pub fn with_memory_rails(mut self) -> Self {
        self.rails.retain(|rail| rail.name != "L15M_VDD_SLC_M");
        self.add_devices(&[
            ("S1M_VDD_MIF", "Memory(MIF)", Device::Memory),
            ("L15M_VDD_SLC_M", "SLC", Device::Fabric),
        ]);
        self
    }

    fn add_devices(&mut self, devices: &[(&str, &str, Device)]) {
        for (name, subsystem, device) in devices {
            self.rails.push(rail(name, subsystem, vec![RailLoad::Device(*device)]));
        }
    }

    /// A phone of 1 to 4 clusters with 1 to 10 CPUs in all, no two alike; rails, clocks and the form of
    /// its trace differ too.
    pub fn random(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed).fork(3);
        let cpus = 1 + random.below(10) as u32;
        let wanted = (1 + random.below(4) as u32).min(cpus);
        let mut clusters = Vec::new();
        let mut left = cpus;
        for index in 0..wanted {
            let others = wanted - index - 1;
            let cores =
                if others == 0 { left } else { 1 + random.below(u64::from(left - others)) as u32 };
            left -= cores;
            let strength = f64::from(index) + random.unit();
            let lowest = random.between(200.0, 600.0);
            let silicon = Silicon {
                megahertz: (lowest, lowest + random.between(800.0, 1600.0) + 300.0 * strength),
                points: 2 + random.below(14) as u32,
                highest: 120.0 * 2.3_f64.powf(strength) * random.between(0.8, 1.25),
                leakage: if random.chance(0.3) { 0.0 } else { random.between(5.0, 60.0) },
                exit_micros: if random.chance(0.4) {
                    0
                } else {
                    random.between(20.0, 450.0) as i64
                },
            };
            clusters.push(silicon.cluster(cores, 1.0 + 0.5 * f64::from(index)));
        }
        let mut rails = Vec::new();
        if random.chance(0.5) {
            rails = cpu_rails(clusters.len());
            let clock = match random.below(3) {
                0 => RailClock::BootMillis,
                1 => RailClock::Boot,
                _ => RailClock::MonotonicRaw,
            };
            for rail in &mut rails {
                rail.clock = clock;
                rail.period = Nanos::new((10 + random.below(240) as i64) * 1_000_000);
                // A meter that samples more often counts less noise each time.
                rail.noise_microjoules = random.between(0.0, 0.4) * rail.period.milliseconds();
            }
        }
        Self {
            device: device(&format!("sim/random{seed}"), &format!("SimRandom{seed}")),
            clusters,
            rails,
            unmetered: Vec::new(),
            brightness: None,
            battery: None,
            recorder: RecorderSpec {
                compact_sched: random.chance(0.5),
                raw_clock_skew_ppm: random.between(-80.0, 80.0),
                ..RecorderSpec::default()
            },
        }
    }
}

fn device(product: &str, soc: &str) -> DeviceSpec {
    let name = product.rsplit('/').next().unwrap_or(product);
    DeviceSpec {
        fingerprint: format!("{product}/{name}:16/BP2A.250605.031/1:user/release-keys"),
        manufacturer: "Wattle".to_owned(),
        soc: soc.to_owned(),
        sdk: 36,
        kernel: "6.1.99-android14-11-simulated".to_owned(),
    }
}

/// Rails of the processor, with the names of the Pixel 6 family: the first cluster has one, the last has one,
/// and those between share one (as the two middle clusters of Tensor G5 do).
fn cpu_rails(clusters: usize) -> Vec<RailSpec> {
    const NAMES: [(&str, &str); 3] = [
        ("S4M_VDD_CPUCL0", "CPU(LITTLE)"),
        ("S3M_VDD_CPUCL1", "CPU(MID)"),
        ("S2M_VDD_CPUCL2", "CPU(BIG)"),
    ];
    let mut loads: [Vec<RailLoad>; 3] = Default::default();
    for cluster in 0..clusters {
        let place = if cluster >= 2 && cluster + 1 == clusters { 2 } else { cluster.min(1) };
        loads[place].push(RailLoad::Cluster(cluster));
    }
    NAMES
        .iter()
        .zip(loads)
        .filter(|(_, loads)| !loads.is_empty())
        .map(|((name, subsystem), loads)| rail(name, subsystem, loads))
        .collect()
}

fn rail(name: &str, subsystem: &str, loads: Vec<RailLoad>) -> RailSpec {
    RailSpec {
        name: name.to_owned(),
        subsystem: subsystem.to_owned(),
        loads,
        period: Nanos::new(50_000_000),
        noise_microjoules: 8.0,
        quantum_microjoules: 1,
        start_microjoules: 3_141_592_653,
        clock: RailClock::BootMillis,
        stamp_error: Nanos::ZERO,
    }
}
