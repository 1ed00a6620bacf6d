//! The device that a file was recorded on.

use wattle_timeline::{Architecture, DeviceFacts, OperatingSystem};

use crate::perf_file::Metadata;

/// Fills in facts that are not known yet.
pub(super) fn apply(metadata: &Metadata, device: &mut DeviceFacts) {
    let meta = |name| metadata.meta.get(name).map(str::to_owned);
    let fill = |slot: &mut Option<String>, value: Option<String>| {
        if slot.is_none() {
            *slot = value.filter(|value| !value.is_empty());
        }
    };
    // `ro.product.manufacturer:ro.product.model:ro.product.name`.
    let props = meta("product_props").unwrap_or_default();
    let mut props = props.split(':').map(str::to_owned);
    fill(&mut device.manufacturer, props.next());
    fill(&mut device.model, props.next());
    fill(&mut device.fingerprint, meta("android_build_fingerprint"));
    let from_fingerprint = device.fingerprint.is_some();
    if !from_fingerprint {
        // The product's name is the device's for most.
        fill(&mut device.codename, props.next());
    }
    let machine = metadata.arch.as_deref().unwrap_or_default();
    let architecture = Architecture::from_machine(machine);
    device.architecture = device.architecture.or(architecture);
    // simpleperf reports its version, and older ones only their name. It also runs on x86 computers, which have no build or product of
    // Android. Who records with perf does so on a computer.
    let is_arm = architecture.is_some_and(Architecture::is_arm);
    let program = metadata.command.first().map(|path| path.rsplit('/').next().unwrap_or(path));
    let is_simpleperf = meta("simpleperf_version").is_some() || program == Some("simpleperf");
    let is_build = ["android_build_fingerprint", "android_sdk_version", "product_props"]
        .into_iter()
        .any(|name| meta(name).is_some());
    let is_android = is_simpleperf && (is_arm || is_build);
    if device.system.is_none() && metadata.arch.is_some() {
        let other = if is_android { OperatingSystem::Android } else { OperatingSystem::Linux };
        device.system = Some(other);
    }
    let release = meta("kernel_version").or_else(|| metadata.release.clone());
    fill(
        &mut device.kernel,
        release.map(|release| format!("{release} {machine}").trim_end().to_owned()),
    );
    if device.sdk.is_none() {
        device.sdk = metadata.meta.get("android_sdk_version").and_then(|sdk| sdk.parse().ok());
    }
}
