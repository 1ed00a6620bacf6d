//! Facts of a recording about the device that made it.

use serde::{Deserialize, Serialize};
use wattle_units::Hertz;

use crate::{Architecture, Emulator, product_name};

/// The operating system of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OperatingSystem {
    /// Android.
    Android,
    /// Another Linux.
    Linux,
    /// Windows.
    Windows,
}

impl OperatingSystem {
    /// The word in files and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Android => "android",
            Self::Linux => "linux",
            Self::Windows => "windows",
        }
    }

    /// The name in a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Android => "Android",
            Self::Linux => "Linux",
            Self::Windows => "Windows",
        }
    }
}

/// The device, as it names itself. Everything is optional: old traces say nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceFacts {
    /// `ro.build.fingerprint` (`google/bluejay/bluejay:13/…`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// `ro.product.manufacturer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manufacturer: Option<String>,
    /// Marketing model (`Pixel 6a`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Code name (`bluejay`): third part of the fingerprint, or `ro.product.device`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codename: Option<String>,
    /// `ro.soc.model` (`Tensor`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soc: Option<String>,
    /// SoC of the host under which this guest ran (`ro.boot.guest_soc.model`); wins over `soc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest_soc: Option<String>,
    /// `ro.board.platform`, else `ro.hardware` or `ro.product.board` (that of `SM8250` is `kona`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// `ro.hardware`, or the line `Hardware` of `/proc/cpuinfo` (`Qualcomm Technologies, Inc SM8250`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<String>,
    /// Its instruction set; `None` where nothing says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub architecture: Option<Architecture>,
    /// A virtual device that says so of itself; others are recognised by their names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emulator: Option<Emulator>,
    /// Android SDK level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdk: Option<u32>,
    /// The operating system; `None` where it is unknown: then most likely Android.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<OperatingSystem>,
    /// Kernel release and machine (`uname`), or version and build of Windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Self-description of each CPU, in the kernel's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<CpuFacts>,
}

impl DeviceFacts {
    /// The code name, from the fingerprint where nothing else said it
    /// (`brand/product/device:release/id/incremental:type/tags`).
    pub fn device_name(&self) -> Option<&str> {
        self.codename.as_deref().or_else(|| {
            let device = self.fingerprint.as_deref()?.split('/').nth(2)?;
            device.split(':').next().filter(|name| !name.is_empty())
        })
    }

    /// The title: the model, or the name under which the product is sold, or the code name; `None` where a recording says none of them.
    pub fn title(&self) -> Option<&str> {
        let code_name = self.device_name();
        self.model.as_deref().or(code_name.and_then(product_name)).or(code_name)
    }

    /// The title with the code name beside it, for those who look for it: `Pixel 6a (bluejay)`.
    pub fn title_with_code(&self) -> Option<String> {
        let title = self.title()?;
        Some(match self.device_name() {
            Some(code) if code != title => format!("{title} ({code})"),
            _ => title.to_owned(),
        })
    }

    /// Fills in from another description of the same device what this one lacks.
    pub fn fill(&mut self, other: Self) {
        // By name, so that no field is forgotten.
        let Self {
            fingerprint,
            manufacturer,
            model,
            codename,
            soc,
            guest_soc,
            board,
            hardware,
            architecture,
            emulator,
            sdk,
            system,
            kernel,
            cpus,
        } = other;
        let slots = [
            (&mut self.fingerprint, fingerprint),
            (&mut self.manufacturer, manufacturer),
            (&mut self.model, model),
            (&mut self.codename, codename),
            (&mut self.soc, soc),
            (&mut self.guest_soc, guest_soc),
            (&mut self.board, board),
            (&mut self.hardware, hardware),
            (&mut self.kernel, kernel),
        ];
        for (slot, value) in slots {
            *slot = slot.take().or(value);
        }
        self.architecture = self.architecture.or(architecture);
        self.emulator = self.emulator.or(emulator);
        self.sdk = self.sdk.or(sdk);
        self.system = self.system.or(system);
        if self.cpus.len() < cpus.len() {
            self.cpus = cpus;
        }
    }

    /// The SoC whose power curves apply: the guest's host first.
    pub fn soc_name(&self) -> Option<&str> {
        self.guest_soc.as_deref().or(self.soc.as_deref())
    }

