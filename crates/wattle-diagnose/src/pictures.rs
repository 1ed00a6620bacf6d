//! When apps drew.

use wattle_timeline::{FrameOwner, JankCauses, Timeline};
use wattle_units::BootNanos;

/// Sections, by their first word, in which a picture is drawn or handed on (AOSP `RenderThread`, `Surface`, `libEGL`).
const PICTURES: [&str; 8] = [
    "DrawFrame",
    "DrawFrames",
    "eglSwapBuffers",
    "eglSwapBuffersWithDamageKHR",
    "queueBuffer",
    "dequeueBuffer",
    "vkQueuePresent",
    "vkQueuePresentKHR",
];

/// The method of the framework that draws one (AOSP `ThreadedRenderer`, later `HardwareRenderer`), as method traces name it.
const PICTURE_METHOD: &str = "Renderer.nSyncAndDrawFrame";

/// Whether a section or method of this name draws a picture or hands it on.
pub(crate) fn is_picture(name: &str) -> bool {
    let word = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(name);
    PICTURES.contains(&word) || name.contains(PICTURE_METHOD)
}

/// The instants at which any app drew, in order: by sections, and by the frame timeline where the display was on.
pub(crate) fn picture_times(timeline: &Timeline) -> Vec<BootNanos> {
    let is_picture: Vec<bool> = timeline.names.texts().map(is_picture).collect();
    let slices = &timeline.code.slices;
    let of_slices = slices.start.iter().zip(&slices.name);
    let of_slices = of_slices.filter(|(_, name)| is_picture.get(name.index()) == Some(&true));
    let frames = timeline.code.frames.iter();
    let shown = frames.filter(|it| {
        it.owner == FrameOwner::App && !it.jank.intersects(JankCauses::DISPLAY_NOT_ON)
    });
    let mut times: Vec<BootNanos> =
        of_slices.map(|(start, _)| *start).chain(shown.map(|it| it.actual.start)).collect();
    times.sort_unstable();
    times
}
