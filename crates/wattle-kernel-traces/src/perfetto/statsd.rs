//! Reports of Android's services to `statsd` (`StatsdAtom`): states of the screen, locks, jobs, apps.
//!
//! They become the states that battery statistics become, too. Atoms of other numbers are counted by number.

use wattle_timeline::{
    CounterScope, DeviceWake, Overlap, RawScope, Severity, StateKind, Uid, WakeCause,
};
use wattle_units::BootNanos;
use wattle_wire::{Fields, Value};

use super::Reader;
use crate::kernel::is_near;
use crate::perfetto_packets::Envelope;

/// `StatsdAtom` (`statsd_atom.proto`).
const ATOM: u32 = 1;
const TIMESTAMP_NANOS: u32 = 2;

/// `Atom` (AOSP `frameworks/proto_logging/stats/atoms.proto`).
mod atom {
    pub const SYNC_STATE_CHANGED: u32 = 7;
    pub const SCHEDULED_JOB_STATE_CHANGED: u32 = 8;
    pub const SCREEN_BRIGHTNESS_CHANGED: u32 = 9;
    pub const WAKELOCK_STATE_CHANGED: u32 = 10;
    pub const LONG_PARTIAL_WAKELOCK_STATE_CHANGED: u32 = 11;
    pub const DEVICE_IDLING_MODE_STATE_CHANGED: u32 = 22;
    pub const UID_PROCESS_STATE_CHANGED: u32 = 27;
    pub const SCREEN_STATE_CHANGED: u32 = 29;
    pub const PLUGGED_STATE_CHANGED: u32 = 32;
    pub const WAKEUP_ALARM_OCCURRED: u32 = 35;
    pub const APP_START_OCCURRED: u32 = 48;
    pub const FOREGROUND_SERVICE_STATE_CHANGED: u32 = 60;
}

/// `ProcessStateEnum` (AOSP `frameworks/proto_logging/stats/enums/app_shared/app_enums.proto`).
mod process {
    pub const TOP: u64 = 1002;
    /// `FOREGROUND_SERVICE`, `BOUND_FOREGROUND_SERVICE`, `IMPORTANT_FOREGROUND`, `BOUND_TOP`.
    pub const FOREGROUND: [u64; 5] = [TOP, 1003, 1004, 1005, 1020];
}

/// Places of an atom's fields of which an app holds something under a name: the chain of those it is attributed to, the name, the
/// state.
#[derive(Clone, Copy, Debug)]
struct Held {
    kind: StateKind,
    name: u32,
    state: u32,
    /// States that begin it.
    begins: &'static [u64],
    /// States that end it; others mean neither.
    ends: &'static [u64],
}

/// The atoms of that form, whose first field is the chain of those that it is attributed to.
fn held(number: u32) -> Option<Held> {
    let of = |kind, state| Held { kind, name: 2, state, begins: &[1], ends: &[0] };
    Some(match number {
        atom::SYNC_STATE_CHANGED => of(StateKind::Sync, 3),
        // Scheduled and cancelled jobs do not run.
        atom::SCHEDULED_JOB_STATE_CHANGED => of(StateKind::Job, 3),
        // `ACQUIRE`, `CHANGE_ACQUIRE`; `RELEASE`, `CHANGE_RELEASE`.
        atom::WAKELOCK_STATE_CHANGED => {
            Held { name: 3, begins: &[1, 3], ends: &[0, 2], ..of(StateKind::Wakelock, 4) }
        }
        atom::LONG_PARTIAL_WAKELOCK_STATE_CHANGED => of(StateKind::LongWakelock, 4),
        _ => return None,
    })
}

/// `DisplayStateEnum` as a level of [`StateKind::Screen`]; a display that cannot be updated (`ON_SUSPEND`) and one for virtual reality
/// are on.
fn screen(state: u64) -> Option<u32> {
    Some(match state {
        1 => 0,
        2 | 5 | 6 => 1,
        3 => 2,
        4 => 3,
        _ => return None,
    })
}

/// `BatteryPluggedStateEnum` as a level of [`StateKind::Plugged`].
fn plugged(state: u64) -> Option<u32> {
    Some(match state {
        0 => 0,
        1 => 1,
        2 => 2,
        4 => 3,
        8 => 4,
        _ => return None,
    })
}

/// One atom.
#[derive(Clone, Copy, Debug)]
struct Atom<'a> {
    number: u32,
    bytes: &'a [u8],
    time: BootNanos,
}

impl Atom<'_> {
    fn number_of(&self, field: u32) -> u64 {
        Fields::find(self.bytes, field).map_or(0, Value::uint)
    }

    fn text_of(&self, field: u32) -> &[u8] {
        Fields::find(self.bytes, field).map_or(&[], Value::bytes)
    }

    /// The app on whose behalf it is: the first `AttributionNode` of the chain.
    fn attributed_to(&self) -> Option<Uid> {
        Fields::find(self.text_of(1), 1).map(|uid| Uid(uid.uint() as u32))
    }
}