    /// The emulator that the recording was made of; `None` for real devices, and for guests that name the SoC of their host.
    pub fn virtual_device(&self) -> Option<Emulator> {
        if self.guest_soc.is_some() {
            return None;
        }
        let names = [
            self.hardware.as_deref(),
            self.board.as_deref(),
            self.device_name(),
            self.product_name(),
            self.model.as_deref(),
            self.soc.as_deref(),
        ];
        let by_name = || names.into_iter().flatten().find_map(Emulator::from_name);
        // A generic system image also runs on phones, whose board or SoC then has a name.
        let is_generic = || {
            let is_bare = self.board.is_none() && self.soc.is_none() && self.hardware.is_none();
            is_bare && self.device_name().is_some_and(|name| name.starts_with("generic"))
        };
        // Android's common kernel is built for x86 only to run virtual devices.
        let is_x86 = self.architecture == Some(Architecture::X86_64);
        let has_android_kernel =
            || is_x86 && self.kernel.as_deref().is_some_and(|kernel| kernel.contains("-android"));
        let is_android_emulator = || is_generic() || has_android_kernel();
        self.emulator
            .or_else(by_name)
            .or_else(|| is_android_emulator().then_some(Emulator::Android))
    }

    /// Whether the recording was made of an emulator or of a guest: its clocks may be real, its battery is not.
    pub fn is_virtual(&self) -> bool {
        self.virtual_device().is_some() || self.guest_soc.is_some()
    }

    /// The product's name, second part of the fingerprint.
    fn product_name(&self) -> Option<&str> {
        self.fingerprint.as_deref()?.split('/').nth(1)
    }
}

/// Self-description of one CPU (Perfetto's `CpuInfo`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuFacts {
    /// `/proc/cpuinfo`'s processor line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// The frequencies it can run at, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frequencies: Vec<Hertz>,
    /// `cpu_capacity`, 1024 for the largest core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_name_is_the_third_part_of_the_fingerprint() {
        let device = DeviceFacts {
            fingerprint: Some("google/raven/raven:13/TP1A.220905.004/8927612:user/x".into()),
            ..DeviceFacts::default()
        };
        assert_eq!(device.device_name(), Some("raven"));
        assert_eq!(DeviceFacts::default().device_name(), None);
    }

    #[track_caller]
    fn check_virtual(fingerprint: &str, board: &str, expected: bool) {
        let device = DeviceFacts {
            fingerprint: Some(fingerprint.to_owned()),
            board: (!board.is_empty()).then(|| board.to_owned()),
            ..DeviceFacts::default()
        };
        assert_eq!(device.is_virtual(), expected, "{fingerprint} {board}");
    }

    #[test]
    fn emulators_are_told_by_their_names() {
        check_virtual("google/raven/raven:13/TP1A.220905.004/8927612:user/x", "gs101", false);
        check_virtual("google/sdk_gphone64_x86_64/emu64xa:14/UE1A/1:userdebug/x", "", true);
        check_virtual("generic/sdk/generic:4.4.2/KK/1:eng/test-keys", "", true);
        check_virtual("google/raven/raven:13/TP1A/8927612:user/x", "ranchu", true);
        check_virtual("google/cf_x86_64_phone/vsoc_x86_64:13/TP1A/1:userdebug/x", "cutf_cvm", true);
        check_virtual(
            "waydroid/lineage_waydroid_x86_64/waydroid_x86_64:11/RQ3A/1:userdebug/x",
            "",
            true,
        );
        check_virtual("redroid/redroid_x86_64/redroid_x86_64:11/RQ1D/1:userdebug/x", "", true);
        check_virtual("Android/vbox86p/vbox86p:8.0.0/OPR6/1:userdebug/x", "", true);
        check_virtual("google/aosp_arm64/generic_arm64:13/TP1A/1:userdebug/x", "sdm845", false);
        check_virtual("", "", false);
        let kernel = Some("5.10.43-android12-9-00031-g5b153f189546-ab7618735 x86_64".to_owned());
        let architecture = Some(Architecture::X86_64);
        let device = DeviceFacts { architecture, kernel, ..DeviceFacts::default() };
        assert_eq!(device.virtual_device(), Some(Emulator::Android));
    }
}
