//! Reading `power_profile.xml`.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::{CpuProfile, PowerProfile, placeholder};
use crate::PowerError;

/// Android tells five levels of transmission power apart.
const MOST_LEVELS: usize = 16;

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
    let number = |node: Node<'_, '_>| {
        let text = node.text().unwrap_or_default().trim();
        let value: Option<f64> = text.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| {
            let at = document.text_pos_at(node.range().start);
            wrong(format!("expected a number at {at}, found {text:?}"))
        })
    };
    for element in device.children().filter(Node::is_element) {
        if element.has_tag_name("modem") {
            modem(element, &number, &mut items, &mut arrays)?;
        }
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
        cpu: CpuProfile::new(&items, &arrays),
        placeholder: placeholder::of_cpu(&items, &arrays),
        items,
        arrays,
    })
}

/// The modem's own element (Android 13): `<sleep>`, `<idle>`, and one `<active>` for each technology and range of
/// frequencies with `<receive>` and `<transmit level="…">`. Kept as `modem.controller.…` and
/// `modem.active.<technology>[.<range>].{rx,tx}`.
fn modem(
    element: Node<'_, '_>,
    number: &dyn Fn(Node<'_, '_>) -> Result<f64, PowerError>,
    items: &mut BTreeMap<String, f64>,
    arrays: &mut BTreeMap<String, Vec<f64>>,
) -> Result<(), PowerError> {
    for part in element.children().filter(Node::is_element) {
        match part.tag_name().name() {
            name @ ("sleep" | "idle") => {
                items.insert(format!("modem.controller.{name}"), number(part)?);
            }
            "active" => {
                let of = |name| {
                    let value = part.attribute(name).map(str::to_ascii_lowercase);
                    value.filter(|value| value != "default")
                };
                let prefix = match (of("rat"), of("nrFrequency")) {
                    (None, _) => "modem.controller".to_owned(),
                    (Some(rat), None) => format!("modem.active.{rat}"),
                    (Some(rat), Some(range)) => format!("modem.active.{rat}.{range}"),
                };
                let mut levels: Vec<f64> = Vec::new();
                for state in part.children().filter(Node::is_element) {
                    match state.tag_name().name() {
                        "receive" => {
                            items.insert(format!("{prefix}.rx"), number(state)?);
                        }
                        "transmit" => {
                            let level = state.attribute("level").and_then(|l| l.parse().ok());
                            let level: usize = level.unwrap_or(levels.len());
                            if level < MOST_LEVELS {
                                levels.resize(levels.len().max(level + 1), 0.0);
                                if let Some(at) = levels.get_mut(level) {
                                    *at = number(state)?;
                                }
                            }
                        }
                        _ => {}
                    }
                }
                if !levels.is_empty() {
                    arrays.insert(format!("{prefix}.tx"), levels);
                }
            }
            _ => {}
        }
    }
    Ok(())
}
