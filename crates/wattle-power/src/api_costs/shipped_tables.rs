//! The tables that come with Wattle.

use std::sync::LazyLock;

use super::{ApiCosts, ApiTable};

/// The files; of two that have a method the later one counts.
const FILES: [(&str, &str); 1] = [(
    "api-costs-linares-vasquez-2014.toml",
    include_str!("../../models/api-costs-linares-vasquez-2014.toml"),
)];

/// Parsed once, on first use. A file that does not parse is left out here and fails this crate's tests.
static LIBRARY: LazyLock<ApiCosts> = LazyLock::new(|| {
    let tables = FILES.iter().filter_map(|(name, text)| ApiTable::parse(name, text).ok());
    tables.collect()
});

pub(super) fn library() -> &'static ApiCosts {
    &LIBRARY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_library_is_a_table() {
        for (name, text) in FILES {
            let table = ApiTable::parse(name, text).unwrap();
            assert_eq!(ApiTable::parse(name, &table.to_toml()).unwrap(), table);
        }
        assert_eq!(library().tables().len(), FILES.len());
    }
}
