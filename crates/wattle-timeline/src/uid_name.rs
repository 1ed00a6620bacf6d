//! Names of uids: the platform's own, and the way in which Android writes the others.

use crate::Uid;

/// The size of a user's block of uids (AOSP `UserHandle.PER_USER_RANGE`).
const PER_USER: u32 = 100_000;
/// AOSP `Process.FIRST_APPLICATION_UID`.
const FIRST_APPLICATION: u32 = 10_000;
/// AOSP `Process.FIRST_APP_ZYGOTE_ISOLATED_UID`.
const FIRST_ZYGOTE_ISOLATED: u32 = 90_000;
/// AOSP `Process.FIRST_ISOLATED_UID`.
const FIRST_ISOLATED: u32 = 99_000;

/// Uids of the platform (AOSP `android_filesystem_config.h`): processes run under them without being an app.
const PLATFORM: [(u32, &str); 80] = [
    (0, "root"),
    (1, "daemon"),
    (2, "bin"),
    (3, "sys"),
    (1000, "system"),
    (1001, "radio"),
    (1002, "bluetooth"),
    (1003, "graphics"),
    (1004, "input"),
    (1005, "audio"),
    (1006, "camera"),
    (1007, "log"),
    (1008, "compass"),
    (1009, "mount"),
    (1010, "wifi"),
    (1011, "adb"),
    (1012, "install"),
    (1013, "media"),
    (1014, "dhcp"),
    (1015, "sdcard_rw"),
    (1016, "vpn"),
    (1017, "keystore"),
    (1018, "usb"),
    (1019, "drm"),
    (1020, "mdnsr"),
    (1021, "gps"),
    (1023, "media_rw"),
    (1024, "mtp"),
    (1026, "drmrpc"),
    (1027, "nfc"),
    (1029, "clat"),
    (1031, "mediadrm"),
    (1032, "package_info"),
    (1036, "logd"),
    (1037, "shared_relro"),
    (1038, "dbus"),
    (1039, "tlsdate"),
    (1040, "mediaex"),
    (1041, "audioserver"),
    (1042, "metrics_coll"),
    (1043, "metricsd"),
    (1044, "webserv"),
    (1045, "debuggerd"),
    (1046, "mediacodec"),
    (1047, "cameraserver"),
    (1048, "firewall"),
    (1049, "trunks"),
    (1050, "nvram"),
    (1051, "dns"),
    (1052, "dns_tether"),
    (1053, "webview_zygote"),
    (1054, "vehicle_network"),
    (1058, "tombstoned"),
    (1060, "ese"),
    (1061, "ota_update"),
    (1062, "automotive_evs"),
    (1063, "lowpan"),
    (1064, "hsm"),
    (1066, "statsd"),
    (1067, "incidentd"),
    (1068, "secure_element"),
    (1069, "lmkd"),
    (1070, "llkd"),
    (1071, "iorapd"),
    (1072, "gpu_service"),
    (1073, "network_stack"),
    (1074, "gsid"),
    (1075, "fsverity_cert"),
    (1076, "credstore"),
    (1080, "context_hub"),
    (1081, "virtualizationservice"),
    (1082, "artd"),
    (1083, "uwb"),
    (1084, "thread_network"),
    (2000, "shell"),
    (2001, "cache"),
    (2002, "diag"),
    (9999, "nobody"),
    // What statistics count for nobody in particular (AOSP `TrafficStats.UID_REMOVED`, `UID_TETHERING`).
    (-4_i32 as u32, "removed apps"),
    (-5_i32 as u32, "tethering"),
];

impl Uid {
    /// The Android user.
    pub const fn user(self) -> u32 {
        self.0 / PER_USER
    }

    /// The app id within the user: equal for one package in all users.
    pub const fn app_id(self) -> u32 {
        self.0 % PER_USER
    }

    /// An isolated or app-zygote-isolated process (AOSP `Process.isIsolated`: 90000..=99999).
    pub const fn is_isolated(self) -> bool {
        self.app_id() >= FIRST_ZYGOTE_ISOLATED
    }

    /// Whether it is an installed app's, of whichever user.
    pub const fn is_app(self) -> bool {
        self.signed() >= 0 && self.app_id() >= FIRST_APPLICATION
    }

    /// The kernel's number as Android's `int`: its own uids of no process (`Process.INVALID_UID`, tethering) are negative.
    pub const fn signed(self) -> i32 {
        self.0.cast_signed()
    }

