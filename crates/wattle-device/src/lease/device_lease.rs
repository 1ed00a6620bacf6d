//! The lease on the device itself, which processes of other machines see.

use std::time::Duration;

use crate::command::{LONG_PATIENCE, PATIENCE, run_for};
use crate::device_folder::{DEVICE_FOLDER, KEPT_LIST, LEASE_FOLDER};
use crate::lease::guard::{LOOK, LOOKS, SCRIPT};
use crate::lease::holder::Holder;
use crate::questions::{Answers, Questions};
use crate::{Device, DeviceError, quote};

/// A lease that was not renewed for so long belongs to nobody any more. The guard has acted by then.
const STALE_SECONDS: f64 = 120.0;
/// Time after a reboot within which a holder may renew its lease.
const RENEWAL_SECONDS: f64 = 60.0;
const BOOT_ID: &str = "cat /proc/sys/kernel/random/boot_id";

/// The state of the lease, as the device shows it.
#[derive(Clone, Debug, Default)]
pub(super) struct LeaseState {
    /// Who has it; `None` if that is not said.
    pub(super) holder: Option<Holder>,
    /// The text of a lease that says no holder; empty if nothing is written yet.
    unread: String,
    /// Uptime of the device at the last renewal, in seconds.
    beat: Option<f64>,
    /// Uptime now.
    now: Option<f64>,
    /// The boot now.
    boot: Option<String>,
}

/// Result of asking for the lease.
#[derive(Debug)]
pub(super) enum Attempt {
    /// It is ours.
    Taken,
    /// Somebody has it, or had it.
    Held(Box<LeaseState>),
}

/// Asks for the lease.
///
/// # Errors
/// If the device cannot make the folder; if it is gone, or somebody asked to stop.
pub(super) fn attempt(device: &dyn Device, holder: &Holder) -> Result<Attempt, DeviceError> {
    // `mkdir` is the lock: of several at a time one succeeds. A full device has no room for the lease itself.
    let take = format!(
        "mkdir {LEASE_FOLDER} && {{ {{ echo {} >{LEASE_FOLDER}/lease && cat /proc/uptime >{LEASE_FOLDER}/beat; }} || \
         {{ rm -rf {LEASE_FOLDER}; false; }}; }}",
        quote(&holder.to_line())
    );
    let answers = Questions::new()
        .ask("take", take)
        .ask("there", format!("ls -d {LEASE_FOLDER}"))
        .ask("lease", format!("cat {LEASE_FOLDER}/lease"))
        .ask("beat", format!("cat {LEASE_FOLDER}/beat"))
        .ask("now", "cat /proc/uptime")
        .ask("boot", BOOT_ID)
        .put(device, PATIENCE)?;
    let found = answers.text("lease").ok().and_then(Holder::parse);
    if found.as_ref().is_some_and(|found| found.nonce == holder.nonce) {
        return Ok(Attempt::Taken);
    }
    let refused = |said: String| {
        let what = format!("making {LEASE_FOLDER} on the device; is its storage full?");
        Err(DeviceError::Refused { what, said })
    };
    if found.is_none() && answers.text("take").is_ok() {
        // Written, and not there: a full disk that says nothing of it.
        let said = answers.text("lease").err().unwrap_or_default();
        remove(device)?;
        return refused(said);
    }
    if answers.text("there").is_err() {
        return refused(answers.text("take").err().unwrap_or_default());
    }
    let boot = answers.text("boot").ok().map(|boot| boot.trim().to_owned());
    let unread = match &found {
        Some(_) => String::new(),
        None => answers.text("lease").unwrap_or_default().to_owned(),
    };
    let state = LeaseState {
        holder: found,
        unread,
        beat: uptime(&answers, "beat"),
        now: uptime(&answers, "now"),
        boot,
    };
    Ok(Attempt::Held(Box::new(state)))
}

fn uptime(answers: &Answers, name: &str) -> Option<f64> {
    answers.text(name).ok()?.split_whitespace().next()?.parse().ok()
}

impl LeaseState {
    /// Why nobody has the device any more; `None` while somebody does. `host_id`: the identifier of the folder whose lease
    /// on this machine is ours.
    pub(super) fn stale(&self, host_id: &str) -> Option<String> {
        let Some(holder) = &self.holder else {
            // Whoever makes the folder may be about to write it: the caller looks twice.
            return if self.is_unreadable() {
                self.silent().as_deref().map(unreadable)
            } else {
                None
            };
        };
        if holder.host_id == host_id {
            return Some("its process has ended".into());
        }
        let now = self.now?;
        if let (Some(then), Some(boot)) = (&holder.boot, &self.boot)
            && then != boot
        {
            return (now > RENEWAL_SECONDS)
                .then(|| "the device was restarted since, and it did not come back".into());
        }
        self.silent()
    }

