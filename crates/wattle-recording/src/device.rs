//! The device that made a recording.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Facts that a device reports about itself. Unavailable ones are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DeviceFacts {
    /// adb's name of it.
    pub serial: String,
    /// The hardware, whatever adb calls it: the serial number property, or what stands in for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<String>,
    /// The identifier of the boot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    /// The product. Its keys stand beside the others in JSON.
    #[serde(flatten)]
    pub product: ProductFacts,
    /// `ro.build.fingerprint`.
    pub fingerprint: Option<String>,
    /// `ro.build.version.release` (`14`).
    pub android: Option<String>,
    /// `ro.build.version.sdk`.
    pub sdk: Option<u32>,
    /// `ro.product.cpu.abi`.
    pub abi: Option<String>,
    /// `uname -r -m`.
    pub kernel: Option<String>,
    /// Whether it is an emulator (`ro.kernel.qemu`, `ro.boot.qemu`).
    pub emulator: bool,
    /// Whether a shell is root (`id -u` is 0, or `su` gives it).
    pub root: bool,
    /// CPUs that exist (`/sys/devices/system/cpu/possible`).
    pub cpus: Vec<u32>,
    /// cpufreq policies.
    pub policies: Vec<PolicyFacts>,
    /// The battery at the start.
    pub battery: Option<BatteryFacts>,
    /// Names of the power rails that the device's monitor has.
    pub rails: Vec<String>,
    /// The screen at the start.
    pub screen: Option<ScreenFacts>,
    /// Package that `power_profile.xml` was read from, with its path on the device.
    pub power_profile: Option<String>,
    /// Temperatures at the start in degrees Celsius, by sensor.
    pub temperatures: BTreeMap<String, f64>,
    /// Facts that were requested and unavailable, with the reason.
    pub missing: BTreeMap<String, String>,
}

/// The product, as its makers name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ProductFacts {
    /// `ro.product.manufacturer`.
    pub manufacturer: Option<String>,
    /// `ro.product.model`.
    pub model: Option<String>,
    /// `ro.product.device`.
    pub codename: Option<String>,
    /// `ro.product.board`.
    pub board: Option<String>,
    /// `ro.soc.model`, else `ro.board.platform`.
    pub soc: Option<String>,
}

/// Cores with one clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PolicyFacts {
    /// `policyN`.
    pub policy: u32,
    /// `related_cpus`.
    pub cpus: Vec<u32>,
    /// `scaling_available_frequencies`, in kilohertz, ascending.
    pub frequencies_khz: Vec<u64>,
    /// `scaling_governor`.
    pub governor: Option<String>,
}

/// The battery, as `dumpsys battery` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct BatteryFacts {
    /// Charge in percent.
    pub level: Option<f64>,
    /// Volts.
    pub voltage: Option<f64>,
    /// Degrees Celsius.
    pub temperature: Option<f64>,
    /// `unknown`, `charging`, `discharging`, `not-charging`, `full`.
    pub status: Option<String>,
    /// Power sources that it is plugged to: any of `ac`, `usb`, `wireless`, `dock`.
    pub plugged: Vec<String>,
    /// Charge counter in microampere-hours.
    pub charge_uah: Option<i64>,
}

/// The screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ScreenFacts {
    /// Pixels across, as held normally.
    pub width: Option<u32>,
    /// Pixels down.
    pub height: Option<u32>,
    /// Whether it is lit.
    pub on: Option<bool>,
    /// `screen_brightness` of the settings, 0 to 255.
    pub brightness: Option<u32>,
    /// Whether the brightness follows the light.
    pub automatic: Option<bool>,
    /// Frames a second.
    pub refresh_hz: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_product_stand_beside_the_others() {
        let product = ProductFacts { soc: Some("GS101".to_owned()), ..ProductFacts::default() };
        let facts =
            DeviceFacts { serial: "R58".to_owned(), product, sdk: Some(34), ..Default::default() };
        let json = serde_json::to_string(&facts).unwrap_or_default();
        let start = "{\"serial\":\"R58\",\"manufacturer\":null,\"model\":null,\"codename\":null,\"board\":null,\"soc\":\"GS101\",\
                     \"fingerprint\":null,";
        assert!(json.starts_with(start), "{json}");
        assert_eq!(serde_json::from_str::<DeviceFacts>(&json).ok(), Some(facts));
        let sparse =
            serde_json::from_str::<DeviceFacts>("{\"model\":\"Pixel 6\",\"later\":1}").ok();
        let model = sparse.and_then(|facts| facts.product.model);
        assert_eq!(model.as_deref(), Some("Pixel 6"));
    }
}
