//! Dispatch of `dumpsys` to services.

use std::io;

use super::{network_dump, power_dump, rails_dump, statistics_dump};
use crate::command::{battery_commands, package_listing};
use crate::tool::Call;

/// Services that can be dumped.
pub(in crate::command) const SERVICES: [&str; 9] = [
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

const RAILS: &str = "android.hardware.power.stats.IPowerStats/default";

pub(in crate::command) fn dumpsys(call: &mut Call) -> io::Result<u8> {
    let mut words = call.arguments.clone();
    // `-t 30` is a time limit.
    if words.first().is_some_and(|word| word == "-t") {
        words.drain(..2.min(words.len()));
    }
    let api = call.core.options.api;
    let has_rails = api >= 31 && !call.core.options.hardware.rails.is_empty();
    if words.is_empty() || words.first().is_some_and(|word| word == "-l") {
        let services = SERVICES.iter().filter(|name| is_there(name, api)).copied();
        let list: String =
            services.chain(has_rails.then_some(RAILS)).map(|name| format!("  {name}\n")).collect();
        return call.out(format!("Currently running services:\n{list}")).map(|()| 0);
    }
    let service = words.remove(0);
    call.arguments = words;
    let core = &call.core;
    let text = match service.as_str() {
        "battery" => return battery_commands::battery(call),
        "batterystats" => return statistics_dump::statistics(call),
        "package" => {
            let name = call.arguments.first().cloned().unwrap_or_default();
            package_listing::describe(core, &name)
        }
        "power" => power_dump::power(core),
        "display" => power_dump::display(core),
        "window" => power_dump::window(core),
        "activity" => power_dump::activity(core),
        "thermalservice" if is_there("thermalservice", api) => power_dump::thermal(core),
        "netstats" => network_dump::netstats(core),
        RAILS if has_rails => rails_dump::rails(core),
        _ => return call.fail(format!("Can't find service: {service}")).map(|_| 0),
    };
    call.out(text).map(|()| 0)
}

/// The thermal service came with Android 10.
fn is_there(service: &str, api: u32) -> bool {
    service != "thermalservice" || api >= 29
}
