//! The state of a phone, and how its commands read and change it. Answers are worded as Android's own services word them,
//! retold from their sources (`BatteryService`, `SettingsService`, `logcat`, `PackageManagerShellCommand`).

use std::collections::{BTreeMap, BTreeSet};

/// Result of a command: status, output.
pub type Reply = (u8, String);

/// An installed app.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct App {
    pub version_code: u64,
    pub signer: u32,
    pub debuggable: bool,
    /// Content of each package, the base first.
    pub packages: Vec<Vec<u8>>,
    /// Something that only lives while the app is not uninstalled.
    pub data: String,
}

/// State of a phone, as tests compare it: two equal phones are in the same state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone {
    pub settings: BTreeMap<(String, String), String>,
    pub log_kib: BTreeMap<String, u64>,
    /// Suffix that `logcat -g` writes after sizes: `Kb` or ` KiB`.
    pub log_unit: &'static str,
    pub truly_plugged: BTreeSet<&'static str>,
    /// Sources that the battery service shows, while it is frozen.
    pub faked: Option<BTreeSet<String>>,
    pub awake: bool,
    pub locked: bool,
    /// It has a PIN.
    pub secure: bool,
    pub full_wake_history: bool,
    pub apps: BTreeMap<String, App>,
    pub has_sha256sum: bool,
    pub log_lines: u32,
    pub statistics_resets: u32,
    /// Answers to commands by their exact words.
    pub fixed: BTreeMap<String, Reply>,
    /// Answers to commands that contain these words.
    pub containing: Vec<(String, Reply)>,
    /// Files outside of apps.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Output of `unzip -p`, if there is `unzip`.
    pub unpacked: Option<Vec<u8>>,
    /// Set if the installed package differs from the one that was sent.
    pub spoils_installs: bool,
}

impl Default for Phone {
    fn default() -> Self {
        let mut settings = BTreeMap::new();
        for (namespace, key, value) in [
            ("global", "window_animation_scale", "1.0"),
            ("global", "transition_animation_scale", "0.5"),
            // `animator_duration_scale` was never set.
            ("global", "stay_on_while_plugged_in", "0"),
            ("system", "screen_off_timeout", "30000"),
            ("system", "screen_brightness", "102"),
            ("system", "screen_brightness_mode", "1"),
            ("global", "airplane_mode_on", "0"),
            ("global", "wifi_on", "1"),
            ("global", "low_power", "0"),
        ] {
            settings.insert((namespace.to_owned(), key.to_owned()), value.to_owned());
        }
        let log_kib = [("main", 256), ("system", 256), ("crash", 64)];
        Self {
            settings,
            log_kib: log_kib.map(|(name, size)| (name.to_owned(), size)).into(),
            log_unit: " KiB",
            truly_plugged: ["usb"].into(),
            faked: None,
            awake: false,
            locked: true,
            secure: false,
            full_wake_history: false,
            apps: BTreeMap::new(),
            has_sha256sum: true,
            log_lines: 1000,
            statistics_resets: 0,
            fixed: BTreeMap::new(),
            containing: Vec::new(),
            files: BTreeMap::new(),
            unpacked: None,
            spoils_installs: false,
        }
    }
}

impl Phone {
    pub fn setting(&self, namespace: &str, key: &str) -> Option<&str> {
        self.settings.get(&(namespace.to_owned(), key.to_owned())).map(String::as_str)
    }

    pub fn set(&mut self, namespace: &str, key: &str, value: &str) {
        self.settings.insert((namespace.to_owned(), key.to_owned()), value.to_owned());
    }

    /// The same, without what cannot be undone.
    pub fn restorable(&self) -> Self {
        Self { log_lines: 0, statistics_resets: 0, locked: true, ..self.clone() }
    }

