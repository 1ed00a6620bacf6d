//! Why a device does not install an app.

use std::fmt;

/// The reply of the package manager other than `Success`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstallRefusal {
    /// The cause in one word.
    pub cause: InstallCause,
    /// The package manager's code (`INSTALL_FAILED_…`); empty where it gave none.
    pub code: String,
    /// All that it said, shortened if it was long.
    pub said: String,
}

/// The common causes (`PackageManager.INSTALL_FAILED_…` and `INSTALL_PARSE_FAILED_…` of AOSP).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstallCause {
    /// The installed app is signed by somebody else.
    UpdateIncompatible,
    /// A newer version is installed.
    VersionDowngrade,
    /// The device is full.
    InsufficientStorage,
    /// No native code for the device's processor.
    NoMatchingAbis,
    /// The device's Android is too old for the app.
    OlderSdk,
    /// The device's Android is too new for the app.
    NewerSdk,
    /// The app targets an Android so old that the device does not take it any more.
    DeprecatedSdk,
    /// The app is marked as for tests only.
    TestOnly,
    /// The device's user or its administrator does not allow it.
    UserRestricted,
    /// The package is not signed, or not in a way that the device reads.
    NoCertificates,
    /// The parts of the app are signed by different keys.
    InconsistentCertificates,
    /// The manifest cannot be read.
    BadManifest,
    /// The package is broken.
    InvalidApk,
    /// A part of the app is missing.
    MissingSplit,
    /// A library that the app needs is not on the device.
    MissingSharedLibrary,
    /// Another app has the same content provider.
    ConflictingProvider,
    /// Another app defines the same permission.
    DuplicatePermission,
    /// The app is installed already.
    AlreadyExists,
    /// The device's verifier says no.
    Verification,
    /// Somebody or something stopped it.
    Aborted,
    /// The package manager itself failed.
    Internal,
    /// A code that this version does not know, or none.
    Other,
}

/// The most of the package manager's words that is kept, bytes.
const LONGEST: usize = 1000;

impl InstallRefusal {
    /// Reads what the package manager said; `None` if it was `Success`.
    ///
    /// Its last word counts: older ones print the package's name before, newer ones warnings.
    pub fn parse(text: &str) -> Option<Self> {
        let answer = text.lines().rev().map(str::trim).find(|line| {
            line.starts_with("Success") || line.starts_with("Failure") || line.starts_with("Error")
        });
        if answer.is_some_and(|line| line.starts_with("Success")) {
            return None;
        }
        let code = answer
            .and_then(|line| line.split_once('['))
            .map(|(_, rest)| {
                rest.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
            })
            .and_then(|mut words| words.next())
            .filter(|word| word.starts_with("INSTALL_") || word.starts_with("DELETE_"))
            .unwrap_or_default();
        let said: String = text.trim().chars().take(LONGEST).collect();
        Some(Self { cause: InstallCause::from_code(code), code: code.to_owned(), said })
    }
}

impl InstallCause {
    fn from_code(code: &str) -> Self {
        match code {
            "INSTALL_FAILED_UPDATE_INCOMPATIBLE" | "INSTALL_FAILED_SHARED_USER_INCOMPATIBLE" => {
                Self::UpdateIncompatible
            }
            "INSTALL_FAILED_VERSION_DOWNGRADE" => Self::VersionDowngrade,
            "INSTALL_FAILED_INSUFFICIENT_STORAGE" => Self::InsufficientStorage,
            "INSTALL_FAILED_NO_MATCHING_ABIS" | "INSTALL_FAILED_CPU_ABI_INCOMPATIBLE" => {
                Self::NoMatchingAbis
            }
            "INSTALL_FAILED_OLDER_SDK" => Self::OlderSdk,
            "INSTALL_FAILED_NEWER_SDK" => Self::NewerSdk,
            "INSTALL_FAILED_DEPRECATED_SDK_VERSION" => Self::DeprecatedSdk,
            "INSTALL_FAILED_TEST_ONLY" => Self::TestOnly,
            "INSTALL_FAILED_USER_RESTRICTED" => Self::UserRestricted,
            "INSTALL_PARSE_FAILED_NO_CERTIFICATES"
            | "INSTALL_PARSE_FAILED_CERTIFICATE_ENCODING"
            | "INSTALL_FAILED_BAD_SIGNATURE" => Self::NoCertificates,
            "INSTALL_PARSE_FAILED_INCONSISTENT_CERTIFICATES" => Self::InconsistentCertificates,
            "INSTALL_PARSE_FAILED_BAD_MANIFEST"
            | "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED"
            | "INSTALL_PARSE_FAILED_MANIFEST_EMPTY"
            | "INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME" => Self::BadManifest,
            "INSTALL_FAILED_INVALID_APK"
            | "INSTALL_PARSE_FAILED_NOT_APK"
            | "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION" => Self::InvalidApk,
            "INSTALL_FAILED_MISSING_SPLIT" => Self::MissingSplit,
            "INSTALL_FAILED_MISSING_SHARED_LIBRARY" => Self::MissingSharedLibrary,
            "INSTALL_FAILED_CONFLICTING_PROVIDER" => Self::ConflictingProvider,
            "INSTALL_FAILED_DUPLICATE_PERMISSION" => Self::DuplicatePermission,
            "INSTALL_FAILED_ALREADY_EXISTS" | "INSTALL_FAILED_DUPLICATE_PACKAGE" => {
                Self::AlreadyExists
            }
            "INSTALL_FAILED_VERIFICATION_FAILURE" | "INSTALL_FAILED_VERIFICATION_TIMEOUT" => {
                Self::Verification
            }
            "INSTALL_FAILED_ABORTED" => Self::Aborted,
            "INSTALL_FAILED_INTERNAL_ERROR" => Self::Internal,
            _ => Self::Other,
        }
    }

