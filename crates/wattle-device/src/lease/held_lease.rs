//! A lease that this process has.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::facts::DeviceIdentity;
use crate::lease::device_lease::{self, Attempt, RENEW, Renewal};
use crate::lease::holder::Holder;
use crate::lease::host_lease::{HostLease, host_id};
use crate::{Cancel, Device, DeviceError, Progress};

/// Pause between two attempts to take a lease.
const PAUSE: Duration = Duration::from_millis(500);
/// Time for the last commands of a process that was killed to end on the device, before anything is put back.
const LAST_COMMANDS: Duration = Duration::from_secs(1);
/// Attempts to take a device over: others may be doing the same.
const MOST_ATTEMPTS: u32 = 10;
/// Time after which a folder without a holder is nobody's.
const UNNAMED: Duration = Duration::from_secs(3);
/// Whoever wrote a lease that this version does not understand.
const UNREADABLE: &str = "a run whose lease this version of Wattle cannot read";

/// Options of taking a lease.
#[derive(Clone, Debug)]
pub struct LeaseOptions {
    /// The folder of this machine in which leases are.
    pub folder: PathBuf,
    /// The command line of this process, for others who want the device.
    pub command: String,
    /// Time to wait for a device that another run has. Zero: not at all.
    pub wait: Duration,
}

/// The right to work with a device, which no other process has at the same time. It ends when this is dropped, or with
/// the process.
#[derive(Debug)]
pub struct Lease {
    identity: DeviceIdentity,
    device: Box<dyn Device>,
    state: Arc<State>,
    renewing: Option<JoinHandle<()>>,
    /// The last to go: until then nobody else of this machine begins.
    _host: HostLease,
}

#[derive(Debug)]
struct State {
    holder: Mutex<Holder>,
    lost: Mutex<Option<String>>,
    over: Cancel,
}

