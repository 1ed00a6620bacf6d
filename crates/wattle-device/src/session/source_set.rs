//! The sources of a run, and how far each has come.

use wattle_recording::{FileOnDevice, Recorder, SourceFacts};

use crate::source::{Source, SourceGround, SourceName, SourcePlan};
use crate::{Device, DeviceError, Progress};

use crate::session::Environment;
use crate::session::recording_folder::RecordingFolder;

/// The progress of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Begun,
    Stopped,
    Collected,
}

struct Member {
    source: Box<dyn Source>,
    insisted: bool,
    phase: Phase,
}

/// The sources of a run. What of them is begun is always ended.
#[derive(Default)]
pub(super) struct SourceSet {
    members: Vec<Member>,
}

/// Whether an error of one source ends the whole: the device or this machine cannot go on, or somebody does not want to.
pub(super) const fn is_fatal(error: &DeviceError) -> bool {
    error.is_away()
        || matches!(
            error,
            DeviceError::Cancelled
                | DeviceError::File { .. }
                | DeviceError::Copy { .. }
                | DeviceError::Recording(_)
        )
}

impl SourceSet {
    /// Those of the sources that are wanted and that the device offers, and a word on each of all.
    pub(super) fn choose(
        plan: &SourcePlan,
        ground: &SourceGround<'_>,
    ) -> Result<(Self, Vec<SourceFacts>), DeviceError> {
        let (mut set, mut facts) = (Self::default(), Vec::new());
        for name in SourceName::ALL {
            let mut about = SourceFacts { name: name.to_string(), ..SourceFacts::default() };
            if !plan.wants(name) {
                about.reason = Some(plan.choice.reason_against(name).to_owned());
                facts.push(about);
                continue;
            }
            let insisted = plan.choice.insists_on(name);
            let mut source = plan.make(name);
            let reason = match source.unavailable(ground) {
                Err(error) if is_fatal(&error) => return Err(error),
                Err(error) => Some(error.to_string()),
                Ok(reason) => reason,
            };
            if let Some(reason) = reason {
                if insisted {
                    return Err(DeviceError::Plan(format!(
                        "requested source {name} is unavailable: {reason}"
                    )));
                }
                about.reason = Some(reason);
            } else {
                about.setup = source.setup();
                set.members.push(Member { source, insisted, phase: Phase::Idle });
            }
            facts.push(about);
        }
        Ok((set, facts))
    }

    /// Begins all. One that cannot begin is left out, unless somebody insists on it.
    pub(super) fn start(
        &mut self,
        ground: &SourceGround<'_>,
        into: &mut RecordingFolder,
        progress: &dyn Progress,
        environment: &mut dyn Environment,
    ) -> Result<(), DeviceError> {
        for member in &mut self.members {
            let noted = member.source.remains(ground).and_then(|remains| {
                remains.iter().try_for_each(|it| environment.expect(ground.device, it))
            });
            // Before it is tried: half begun is to be ended, too.
            member.phase = Phase::Begun;
            match noted.and_then(|()| member.source.start(ground, &into.path)) {
                Ok(()) => {}
                Err(error) if is_fatal(&error) || member.insisted => return Err(error),
                Err(error) => {
                    let name = member.source.name();
                    progress.note(&format!("{name} cannot be recorded: {error}"));
                    into.source_failed(name.as_str(), &error.to_string());
                    member.phase = Phase::Collected;
                }
            }
        }
        Ok(())
    }

    /// Ends all that have begun, in reverse order.
    pub(super) fn stop(
        &mut self,
        ground: &SourceGround<'_>,
        into: &mut RecordingFolder,
    ) -> Result<(), DeviceError> {
        for member in self.members.iter_mut().rev().filter(|member| member.phase == Phase::Begun) {
            match member.source.stop(ground) {
                Ok(()) => {}
                Err(error) if is_fatal(&error) => return Err(error),
                Err(error) => into.note(&format!("{}: {error}", member.source.name())),
            }
            member.phase = Phase::Stopped;
        }
        Ok(())
    }

    /// Brings home what all have made: also of those that could not be ended. With `give_up` an error ends nothing: the
    /// device is gone, and what there is of it on this machine is all there will be.
    pub(super) fn collect(
        &mut self,
        ground: &SourceGround<'_>,
        into: &mut RecordingFolder,
        progress: &dyn Progress,
        give_up: bool,
    ) -> Result<(), DeviceError> {
        let begun = |member: &&mut Member| matches!(member.phase, Phase::Begun | Phase::Stopped);
        let mut lost = None;
        for member in self.members.iter_mut().filter(begun) {
            let name = member.source.name();
            match member.source.collect(ground, &into.path) {
                Ok(collected) => {
                    into.add_collected(name.as_str(), &collected);
                    if collected.worth_another_try && !give_up {
                        lost = Some(name);
                        continue;
                    }
                    for note in &collected.notes {
                        into.note(&format!("{name}: {note}"));
                        progress.note(&format!("{name}: {note}"));
                    }
                }
                Err(error) if is_fatal(&error) && !give_up => return Err(error),
                Err(error) => {
                    progress.note(&format!("{name}: {error}"));
                    into.source_failed(name.as_str(), &error.to_string());
                }
            }
            member.phase = Phase::Collected;
        }
        match lost {
            Some(name) => Err(DeviceError::Disconnected {
                serial: ground.device.serial().to_owned(),
                what: format!("pulling what {name} recorded"),
            }),
            None => Ok(()),
        }
    }

    /// Ends and removes everything of theirs on the device, in reverse order. Goes on after an error; gives the first.
    pub(super) fn clean(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        let mut first = Ok(());
        for member in self.members.iter_mut().rev() {
            let cleaned = member.source.clean(device);
            if cleaned.is_ok() {
                member.phase = Phase::Idle;
            }
            if first.is_ok() {
                first = cleaned;
            }
        }
        first
    }

    /// Outputs that stay on the device.
    pub(super) fn kept_on_device(&self) -> Vec<FileOnDevice> {
        self.members.iter().filter_map(|member| member.source.kept_on_device()).collect()
    }

    /// The commands that would do what is still to be cleaned.
    pub(super) fn to_clean(&self) -> Vec<String> {
        self.members.iter().rev().flat_map(|member| member.source.to_clean()).collect()
    }

    /// The device has started anew: what ran on it does not run any more.
    pub(super) fn device_restarted(&mut self) {
        for member in &mut self.members {
            member.source.device_restarted();
        }
    }

    /// Processes on the device that belong to them now.
    pub(super) fn recorders(&self) -> Vec<Recorder> {
        self.members.iter().flat_map(|member| member.source.recorders()).collect()
    }
}