    /// The cause in plain words, with what to do about it; `None` for [`Self::Other`].
    pub const fn explanation(self) -> Option<&'static str> {
        Some(match self {
            Self::UpdateIncompatible => {
                "the app on the device is signed with another key; it must be uninstalled first, which deletes its data"
            }
            Self::VersionDowngrade => {
                "a newer version is on the device; allow the downgrade, or uninstall the newer one, which deletes its data"
            }
            Self::InsufficientStorage => {
                "the device has too little free storage; free some and try again"
            }
            Self::NoMatchingAbis => "the app has no native code for the device's processor",
            Self::OlderSdk => "the device's Android is older than the app's minSdkVersion",
            Self::NewerSdk => "the device's Android is newer than the app's maxSdkVersion",
            Self::DeprecatedSdk => {
                "the app's targetSdkVersion is so old that this Android does not take it any more"
            }
            Self::TestOnly => "the app is marked android:testOnly; allow test-only packages",
            Self::UserRestricted => {
                "the device does not allow it: accept its question, or allow installing over USB in its developer \
                 options (some makers want an account and a SIM card for that); a work profile may forbid it"
            }
            Self::NoCertificates => {
                "the package has no signature that this device reads; sign it (version 2 or newer for Android 11)"
            }
            Self::InconsistentCertificates => {
                "the app's parts, or the app and the one installed, are signed with different keys; sign all with one"
            }
            Self::BadManifest => "the device cannot read the app's manifest",
            Self::InvalidApk => "the package is broken or not an Android package",
            Self::MissingSplit => {
                "the app needs splits that were not given; install all its packages together"
            }
            Self::MissingSharedLibrary => "the app needs a library that this device does not have",
            Self::ConflictingProvider => {
                "another app on the device has a content provider of the same name"
            }
            Self::DuplicatePermission => "another app on the device defines the same permission",
            Self::AlreadyExists => "the app is on the device already",
            Self::Verification => {
                "the device's verifier refused it; turn off checking of apps installed over USB in its developer options"
            }
            Self::Aborted => "the installation was stopped on the device",
            Self::Internal => {
                "the device's package manager failed; see the device's log, or restart it"
            }
            Self::Other => return None,
        })
    }
}

impl fmt::Display for InstallRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(explanation) = self.cause.explanation() {
            write!(formatter, "{explanation} (the device said: {})", self.said)
        } else if self.said.is_empty() {
            formatter.write_str("the device's package manager said nothing")
        } else {
            write!(formatter, "the device said: {}", self.said)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(InstallCause, &str)>) {
        let found = InstallRefusal::parse(text);
        let found = found.as_ref().map(|refusal| (refusal.cause, refusal.code.as_str()));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_answers_of_package_managers_are_understood() {
        check("Success\n", None);
        check("\tpkg: /data/local/tmp/a.apk\r\nSuccess\r\n", None);
        check("Warning: something\nSuccess: streamed 12 bytes\n", None);
        check(
            "Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package a.b signatures do not match newer version; ignoring!]",
            Some((InstallCause::UpdateIncompatible, "INSTALL_FAILED_UPDATE_INCOMPATIBLE")),
        );
        check(
            "\tpkg: /data/local/tmp/a.apk\nFailure [INSTALL_FAILED_VERSION_DOWNGRADE]\n",
            Some((InstallCause::VersionDowngrade, "INSTALL_FAILED_VERSION_DOWNGRADE")),
        );
        check(
            "Failure [INSTALL_PARSE_FAILED_NO_CERTIFICATES: Failed collecting certificates for /data/app/vmdl1.tmp/base.apk: x]",
            Some((InstallCause::NoCertificates, "INSTALL_PARSE_FAILED_NO_CERTIFICATES")),
        );
        check(
            "Failure [INSTALL_FAILED_SOMETHING_NEW: x]",
            Some((InstallCause::Other, "INSTALL_FAILED_SOMETHING_NEW")),
        );
        check("Failure [-99]", Some((InstallCause::Other, "")));
        check(
            "Error: Unable to open file: x\nConsider using a file under /data/local/tmp/",
            Some((InstallCause::Other, "")),
        );
        check("", Some((InstallCause::Other, "")));
        check("java.lang.SecurityException: no", Some((InstallCause::Other, "")));
    }

    #[test]
    fn every_known_code_is_explained() {
        for code in [
            "INSTALL_FAILED_UPDATE_INCOMPATIBLE",
            "INSTALL_FAILED_VERSION_DOWNGRADE",
            "INSTALL_FAILED_INSUFFICIENT_STORAGE",
            "INSTALL_FAILED_NO_MATCHING_ABIS",
            "INSTALL_FAILED_OLDER_SDK",
            "INSTALL_FAILED_TEST_ONLY",
            "INSTALL_FAILED_USER_RESTRICTED",
            "INSTALL_PARSE_FAILED_NO_CERTIFICATES",
            "INSTALL_FAILED_MISSING_SPLIT",
            "INSTALL_FAILED_DEPRECATED_SDK_VERSION",
        ] {
            let refusal = InstallRefusal::parse(&format!("Failure [{code}: why]")).expect(code);
            let text = refusal.to_string();
            let explanation = refusal.cause.explanation().expect(code);
            assert!(text.starts_with(explanation) && text.contains(code), "{text}");
        }
    }
}
