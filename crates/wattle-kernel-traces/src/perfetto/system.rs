//! The device: system information, CPUs, Android properties, polls of `/sys`.

use wattle_timeline::{
    Architecture, CpuFacts, Emulator, MAX_CPUS, OperatingSystem, RawScope, Severity,
};
use wattle_units::{BootNanos, Hertz};
use wattle_wire::{Fields, Value};

use super::Reader;
use crate::kernel::device_state;

/// `SystemInfo` (`system_info.proto`).
mod info {
    pub const UTSNAME: u32 = 1;
    pub const ANDROID_BUILD_FINGERPRINT: u32 = 2;
    pub const ANDROID_SDK_VERSION: u32 = 5;
    pub const ANDROID_SOC_MODEL: u32 = 9;
    pub const ANDROID_GUEST_SOC_MODEL: u32 = 13;
    pub const ANDROID_DEVICE_MANUFACTURER: u32 = 14;
    /// `Utsname`.
    pub const RELEASE: u32 = 3;
    pub const MACHINE: u32 = 4;
}

/// `SysStats` (`sys_stats.proto`).
mod sys {
    pub const CPU_STAT: u32 = 3;
    pub const CPUFREQ_KHZ: u32 = 11;
    /// `ThermalZone`: whole degrees Celsius (2) of a zone of a type (3).
    pub const THERMAL_ZONE: u32 = 15;
    pub const CPUIDLE_STATE: u32 = 16;
    pub const GPUFREQ_MHZ: u32 = 17;
}

/// `SysStats.CpuTimes`: nanoseconds since boot, in steps of the kernel's ticks.
mod cpu_times {
    pub const CPU: u32 = 1;
    /// User, nice, system, hard interrupts, soft interrupts, steal.
    pub const BUSY: [u32; 6] = [2, 3, 4, 7, 8, 9];
    /// Idle, waiting for input and output.
    pub const IDLE: [u32; 2] = [5, 6];
}

/// Polled GPUs are told by their place in the list.
const MAX_POLLED: usize = 64;

fn owned(bytes: &[u8]) -> Option<String> {
    (!bytes.is_empty()).then(|| String::from_utf8_lossy(bytes).into_owned())
}

