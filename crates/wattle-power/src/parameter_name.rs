//! Meaning of a parameter's name.

use crate::Component;

/// A parameter by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterName {
    /// `constant`: always 1, for what one component draws whatever happens.
    Constant,
    /// `cpu.busy`, `cpu.policy4.busy`.
    CpuBusy(Option<u32>),
    /// `cpu.busy_ghz`, `cpu.policy4.busy_ghz`.
    CpuBusyClock(Option<u32>),
    /// `cpu.policy4.ghz`.
    CpuClock(u32),
    /// `gpu.0.ghz`.
    GpuClock(u32),
    /// `gpu.0.busy`.
    GpuBusy(u32),
    /// `devfreq.NAME.ghz`.
    BusClock(String),
    /// `screen.on`.
    ScreenOn,
    /// `screen.brightness`.
    ScreenBrightness,
    /// `state.KIND`, and `state.KIND.LEVEL`.
    State(String, Option<u32>),
    /// `rate.NAME`.
    Rate(String),
    /// `level.NAME`.
    Level(String),
    /// Anything else: a counter of this name.
    Counter(String),
}

impl ParameterName {
    /// The unit of the parameter, as far as its name says it; `None` for counters, whose values decide.
    pub fn unit(&self) -> Option<&'static str> {
        match self {
            Self::CpuBusy(_) => Some("core"),
            Self::CpuBusyClock(_) | Self::CpuClock(_) | Self::GpuClock(_) | Self::BusClock(_) => {
                Some("GHz")
            }
            Self::Constant
            | Self::GpuBusy(_)
            | Self::ScreenOn
            | Self::ScreenBrightness
            | Self::State(..)
            | Self::Level(_) => Some(""),
            Self::Rate(name) | Self::Counter(name) if name.ends_with("_bytes") => Some("B/s"),
            Self::Rate(_) => Some("1/s"),
            Self::Counter(_) => None,
        }
    }

    /// The hardware that most likely draws power for it; `None` where the name does not tell.
    pub fn component(&self) -> Option<Component> {
        let of_state = |kind: &str| match kind.split('_').next().unwrap_or_default() {
            "screen" => Some(Component::Display),
            "wifi" => Some(Component::Wifi),
            "cell" | "phone" => Some(Component::Cellular),
            "bluetooth" => Some(Component::Bluetooth),
            "gnss" => Some(Component::Gnss),
            "sensor" => Some(Component::Sensors),
            "camera" | "flashlight" => Some(Component::Camera),
            "audio" => Some(Component::Audio),
            "video" => Some(Component::Video),
            _ => None,
        };
        match self {
            Self::CpuBusy(_) | Self::CpuBusyClock(_) | Self::CpuClock(_) => Some(Component::Cpu),
            Self::GpuClock(_) | Self::GpuBusy(_) => Some(Component::Gpu),
            Self::ScreenOn | Self::ScreenBrightness => Some(Component::Display),
            Self::State(kind, _) => of_state(kind),
            Self::Constant => None,
            Self::BusClock(_) => Some(Component::Memory),
            Self::Rate(name) | Self::Level(name) | Self::Counter(name) => {
                let has = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
                if has(&["net.wlan", "net.wifi"]) {
                    Some(Component::Wifi)
                } else if has(&["net.rmnet", "net.ccmni", "net.wwan"]) {
                    Some(Component::Cellular)
                } else if has(&["net.bt"]) {
                    Some(Component::Bluetooth)
                } else if has(&["disk."]) {
                    Some(Component::Storage)
                } else if has(&["cpu."]) {
                    Some(Component::Cpu)
                } else {
                    None
                }
            }
        }
    }
}

impl From<&str> for ParameterName {
    fn from(name: &str) -> Self {
        let counter = || Self::Counter(name.to_owned());
        let number = |text: &str| text.parse::<u32>().ok();
        if name == "constant" {
            return Self::Constant;
        }
        let Some((first, rest)) = name.split_once('.') else { return counter() };
        let last = rest.rsplit_once('.');
        match (first, rest, last) {
            ("cpu", "busy", _) => Self::CpuBusy(None),
            ("cpu", "busy_ghz", _) => Self::CpuBusyClock(None),
            ("cpu", _, Some((policy, what))) => {
                let Some(policy) = policy.strip_prefix("policy").and_then(number) else {
                    return counter();
                };
                match what {
                    "busy" => Self::CpuBusy(Some(policy)),
                    "busy_ghz" => Self::CpuBusyClock(Some(policy)),
                    "ghz" => Self::CpuClock(policy),
                    _ => counter(),
                }
            }
            ("gpu", _, Some((id, what))) => match (number(id), what) {
                (Some(id), "ghz") => Self::GpuClock(id),
                (Some(id), "busy") => Self::GpuBusy(id),
                _ => counter(),
            },
            ("devfreq", _, Some((device, "ghz"))) => Self::BusClock(device.to_owned()),
            ("screen", "on", _) => Self::ScreenOn,
            ("screen", "brightness", _) => Self::ScreenBrightness,
            ("state", kind, last) => {
                match last.and_then(|(kind, level)| Some((kind, number(level)?))) {
                    Some((kind, level)) => Self::State(kind.to_owned(), Some(level)),
                    None => Self::State(kind.to_owned(), None),
                }
            }
            ("rate", counter, _) => Self::Rate(counter.to_owned()),
            ("level", counter, _) => Self::Level(counter.to_owned()),
            _ => counter(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let check = |name: &str, expected: ParameterName| {
            assert_eq!(ParameterName::from(name), expected, "{name}");
        };
        let text = str::to_owned;
        check("cpu.busy", ParameterName::CpuBusy(None));
        check("cpu.policy4.busy", ParameterName::CpuBusy(Some(4)));
        check("cpu.policy4.busy_ghz", ParameterName::CpuBusyClock(Some(4)));
        check("cpu.policy0.ghz", ParameterName::CpuClock(0));
        check("cpu.0.busy", ParameterName::Counter(text("cpu.0.busy")));
        check("cpu.policyx.ghz", ParameterName::Counter(text("cpu.policyx.ghz")));
        check("gpu.0.ghz", ParameterName::GpuClock(0));
        check("gpu.memory", ParameterName::Counter(text("gpu.memory")));
        check(
            "devfreq.17000010.devfreq_mif.ghz",
            ParameterName::BusClock(text("17000010.devfreq_mif")),
        );
        check("state.wifi_radio", ParameterName::State(text("wifi_radio"), None));
        check("state.screen.2", ParameterName::State(text("screen"), Some(2)));
        check("rate.net.wlan0.rx_bytes", ParameterName::Rate(text("net.wlan0.rx_bytes")));
        check("net.wlan0.rx_bytes", ParameterName::Counter(text("net.wlan0.rx_bytes")));
        check("Heap", ParameterName::Counter(text("Heap")));
    }
}
