//! The models that come with Wattle.

use std::sync::{LazyLock, OnceLock};

use super::file::{self, Head};
use super::{DeviceModel, FigureUnit};

/// The files, in the order in which they are asked.
const FILES: [(&str, &str); 45] = [
    ("tensor.toml", include_str!("../../models/tensor.toml")),
    ("tensor-g4.toml", include_str!("../../models/tensor-g4.toml")),
    ("tensor-g5.toml", include_str!("../../models/tensor-g5.toml")),
    ("monaco.toml", include_str!("../../models/monaco.toml")),
    ("neo.toml", include_str!("../../models/neo.toml")),
    ("sxr2230p.toml", include_str!("../../models/sxr2230p.toml")),
    ("mt6858.toml", include_str!("../../models/mt6858.toml")),
    ("mt6897.toml", include_str!("../../models/mt6897.toml")),
    ("sm8750.toml", include_str!("../../models/sm8750.toml")),
    ("freqbench-exynos7880.toml", include_str!("../../models/freqbench-exynos7880.toml")),
    ("freqbench-exynos9611.toml", include_str!("../../models/freqbench-exynos9611.toml")),
    ("freqbench-gs101.toml", include_str!("../../models/freqbench-gs101.toml")),
    ("freqbench-msm8953.toml", include_str!("../../models/freqbench-msm8953.toml")),
    ("freqbench-msm8998.toml", include_str!("../../models/freqbench-msm8998.toml")),
    ("freqbench-sdm439.toml", include_str!("../../models/freqbench-sdm439.toml")),
    ("freqbench-sdm630.toml", include_str!("../../models/freqbench-sdm630.toml")),
    ("freqbench-sdm636.toml", include_str!("../../models/freqbench-sdm636.toml")),
    ("freqbench-sdm670.toml", include_str!("../../models/freqbench-sdm670.toml")),
    ("freqbench-sdm710.toml", include_str!("../../models/freqbench-sdm710.toml")),
    ("freqbench-sdm712.toml", include_str!("../../models/freqbench-sdm712.toml")),
    ("freqbench-sdm845.toml", include_str!("../../models/freqbench-sdm845.toml")),
    ("freqbench-sm6115.toml", include_str!("../../models/freqbench-sm6115.toml")),
    ("freqbench-sm7125.toml", include_str!("../../models/freqbench-sm7125.toml")),
    ("freqbench-sm7150.toml", include_str!("../../models/freqbench-sm7150.toml")),
    ("freqbench-sm7225.toml", include_str!("../../models/freqbench-sm7225.toml")),
    ("freqbench-sm8150.toml", include_str!("../../models/freqbench-sm8150.toml")),
    ("freqbench-sm8250.toml", include_str!("../../models/freqbench-sm8250.toml")),
    ("freqbench-sm8250ac.toml", include_str!("../../models/freqbench-sm8250ac.toml")),
    ("generic-x86.toml", include_str!("../../models/generic-x86.toml")),
    ("profile-oriole.toml", include_str!("../../models/profile-oriole.toml")),
    ("profile-bluejay.toml", include_str!("../../models/profile-bluejay.toml")),
    ("profile-panther.toml", include_str!("../../models/profile-panther.toml")),
    ("profile-blueline.toml", include_str!("../../models/profile-blueline.toml")),
    ("profile-bullhead.toml", include_str!("../../models/profile-bullhead.toml")),
    ("profile-oneplus3.toml", include_str!("../../models/profile-oneplus3.toml")),
    ("profile-davinci.toml", include_str!("../../models/profile-davinci.toml")),
    ("profile-klte.toml", include_str!("../../models/profile-klte.toml")),
    ("profile-honami.toml", include_str!("../../models/profile-honami.toml")),
    ("profile-grouper.toml", include_str!("../../models/profile-grouper.toml")),
    ("profile-foster.toml", include_str!("../../models/profile-foster.toml")),
    ("profile-sargo.toml", include_str!("../../models/profile-sargo.toml")),
    ("preset-navitas-mali.toml", include_str!("../../models/preset-navitas-mali.toml")),
    ("preset-powertutor-3g.toml", include_str!("../../models/preset-powertutor-3g.toml")),
    ("preset-powertutor-wifi.toml", include_str!("../../models/preset-powertutor-wifi.toml")),
    ("preset-orka-wifi-tail.toml", include_str!("../../models/preset-orka-wifi-tail.toml")),
];

/// Parsed once, on first use. A file that does not parse is left out here and fails this crate's tests.
static MODELS: LazyLock<Vec<DeviceModel>> = LazyLock::new(|| {
    FILES.iter().filter_map(|(name, text)| DeviceModel::parse(name, text).ok()).collect()
});

/// The device models that come with Wattle: curves of Perfetto's Wattson for nine SoCs, those of freqbench for nineteen, and
/// currents and other figures of the power profiles of twelve devices; one for x86 computers of any kind; and presets of older tools, which are for no device and
/// used only where they are named.
pub fn library() -> &'static [DeviceModel] {
    &MODELS
}

/// A model of the library of which only the head was read: what it is for. A recording asks all heads and reads
/// the curves of one or two.
pub(crate) struct Entry {
    file: &'static str,
    text: &'static str,
    pub(crate) head: Head,
    model: OnceLock<Option<DeviceModel>>,
}

impl Entry {
    /// The whole model.
    pub(crate) fn model(&self) -> Option<&DeviceModel> {
        let parse = || DeviceModel::parse(self.file, self.text).ok();
        self.model.get_or_init(parse).as_ref()
    }

    pub(crate) fn unit(&self) -> FigureUnit {
        if self.head.is_current() { FigureUnit::Current } else { FigureUnit::Power }
    }
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entry = |(file, text): &(&'static str, &'static str)| {
        let head = file::head(text)?;
        Some(Entry { file, text, head, model: OnceLock::new() })
    };
    FILES.iter().filter_map(entry).collect()
});

/// The same models, by their heads.
pub(crate) fn entries() -> &'static [Entry] {
    &ENTRIES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_library_is_a_model() {
        for (name, text) in FILES {
            DeviceModel::parse(name, text).unwrap();
        }
        assert_eq!(library().len(), FILES.len());
        assert_eq!(entries().len(), FILES.len());
        for (entry, model) in entries().iter().zip(library()) {
            assert_eq!(entry.model(), Some(model));
            assert_eq!((&entry.head.matching.soc, entry.unit()), (&model.socs, model.unit));
            assert_eq!(entry.head.matching.devices, model.devices);
        }
    }
}
