//! `audio-left-on`.

use wattle_power::Component;
use wattle_timeline::{Quantity, StateKind};

use super::left_on::{self, Device};
use super::look::Look;
use super::outcome::Outcome;
use crate::{FindingSeverity, Rule};

pub(super) const RULE: Rule = Rule {
    id: "audio-left-on",
    title: "Audio plays or records while nobody looks, or is never stopped",
    severity: FindingSeverity::Note,
    keeps_severity: false,
    example: "A player in a game that goes on with silence after the game was left.",
    counter_example: "Music with the screen off: what users want, therefore a note at most.",
    looks_for: "Time with audio while the screen is off or the app not in front, and players and recorders that are started and that no call stops. In batterystats' history and totals, and in calls that probes record. Music with the screen off is what users want: then this is a note only.",
    why: "The audio path, its DSP and a wakelock of the media server stay on as long as a stream is open, also where it plays silence.",
    remedy: "Stop and release players and recorders when they have nothing to play, and when audio focus is lost. Do not keep a stream open that plays silence.",
    references: &[
        "https://developer.android.com/media/optimize/audio-focus",
        "creedengo Android: Leakage: Media Leak",
    ],
    thresholds: &left_on::thresholds(600.0),
};

pub(super) fn find(look: &Look<'_>) -> Outcome {
    left_on::find(
        look,
        &Device {
            rule: &RULE,
            noun: "audio",
            state: StateKind::Audio,
            component: Some(Component::Audio),
            is_counted: |quantity| matches!(quantity, Quantity::Audio),
            in_background: FindingSeverity::Note,
            without: "word of audio: no state of it, no total, no call that starts a player",
        },
    )
}
