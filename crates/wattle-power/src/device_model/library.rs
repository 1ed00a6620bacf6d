//! The models that come with Wattle.

use std::sync::LazyLock;

use super::DeviceModel;

/// The files, in the order in which they are asked.
const FILES: [(&str, &str); 9] = [
    ("tensor.toml", include_str!("../../models/tensor.toml")),
    ("tensor-g4.toml", include_str!("../../models/tensor-g4.toml")),
    ("tensor-g5.toml", include_str!("../../models/tensor-g5.toml")),
    ("monaco.toml", include_str!("../../models/monaco.toml")),
    ("neo.toml", include_str!("../../models/neo.toml")),
    ("sxr2230p.toml", include_str!("../../models/sxr2230p.toml")),
    ("mt6858.toml", include_str!("../../models/mt6858.toml")),
    ("mt6897.toml", include_str!("../../models/mt6897.toml")),
    ("sm8750.toml", include_str!("../../models/sm8750.toml")),
];

/// Parsed once, on first use. A file that does not parse is left out here and fails this crate's tests.
static MODELS: LazyLock<Vec<DeviceModel>> = LazyLock::new(|| {
    FILES.iter().filter_map(|(name, text)| DeviceModel::parse(name, text).ok()).collect()
});

/// The device models that come with Wattle: figures of Perfetto's Wattson for nine SoCs.
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
