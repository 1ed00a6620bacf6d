//! Reading `power_profile.xml`.

use std::collections::BTreeMap;

use super::{CpuProfile, PowerProfile};
use crate::PowerError;

/// What AOSP's default profile says of a battery nobody has measured, in mAh.
const PLACEHOLDER_CAPACITY: f64 = 1000.0;
/// What AOSP's default profile says of every current nobody has measured, in mA.
const PLACEHOLDER_CURRENT: f64 = 0.1;

pub(super) fn parse(name: &str, text: &str) -> Result<PowerProfile, PowerError> {
    let wrong = |reason: String| PowerError::ProfileSyntax { name: name.to_owned(), reason };
    let text = text.trim_start_matches('\u{feff}');
    let document = roxmltree::Document::parse(text).map_err(|error| wrong(error.to_string()))?;
    let device = document
        .descendants()
        .find(|node| node.has_tag_name("device"))
        .ok_or_else(|| wrong("there is no <device> element".to_owned()))?;
    let mut items = BTreeMap::new();
    let mut arrays: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let number = |node: roxmltree::Node<'_, '_>| {
        let text = node.text().unwrap_or_default().trim();
        let value: Option<f64> = text.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| {
            let at = document.text_pos_at(node.range().start);
            wrong(format!("expected a number at {at}, found {text:?}"))
        })
    };
    for element in device.children().filter(roxmltree::Node::is_element) {
        let Some(key) = element.attribute("name") else { continue };
        match element.tag_name().name() {
            "item" => {
                items.insert(key.to_owned(), number(element)?);
            }
            "array" => {
                let values = element.children().filter(|child| child.has_tag_name("value"));
                let values: Result<_, _> = values.map(number).collect();
                arrays.insert(key.to_owned(), values?);
            }
            _ => {}
        }
    }
    if items.is_empty() && arrays.is_empty() {
        return Err(wrong("the <device> element has neither items nor arrays".to_owned()));
    }
    // Every AOSP profile calls its device "Android": the file's name says more.
    let device = device.attribute("name").filter(|device| *device != "Android");
    Ok(PowerProfile {
        name: device.unwrap_or(name).to_owned(),
        source: String::new(),
        cpu: CpuProfile::of(&items, &arrays),
        placeholder: placeholder(&items, &arrays),
        items,
        arrays,
    })
}

/// Why the profile's figures are those of AOSP's default and not of a device, if they are.
fn placeholder(
    items: &BTreeMap<String, f64>,
    arrays: &BTreeMap<String, Vec<f64>>,
) -> Option<String> {
    let powers = |(name, _): &(&String, &Vec<f64>)| {
        ["cpu.active", "cpu.core_power", "cpu.scaling_step_power"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
    };
    let mut core = arrays.iter().filter(powers).flat_map(|(_, values)| values).peekable();
    if core.peek().is_some() && core.all(|current| *current <= PLACEHOLDER_CURRENT) {
        return Some(format!("every CPU current is at most {PLACEHOLDER_CURRENT} mA"));
    }
    let same = items.values().filter(|value| **value == PLACEHOLDER_CURRENT).count();
    if items.get("battery.capacity") == Some(&PLACEHOLDER_CAPACITY) && same * 2 > items.len() {
        return Some(format!(
            "battery.capacity is {PLACEHOLDER_CAPACITY} mAh and {same} of {} items are \
             {PLACEHOLDER_CURRENT} mA",
            items.len()
        ));
    }
    None
}