    pub fn paths(&self, package: &str) -> Vec<String> {
        let names = self.apps.get(package).map_or(0, |app| app.packages.len());
        (0..names)
            .map(|number| match number {
                0 => format!("/data/app/{package}-1/base.apk"),
                _ => format!("/data/app/{package}-1/split_{number}.apk"),
            })
            .collect()
    }

    pub fn file(&self, path: &str) -> Option<&Vec<u8>> {
        let of_app = self.apps.iter().find_map(|(package, app)| {
            let number = self.paths(package).iter().position(|found| found == path)?;
            app.packages.get(number)
        });
        of_app.or_else(|| self.files.get(path))
    }

    /// Runs one command.
    pub fn command(&mut self, command: &str) -> Reply {
        if let Some(reply) = self.fixed.get(command) {
            return reply.clone();
        }
        if let Some((_, reply)) = self.containing.iter().find(|(part, _)| command.contains(part)) {
            return reply.clone();
        }
        let plain = command.replace('\'', "");
        let words: Vec<&str> = plain.split_whitespace().collect();
        let done = || (0, String::new());
        match words.as_slice() {
            ["settings", "get", namespace, key] => {
                (0, self.setting(namespace, key).unwrap_or("null").to_owned() + "\n")
            }
            ["settings", "put", namespace, key, value] => {
                self.set(namespace, key, value);
                done()
            }
            ["settings", "delete", namespace, key] => {
                let gone = self.settings.remove(&((*namespace).to_owned(), (*key).to_owned()));
                (0, format!("Deleted {} rows\n", u8::from(gone.is_some())))
            }
            ["dumpsys", "battery"] => (0, self.battery()),
            ["dumpsys", "battery", "unplug"] => {
                self.faked = Some(BTreeSet::new());
                done()
            }
            ["dumpsys", "battery", "reset"] => {
                self.faked = None;
                done()
            }
            ["dumpsys", "battery", "set", source, "1"] => {
                self.faked.get_or_insert_default().insert((*source).to_owned());
                done()
            }
            ["dumpsys", "batterystats", "--reset"] => {
                self.statistics_resets += 1;
                (0, "Battery stats reset.\n".into())
            }
            [
                "dumpsys",
                "batterystats",
                switch @ ("--enable" | "--disable"),
                "full-wake-history",
            ] => {
                self.full_wake_history = *switch == "--enable";
                (
                    0,
                    "Enabled: full-wake-history\n".replace(
                        "Enabled",
                        if self.full_wake_history { "Enabled" } else { "Disabled" },
                    ),
                )
            }
            ["dumpsys", "power"] => {
                let word = if self.awake { "Awake" } else { "Asleep" };
                (
                    0,
                    format!(
                        "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mDirty=0x0\n  mWakefulness={word}\n"
                    ),
                )
            }
            ["dumpsys", "window", "policy"] => (
                0,
                format!(
                    "WINDOW MANAGER POLICY STATE\n    KeyguardServiceDelegate\n      showing={}\n      secure={}\n",
                    self.locked, self.secure
                ),
            ),
            ["input", "keyevent", "KEYCODE_WAKEUP"] => {
                self.awake = true;
                done()
            }
            ["input", "keyevent", "KEYCODE_SLEEP"] => {
                self.awake = false;
                self.locked = true;
                done()
            }
            ["wm", "dismiss-keyguard"] => {
                self.locked &= self.secure;
                done()
            }
            ["logcat", "-g"] => (0, self.log_sizes()),
            ["logcat", "-c"] => {
                self.log_lines = 0;
                done()
            }
            ["logcat", "-b", buffer, "-G", size] => self.resize(buffer, size),
            ["cmd", "connectivity", "airplane-mode", word] => {
                self.set("global", "airplane_mode_on", if *word == "enable" { "1" } else { "0" });
                done()
            }
            ["svc", "wifi", word] => {
                self.set("global", "wifi_on", if *word == "enable" { "1" } else { "0" });
                done()
            }
            ["am", "get-current-user"] => (0, "0\n".into()),
            ["pm", "clear", package] => match self.apps.get_mut(*package) {
                Some(app) => {
                    app.data.clear();
                    (0, "Success\n".into())
                }
                None => (1, "Failed\n".into()),
            },
            ["pm", "uninstall", package] => match self.apps.remove(*package) {
                Some(_) => (0, "Success\n".into()),
                None => (1, "Failure [DELETE_FAILED_INTERNAL_ERROR]\n".into()),
            },
            ["pm", "path", package] => {
                let lines: String =
                    self.paths(package).iter().map(|path| format!("package:{path}\n")).collect();
                (u8::from(lines.is_empty()), lines)
            }
            ["dumpsys", "package", package] => (0, self.package(package)),
            ["sha256sum", paths @ ..] if self.has_sha256sum => {
                let sum = |path: &&str| {
                    Some(format!("{}  {path}\n", super::scripted::sha256(self.file(path)?)))
                };
                match paths.iter().map(sum).collect::<Option<String>>() {
                    Some(text) => (0, text),
                    None => (1, "sha256sum: no such file\n".into()),
                }
            }
            _ => (
                127,
                format!(
                    "/system/bin/sh: {}: inaccessible or not found\n",
                    words.first().unwrap_or(&"")
                ),
            ),
        }
    }

