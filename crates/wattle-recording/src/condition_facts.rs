//! Conditions of a run.

use serde::{Deserialize, Serialize};

use crate::BatteryFacts;

/// The state of the device right before a run, as far as it decides about energy. Unavailable facts are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ConditionFacts {
    /// The battery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub battery: Option<BatteryFacts>,
    /// Thermal status of Android 10 and later: 0 none, 1 light, 2 moderate, 3 severe, 4 critical, 5 emergency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thermal_status: Option<u32>,
    /// Whether battery saver is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_save: Option<bool>,
    /// Whether the screen is lit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_on: Option<bool>,
    /// Brightness from 0 to 255.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brightness: Option<u32>,
    /// Whether the brightness follows the light.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brightness_automatic: Option<bool>,
    /// Whether airplane mode is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub airplane_mode: Option<bool>,
    /// Whether Wi-Fi is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wifi: Option<bool>,
    /// Whether mobile data are on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mobile_data: Option<bool>,
    /// Seconds that were waited for the device to cool down.
    #[serde(skip_serializing_if = "is_zero")]
    pub cooled_seconds: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}
