//! The models that come with Wattle.

use std::sync::LazyLock;

use super::DeviceModel;

/// The files, in the order in which they are asked.
const FILES: [(&str, &str); 18] = [
    ("tensor.toml", include_str!("../../models/tensor.toml")),
    ("tensor-g4.toml", include_str!("../../models/tensor-g4.toml")),
    ("tensor-g5.toml", include_str!("../../models/tensor-g5.toml")),
    ("monaco.toml", include_str!("../../models/monaco.toml")),
    ("neo.toml", include_str!("../../models/neo.toml")),
    ("sxr2230p.toml", include_str!("../../models/sxr2230p.toml")),
    ("mt6858.toml", include_str!("../../models/mt6858.toml")),
    ("mt6897.toml", include_str!("../../models/mt6897.toml")),
    ("sm8750.toml", include_str!("../../models/sm8750.toml")),
    ("profile-oriole.toml", include_str!("../../models/profile-oriole.toml")),
    ("profile-bluejay.toml", include_str!("../../models/profile-bluejay.toml")),
    ("profile-panther.toml", include_str!("../../models/profile-panther.toml")),
    ("profile-blueline.toml", include_str!("../../models/profile-blueline.toml")),
    ("profile-bullhead.toml", include_str!("../../models/profile-bullhead.toml")),
    ("profile-oneplus3.toml", include_str!("../../models/profile-oneplus3.toml")),
    ("profile-davinci.toml", include_str!("../../models/profile-davinci.toml")),
    ("profile-klte.toml", include_str!("../../models/profile-klte.toml")),
    ("profile-honami.toml", include_str!("../../models/profile-honami.toml")),
];

/// Parsed once, on first use. A file that does not parse is left out here and fails this crate's tests.
static MODELS: LazyLock<Vec<DeviceModel>> = LazyLock::new(|| {
    FILES.iter().filter_map(|(name, text)| DeviceModel::parse(name, text).ok()).collect()
});

/// The device models that come with Wattle: curves of Perfetto's Wattson for nine SoCs, and currents of the
/// power profiles of nine phones.
pub fn library() -> &'static [DeviceModel] {
    &MODELS
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
    }
}
