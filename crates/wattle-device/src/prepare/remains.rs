//! Things that sources leave on a device while they record.

use crate::device_folder::end_file;
use crate::package::AppAccess;
use crate::prepare::Undo;

/// Something that a source is about to leave on a device, and the way to remove it. It is in the journal before it is
/// there, so that the next run can remove it if this one is killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remains {
    /// Its name in messages.
    pub(crate) what: String,
    /// The way to remove it.
    pub(crate) undo: Undo,
}

impl Remains {
    /// A recorder of this name and its files. The recorder's end file has the commands that end it.
    pub(crate) fn recorder(name: &str, files: Vec<String>) -> Self {
        let files = files.into_iter().chain([end_file(name)]).collect();
        let undo = Undo::Recorder { name: name.to_owned(), files };
        Self { what: format!("{name} recording"), undo }
    }

    /// A system property with its present value.
    pub(crate) fn property(name: &str, before: &str) -> Self {
        let undo = Undo::Property { name: name.to_owned(), before: before.to_owned() };
        Self { what: format!("property {name}"), undo }
    }

    /// The files that probes write.
    pub(crate) fn probe_files(access: &AppAccess) -> Self {
        let package = access.package().to_owned();
        let what = format!("probe files of {package}");
        let command = access.command_to_remove_probe_files();
        Self { what, undo: Undo::ProbeFiles { package, command } }
    }
}
