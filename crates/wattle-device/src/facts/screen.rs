//! The screen: `wm size`, `dumpsys display`, `dumpsys power` and settings.

use wattle_recording::ScreenFacts;

/// Reads what the four say; what one does not say is absent.
pub(crate) fn screen(size: &str, display: &str, power: &str, settings: [&str; 2]) -> ScreenFacts {
    let [brightness, mode] = settings;
    let pixels = pixels(size);
    ScreenFacts {
        width: pixels.map(|(width, _)| width),
        height: pixels.map(|(_, height)| height),
        on: is_awake(power),
        brightness: brightness.trim().parse().ok(),
        automatic: mode.trim().parse::<u32>().ok().map(|mode| mode != 0),
        refresh_hz: refresh(display),
    }
}

/// `Physical size: 1080x2400`; an `Override size` line behind it is what is drawn.
fn pixels(text: &str) -> Option<(u32, u32)> {
    let size = |label: &str| {
        let rest = text.lines().find_map(|line| line.trim().strip_prefix(label))?;
        let (width, height) = rest.trim().split_once('x')?;
        Some((width.parse().ok()?, height.parse().ok()?))
    };
    size("Override size:").or_else(|| size("Physical size:"))
}

/// Whether the device is awake: `mWakefulness=Awake` of `dumpsys power`, a screen saver included.
pub(crate) fn is_awake(power: &str) -> Option<bool> {
    let word = power.lines().find_map(|line| line.trim().strip_prefix("mWakefulness="))?;
    Some(matches!(word.trim(), "Awake" | "Dreaming"))
}

/// Frames a second of the built-in screen, rounded: `renderFrameRate 120.0` (Android 13 and later), else the `fps` of the
/// active mode among `modes [{id=1, width=1080, height=2340, fps=60.0}, …]`.
fn refresh(display: &str) -> Option<u32> {
    let at = display.find("mBaseDisplayInfo=").or_else(|| display.find("DisplayInfo{"))?;
    let info = display.get(at..)?.lines().next()?;
    let rate = word_after(info, "renderFrameRate ").or_else(|| {
        let mode = word_after(info, " mode ")?;
        let modes = info.get(info.find("modes [")?..)?;
        let active = modes.get(modes.find(&format!("{{id={mode},"))?..)?;
        word_after(active, "fps=")
    })?;
    let rate: f64 = rate.parse().ok()?;
    (1.0..1000.0).contains(&rate).then(|| rate.round() as u32)
}

/// The word after a label, up to a comma, a bracket or a blank.
fn word_after<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let rest = text.get(text.find(label)?.checked_add(label.len())?..)?;
    rest.split([',', ' ', '}', ']']).next()
}
