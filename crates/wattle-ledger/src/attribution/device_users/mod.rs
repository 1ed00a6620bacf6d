//! Stage 3: the users of hardware other than cores.
//!
//! In: call paths, states, frames, packets of a timeline. Out: [`DeviceUsers`], for each component the calls, apps or threads that
//! its energy is attributed to.
//!
//! A call that moves data is charged for the radio or the storage that moved it (DESIGN: *synchronous devices*): the energy of a
//! stretch of constant power goes to the low-level calls that ran in it, each by the time for which it was its thread's
//! innermost (Hitani et al., equation 2), or by the bytes that it moved where a probe counted them. A call that switched
//! something on is charged for it until it is switched off (*asynchronous devices*). Calls are [`crate::ApiSets`].
//!
//! Without such a call, the recording may still say it: a display is lit for the app in front, memory serves the cores that execute, a GPU
//! works for the process whose frame it finishes ([`Split`]). What nobody is known to have caused is *unattributed*.

mod component_users;
mod concurrent_users;
mod front_apps;
mod gpu_work;
mod hardware_user;
mod named_sections;
mod packet_users;
mod sessions;
mod split;
mod state_users;
mod storage_waits;
mod transfers;
mod using_path;

pub(crate) use component_users::DeviceUsers;
pub(crate) use concurrent_users::Concurrent;
pub(crate) use gpu_work::driver_users;
pub(crate) use hardware_user::HardwareUser;
pub(crate) use split::{Split, SplitError};

#[cfg(test)]
mod tests {
    use wattle_power::Component;
    use wattle_timeline::{ProcessId, SchedSlice, ScreenFrame, TaskState, ThreadId, Uid};

    use crate::attribution::consumer::Consumer;
    use crate::attribution::test_recording::{TestRecording, window};

    const MILLI: i64 = 1_000_000;

    #[track_caller]
    fn check(recording: &TestRecording, expected: &[(Consumer, f64)]) {
        let bookings = recording.bookings();
        let found: Vec<(Consumer, f64)> = bookings
            .lines
            .entries()
            .iter()
            .map(|(key, sum)| (key.consumer(), (sum.value() * 1e6).round() / 1e3))
            .collect();
        assert_eq!(found, expected, "millijoules");
    }

    /// Eight periods of 10 ms at 0.1 W and 1 W for each core that executes: thread 1 half of the time, thread 2 in every other period.
    fn memory() -> TestRecording {
        let (mut slices, mut power) = (Vec::new(), Vec::new());
        for period in 0..8_i64 {
            let start = period * 10 * MILLI;
            let (half, end) = (start + 5 * MILLI, start + 10 * MILLI);
            let second = if period % 2 == 0 { 2 } else { 0 };
            slices.extend([(start, half, 1), (half, end, second)]);
            power.push((end, 0.1 + if period % 2 == 0 { 1.0 } else { 0.5 }));
        }
        TestRecording::new(2, 80 * MILLI).cpu(&slices, &[]).device(Component::Memory, &power)
    }

    #[test]
    fn memory_has_a_floor_and_serves_who_executes() {
        let expected =
            [(Consumer::Path(1), 40.0), (Consumer::Path(2), 20.0), (Consumer::IdleFloor, 8.0)];
        check(&memory(), &expected);
        let mut strict = memory();
        strict.options.hardware = crate::HardwareEvidence::Calls;
        check(&strict, &[(Consumer::Unattributed, 68.0)]);
    }

    /// A process with an uid, whose thread is the first.
    fn with_app(mut recording: TestRecording) -> TestRecording {
        let tasks = &mut recording.timeline.tasks;
        tasks.processes.push(wattle_timeline::Process {
            uid: Some(Uid(10_007)),
            ..wattle_timeline::Process::default()
        });
        tasks.threads[1].process = Some(ProcessId(0));
        recording
    }

    #[test]
    fn a_display_is_lit_for_the_app_that_drew_last() {
        let mut recording = with_app(TestRecording::new(1, 100 * MILLI))
            .device(Component::Display, &[(100 * MILLI, 1.0)]);
        check(&recording, &[(Consumer::Unattributed, 100.0)]);
        recording.timeline.code.frames.push(ScreenFrame {
            owner: wattle_timeline::FrameOwner::App,
            process: Some(ProcessId(0)),
            token: 1,
            display_token: 1,
            layer: None,
            expected: None,
            actual: window(40 * MILLI, 50 * MILLI),
            jank: wattle_timeline::JankCauses::NONE,
            is_dropped: false,
            by_gpu: false,
        });
        check(&recording, &[(Consumer::App(10_007), 60.0), (Consumer::Unattributed, 40.0)]);
    }

    #[test]
    fn storage_is_paid_by_who_waits_for_it() {
        let mut recording =
            TestRecording::new(1, 100 * MILLI).device(Component::Storage, &[(100 * MILLI, 1.0)]);
        let mut cpu = wattle_timeline::CpuTimeline::default();
        for (start, end, state) in [(0, 20, 2), (50, 60, 1), (90, 100, 0)] {
            cpu.sched.push(SchedSlice {
                window: window(start * MILLI, end * MILLI),
                thread: ThreadId(1),
                end_state: Some(TaskState(state)),
            });
        }
        recording.timeline.cpus.push(cpu);
        check(&recording, &[(Consumer::Path(1), 30.0), (Consumer::Unattributed, 70.0)]);
    }
}
