//! Who and what is there when the log begins (`DCStart`), and names of files when it ends.

use super::event_buffers::{Hook, Log, Place};
use super::ticks;
use crate::idle::idle_run::IdleRun;
use crate::idle::{CodeModule, IdleProcess};

/// `EVENT_TRACE_TYPE_DC_START`.
const DC_START: u8 = 3;
const PROCESS: Hook = Hook { group: 0x03, kind: DC_START, version: 4 };
const THREAD: Hook = Hook { group: 0x05, kind: DC_START, version: 4 };
const IMAGE: Hook = Hook { group: 0x14, kind: DC_START, version: 3 };
/// `EVENT_TRACE_TYPE_CONFIG`… of samples: `PERFINFO_LOG_TYPE_SAMPLED_PROFILE_INTERVAL_COLLECTION_START`.
const INTERVAL: Hook = Hook { group: 0x0F, kind: 73, version: 2 };
/// `PERFINFO_LOG_TYPE_FILENAME_RUNDOWN`.
const FILE_NAME: Hook = Hook { group: 0x04, kind: 36, version: 2 };

/// The key of a file, as disk operations name it.
pub(super) const fn file_object(file: u16) -> u64 {
    0xFFFF_A000_0000_1000 + 0x100 * file as u64
}

/// Everything that is there.
pub(super) fn begin(run: &IdleRun, log: &mut Log) {
    let place = Place { core: 0, ticks: ticks(run.start), pid: 4, tid: 8 };
    if let Some(every) = run.sampling {
        let interval = (every.value() / 100) as u32;
        let payload = log.payload().u32(0).u32(interval).u32(interval);
        log.long(INTERVAL, place, payload);
    }
    process(log, place, 0, 0, "Idle");
    for _ in 0..run.cores {
        thread(log, place, 0, 0, "");
    }
    let kernel = run.processes.iter().flat_map(|it| &it.modules).find(|it| it.is_kernel);
    if let Some(kernel) = kernel {
        image(log, place, 0, kernel);
    }
    for of in &run.processes {
        process(log, place, of.pid, 4, &of.name);
        for of_it in &of.threads {
            thread(log, place, of.pid, of_it.tid, &of_it.name);
        }
        images(log, place, of);
    }
}

/// Names of files that were used (`FileIo_Name`).
pub(super) fn end(run: &IdleRun, log: &mut Log) {
    for (index, path) in run.files.iter().enumerate() {
        let payload = log.payload().pointer(file_object(index as u16)).wide(path);
        log.short(FILE_NAME, 0, ticks(run.end), payload);
    }
}

/// `Process_V4_TypeGroup1`.
fn process(log: &mut Log, place: Place, pid: u32, parent: u32, name: &str) {
    let payload = log
        .payload()
        // `UniqueProcessKey`.
        .pointer(0xFFFF_B000_0000_0000 + 0x1000 * u64::from(pid))
        .u32(pid)
        .u32(parent)
        // `SessionId`, `ExitStatus`.
        .u32(1)
        .u32(0)
        // `DirectoryTableBase`, `Flags`.
        .pointer(0x1A_D000)
        .u32(0)
        // `UserSID`: a `TOKEN_USER` of two pointers' width, then the SID: S-1-5-18.
        .pointer(0xFFFF_B488_FC9C_DC20)
        .pointer(0)
        .raw(&[1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0])
        .narrow(name)
        // `CommandLine`, `PackageFullName`, `ApplicationId`.
        .wide(name)
        .wide("")
        .wide("");
    log.long(PROCESS, place, payload);
}

/// `Thread_TypeGroup1` with the name that version 4 brought.
fn thread(log: &mut Log, place: Place, pid: u32, tid: u32, name: &str) {
    let stack = 0xFFFF_C000_0000_0000 + 0x10_0000 * u64::from(tid);
    let payload = log
        .payload()
        .u32(pid)
        .u32(tid)
        // `StackBase`, `StackLimit`, `UserStackBase`, `UserStackLimit`, `Affinity`, `Win32StartAddr`, `TebBase`.
        .pointer(stack + 0x7000)
        .pointer(stack)
        .pointer(0)
        .pointer(0)
        .pointer(0xF)
        .pointer(0x7000_1000)
        .pointer(0)
        // `SubProcessTag`, `BasePriority`, `PagePriority`, `IoPriority`, `ThreadFlags`.
        .u32(0)
        .raw(&[8, 5, 2, 0])
        .wide(name);
    log.long(THREAD, place, payload);
}

fn images(log: &mut Log, place: Place, process: &IdleProcess) {
    for module in process.modules.iter().filter(|module| !module.is_kernel) {
        image(log, place, process.pid, module);
    }
}

/// `Image_Load` of version 3.
fn image(log: &mut Log, place: Place, pid: u32, module: &CodeModule) {
    let payload = log
        .payload()
        .pointer(module.base)
        .pointer(module.size)
        .u32(pid)
        // `ImageChecksum`, `TimeDateStamp`.
        .u32(0)
        .u32(0x6576_5BAD)
        // `SignatureLevel`, `SignatureType`, `Reserved0`.
        .u8(0)
        .u8(0)
        .u16(0)
        .pointer(module.base)
        // `Reserved1` to `Reserved4`.
        .raw(&[0; 16])
        .wide(&module.path);
    log.long(IMAGE, place, payload);
}
