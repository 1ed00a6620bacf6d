//! The manifest of an app.

use crate::axml::attribute_value::Value;
use crate::axml::document::{BinaryXml, Element};
use crate::axml::manifest_attribute as attribute;
use crate::axml::manifest_defect::{self, ManifestDefect};
use crate::{ApkError, ManifestProblem};

/// The manifest of an app, as far as it is needed here.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Manifest {
    /// Name of the package.
    pub package: String,
    /// `versionCode`, with `versionCodeMajor` in the upper half.
    pub version_code: Option<u64>,
    /// `versionName`; `@0x…` when it is a resource.
    pub version_name: Option<String>,
    /// Lowest API level; `None` when it is not said (then it is 1) or is the name of a preview.
    pub min_sdk: Option<u32>,
    /// API level that the app was written for.
    pub target_sdk: Option<u32>,
    /// Name of the split; `None` for a base package.
    pub split: Option<String>,
    /// The split that this configuration split belongs to; empty for the base.
    pub config_for_split: Option<String>,
    /// The app itself; splits without code may have none.
    pub application: Option<Application>,
    /// Test runners.
    pub instrumentations: Vec<Instrumentation>,
}

/// `<application>`.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Application {
    /// Class of the application object.
    pub class: Option<String>,
    /// Process of all components that name no other.
    pub process: Option<String>,
    /// Whether a debugger may attach; `None` when it is not said, which means no.
    pub debuggable: Option<bool>,
    /// Whether `adb install` needs `-t`.
    pub test_only: Option<bool>,
    /// Whether there is code; `None` means yes.
    pub has_code: Option<bool>,
    /// Whether native libraries are unpacked when the app is installed; `None` leaves it to the platform.
    pub extract_native_libs: Option<bool>,
    /// Whether profilers may attach.
    pub profileable: Option<Profileable>,
    /// Activities, aliases of activities, services, receivers and providers, in the order of the file.
    pub components: Vec<Component>,
}

/// `<profileable>` (from API level 29).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Profileable {
    /// Whether tools of the shell may profile the app.
    pub shell: bool,
    /// Whether anything may; `None` means yes.
    pub enabled: Option<bool>,
}

/// The kind of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComponentKind {
    /// `<activity>`
    Activity,
    /// `<activity-alias>`
    ActivityAlias,
    /// `<service>`
    Service,
    /// `<receiver>`
    Receiver,
    /// `<provider>`
    Provider,
}

impl ComponentKind {
    fn from_element(name: &str) -> Option<Self> {
        Some(match name {
            "activity" => Self::Activity,
            "activity-alias" => Self::ActivityAlias,
            "service" => Self::Service,
            "receiver" => Self::Receiver,
            "provider" => Self::Provider,
            _ => return None,
        })
    }
}

/// A component of the app.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Component {
    /// Its kind.
    pub kind: ComponentKind,
    /// Its class, in full.
    pub class: String,
    /// The activity that an alias stands for.
    pub target: Option<String>,
    /// Its process, if it is not the app's.
    pub process: Option<String>,
    /// Whether other apps may start it.
    pub exported: Option<bool>,
    /// Whether the launcher shows it.
    pub is_launcher: bool,
}

/// `<instrumentation>`: a test runner.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instrumentation {
    /// Its class, in full.
    pub class: String,
    /// The package that it tests.
    pub target_package: Option<String>,
}

impl Manifest {
    /// Reads a binary manifest.
    pub fn parse(file: &[u8]) -> Result<Self, ApkError> {
        Self::from_xml(&BinaryXml::parse(file)?)
    }

