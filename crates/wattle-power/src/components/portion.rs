//! Portion that one rule gives to one account.

use std::collections::BTreeMap;

use wattle_timeline::{StateKind, Uid, Window};
use wattle_units::Coulombs;

use super::draw::Drawn;
use crate::{Component, Scope};

/// A charge that a component drew over a stretch of time, as Android's rules give it.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentCharge {
    /// Android's name of the rule: `screen`, `ambient display`, `wifi`, `mobile radio`, `phone` …
    pub rule: &'static str,
    /// The hardware.
    pub component: Component,
    /// Whose; `None`: what is left to the device.
    pub uid: Option<Uid>,
    /// Charge, at the battery's voltage.
    pub charge: Coulombs,
    /// Over which stretch of time.
    pub window: Window,
    /// Whether the device measured it, or it is a share of what was measured.
    pub measured: bool,
}

/// Portion that one rule gives to one account.
#[derive(Clone, Debug)]
pub(super) struct Portion {
    pub(super) rule: RuleId,
    pub(super) component: Component,
    pub(super) scope: Scope,
    pub(super) drawn: Drawn,
    /// When: while any of these states of the device or the app holds; empty: evenly.
    pub(super) shape: &'static [StateKind],
    /// The device measured it, or the sum it is a share of.
    pub(super) measured: bool,
}

/// Result of a rule.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleResult {
    pub(super) portions: Vec<Portion>,
    /// Figures without which nothing could be said of what was counted.
    pub(super) missing: Vec<&'static str>,
    /// Figures that were used.
    pub(super) used: Vec<&'static str>,
}

impl RuleResult {
    /// Counted, but without these figures nothing can be said.
    pub(super) fn missing(figures: &[&'static str]) -> Self {
        Self { missing: figures.to_vec(), ..Self::default() }
    }
}

/// A rule of Android's battery statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RuleId {
    Ambient,
    Audio,
    Bluetooth,
    Camera,
    Cellular,
    Cpu,
    /// No rule: a consumer that the device measured under a name of its own.
    Custom,
    Flashlight,
    Gnss,
    Idle,
    Memory,
    Phone,
    Screen,
    Sensors,
    Video,
    Wakelock,
    Wifi,
}

impl RuleId {
    /// Android's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ambient => "ambient display",
            Self::Audio => "audio",
            Self::Bluetooth => "bluetooth",
            Self::Camera => "camera",
            Self::Cellular => "mobile radio",
            Self::Cpu => "cpu",
            Self::Flashlight => "flashlight",
            Self::Gnss => "gnss",
            Self::Idle => "idle",
            Self::Memory => "memory",
            Self::Phone => "phone",
            Self::Screen => "screen",
            Self::Sensors => "sensors",
            Self::Video => "video",
            Self::Wakelock => "wakelock",
            Self::Wifi => "wifi",
            Self::Custom => "custom",
        }
    }
}

/// Common properties of a rule's portions.
#[derive(Clone)]
pub(super) struct Rule {
    pub(super) id: RuleId,
    pub(super) component: Component,
    pub(super) shape: &'static [StateKind],
}

impl Rule {
    pub(super) fn portion(&self, scope: Scope, drawn: Drawn) -> Portion {
        Portion {
            rule: self.id,
            component: self.component.clone(),
            scope,
            drawn,
            shape: self.shape,
            measured: false,
        }
    }

    /// One portion an app, and what the device has more than all apps.
    pub(super) fn shared(
        &self,
        apps: BTreeMap<Uid, Drawn>,
        device: Drawn,
        used: &[&'static str],
    ) -> RuleResult {
        let taken: Drawn = apps.values().copied().sum();
        let rest = device.less(taken);
        let of_app = |(uid, drawn)| self.portion(Scope::App(uid), drawn);
        let mut portions: Vec<_> = apps.into_iter().map(of_app).collect();
        portions.push(self.portion(Scope::Device, rest));
        portions.retain(|portion| !portion.drawn.is_zero());
        RuleResult { portions, missing: Vec::new(), used: used.to_vec() }
    }
}
