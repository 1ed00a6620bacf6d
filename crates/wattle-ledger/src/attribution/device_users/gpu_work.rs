//! Who had work on a GPU.

use wattle_timeline::{CallSlice, GpuTimeline, Timeline, Window};

use super::concurrent_users::Concurrent;
use super::hardware_user::HardwareUser;
use super::named_sections::named_sections;
use crate::attribution::call_paths::CallPaths;

/// The section of Android's renderer that lasts until the GPU has finished a frame of the process (AOSP `libs/gui/Surface.cpp`,
/// `FenceMonitor`): the process had work on the GPU meanwhile.
const FENCE: &str = "waiting for GPU completion";

/// By periods of the driver (`gpu_work_period`), else by the fences of frames.
pub(super) fn gpu_users(timeline: &Timeline, paths: &CallPaths) -> Concurrent<HardwareUser> {
    let by_driver = driver_users(timeline.hardware.gpus.iter());
    if !by_driver.is_empty() {
        return by_driver;
    }
    let last = timeline.window.end;
    let mut fences = Vec::new();
    for (process, waits) in named_sections(timeline, FENCE) {
        let Some(user) = HardwareUser::of_process(timeline, paths, process) else { continue };
        let window = |it: &CallSlice| Window::new(it.start, it.end.min(last).max(it.start));
        fences.extend(waits.iter().map(|wait| (window(wait), user)));
    }
    Concurrent::new(fences)
}

/// By the periods of the driver alone.
pub(crate) fn driver_users<'a>(
    gpus: impl Iterator<Item = &'a GpuTimeline>,
) -> Concurrent<HardwareUser> {
    let periods = gpus.flat_map(|gpu| &gpu.work);
    Concurrent::new(periods.map(|period| (period.window, HardwareUser::App(period.uid.0))))
}
