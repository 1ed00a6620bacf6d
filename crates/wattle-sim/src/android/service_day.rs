//! Hours of a phone as Android's services report them, without a scheduler.

use std::io::Write;

use wattle_units::{BootNanos, Nanos};

use crate::SimError;
use crate::trace::{BOOTTIME, PacketBundle, Persona, Recorder, ServiceEvent};

/// An app that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceApp {
    /// Its package.
    pub package: String,
    /// Its uid.
    pub uid: u32,
}

/// A report, so long after the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceReport {
    /// When.
    pub after: Nanos,
    /// Reported event.
    pub event: ServiceEvent,
}

/// Hours of a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceDay {
    /// When the recording begins.
    pub start: BootNanos,
    /// Its length.
    pub length: Nanos,
    /// Installed apps.
    pub apps: Vec<ServiceApp>,
    /// Reports, in any order.
    pub reports: Vec<ServiceReport>,
}

/// `NetworkPacketEvent.DIR_INGRESS`.
const INGRESS: u64 = 1;

impl ServiceDay {
    /// Writes a Perfetto trace of `statsd`'s atoms and of packets of the network. Reports that lie after the end are left out.
    ///
    /// # Errors
    ///
    /// When the output cannot be written to.
    pub fn write<W: Write>(&self, out: W) -> Result<W, SimError> {
        let mut recorder = Recorder::new(out, 1, false);
        let start = nanos(self.start);
        recorder.clock_snapshot(start, &[(BOOTTIME, start)])?;
        let apps: Vec<Persona> = self.apps.iter().map(persona).collect();
        recorder.packages(start, apps.iter())?;
        let mut reports: Vec<&ServiceReport> = self.reports.iter().collect();
        reports.retain(|it| (0..self.length.value()).contains(&it.after.value()));
        reports.sort_by_key(|it| it.after);
        for report in reports {
            let time = nanos(self.start + report.after);
            match &report.event {
                ServiceEvent::Network { uid, bytes } => {
                    let interface = "wlan0";
                    let (uid, bytes) = (*uid, *bytes);
                    let direction = INGRESS;
                    let packets = bytes.div_ceil(1400).min(u64::from(u32::MAX)) as u32;
                    let bundle = PacketBundle { direction, interface, uid, bytes, packets };
                    recorder.network_packets(time, bundle)?;
                }
                event => recorder.atom(time, event)?,
            }
        }
        recorder.trace_stats(nanos(self.start + self.length))?;
        Ok(recorder.into_inner()?)
    }
}

fn persona(app: &ServiceApp) -> Persona {
    Persona {
        pid: 0,
        parent: 1,
        name: app.package.clone(),
        uid: app.uid,
        package: Some(app.package.clone()),
    }
}

fn nanos(time: BootNanos) -> u64 {
    time.value().max(0) as u64
}
