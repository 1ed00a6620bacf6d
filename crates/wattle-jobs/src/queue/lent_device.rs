//! Devices that jobs are given for a while.

/// A device that a worker has, and that one job at a time is given.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LentDevice {
    /// The serial number.
    pub serial: String,
    /// The model, such as `Pixel 8`.
    pub model: String,
}

/// The device that a job needs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceNeed {
    /// The one with this serial number.
    Serial(String),
    /// One of this model.
    Model(String),
}

impl DeviceNeed {
    /// The value of the column `device_filter`.
    pub(crate) fn filter(&self) -> String {
        match self {
            Self::Serial(serial) => format!("serial:{serial}"),
            Self::Model(model) => format!("model:{model}"),
        }
    }

    pub(crate) fn from_filter(filter: &str) -> Option<Self> {
        match filter.split_once(':')? {
            ("serial", serial) => Some(Self::Serial(serial.to_owned())),
            ("model", model) => Some(Self::Model(model.to_owned())),
            _ => None,
        }
    }
}
