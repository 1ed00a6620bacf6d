//! Who used each component.

use wattle_power::{Component, PowerTrack, Scope};
use wattle_timeline::{Note, Severity};

use super::sessions::Sessions;
use super::split::{Split, SplitError};
use super::transfers::Transfers;
use crate::HardwareEvidence;
use crate::allocation::Calls;
use crate::attribution::call_paths::CallPaths;
use crate::attribution::context::Context;
use crate::attribution::named_spans::NamedSpans;

/// The users of one component.
#[derive(Debug, Default)]
pub(crate) struct Users {
    pub(crate) transfers: Transfers,
    pub(crate) sessions: Sessions,
    /// Its division where no call used it.
    pub(crate) split: Option<Split>,
}

/// The users of all components that are not cores.
#[derive(Debug, Default)]
pub(crate) struct DeviceUsers {
    components: Vec<(Component, Users)>,
}

impl DeviceUsers {
    /// Looks for the users of every component that has a track of its own.
    pub(crate) fn new(
        context: &Context<'_>,
        paths: &CallPaths,
        named: &NamedSpans,
        tracks: &[PowerTrack],
    ) -> Self {
        let Context { timeline, options, .. } = *context;
        let mut found = Self::default();
        for track in tracks {
            let has_users = matches!(
                track.scope,
                Scope::Device | Scope::App(_) | Scope::Tail(_) | Scope::Gpu(_)
            );
            if !has_users || found.of(&track.component).is_some() {
                continue;
            }
            let component = &track.component;
            let mut users = Users::default();
            if !timeline.code.slices.is_empty() && !matches!(track.scope, Scope::Gpu(_)) {
                let names = options.api_sets.transfers(component);
                if Calls::are_named(timeline, &names) {
                    users.transfers =
                        Transfers::new(timeline, &paths.trees, &names, options.prefer);
                }
                let sets = options.api_sets.sessions(component);
                users.sessions = Sessions::new(timeline, &paths.trees, sets);
            }
            let is_open = users.transfers.is_empty() && users.sessions.is_empty();
            if is_open && options.hardware == HardwareEvidence::All {
                users.split = Split::new(timeline, paths, named, component);
            }
            found.components.push((component.clone(), users));
        }
        found
    }

    /// Those of one component.
    pub(crate) fn of(&self, component: &Component) -> Option<&Users> {
        self.components.iter().find(|(known, _)| known == component).map(|(_, users)| users)
    }

    /// The division of a track's energy where no call says who used it, and how sure that is. The energy of one app, and of floors, is
    /// not divided.
    pub(crate) fn split_of(&self, track: &PowerTrack) -> Option<(&Split, SplitError)> {
        if !matches!(track.scope, Scope::Device | Scope::Gpu(_)) {
            return None;
        }
        let split = self.of(&track.component)?.split.as_ref()?;
        Some((split, split.error(&track.component)))
    }

    /// The uids of all apps among which energy is divided.
    pub(crate) fn uids(&self) -> impl Iterator<Item = u32> + '_ {
        let splits = self.components.iter().filter_map(|(_, users)| users.split.as_ref());
        splits.flat_map(Split::users).filter_map(|user| match user {
            super::hardware_user::HardwareUser::App(uid) => Some(uid),
            _ => None,
        })
    }

    /// The note on what is divided without a call that says who used it.
    fn divided(&self) -> Option<Note> {
        let words = self.components.iter().filter_map(|(component, users)| {
            let by = users.split.as_ref()?.words(component);
            Some(format!("{} {by}", component.title()))
        });
        let words: Vec<String> = words.collect();
        let text = format!(
            "no call says who used some components; their energy is divided by other evidence: {}. --strict-attribution \
             leaves it unattributed",
            words.join("; ")
        );
        (!words.is_empty()).then(|| Note::new(Severity::Info, "divided", text))
    }

    /// Notes on uses that cannot be attributed for certain.
    pub(crate) fn notes(&self) -> impl Iterator<Item = Note> {
        let sessions = self.components.iter().filter(|(_, users)| users.sessions.never_stopped > 0).map(
            |(component, users)| {
                let text = format!(
                    "{component}: calls switched it on and none switched it off again inside the recording: they pay \
                     for it until their process ends"
                );
                Note::new(Severity::Warning, "never-stopped", text)
                    .times(users.sessions.never_stopped)
            },
        );
        sessions.chain(self.divided())
    }
}
