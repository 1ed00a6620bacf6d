//! Who had work on a GPU.

use wattle_timeline::{SliceScope, Timeline, Window};
use wattle_units::BootNanos;

use super::concurrent_users::Concurrent;
use super::hardware_user::HardwareUser;
use crate::attribution::call_paths::CallPaths;

/// The section of Android's renderer that lasts until the GPU has finished a frame of the process (AOSP `libs/gui/Surface.cpp`,
/// `FenceMonitor`): the process had work on the GPU meanwhile.
const FENCE: &str = "waiting for GPU completion";

/// By periods of the driver (`gpu_work_period`), else by the fences of frames.
pub(super) fn gpu_users(timeline: &Timeline, paths: &CallPaths) -> Concurrent<HardwareUser> {
    let periods = timeline.hardware.gpus.iter().flat_map(|gpu| &gpu.work);
    let by_driver =
        Concurrent::new(periods.map(|period| (period.window, HardwareUser::App(period.uid.0))));
    if !by_driver.is_empty() {
        return by_driver;
    }
    let is_fence: Vec<bool> = timeline.names.texts().map(|name| name.starts_with(FENCE)).collect();
    let mut fences = Vec::new();
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { continue };
        let process = timeline.tasks.threads.get(thread.index()).and_then(|it| it.process);
        let user = process.and_then(|it| HardwareUser::of_process(timeline, paths, it));
        let Some(user) = user else { continue };
        let slices = timeline.code.slices.of(track);
        let of_gpu = slices.filter(|slice| is_fence.get(slice.name.0 as usize) == Some(&true));
        let window =
            |start, end: BootNanos| Window::new(start, end.min(timeline.window.end).max(start));
        fences.extend(of_gpu.map(|slice| (window(slice.start, slice.end), user)));
    }
    Concurrent::new(fences)
}