    fn battery(&self) -> String {
        let online = |source: &str| match &self.faked {
            Some(faked) => faked.contains(source),
            None => self.truly_plugged.contains(source),
        };
        let frozen = if self.faked.is_some() {
            "  (UPDATES STOPPED -- use 'reset' to restart)\n"
        } else {
            ""
        };
        format!(
            "Current Battery Service state:\n{frozen}  AC powered: {}\n  USB powered: {}\n  Wireless powered: {}\n  \
             Dock powered: {}\n  Max charging current: 500000\n  status: 2\n  level: 80\n  scale: 100\n  voltage: 4100\n  \
             temperature: 271\n",
            online("ac"),
            online("usb"),
            online("wireless"),
            online("dock"),
        )
    }

    fn log_sizes(&self) -> String {
        let line = |(name, kib): (&String, &u64)| {
            let (size, unit) = if *kib >= 1024 && kib.is_multiple_of(1024) {
                (kib / 1024, 'M')
            } else {
                (*kib, 'K')
            };
            let unit = self.log_unit.replace('K', &unit.to_string());
            format!(
                "{name}: ring buffer is {size}{unit} (12{unit} consumed), max entry is 5120 B, max payload is 4068 B\n"
            )
        };
        self.log_kib.iter().map(line).collect()
    }

    fn resize(&mut self, buffer: &str, size: &str) -> Reply {
        let (number, unit) = size.split_at(size.len() - 1);
        let factor = if unit == "M" { 1024 } else { 1 };
        match (self.log_kib.get_mut(buffer), number.parse::<u64>()) {
            (Some(kib), Ok(number)) => {
                *kib = number * factor;
                (0, String::new())
            }
            _ => (1, format!("logcat: Unknown buffer {buffer}\n")),
        }
    }

    fn package(&self, package: &str) -> String {
        let Some(app) = self.apps.get(package) else {
            return format!("Unable to find package: {package}\n");
        };
        let flags = if app.debuggable { "DEBUGGABLE HAS_CODE" } else { "HAS_CODE" };
        format!(
            "Dexopt state:\n  [{package}]\n\nPackages:\n  Package [{package}] (2036fd1):\n    appId=10225\n    \
             versionCode={} minSdk=21 targetSdk=34\n    versionName=1.{}\n    flags=[ {flags} ALLOW_CLEAR_USER_DATA ]\n    \
             signatures=PackageSignatures{{9122424 version:2, signatures:[{:x}], past signatures:[]}}\n    User 0: \
             ceDataInode=474317 installed=true hidden=false stopped=false\n\nQueries:\n",
            app.version_code, app.version_code, app.signer
        )
    }
}
