//! The meaning of a slice's name for named stretches: parsed once, so that nothing behind decides on texts.
//!
//! Forms and their versions are those of Perfetto's standard library (`android.frames.timeline`, `android.startup.*`,
//! `android.cujs.base`).

use super::{JourneyMeasure, StartupKind};

/// The part of a frame that a slice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FramePart {
    /// The app's main thread makes it: `Choreographer#doFrame N`.
    DoFrame,
    /// Its render thread draws it: `DrawFrames N`.
    Draw,
}

/// A step of an app start on the app's main thread, by which its kind is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartStep {
    /// The process got its application (`bindApplication`).
    BindApplication,
    /// An activity was made (`activityStart`).
    ActivityStart,
    /// An activity came to the front (`activityResume`).
    ActivityResume,
}

/// The role of a slice, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SliceRole<'a> {
    /// A part of the frame of this token (Android 12 and later).
    Frame(FramePart, i64),
    /// A part of a frame that does not say of which (`Choreographer#doFrame`, Android 11 and earlier).
    AnyFrame(FramePart),
    /// The start of an activity of this package (Android 9 to 12).
    Launch(&'a str),
    /// The start of an activity, by its number (Android 13 and later).
    NumberedLaunch(u64),
    /// The end of a start of that number, with its kind and package.
    LaunchCompleted(u64, Option<StartupKind>, &'a str),
    /// A step of a start.
    StartStep(StartStep),
    /// A user journey.
    Journey(JourneyMeasure, &'a str),
    /// The user journey of this name that is under way was cancelled.
    JourneyCancelled(JourneyMeasure, &'a str),
}

impl<'a> SliceRole<'a> {
    /// The role of slices of this name; `None` for all others.
    pub(crate) fn parse(name: &'a str) -> Option<Self> {
        match name.as_bytes().first()? {
            b'C' => frame(name.strip_prefix("Choreographer#doFrame")?, FramePart::DoFrame),
            b'D' => {
                let rest = name.strip_prefix("DrawFrame")?;
                frame(rest.strip_prefix('s').unwrap_or(rest), FramePart::Draw)
            }
            b'a' | b'b' => step(name).map(SliceRole::StartStep),
            b'l' => launch(name),
            b'J' => journey(JourneyMeasure::Jank, name.strip_prefix("J<")?),
            b'L' => journey(JourneyMeasure::Latency, name.strip_prefix("L<")?),
            _ => None,
        }
    }
}

/// Some vendors write more behind the token; `- resynced to N` is a part inside of a frame.
fn frame(rest: &str, part: FramePart) -> Option<SliceRole<'_>> {
    if rest.is_empty() {
        return Some(SliceRole::AnyFrame(part));
    }
    let token = rest.strip_prefix(' ')?.split(' ').next()?;
    let token = token.parse().ok().filter(|token| *token != 0)?;
    Some(SliceRole::Frame(part, token))
}

fn step(name: &str) -> Option<StartStep> {
    match name {
        "bindApplication" => Some(StartStep::BindApplication),
        "activityStart" => Some(StartStep::ActivityStart),
        "activityResume" => Some(StartStep::ActivityResume),
        _ => None,
    }
}

fn launch(name: &str) -> Option<SliceRole<'_>> {
    if let Some(package) = name.strip_prefix("launching: ") {
        return Some(SliceRole::Launch(package));
    }
    let rest = name.strip_prefix("launchingActivity#")?;
    let Some((number, rest)) = rest.split_once(':') else {
        return Some(SliceRole::NumberedLaunch(rest.parse().ok()?));
    };
    let (outcome, package) = rest.split_once(':')?;
    let kind = match outcome.strip_prefix("completed")? {
        "-cold" => Some(StartupKind::Cold),
        "-warm" => Some(StartupKind::Warm),
        "-hot" => Some(StartupKind::Hot),
        _ => None,
    };
    Some(SliceRole::LaunchCompleted(number.parse().ok()?, kind, package))
}

/// `NAME>`, `NAME>#1`, or a mark such as `NAME>#FT#cancel#0`.
fn journey(measure: JourneyMeasure, rest: &str) -> Option<SliceRole<'_>> {
    let (name, suffix) = rest.rsplit_once('>')?;
    match suffix.strip_prefix('#') {
        None => suffix.is_empty().then_some(SliceRole::Journey(measure, name)),
        Some(number) if number.bytes().all(|digit| digit.is_ascii_digit()) => {
            Some(SliceRole::Journey(measure, name))
        }
        Some(mark) => {
            mark.starts_with("FT#cancel").then_some(SliceRole::JourneyCancelled(measure, name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<SliceRole<'_>>) {
        assert_eq!(SliceRole::parse(name), expected, "{name}");
    }

    #[test]
    fn names_of_frames() {
        let (make, draw) = (FramePart::DoFrame, FramePart::Draw);
        check("Choreographer#doFrame 42", Some(SliceRole::Frame(make, 42)));
        check("Choreographer#doFrame 42 vendor 7", Some(SliceRole::Frame(make, 42)));
        check("Choreographer#doFrame", Some(SliceRole::AnyFrame(make)));
        check("Choreographer#doFrame - resynced to 43 in 5.6ms", None);
        check("DrawFrames 42", Some(SliceRole::Frame(draw, 42)));
        check("DrawFrame 42", Some(SliceRole::Frame(draw, 42)));
        check("DrawFrame", Some(SliceRole::AnyFrame(draw)));
        check("DrawFrames 0", None);
        check("Draw", None);
        check("", None);
    }

    #[test]
    fn names_of_starts() {
        check("launching: com.example.app", Some(SliceRole::Launch("com.example.app")));
        check("launchingActivity#3", Some(SliceRole::NumberedLaunch(3)));
        let completed = |kind| Some(SliceRole::LaunchCompleted(3, kind, "a.b"));
        check("launchingActivity#3:completed-cold:a.b", completed(Some(StartupKind::Cold)));
        check("launchingActivity#3:completed-warm:a.b", completed(Some(StartupKind::Warm)));
        check("launchingActivity#3:completed-hot:a.b", completed(Some(StartupKind::Hot)));
        check("launchingActivity#3:completed:a.b", completed(None));
        check("launchingActivity#3:failed:a.b", None);
        check("launchingActivity#x", None);
        check("activityStart", Some(SliceRole::StartStep(StartStep::ActivityStart)));
        check("activityStartup", None);
    }

    #[test]
    fn names_of_journeys() {
        let (jank, latency) = (JourneyMeasure::Jank, JourneyMeasure::Latency);
        check("J<SHADE_EXPAND>", Some(SliceRole::Journey(jank, "SHADE_EXPAND")));
        check("J<SHADE_EXPAND::Tag>", Some(SliceRole::Journey(jank, "SHADE_EXPAND::Tag")));
        check("J<SHADE_EXPAND>#1", Some(SliceRole::Journey(jank, "SHADE_EXPAND")));
        check("L<TOGGLE_RECENTS>", Some(SliceRole::Journey(latency, "TOGGLE_RECENTS")));
        check("J<A>#FT#cancel#0", Some(SliceRole::JourneyCancelled(jank, "A")));
        check("J<A>#FT#end#0", None);
        check("J<A>#UIThread", None);
        check("Lock", None);
    }
}