    /// A uid of Android's statistics by its number, negative or not; `None` beyond 32 bits.
    pub fn of_number(number: i64) -> Option<Self> {
        let signed = i32::try_from(number).ok();
        let bits = signed.map(i32::cast_unsigned).or_else(|| u32::try_from(number).ok());
        bits.map(Self)
    }

    /// The platform's own name (`root`, `audioserver`), whichever the user; `None` for apps.
    pub fn platform_name(self) -> Option<&'static str> {
        let id = if self.signed() < 0 { self.0 } else { self.app_id() };
        PLATFORM.iter().find(|(known, _)| *known == id).map(|(_, name)| *name)
    }

    /// The uid of a name of the platform, of the first user.
    pub fn of_platform_name(name: &str) -> Option<Self> {
        PLATFORM.iter().find(|(_, known)| *known == name).map(|(uid, _)| Self(*uid))
    }

    /// As `UserHandle.formatUid` writes it: `1000`, `u0a45`, `u10s1000`, `u0i12`, `u0ai3`, `-1`.
    pub fn android_name(self) -> String {
        if self.signed() < 0 {
            return self.signed().to_string();
        }
        let (user, id) = (self.user(), self.app_id());
        match id {
            FIRST_ISOLATED.. => format!("u{user}i{}", id - FIRST_ISOLATED),
            FIRST_ZYGOTE_ISOLATED.. => format!("u{user}ai{}", id - FIRST_ZYGOTE_ISOLATED),
            FIRST_APPLICATION.. => format!("u{user}a{}", id - FIRST_APPLICATION),
            _ if user == 0 => id.to_string(),
            _ => format!("u{user}s{id}"),
        }
    }

    /// A uid as Android writes it; also `#10045`.
    pub fn of_android_name(text: &str) -> Option<Self> {
        let text = text.strip_prefix('#').unwrap_or(text);
        if let Ok(number) = text.parse::<i64>() {
            return Self::of_number(number);
        }
        let rest = text.strip_prefix('u')?;
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let (user, rest) = rest.split_at(end);
        let user: u32 = user.parse().ok()?;
        let number = rest.find(|c: char| c.is_ascii_digit())?;
        let (kind, number) = rest.split_at(number);
        let base = match kind {
            "a" | "_a" => FIRST_APPLICATION,
            "s" | "_s" => 0,
            "i" | "_i" => FIRST_ISOLATED,
            "ai" | "_ai" => FIRST_ZYGOTE_ISOLATED,
            _ => return None,
        };
        let id = base.checked_add(number.parse().ok()?)?;
        user.checked_mul(PER_USER)?.checked_add(id).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_are_read_as_they_are_written() {
        let check = |text: &str, number: Option<u32>| {
            assert_eq!(Uid::of_android_name(text).map(|uid| uid.0), number, "{text}");
        };
        for (text, number) in [
            ("1000", 1000),
            ("u0a45", 10_045),
            ("u10a12", 1_010_012),
            ("u10s1000", 1_001_000),
            ("u0i12", 99_012),
            ("u0ai3", 90_003),
            ("u0a40166", 50_166),
            ("-5", 4_294_967_291),
            ("-1", u32::MAX),
        ] {
            check(text, Some(number));
            assert_eq!(Uid(number).android_name(), text);
        }
        check("#10003", Some(10_003));
        // As `ps` writes it.
        check("u0_a45", Some(10_045));
        for text in ["u0x1", "user", "u99999999999a1", "u4294967295a1", ""] {
            check(text, None);
        }
    }

    #[test]
    fn the_platform_has_names_in_every_user() {
        assert_eq!(Uid(1_001_041).platform_name(), Some("audioserver"));
        assert_eq!(Uid(0).platform_name(), Some("root"));
        assert_eq!(Uid(10_041).platform_name(), None);
        assert_eq!(Uid(-5_i32 as u32).platform_name(), Some("tethering"));
        assert_eq!(Uid(u32::MAX).platform_name(), None);
        assert_eq!(Uid::of_platform_name("logd"), Some(Uid(1036)));
        assert!(Uid(1_010_001).is_app() && !Uid(1000).is_app() && !Uid(u32::MAX).is_app());
        let mut uids: Vec<u32> = PLATFORM.iter().map(|(uid, _)| *uid).collect();
        uids.dedup();
        assert_eq!(uids.len(), PLATFORM.len());
    }
}
