//! The services that a host can open.

mod sync;
mod sync_files;

use std::sync::Arc;

use crate::core::Core;
use crate::shell::{Form, Session};
use crate::transport::Stream;

/// A service.
#[derive(Clone, Debug)]
pub(crate) enum Service {
    /// `shell:`, `shell,v2:` and `exec:`.
    Shell(Session),
    /// `sync:`.
    Sync,
    /// `reboot:`.
    Reboot,
    /// One that only says something (`root:`).
    Words(&'static str),
}

/// The service of a name; `None` where adbd would refuse.
pub(crate) fn find(core: &Core, name: &str) -> Option<Service> {
    let (kind, command) = name.split_once(':')?;
    let mut words = kind.split(',');
    let service = match words.next().unwrap_or_default() {
        "shell" => {
            let form = if words.any(|word| word == "v2") { Form::Packets } else { Form::Bytes };
            Service::Shell(Session { form, command: command.to_owned() })
        }
        "exec" => Service::Shell(Session { form: Form::Bytes, command: command.to_owned() }),
        "sync" => Service::Sync,
        "reboot" => Service::Reboot,
        "root" if core.options.rooted => Service::Words("adbd is already running as root\n"),
        "root" => Service::Words("adbd cannot run as root in production builds\n"),
        "unroot" => Service::Words("adbd not running as root\n"),
        "remount" => Service::Words("remount failed\n"),
        _ => return None,
    };
    Some(service)
}

impl Service {
    /// Serves until its end or the host's.
    pub(crate) fn run(&self, core: &Arc<Core>, stream: &Stream) {
        match self {
            Self::Shell(session) => session.run(core, stream),
            Self::Sync => sync::run(core, stream),
            Self::Reboot => {
                stream.close();
                core.reboot();
            }
            // A host that is gone is not told.
            Self::Words(words) => drop(stream.write(words.as_bytes())),
        }
    }
}
