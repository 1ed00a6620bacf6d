//! The part `Estimated power use (mAh):` of all versions.
//!
//! - up to Android 11: `Screen: 1169 Excluded from smearing`, `Uid u0a166: 533 ( cpu=63.1 … ) Including smearing: 901 ( … )`;
//! - from 12 on: a block `Global` of `cpu: 20100 apps: 10100 duration: 20s 300ms`, then `UID u0a166: 1200 fg: 177 (7s) bg: 188 (
//!   screen=300 cpu=400 (600ms) cpu:fg=177 )`;
//! - from 15 on the parts stand on the line below, and shares by `(on battery, screen on)` and the like follow, which are of the
//!   same charge once more and are passed over.

use wattle_timeline::{Names, Quantity, Uid};

use super::amount::{decimal, take_decimal};
use super::dump_findings::Findings;

/// Reads lines of the part.
#[derive(Debug, Default)]
pub(crate) struct PowerText {
    uid: Option<Uid>,
    /// Set if the following lines are shares of charges already read.
    is_share: bool,
}

/// Labels of the time before Android 12, and what check-in lines call them.
const LABELS: [(&str, &str); 13] = [
    ("Ambient display", "ambi"),
    ("Idle", "idle"),
    ("Cell standby", "cell"),
    ("Phone calls", "phone"),
    ("Wifi", "wifi"),
    ("Bluetooth", "blue"),
    ("Screen", "scrn"),
    ("Flashlight", "flashlight"),
    ("Unaccounted", "unacc"),
    ("Over-counted", "over"),
    ("Camera", "camera"),
    ("Memory", "memory"),
    ("???", "???"),
];

impl PowerText {
    pub fn line(&mut self, line: &str, names: &mut Names, found: &mut Findings) {
        let text = line.trim();
        if text == "Global" {
            self.uid = None;
            self.is_share = false;
        } else if text.starts_with("Capacity:") {
            capacity(text, names, found);
        } else if text.starts_with('(') {
            self.is_share = true;
            found.unread("shares of estimated charge by screen and plug");
        } else if let Some(rest) = text.strip_prefix("Uid ").or_else(|| text.strip_prefix("UID ")) {
            self.is_share = false;
            let head = rest
                .split_once(": ")
                .and_then(|(uid, rest)| Some((Uid::of_android_name(uid)?, take_decimal(rest)?)));
            let Some((uid, (charge, rest))) = head else {
                found.unparsed(line);
                return;
            };
            self.uid = Some(uid);
            let tag = names.intern("uid");
            found.total(Quantity::EstimatedCharge, Some(uid), Some(tag), charge);
            let parts = rest.split_once('(').filter(|_| rest.contains('='));
            if let Some((_, parts)) = parts {
                self.parts(parts, names, found);
            }
        } else if self.uid.is_some() && text.split(' ').next().is_some_and(|it| it.contains('=')) {
            self.parts(text, names, found);
        } else {
            self.label(line, text, names, found);
        }
    }

    /// `cpu=63.1 wake=0.546 ) Including smearing: 901 ( screen=188 proportional=180 )`.
    fn parts(&mut self, text: &str, names: &mut Names, found: &mut Findings) {
        if self.is_share {
            return;
        }
        let mut is_smeared = false;
        for word in text.split(' ') {
            is_smeared |= word == "Including";
            let Some((name, value)) = word.split_once('=') else { continue };
            // `cpu:fg=…` is a part of `cpu=…`.
            if name.contains(':') {
                continue;
            }
            let Some(charge) = decimal(value) else {
                found.unknown(word);
                continue;
            };
            let name = name.trim_start_matches('(');
            let tag = if is_smeared {
                names.intern(&format!("{name}-smeared"))
            } else {
                names.intern(name)
            };
            found.total(Quantity::EstimatedCharge, self.uid, Some(tag), charge);
        }
    }

    /// `Screen: 1169 Excluded from smearing`, `cpu: 20100 [measured] apps: 10100 duration: 20s 300ms`, `User 10: 30.0 ( … )`.
    fn label(&mut self, line: &str, text: &str, names: &mut Names, found: &mut Findings) {
        let parsed = text
            .split_once(": ")
            .and_then(|(label, rest)| Some((label.trim(), take_decimal(rest)?)));
        let Some((label, (charge, rest))) = parsed else {
            found.unparsed(line);
            return;
        };
        self.uid = None;
        // `cpu(fg)` is a part of `cpu`.
        if self.is_share || label.contains('(') {
            return;
        }
        if label.starts_with("User ") {
            let tag = names.intern("user");
            found.total(Quantity::EstimatedCharge, None, Some(tag), charge);
            return;
        }
        let known = LABELS.iter().find(|(long, _)| *long == label);
        let tag = names.intern(known.map_or(label, |(_, short)| short));
        let is_measured = ["[CONSUMPTION_MEASURED]", "[energy consumption]", "[measured]"]
            .iter()
            .any(|model| rest.trim_start().starts_with(model));
        let quantity =
            if is_measured { Quantity::MeasuredCharge } else { Quantity::EstimatedCharge };
        found.total(quantity, None, Some(tag), charge);
    }
}

/// `Capacity: 4030, Computed drain: 4576, actual drain: 3909-4030`; makers add more.
fn capacity(text: &str, names: &mut Names, found: &mut Findings) {
    for part in text.split(", ") {
        let Some((label, value)) = part.split_once(": ") else { continue };
        let Some((low, rest)) = take_decimal(value) else { continue };
        match label {
            "Capacity" => found.total(Quantity::BatteryCapacity, None, None, low),
            "Computed drain" => {
                let tag = names.intern("total");
                found.total(Quantity::EstimatedCharge, None, Some(tag), low);
            }
            "actual drain" => {
                let high = rest.strip_prefix('-').and_then(decimal).unwrap_or(low);
                for (name, value) in [("drain-min", low), ("drain-max", high)] {
                    let tag = names.intern(name);
                    found.total(Quantity::BatteryCharge, None, Some(tag), value);
                }
            }
            _ => found.unread(label),
        }
    }
}