    /// Whether there is a lease of which nothing is understood: of another version, or damaged.
    pub(super) fn is_unreadable(&self) -> bool {
        self.holder.is_none() && !self.unread.trim().is_empty()
    }

    /// For how long nobody has answered, if it is too long. A damaged lease may have no last renewal at all.
    fn silent(&self) -> Option<String> {
        let Some(beat) = self.beat else {
            return self.is_unreadable().then(|| "nothing says when it was renewed".to_owned());
        };
        let age = self.now? - beat;
        (age > STALE_SECONDS).then(|| format!("it has not answered for {age:.0} s"))
    }
}

fn unreadable(reason: &str) -> String {
    format!("its lease cannot be read, and {reason}")
}

/// Ends what the earlier holder has running, and removes its lease. `false` if somebody else was faster.
pub(super) fn take_over(
    device: &dyn Device,
    state: &LeaseState,
    holder: &Holder,
) -> Result<bool, DeviceError> {
    // In the name of its folder, so that it is the folder that was judged which goes.
    let aside = format!("{LEASE_FOLDER}.old-{}", holder.nonce);
    let same = match &state.holder {
        Some(found) => format!(
            "case \"$(cat {LEASE_FOLDER}/lease)\" in *{}*) true ;; *) false ;; esac",
            quote(&found.nonce)
        ),
        None if state.is_unreadable() => {
            // What was judged is still what is there.
            format!("[ \"$(cat {LEASE_FOLDER}/lease)\" = {} ]", quote(state.unread.trim_end()))
        }
        None => format!("[ ! -s {LEASE_FOLDER}/lease ]"),
    };
    let script = format!(
        "{same} && mv {LEASE_FOLDER} {aside} || exit 3\n\
         for file in {aside}/run/*.end; do [ -e \"$file\" ] && sh \"$file\"; done\n\
         [ -e {aside}/guard.pid ] && kill $(cat {aside}/guard.pid)\n\
         rm -rf {aside}"
    );
    let output = device.shell(&script, LONG_PATIENCE)?;
    Ok(output.status != Some(3))
}