impl Reader<'_> {
    pub(super) fn statsd_atoms(&mut self, envelope: &Envelope, time: BootNanos, bytes: &[u8]) {
        let of = |number| {
            let fields = Fields::new(bytes).map_while(Result::ok);
            fields.filter(move |field| field.number == number)
        };
        // Boot time: Android's `elapsedRealtimeNanos`.
        let mut times = of(TIMESTAMP_NANOS).flat_map(|field| field.value.varints());
        for field in of(ATOM) {
            let at = times.next().map_or(time, |at| BootNanos::new(at.cast_signed()));
            let Some(atom) = Fields::new(field.value.bytes()).find_map(Result::ok) else {
                continue;
            };
            if !is_near(at.value(), time.value()) {
                self.counts.note(Severity::Warning, "time-outlier", Some(envelope.offset), || {
                    "atoms of statsd whose time is more than a day from their packet's: not used".to_owned()
                });
                continue;
            }
            self.statsd_atom(Atom { number: atom.number, bytes: atom.value.bytes(), time: at });
        }
    }

    fn statsd_atom(&mut self, atom: Atom<'_>) {
        if let Some(held) = held(atom.number) {
            self.held_atom(atom, held);
            return;
        }
        let first = atom.number_of(1);
        let level = match atom.number {
            atom::SCREEN_STATE_CHANGED => screen(first).map(|level| (StateKind::Screen, level)),
            atom::SCREEN_BRIGHTNESS_CHANGED => {
                u32::try_from(first).ok().map(|level| (StateKind::ScreenBrightness, level))
            }
            // Off, light, deep: numbered as the state is.
            atom::DEVICE_IDLING_MODE_STATE_CHANGED if first <= 2 => {
                Some((StateKind::DeviceIdle, first as u32))
            }
            atom::PLUGGED_STATE_CHANGED => plugged(first).map(|level| (StateKind::Plugged, level)),
            atom::UID_PROCESS_STATE_CHANGED => return self.process_state(atom, Uid(first as u32)),
            atom::FOREGROUND_SERVICE_STATE_CHANGED => {
                return self.foreground_service(atom, Uid(first as u32));
            }
            atom::APP_START_OCCURRED => return self.app_start(atom),
            atom::WAKEUP_ALARM_OCCURRED => return self.wakeup_alarm(atom),
            number => return self.counts.unread(&format!("statsd atom {number}")),
        };
        match level {
            Some((kind, level)) => {
                self.builder.system().state(kind, CounterScope::Global, None, atom.time, level);
            }
            None => self.unknown_atom_state(atom),
        }
    }

    fn unknown_atom_state(&mut self, atom: Atom<'_>) {
        self.counts.unread(&format!("statsd atom {} of an unknown state", atom.number));
    }

    /// An app begins or ends to hold something.
    fn held_atom(&mut self, atom: Atom<'_>, held: Held) {
        let uid = atom.attributed_to();
        let state = atom.number_of(held.state);
        let (begins, ends) = (held.begins.contains(&state), held.ends.contains(&state));
        let Some(uid) = uid.filter(|_| begins || ends) else {
            return self.unknown_atom_state(atom);
        };
        let name = self.builder.names.intern_bytes(atom.text_of(held.name));
        self.hold(atom.time, (held.kind, uid, name), begins);
    }

    /// `UidProcessStateChanged`.
    fn process_state(&mut self, atom: Atom<'_>, uid: Uid) {
        let state = atom.number_of(2);
        let scope = CounterScope::Uid(uid);
        for (kind, is_on) in [
            (StateKind::TopApp, state == process::TOP),
            (StateKind::ForegroundApp, process::FOREGROUND.contains(&state)),
        ] {
            self.builder.system().state(kind, scope, None, atom.time, u32::from(is_on));
        }
    }

    /// `ForegroundServiceStateChanged`.
    fn foreground_service(&mut self, atom: Atom<'_>, uid: Uid) {
        const ENTER: u64 = 1;
        const EXIT: u64 = 2;
        let state = atom.number_of(3);
        if !matches!(state, ENTER | EXIT) {
            // Denied ones, and calls of a service that runs.
            return self.unknown_atom_state(atom);
        }
        let name = self.builder.names.intern_bytes(atom.text_of(2));
        self.hold(atom.time, (StateKind::ForegroundService, uid, name), state == ENTER);
    }

    /// `WakeupAlarmOccurred`: an alarm woke the device.
    fn wakeup_alarm(&mut self, atom: Atom<'_>) {
        let uid = atom.attributed_to();
        let text = Some(self.builder.names.intern_bytes(atom.text_of(2)));
        let wake = DeviceWake { time: atom.time, cause: WakeCause::Alarm, uid, text };
        self.builder.cpus().device_wake(wake);
    }

    /// `AppStartOccurred`: the app's first picture is drawn.
    fn app_start(&mut self, atom: Atom<'_>) {
        let track = self.builder.names.intern("App starts");
        let key = self.builder.code().slice_track(RawScope::Global, Some(track), Overlap::Nest, 0);
        let package = self.builder.names.intern_bytes(atom.text_of(2));
        self.builder.code().track_instant(atom.time, key, package);
    }
}
