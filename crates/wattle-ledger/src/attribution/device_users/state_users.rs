//! Which apps had a component switched on, by states that the system records.

use wattle_power::Component;
use wattle_timeline::{CounterScope, StateKind, Timeline};

use super::concurrent_users::Concurrent;
use super::hardware_user::HardwareUser;

/// The states that say who uses a component.
fn kinds(component: &Component) -> &'static [StateKind] {
    match component {
        Component::Camera => &[StateKind::Camera],
        Component::Audio => &[StateKind::Audio],
        Component::Video => &[StateKind::Video],
        Component::Gnss => &[StateKind::Gnss],
        Component::Sensors => &[StateKind::Sensor],
        Component::Bluetooth => &[StateKind::BluetoothScan],
        _ => &[],
    }
}

/// By states of single apps.
pub(super) fn state_users(timeline: &Timeline, component: &Component) -> Concurrent<HardwareUser> {
    let kinds = kinds(component);
    let mut uses = Vec::new();
    for state in timeline.system.states.iter().filter(|state| kinds.contains(&state.kind)) {
        let CounterScope::Uid(uid) = state.scope else { continue };
        let on = state.level.segments(timeline.window).filter(|it| it.value > 0);
        uses.extend(on.map(|it| (it.window, HardwareUser::App(uid.0))));
    }
    Concurrent::new(uses)
}