/// Ends and removes what runs before this one have left on the device without a note of it anywhere. Gives its names.
pub(super) fn sweep(device: &dyn Device) -> Result<Vec<String>, DeviceError> {
    // The brackets keep the search, whose own command line has the pattern, from finding itself. So the files, whose names
    // the pattern means, are another command's.
    let processes = "for file in $(grep -l -e '[p]erfetto-traces/wattle-' -e 'local/tmp/[w]attle/run/' \
         /proc/[0-9]*/cmdline 2>/dev/null); do\n\
         pid=${file%/cmdline}; pid=${pid##*/}; kill -TERM $pid 2>/dev/null && echo \"process $pid\"; done; true";
    let files = format!(
        "kept=$(cat {KEPT_LIST} 2>/dev/null)\n\
         for file in /data/misc/perfetto-traces/wattle-* /data/local/tmp/wattle-*-*-* {LEASE_FOLDER}.old-*; do\n\
         [ -e \"$file\" ] || continue\n\
         case \"$kept\" in *\"$file\"*) continue ;; esac\n\
         rm -rf \"$file\" && echo \"$file\"; done; true"
    );
    let mut said = run_for(device, processes, LONG_PATIENCE)?;
    said.push('\n');
    said.push_str(&run_for(device, &files, LONG_PATIENCE)?);
    Ok(said.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// Starts the guard.
pub(super) fn start_guard(device: &dyn Device) -> Result<(), DeviceError> {
    let script = format!("{LEASE_FOLDER}/guard.sh");
    device.push(&mut SCRIPT.as_bytes(), &script, 0o755)?;
    let command = format!(
        "mkdir -p {DEVICE_FOLDER}; sh {script} {LEASE_FOLDER} {} {LOOKS} >/dev/null 2>&1 </dev/null & \
         echo $! >{LEASE_FOLDER}/guard.pid",
        LOOK.as_secs()
    );
    run_for(device, &command, PATIENCE).map(drop)
}

/// Result of a renewal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Renewal {
    /// It is still ours.
    Ours,
    /// It is ours, in another boot than before: the guard runs no more.
    OtherBoot(String),
    /// Somebody else has it, or it is gone.
    Lost(Option<Holder>),
}

/// Renews the lease.
pub(super) fn renew(device: &dyn Device, holder: &Holder) -> Result<Renewal, DeviceError> {
    let beat = format!(
        "case \"$(cat {LEASE_FOLDER}/lease)\" in *{}*) cat /proc/uptime >{LEASE_FOLDER}/beat ;; *) false ;; esac",
        quote(&holder.nonce)
    );
    let answers = Questions::new()
        .ask("renew", beat)
        .ask("lease", format!("cat {LEASE_FOLDER}/lease"))
        .ask("boot", BOOT_ID)
        .put(device, PATIENCE)?;
    let found = answers.any_text("lease");
    if !found.contains(&holder.nonce) {
        // An answer that broke off is none.
        return match answers.text("boot") {
            Ok(_) => Ok(Renewal::Lost(Holder::parse(found))),
            Err(said) => Err(DeviceError::Refused { what: "renewing the lease".into(), said }),
        };
    }
    let boot = answers.text("boot").ok().map(str::trim).filter(|boot| !boot.is_empty());
    Ok(match boot {
        Some(boot) if holder.boot.as_deref().is_some_and(|before| before != boot) => {
            Renewal::OtherBoot(boot.to_owned())
        }
        _ => Renewal::Ours,
    })
}

/// Writes the lease again, for another boot.
pub(super) fn rewrite(device: &dyn Device, holder: &Holder) -> Result<(), DeviceError> {
    let command = format!("echo {} >{LEASE_FOLDER}/lease", quote(&holder.to_line()));
    run_for(device, &command, PATIENCE)?;
    start_guard(device)
}

/// Gives the lease back, if it is ours.
pub(super) fn release(device: &dyn Device, holder: &Holder) -> Result<(), DeviceError> {
    let script = format!(
        "case \"$(cat {LEASE_FOLDER}/lease)\" in *{}*)\n\
         [ -e {LEASE_FOLDER}/guard.pid ] && kill $(cat {LEASE_FOLDER}/guard.pid)\n\
         rm -rf {LEASE_FOLDER} ;; esac",
        quote(&holder.nonce)
    );
    device.shell(&script, PATIENCE).map(drop)
}

fn remove(device: &dyn Device) -> Result<(), DeviceError> {
    device.shell(&format!("rm -rf {LEASE_FOLDER}"), PATIENCE).map(drop)
}

/// Time between two renewals: several of them fit between two acts of the guard.
pub(super) const RENEW: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use super::LeaseState;
    use crate::lease::holder::Holder;

    fn state(host_id: &str, boots: (&str, &str), beat: f64, now: f64) -> LeaseState {
        let holder = Holder::this(host_id, "wattle run", Some(boots.0));
        LeaseState {
            unread: String::new(),
            holder: Some(holder),
            beat: Some(beat),
            now: Some(now),
            boot: Some(boots.1.to_owned()),
        }
    }

    #[track_caller]
    fn check(state: &LeaseState, expected: Option<&str>) {
        let found = state.stale("here");
        match expected {
            None => assert_eq!(found, None),
            Some(word) => {
                assert!(found.as_ref().is_some_and(|text| text.contains(word)), "{found:?}");
            }
        }
    }

    #[test]
    fn a_lease_is_stale_when_its_holder_cannot_live() {
        check(&state("here", ("b", "b"), 100.0, 101.0), Some("ended"));
        check(&state("there", ("b", "b"), 100.0, 101.0), None);
        check(&state("there", ("b", "b"), 100.0, 219.0), None);
        check(&state("there", ("b", "b"), 100.0, 221.0), Some("121 s"));
        // A reboot: its holder gets a minute to come back.
        check(&state("there", ("b", "c"), 5000.0, 30.0), None);
        check(&state("there", ("b", "c"), 5000.0, 61.0), Some("restarted"));
    }

    #[test]
    fn wall_clocks_do_not_matter() {
        let mut lease = state("there", ("b", "b"), 100.0, 101.0);
        if let Some(holder) = &mut lease.holder {
            holder.since_host_ns = i64::MAX;
        }
        check(&lease, None);
        if let Some(holder) = &mut lease.holder {
            holder.since_host_ns = i64::MIN;
        }
        check(&lease, None);
    }
}
