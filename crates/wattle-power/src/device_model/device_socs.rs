//! The SoCs of devices, by their code names.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One device a line: code name, tab, SoCs. Its head names the sources.
const DATA: &str = include_str!("../../data/device-socs.txt");

static SOCS: LazyLock<BTreeMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let lines = DATA.lines().filter(|line| !line.starts_with('#'));
    let entries = lines.filter_map(|line| line.split_once('\t'));
    let socs = |text: &'static str| text.split(", ").collect();
    entries.map(|(code_name, text)| (code_name.to_ascii_lowercase(), socs(text))).collect()
});

/// The SoC of the devices of a code name, without regard to case; `None` for unknown ones, and where devices with different SoCs
/// have it.
pub(crate) fn soc_of_device(code_name: &str) -> Option<&'static str> {
    let socs = SOCS.get(&code_name.to_ascii_lowercase())?;
    let [soc] = socs.as_slice() else { return None };
    Some(soc)
}

/// The SoC without the letters of its bin (`SM7150-AB` is an `SM7150`, `MSM8953PRO` an `MSM8953`), if it has any.
pub(crate) fn soc_without_bin(soc: &str) -> Option<&str> {
    soc.split_once('-').map(|(soc, _)| soc).or_else(|| soc.strip_suffix("PRO"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_one_device() {
        let lines = DATA.lines().filter(|line| !line.starts_with('#')).count();
        assert!(lines >= 400, "{lines} devices");
        assert_eq!(SOCS.len(), lines, "a code name occurs twice, or a line has no tab");
        for (code_name, socs) in SOCS.iter() {
            assert!(!code_name.is_empty() && socs.iter().all(|soc| !soc.is_empty()), "{code_name}");
        }
    }

    #[track_caller]
    fn check(code_name: &str, soc: Option<&str>) {
        assert_eq!(soc_of_device(code_name), soc, "{code_name}");
    }

    #[test]
    fn code_names_say_the_soc_unless_it_is_one_of_several() {
        check("x1q", Some("SM8250"));
        check("oriole", Some("Tensor"));
        check("taimen", Some("MSM8998"));
        check("TAIMEN", Some("MSM8998"));
        check("z00a", None);
        check("Mi8937", None);
        check("no-such-device", None);
        check("", None);
    }
}