impl Reader<'_> {
    pub(super) fn system_info(&mut self, bytes: &[u8]) {
        let device = &mut self.builder.device;
        for field in Fields::new(bytes).map_while(Result::ok) {
            let text = field.value.bytes();
            match field.number {
                info::UTSNAME => {
                    let part = |number| Fields::find(text, number).and_then(|v| owned(v.bytes()));
                    let parts = [part(info::RELEASE), part(info::MACHINE)];
                    device.architecture =
                        part(info::MACHINE).as_deref().and_then(Architecture::from_machine);
                    let kernel: Vec<_> = parts.into_iter().flatten().collect();
                    device.kernel = (!kernel.is_empty()).then(|| kernel.join(" "));
                }
                info::ANDROID_BUILD_FINGERPRINT => device.fingerprint = owned(text),
                info::ANDROID_SDK_VERSION => device.sdk = Some(field.value.uint() as u32),
                info::ANDROID_SOC_MODEL => device.soc = owned(text),
                info::ANDROID_GUEST_SOC_MODEL => device.guest_soc = owned(text),
                info::ANDROID_DEVICE_MANUFACTURER => device.manufacturer = owned(text),
                _ => {}
            }
        }
        // The recorder writes these where the build has no name, and where it is too long for an old way to ask for it.
        let is_name = |text: &str| text != "[unknown]" && !text.starts_with("Must use __system_");
        if device.fingerprint.as_deref().is_some_and(|text| !is_name(text)) {
            device.fingerprint = None;
        }
        // Perfetto also records other Linuxes; old traces of Android name no build, but their phones are no PCs.
        let kernel = device.kernel.as_deref().unwrap_or_default();
        let is_pc = kernel.ends_with(" x86_64") && !kernel.contains("android");
        let has_build = device.fingerprint.is_some() || device.sdk.is_some();
        if has_build || kernel.contains("-android") {
            device.system = Some(OperatingSystem::Android);
        } else if is_pc && device.guest_soc.is_none() {
            device.system = Some(OperatingSystem::Linux);
        }
    }

    pub(super) fn cpu_info(&mut self, bytes: &[u8]) {
        let mut cpus = Vec::new();
        for field in Fields::new(bytes).map_while(Result::ok).filter(|f| f.number == 1) {
            let mut cpu = CpuFacts::default();
            for field in Fields::new(field.value.bytes()).map_while(Result::ok) {
                match field.number {
                    1 => cpu.processor = owned(field.value.bytes()),
                    2 => cpu.frequencies.extend(field.value.varints().map(Hertz::from_kilohertz)),
                    3 => cpu.capacity = Some(field.value.uint() as u32),
                    _ => {}
                }
            }
            cpu.frequencies.sort_unstable();
            cpus.push(cpu);
        }
        self.builder.device.cpus = cpus;
    }

    pub(super) fn sys_stats(&mut self, time: BootNanos, bytes: &[u8]) {
        let (mut cpu, mut gpu) = (0, 0);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                sys::CPUFREQ_KHZ => {
                    for kilohertz in field.value.varints() {
                        let frequency = Hertz::from_kilohertz(kilohertz);
                        self.builder.cpus().polled_frequency(cpu, time, frequency);
                        cpu += 1;
                    }
                }
                sys::GPUFREQ_MHZ => {
                    for megahertz in field.value.varints().take(MAX_POLLED) {
                        let frequency = Hertz::from_kilohertz(megahertz.saturating_mul(1000));
                        self.builder.hardware().gpu_frequency(gpu, time, frequency);
                        gpu += 1;
                    }
                }
                sys::THERMAL_ZONE => self.thermal_zone(time, field.value.bytes()),
                sys::CPU_STAT => self.cpu_times(time, field.value.bytes()),
                sys::CPUIDLE_STATE => self.idle_residencies(time, field.value.bytes()),
                number => self.counts.unread(&format!("sys_stats field {number}")),
            }
        }
    }

    /// `SysStats.ThermalZone`, under the name and in the unit that the kernel's events have.
    fn thermal_zone(&mut self, time: BootNanos, bytes: &[u8]) {
        let of_type = Fields::find(bytes, 3).map_or(&[][..], |it| it.bytes()).trim_ascii();
        let Some(celsius) = Fields::find(bytes, 2).filter(|_| !of_type.is_empty()) else { return };
        let name = format!("{} Temperature", String::from_utf8_lossy(of_type));
        self.global_counter(time, &name, celsius.uint() as f64 * 1e3);
    }

    /// `SysStats.CpuTimes` of one CPU, under the names that polls of `/proc/stat` have.
    fn cpu_times(&mut self, time: BootNanos, bytes: &[u8]) {
        let cpu = Fields::find(bytes, cpu_times::CPU).map_or(0, Value::uint);
        if cpu >= u64::from(MAX_CPUS) {
            self.counts.unread("sys_stats of a CPU that cannot be");
            return;
        }
        let sum = |fields: &[u32]| {
            let known = fields.iter().filter_map(|number| Fields::find(bytes, *number));
            known.map(|value| value.uint() as f64 * 1e-9).sum::<f64>()
        };
        let (busy, idle) = (sum(&cpu_times::BUSY), sum(&cpu_times::IDLE));
        for (name, seconds) in [("busy", busy), ("idle", idle)] {
            self.global_counter(time, &format!("cpu.{cpu}.{name}"), seconds);
        }
    }

    /// `SysStats.CpuIdleState`: microseconds since boot in each idle state of one CPU.
    fn idle_residencies(&mut self, time: BootNanos, bytes: &[u8]) {
        let cpu = Fields::find(bytes, 1).map_or(0, |cpu| cpu.uint() as u32);
        for field in Fields::new(bytes).map_while(Result::ok).filter(|f| f.number == 2) {
            let entry = field.value.bytes();
            let state = Fields::find(entry, 1).map_or(&[][..], |state| state.bytes());
            let duration = Fields::find(entry, 2).map_or(0, Value::uint);
            let name = format!("cpuidle.{}", String::from_utf8_lossy(state));
            let name = self.builder.names.intern(&name);
            let key = self.builder.system().counter_track(RawScope::Cpu(cpu), name);
            self.builder.system().counter(key, time, duration as f64);
        }
    }

    pub(super) fn initial_display_state(&mut self, time: BootNanos, bytes: &[u8]) {
        for field in Fields::new(bytes).map_while(Result::ok) {
            let (name, value) = match field.number {
                1 => ("ScreenState", field.value.int() as f64),
                2 => ("ScreenBrightness", field.value.float()),
                _ => continue,
            };
            self.global_counter(time, name, value);
        }
    }

    /// `AndroidSystemProperty`: properties that Android sets for recorders.
    pub(super) fn system_property(&mut self, time: BootNanos, bytes: &[u8]) {
        for field in Fields::new(bytes).map_while(Result::ok).filter(|f| f.number == 1) {
            let property = field.value.bytes();
            let text = |number| {
                let value = Fields::find(property, number).map_or(&[][..], |value| value.bytes());
                String::from_utf8_lossy(value).into_owned()
            };
            self.property(time, &text(1), &text(2));
        }
    }

    fn property(&mut self, time: BootNanos, name: &str, value: &str) {
        let device = &mut self.builder.device;
        match name {
            "ro.product.device" => device.codename = Some(value.to_owned()),
            "ro.product.model" => device.model = Some(value.to_owned()),
            "ro.product.manufacturer" => device.manufacturer = Some(value.to_owned()),
            "ro.soc.model" => device.soc = Some(value.to_owned()),
            "ro.board.platform" => device.board = Some(value.to_owned()),
            "ro.hardware" => {
                device.hardware = Some(value.to_owned());
                device.board.get_or_insert_with(|| value.to_owned());
            }
            "ro.product.cpu.abi" => {
                // The kernel's word comes first: a phone's apps can be of 32 bits alone.
                device.architecture = device.architecture.or(Architecture::from_machine(value));
            }
            "ro.kernel.qemu" | "ro.boot.qemu" if value == "1" => {
                device.emulator.get_or_insert(Emulator::Android);
            }
            "ro.boot.guest_soc.model" => device.guest_soc = Some(value.to_owned()),
            "ro.build.fingerprint" => device.fingerprint = Some(value.to_owned()),
            "debug.tracing.device_state" => {
                let state = self.builder.names.intern(value);
                device_state(self.builder, time, state);
            }
            _ => {
                let Some(number) = value.trim().parse::<i32>().ok() else {
                    self.counts.unread("android_system_property that is no number");
                    return;
                };
                let Some(counter) = name.strip_prefix("debug.tracing.") else {
                    self.counts.unread("android_system_property of an unknown name");
                    return;
                };
                let counter = match counter {
                    "screen_state" => "ScreenState",
                    "battery_status" => "BatteryStatus",
                    "plug_type" => "PlugType",
                    other => other,
                };
                self.global_counter(time, counter, f64::from(number));
            }
        }
    }

    pub(super) fn global_counter(&mut self, time: BootNanos, name: &str, value: f64) {
        if !value.is_finite() {
            self.counts.note(Severity::Warning, "not-a-number", None, || {
                format!("the counter {name} is not a number: not used")
            });
            return;
        }
        let name = self.builder.names.intern(name);
        let key = self.builder.system().counter_track(RawScope::Global, name);
        self.builder.system().counter(key, time, value);
    }
}
