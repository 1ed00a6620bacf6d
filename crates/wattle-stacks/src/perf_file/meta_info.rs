//! simpleperf's description of a recording (`meta_info`, `RecordCommand::DumpMetaInfoFeature`): pairs of texts.

use std::collections::BTreeMap;

/// Pairs that are kept.
const MAX_PAIRS: usize = 4096;

/// Texts that describe a recording of simpleperf, by their names.
#[derive(Clone, Debug, Default)]
pub struct MetaInfo(BTreeMap<String, String>);

impl MetaInfo {
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut texts = bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let mut pairs = BTreeMap::new();
        while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
            if name.is_empty() || pairs.len() >= MAX_PAIRS {
                break;
            }
            pairs.insert(name.into_owned(), value.into_owned());
        }
        Self(pairs)
    }

    /// The text of this name, unless it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Whether simpleperf wrote the file and says so.
    pub fn is_simpleperf(&self) -> bool {
        self.0.contains_key("simpleperf_version")
    }

    /// The name of the event with these numbers (`event_type_info`: lines of name, type and config).
    pub fn event_name(&self, kind: u32, config: u64) -> Option<&str> {
        self.get("event_type_info")?.lines().find_map(|line| {
            let mut words = line.rsplitn(3, ',');
            let (found_config, found_kind, name) = (words.next()?, words.next()?, words.next()?);
            let is_it =
                found_config.trim().parse() == Ok(config) && found_kind.trim().parse() == Ok(kind);
            is_it.then_some(name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_names_of_events() {
        let text = b"simpleperf_version\x001.build.1\0event_type_info\0cpu-clock,1,0\nsched:sched_switch,2,47\0clockid\0monotonic\0";
        let info = MetaInfo::parse(text);
        assert!(info.is_simpleperf());
        assert_eq!(info.get("clockid"), Some("monotonic"));
        assert_eq!(info.event_name(2, 47), Some("sched:sched_switch"));
        assert_eq!(info.event_name(2, 48), None);
        assert!(!MetaInfo::parse(b"").is_simpleperf());
    }
}
