//! Events of the kernel on what is around the cores.

use std::io::Write;

use super::packet_recorder::Recorder;

impl<W: Write> Recorder<W> {
    /// `thermal_temperature` (341): `id` 1, `temp` 2 in thousandths of a degree Celsius, `thermal_zone` 4.
    pub fn temperature(&mut self, cpu: u32, time: u64, (id, zone): (u32, &str), millicelsius: i64) {
        self.kernel_event(cpu, time, 341, |event| {
            event.varint(1, u64::from(id));
            event.int(2, millicelsius);
            event.string(4, zone);
        });
    }

    /// `devfreq_frequency` (541): `dev_name` 1, `freq` 2 in kilohertz, as on Exynos and Tensor.
    pub fn shared_clock(&mut self, cpu: u32, time: u64, device: &str, kilohertz: u64) {
        self.kernel_event(cpu, time, 541, |event| {
            event.string(1, device);
            event.varint(2, kilohertz);
        });
    }

    /// `gpu_work_period` (488): `gpu_id` 1, `uid` 2, `start_time_ns` 3, `end_time_ns` 4, `total_active_duration_ns` 5.
    pub fn graphics_work(
        &mut self,
        cpu: u32,
        time: u64,
        uid: u32,
        (start, end): (u64, u64),
        active: u64,
    ) {
        self.kernel_event(cpu, time, 488, |event| {
            event.varint(1, 0);
            event.varint(2, u64::from(uid));
            event.varint(3, start);
            event.varint(4, end);
            event.varint(5, active);
        });
    }
}
