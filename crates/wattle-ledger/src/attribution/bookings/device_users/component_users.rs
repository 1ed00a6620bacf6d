//! Who used each component.

use wattle_power::{Component, PowerTrack, Scope};
use wattle_timeline::{Note, Severity, Timeline};

use super::sessions::Sessions;
use super::transfers::Transfers;
use crate::allocation::Calls;
use crate::attribution::call_paths::CallTrees;
use crate::{ApiSets, Prefer};

/// The users of one component.
#[derive(Debug, Default)]
pub(crate) struct Users {
    pub(crate) transfers: Transfers,
    pub(crate) sessions: Sessions,
}

/// The users of all components that are not cores.
#[derive(Debug, Default)]
pub(crate) struct DeviceUsers {
    components: Vec<(Component, Users)>,
}

impl DeviceUsers {
    /// Looks for the calls of every component that has a track of its own.
    pub(crate) fn new(
        timeline: &Timeline,
        trees: &CallTrees,
        tracks: &[PowerTrack],
        sets: &ApiSets,
        prefer: Prefer,
    ) -> Self {
        let mut found = Self::default();
        if timeline.code.slices.is_empty() {
            return found;
        }
        for track in tracks {
            let has_users = matches!(track.scope, Scope::Device | Scope::App(_) | Scope::Tail(_));
            if !has_users || found.of(&track.component).is_some() {
                continue;
            }
            let names = sets.transfers(&track.component);
            let transfers = if Calls::are_named(timeline, &names) {
                Transfers::new(timeline, trees, &names, prefer)
            } else {
                Transfers::default()
            };
            let sessions = Sessions::new(timeline, trees, sets.sessions(&track.component));
            found.components.push((track.component.clone(), Users { transfers, sessions }));
        }
        found
    }

    /// Those of one component.
    pub(crate) fn of(&self, component: &Component) -> Option<&Users> {
        self.components.iter().find(|(known, _)| known == component).map(|(_, users)| users)
    }

    /// Notes on uses that cannot be attributed for certain.
    pub(crate) fn notes(&self) -> impl Iterator<Item = Note> {
        self.components.iter().filter(|(_, users)| users.sessions.never_stopped > 0).map(
            |(component, users)| {
                let text = format!(
                    "{component}: calls switched it on and none switched it off again inside the recording: they pay \
                     for it until their process ends"
                );
                Note::new(Severity::Warning, "never-stopped", text)
                    .times(users.sessions.never_stopped)
            },
        )
    }
}
