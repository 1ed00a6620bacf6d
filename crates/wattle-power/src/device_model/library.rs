//! The models that come with Wattle.

use std::sync::{LazyLock, OnceLock};

use super::cluster_clocks;
use super::device_model_file::{self, Head};
use super::{Cluster, DeviceModel, FigureUnit, ModelMatch};

/// Names and texts of files in `models/`.
macro_rules! files {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../models/", $name)))),*]
    };
}

/// The library, in the order in which models are asked: a new model is its file, a line here, and the table of clusters made anew.
pub(super) const FILES: &[(&str, &str)] = files![
    "tensor.toml",
    "tensor-g4.toml",
    "tensor-g5.toml",
    "monaco.toml",
    "neo.toml",
    "sxr2230p.toml",
    "mt6858.toml",
    "mt6897.toml",
    "sm8750.toml",
    "freqbench-exynos5250.toml",
    "freqbench-exynos7880.toml",
    "freqbench-exynos7904.toml",
    "freqbench-exynos9611.toml",
    "freqbench-gs101.toml",
    "freqbench-gs201.toml",
    "freqbench-msm8917.toml",
    "freqbench-msm8940.toml",
    "freqbench-msm8953.toml",
    "freqbench-msm8996.toml",
    "freqbench-msm8998.toml",
    "freqbench-mt6853t.toml",
    "freqbench-sdm439.toml",
    "freqbench-sdm630.toml",
    "freqbench-sdm632.toml",
    "freqbench-sdm636.toml",
    "freqbench-sdm660.toml",
    "freqbench-sdm670.toml",
    "freqbench-sdm710.toml",
    "freqbench-sdm712.toml",
    "freqbench-sdm845.toml",
    "freqbench-sm6115.toml",
    "freqbench-sm6125.toml",
    "freqbench-sm7125.toml",
    "freqbench-sm7150.toml",
    "freqbench-sm7150ab.toml",
    "freqbench-sm7225.toml",
    "freqbench-sm7250ab.toml",
    "freqbench-sm8150.toml",
    "freqbench-sm8150ac.toml",
    "freqbench-sm8250.toml",
    "freqbench-sm8250ac.toml",
    "freqbench-sm8350.toml",
    "freqbench-zuma.toml",
    "freqbench-zumapro.toml",
    "generic-x86.toml",
    "profile-oriole.toml",
    "profile-bluejay.toml",
    "profile-panther.toml",
    "profile-blueline.toml",
    "profile-bullhead.toml",
    "profile-oneplus3.toml",
    "profile-davinci.toml",
    "profile-klte.toml",
    "profile-honami.toml",
    "profile-grouper.toml",
    "profile-foster.toml",
    "profile-sargo.toml",
    "preset-navitas-mali.toml",
    "preset-powertutor-3g.toml",
    "preset-powertutor-wifi.toml",
    "preset-orka-wifi-tail.toml",
];

/// Parsed once, on first use. A file that does not parse is left out here and fails this crate's tests.
static MODELS: LazyLock<Vec<DeviceModel>> = LazyLock::new(|| {
    FILES.iter().filter_map(|(name, text)| DeviceModel::parse(name, text).ok()).collect()
});

/// The device models that come with Wattle: curves of SoCs by Perfetto's Wattson and by freqbench, currents and other figures
/// of the power profiles of devices, one for x86 computers of any kind, and presets of older tools, which are for no device
/// and used only where they are named.
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

    /// Its CPUs and clocks, without reading its curves.
    pub(crate) fn clusters(&self) -> &'static [Cluster] {
        cluster_clocks::of_library(self.file)
    }

    /// The devices that it is for.
    pub(crate) fn matching(&self) -> &ModelMatch {
        &self.head.matching
    }

    pub(crate) fn unit(&self) -> FigureUnit {
        if self.head.is_current() { FigureUnit::Current } else { FigureUnit::Power }
    }
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entry = |(file, text): &(&'static str, &'static str)| {
        let head = device_model_file::head(text)?;
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
            assert_eq!((&entry.head.matching, entry.unit()), (&model.matching, model.unit));
        }
    }
}