impl State {
    fn holder(&self) -> MutexGuard<'_, Holder> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease {
    /// Takes the lease of a device. A lease whose holder is dead is taken over, which is said; what that run has left
    /// running is ended.
    ///
    /// # Errors
    /// [`DeviceError::InUse`] if another run has it and `wait` is over; what the device and this machine say.
    pub fn take(
        device: &dyn Device,
        options: &LeaseOptions,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<Self, DeviceError> {
        let identity = DeviceIdentity::read(device)?;
        if let Some(doubt) = &identity.doubt {
            progress.note(doubt);
        }
        let host_id = host_id(&options.folder)?;
        let holder = Holder::this(&host_id, &options.command, identity.boot.as_deref());
        let mut waiting = Waiting { began: Instant::now(), options, cancel, progress, said: false };
        let host = loop {
            match HostLease::take(&options.folder, &identity.file_name(), &holder)? {
                Ok(lease) => break lease,
                Err(other) => waiting.wait(device, &other)?,
            }
        };
        let mut unnamed: Option<Instant> = None;
        let mut is_taken_over = false;
        let mut attempts = 0;
        while let Attempt::Held(found) = device_lease::attempt(device, &holder)? {
            let since = *unnamed.get_or_insert_with(Instant::now);
            let reason = match &found.holder {
                None if !found.is_unreadable() => {
                    (since.elapsed() > UNNAMED).then(|| "it names no holder".to_owned())
                }
                _ => found.stale(&host_id),
            };
            match (reason, &found.holder) {
                (Some(reason), earlier) => {
                    let earlier = earlier.as_ref().map_or_else(
                        || "an earlier run".to_owned(),
                        |earlier| format!("the run of {earlier}"),
                    );
                    let note = format!("taking the device over from {earlier}: {reason}");
                    if !is_taken_over {
                        progress.note(&note);
                        cancel.sleep(LAST_COMMANDS)?;
                    }
                    is_taken_over = true;
                    attempts += 1;
                    if attempts > MOST_ATTEMPTS {
                        let what = "taking the device over".to_owned();
                        return Err(DeviceError::Refused { what, said: note });
                    }
                    device_lease::take_over(device, &found, &holder)?;
                }
                (None, Some(other)) => waiting.wait(device, other)?,
                (None, None) if found.is_unreadable() => waiting.wait(device, &UNREADABLE)?,
                (None, None) => cancel.sleep(PAUSE)?,
            }
        }
        let state = Arc::new(State {
            holder: Mutex::new(holder),
            lost: Mutex::new(None),
            over: Cancel::new(),
        });
        // From here on it is given back whatever happens.
        let mut lease = Self {
            identity,
            device: device.with_cancel(Cancel::new()),
            state,
            renewing: None,
            _host: host,
        };
        let swept = device_lease::sweep(device)?;
        if !swept.is_empty() {
            let what = swept.join(", ");
            progress.note(&format!("removed what an earlier run had left on the device: {what}"));
        }
        device_lease::start_guard(device)?;
        lease.renewing = Some(lease.renew());
        Ok(lease)
    }

    fn renew(&self) -> JoinHandle<()> {
        let device = self.device.with_cancel(self.state.over.clone());
        let state = Arc::clone(&self.state);
        std::thread::spawn(move || {
            let mut losses = 0;
            while state.over.sleep(RENEW).is_ok() {
                let holder = state.holder().clone();
                match device_lease::renew(&*device, &holder) {
                    Ok(Renewal::Ours) => losses = 0,
                    Ok(Renewal::OtherBoot(boot)) => {
                        losses = 0;
                        let renewed = holder.in_boot(boot);
                        // If the device is away again, the next renewal does it.
                        if device_lease::rewrite(&*device, &renewed).is_ok() {
                            *state.holder() = renewed;
                        }
                    }
                    // A folder that is being moved is not there for a moment.
                    Ok(Renewal::Lost(None)) if losses == 0 => losses = 1,
                    Ok(Renewal::Lost(other)) => {
                        let other = other.map_or_else(
                            || "its lease is gone".to_owned(),
                            |other| other.to_string(),
                        );
                        *state.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(other);
                        return;
                    }
                    // A device that is away comes back, or the run ends for another reason.
                    Err(_) => {}
                }
            }
        })
    }

    /// The device.
    pub const fn identity(&self) -> &DeviceIdentity {
        &self.identity
    }

    /// Whether the device is still ours.
    ///
    /// # Errors
    /// [`DeviceError::LeaseLost`] if another run has taken it over.
    pub fn check(&self) -> Result<(), DeviceError> {
        let lost = self.state.lost.lock().unwrap_or_else(PoisonError::into_inner);
        match &*lost {
            None => Ok(()),
            Some(holder) => Err(DeviceError::LeaseLost {
                serial: self.device.serial().to_owned(),
                holder: holder.clone(),
            }),
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.state.over.cancel();
        if let Some(thread) = self.renewing.take() {
            let _ = thread.join();
        }
        let holder = self.state.holder().clone();
        // A device that is away keeps its lease until it is stale; this machine's own next run takes it over at once.
        let _ = device_lease::release(&*self.device, &holder);
    }
}

/// Waiting for a device that somebody else has.
struct Waiting<'a> {
    began: Instant,
    options: &'a LeaseOptions,
    cancel: &'a Cancel,
    progress: &'a dyn Progress,
    said: bool,
}

impl Waiting<'_> {
    fn wait(&mut self, device: &dyn Device, holder: &dyn Display) -> Result<(), DeviceError> {
        if self.began.elapsed() >= self.options.wait {
            return Err(DeviceError::InUse {
                serial: device.serial().to_owned(),
                holder: holder.to_string(),
            });
        }
        if !self.said {
            self.said = true;
            let serial = device.serial();
            self.progress.note(&format!("waiting for {serial}, which is in use by {holder}"));
        }
        self.cancel.sleep(PAUSE)
    }
}