    /// Reads a manifest that is parsed already.
    pub fn from_xml(xml: &BinaryXml) -> Result<Self, ApkError> {
        let root = &xml.root;
        if &*root.name != "manifest" {
            let found = root.name.to_string();
            return Err(ApkError::Manifest(ManifestProblem::Root { found }));
        }
        let package = root.attribute("package").map(Value::to_string);
        let package = package.ok_or(ApkError::Manifest(ManifestProblem::NoPackage))?;
        let number = |id, name| root.android(id, name).and_then(Value::as_integer);
        let major = number(attribute::VERSION_CODE_MAJOR, "versionCodeMajor").unwrap_or(0);
        let version_code = number(attribute::VERSION_CODE, "versionCode")
            .map(|code| u64::from(code as u32) | (major as u64) << 32);
        let sdk = |id, name| {
            let uses = root.named("uses-sdk");
            let levels = uses.filter_map(|uses| uses.android(id, name)?.as_integer());
            levels.last().and_then(|level| u32::try_from(level).ok())
        };
        let text = |name| root.attribute(name).map(Value::to_string);
        Ok(Self {
            version_code,
            version_name: root
                .android(attribute::VERSION_NAME, "versionName")
                .map(Value::to_string),
            min_sdk: sdk(attribute::MIN_SDK_VERSION, "minSdkVersion"),
            target_sdk: sdk(attribute::TARGET_SDK_VERSION, "targetSdkVersion"),
            split: text("split"),
            config_for_split: text("configForSplit"),
            application: root.named("application").next().map(|app| application(app, &package)),
            instrumentations: root
                .named("instrumentation")
                .filter_map(|element| instrumentation(element, &package))
                .collect(),
            package,
        })
    }

    /// Reasons why Android does not install the package of a binary manifest, in the order of the file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn defects(file: &[u8]) -> Result<Vec<ManifestDefect>, ApkError> {
        Ok(manifest_defect::defects(&BinaryXml::parse(file)?))
    }

    /// Whether it is the base package and not a split.
    pub const fn is_base(&self) -> bool {
        self.split.is_none()
    }

    /// The class of the activity that the launcher starts; of the target, when the launcher shows an alias.
    pub fn launcher_activity(&self) -> Option<&str> {
        let components = &self.application.as_ref()?.components;
        let shown = components.iter().find(|component| component.is_launcher)?;
        Some(shown.target.as_deref().unwrap_or(&shown.class))
    }
}

fn application(element: &Element, package: &str) -> Application {
    let flag = |id, name| element.android(id, name).and_then(Value::as_bool);
    let profileable = element.named("profileable").next().map(|profileable| {
        let flag = |id, name| profileable.android(id, name).and_then(Value::as_bool);
        Profileable {
            shell: flag(attribute::SHELL, "shell").unwrap_or(false),
            enabled: flag(attribute::ENABLED, "enabled"),
        }
    });
    Application {
        class: class(element, attribute::NAME, "name", package),
        process: element.android(attribute::PROCESS, "process").map(Value::to_string),
        debuggable: flag(attribute::DEBUGGABLE, "debuggable"),
        test_only: flag(attribute::TEST_ONLY, "testOnly"),
        has_code: flag(attribute::HAS_CODE, "hasCode"),
        extract_native_libs: flag(attribute::EXTRACT_NATIVE_LIBS, "extractNativeLibs"),
        profileable,
        components: element.elements().filter_map(|inside| component(inside, package)).collect(),
    }
}

fn component(element: &Element, package: &str) -> Option<Component> {
    let has = |filter: &Element, what: &str, name: &str| {
        filter.named(what).any(|found| {
            found.android(attribute::NAME, "name").and_then(Value::as_str) == Some(name)
        })
    };
    Some(Component {
        kind: ComponentKind::from_element(&element.name)?,
        class: class(element, attribute::NAME, "name", package)?,
        target: class(element, attribute::TARGET_ACTIVITY, "targetActivity", package),
        process: element.android(attribute::PROCESS, "process").map(Value::to_string),
        exported: element.android(attribute::EXPORTED, "exported").and_then(Value::as_bool),
        is_launcher: element.named("intent-filter").any(|filter| {
            has(filter, "action", "android.intent.action.MAIN")
                && (has(filter, "category", "android.intent.category.LAUNCHER")
                    || has(filter, "category", "android.intent.category.LEANBACK_LAUNCHER"))
        }),
    })
}

fn instrumentation(element: &Element, package: &str) -> Option<Instrumentation> {
    Some(Instrumentation {
        class: class(element, attribute::NAME, "name", package)?,
        target_package: element
            .android(attribute::TARGET_PACKAGE, "targetPackage")
            .map(Value::to_string),
    })
}

/// The class that an attribute names, in full: `.Main` and `Main` are in the package.
fn class(element: &Element, id: u32, name: &str, package: &str) -> Option<String> {
    let written = element.android(id, name)?.to_string();
    Some(match written.find('.') {
        Some(0) => format!("{package}{written}"),
        Some(_) => written,
        None => format!("{package}.{written}"),
    })
}
