//! Whether a model is for the device of a recording.

use wattle_timeline::{DeviceFacts, Timeline};

use super::device_socs::{soc_of_device, soc_without_bin};
use super::{Entry, ModelMatch};
use crate::{ModelReason, SocProperty};

/// Whether a model of the library is for the device of a recording.
pub(crate) fn is_for(entry: &Entry, timeline: &Timeline) -> bool {
    entry.matching().reason(timeline).is_some()
}

/// Closeness of the names of a model to those of a recording, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Closeness {
    /// The SoC under its full name.
    Soc,
    /// The device, by the list of devices or by the model itself.
    Device,
    /// The device, whose SoC differs from the model's in its bin.
    Bin,
    /// A platform of several SoCs, one of which is the model's.
    Platform,
}

impl ModelMatch {
    /// Why the model is for the device of a recording, and how close their names are.
    pub(crate) fn reason(&self, timeline: &Timeline) -> Option<(Closeness, ModelReason)> {
        let device = &timeline.device;
        if !self.allows(device.architecture) {
            return None;
        }
        let by_device = self.by_device(device);
        // Platforms are in lower case and of several SoCs: only the full name contradicts the list of devices.
        let soc = device.soc_name();
        if let Some(soc) = soc.filter(|soc| self.socs.iter().any(|known| known == soc)) {
            let reason = by_device.map(|(_, reason)| reason);
            let property = || property(SocProperty::Soc, soc);
            return Some((Closeness::Soc, reason.unwrap_or_else(property)));
        }
        by_device.or_else(|| self.by_property(device))
    }

    /// By the device's code name.
    fn by_device(&self, device: &DeviceFacts) -> Option<(Closeness, ModelReason)> {
        let name = device.device_name()?;
        let soc = soc_of_device(name);
        let reason = |soc: Option<&str>| ModelReason::CodeName {
            device: name.to_owned(),
            soc: soc.map(str::to_owned),
        };
        if soc.is_some_and(|soc| self.has_soc(soc)) {
            return Some((Closeness::Device, reason(soc)));
        }
        if self.has_device(name) {
            return Some((Closeness::Device, reason(None)));
        }
        let is_bin = soc.and_then(soc_without_bin).is_some_and(|soc| self.has_soc(soc));
        is_bin.then(|| (Closeness::Bin, reason(soc)))
    }

    /// By what the recording says of SoC, board and hardware. A guest's board is not its host's.
    fn by_property(&self, device: &DeviceFacts) -> Option<(Closeness, ModelReason)> {
        // The list knows the SoC of this device, and it is another one than the model's.
        let other = device.device_name().and_then(soc_of_device);
        let soc = device.soc_name();
        if let Some(soc) = soc.filter(|soc| self.has_soc(soc)) {
            return other.is_none().then(|| (Closeness::Soc, property(SocProperty::Soc, soc)));
        }
        if device.guest_soc.is_some() || other.is_some() {
            return None;
        }
        // Where the SoC is not told, recordings have the board's name in its place.
        let boards = [device.board.as_deref(), soc].into_iter().flatten();
        let board =
            boards.filter(|name| self.has_board(name)).map(|name| (SocProperty::Board, name));
        let hardware = device.hardware.iter().filter(|text| {
            let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            words.any(|word| !word.is_empty() && self.has_board(word))
        });
        let hardware = hardware.map(|text| (SocProperty::Hardware, text.as_str()));
        let (kind, value) = board.chain(hardware).next()?;
        Some((Closeness::Platform, property(kind, value)))
    }
}

fn property(property: SocProperty, value: &str) -> ModelReason {
    ModelReason::SocProperty { property, value: value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SoC, code name, board and hardware of a recording.
    type Names<'a> = [&'a str; 4];

    #[track_caller]
    fn check(names: Names<'_>, expected: Option<(Closeness, &str)>) {
        let told = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let mut timeline = Timeline::default();
        let device = &mut timeline.device;
        let slots =
            [&mut device.soc, &mut device.codename, &mut device.board, &mut device.hardware];
        for (slot, name) in slots.into_iter().zip(names) {
            *slot = told(name);
        }
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let matching = ModelMatch {
            socs: list(&["SM8250"]),
            devices: list(&["my-phone"]),
            boards: list(&["kona"]),
            ..ModelMatch::default()
        };
        let found = matching.reason(&timeline).map(|(close, why)| (close, why.to_string()));
        let found = found.as_ref().map(|(close, why)| (*close, why.as_str()));
        assert_eq!(found, expected, "{names:?}");
        timeline.device.guest_soc = Some("Tensor".to_owned());
        let of_guest = matching.reason(&timeline).map(|(close, _)| close);
        let by_name = expected.filter(|(_, why)| why.contains("code name"));
        assert_eq!(
            of_guest,
            by_name.map(|_| Closeness::Device),
            "a guest's own SoC and board are not its host's"
        );
    }

    #[test]
    fn a_model_is_found_by_device_then_soc_then_board() {
        let [soc, device, platform] = [Closeness::Soc, Closeness::Device, Closeness::Platform];
        let listed = "the device's code name x1q → SM8250";
        check(["SM8250", "x1q", "kona", ""], Some((soc, listed)));
        check(["", "x1q", "", ""], Some((device, listed)));
        check(["kona", "x1q", "", ""], Some((device, listed)));
        check(["", "my-phone", "kona", ""], Some((device, "the device's code name my-phone")));
        check(["SM8250", "other", "", ""], Some((soc, "SoC \"SM8250\" of the recording")));
        check(["sm8250", "", "", ""], Some((soc, "SoC \"sm8250\" of the recording")));
        check(["", "other", "kona", ""], Some((platform, "board \"kona\" of the recording")));
        check(["kona", "", "", ""], Some((platform, "board \"kona\" of the recording")));
        let hardware = "Qualcomm Technologies, Inc SM8250";
        let by_hardware = format!("hardware {hardware:?} of the recording");
        check(["", "", "", hardware], Some((platform, &by_hardware)));
        check(["SM8150", "other", "msmnile", ""], None);
        check(["", "", "", ""], None);
    }

    #[test]
    fn the_full_name_of_a_soc_contradicts_the_list_and_a_platform_does_not() {
        check(
            ["SM8250", "taimen", "", ""],
            Some((Closeness::Soc, "SoC \"SM8250\" of the recording")),
        );
        check(["kona", "taimen", "kona", ""], None);
        check(["", "taimen", "kona", ""], None);
    }
}
