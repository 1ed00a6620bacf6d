//! `dumpsys`.

use std::io;

use super::{battery, package_listing};
use crate::tool::Call;

/// Services that can be dumped.
pub(super) const SERVICES: [&str; 9] = [
    "activity",
    "battery",
    "batterystats",
    "display",
    "netstats",
    "package",
    "power",
    "thermalservice",
    "window",
];

pub(super) fn dumpsys(call: &mut Call) -> io::Result<u8> {
    let mut words = call.arguments.clone();
    // `-t 30` is a time limit.
    if words.first().is_some_and(|word| word == "-t") {
        words.drain(..2.min(words.len()));
    }
    if words.is_empty() || words.first().is_some_and(|word| word == "-l") {
        let list: String = SERVICES.iter().map(|name| format!("  {name}\n")).collect();
        return call.out(format!("Currently running services:\n{list}")).map(|()| 0);
    }
    let service = words.remove(0);
    call.arguments = words;
    match service.as_str() {
        "battery" => battery::battery(call),
        "package" => {
            let name = call.arguments.first().cloned().unwrap_or_default();
            let text = package_listing::describe(&call.core, &name);
            call.out(text).map(|()| 0)
        }
        _ => call.fail(format!("Can't find service: {service}")).map(|_| 0),
    }
}
