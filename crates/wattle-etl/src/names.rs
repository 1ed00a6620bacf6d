//! Names of events in counts.
//!
//! The kernel's own are `Group/Type`: the group of the hook id as the kernel's headers have it (`EVENT_TRACE_GROUP_*`), and the type by
//! its name where it has one of long standing, else by its number. Classic events are `Class/opcode`, those of manifests and
//! TraceLogging go by their provider; what has no known name goes by its GUID.

use super::event_record::Guid;

/// `EVENT_TRACE_GROUP_*`.
pub(super) mod group {
    pub const HEADER: u8 = 0;
    pub const DISK_IO: u8 = 1;
    pub const PAGE_FAULT: u8 = 2;
    pub const PROCESS: u8 = 3;
    pub const FILE_IO: u8 = 4;
    pub const THREAD: u8 = 5;
    pub const CONFIG: u8 = 0x0b;
    pub const PERF_INFO: u8 = 0x0f;
    pub const POWER: u8 = 0x12;
    pub const IMAGE: u8 = 0x14;
    pub const STACK_WALK: u8 = 0x18;
}

const GROUPS: [&str; 31] = [
    "Header",
    "DiskIo",
    "PageFault",
    "Process",
    "FileIo",
    "Thread",
    "TcpIp",
    "Job",
    "UdpIp",
    "Registry",
    "DbgPrint",
    "SystemConfig",
    "Spare1",
    "Wnf",
    "Pool",
    "PerfInfo",
    "Heap",
    "Object",
    "Power",
    "ModBound",
    "Image",
    "Dpc",
    "Cc",
    "CritSec",
    "StackWalk",
    "Ums",
    "Alpc",
    "SplitIo",
    "ThreadPool",
    "Hypervisor",
    "HypervisorX",
];

/// Types of the kernel's events that have a name.
fn type_name(group: u8, kind: u8) -> Option<&'static str> {
    Some(match (group, kind) {
        (group::HEADER, 0) => "EventTrace/Header",
        (group::HEADER, 5) => "Extension",
        (group::HEADER, 8) => "RDComplete",
        (group::HEADER, 32) => "EndExt",
        (group::PROCESS | group::THREAD | group::IMAGE, 1) => "Start",
        (group::PROCESS | group::THREAD | group::IMAGE, 2) if group != group::IMAGE => "End",
        (group::IMAGE, 2) => "Unload",
        (group::PROCESS | group::THREAD | group::IMAGE, 3) => "DCStart",
        (group::PROCESS | group::THREAD | group::IMAGE, 4) => "DCEnd",
        (group::PROCESS, 39) => "Defunct",
        (group::THREAD, 36) => "CSwitch",
        (group::THREAD, 37) => "CompCS",
        (group::THREAD, 50) => "ReadyThread",
        (group::THREAD, 72) => "SetName",
        (group::DISK_IO, 10) => "Read",
        (group::DISK_IO, 11) => "Write",
        (group::DISK_IO, 12) => "ReadInit",
        (group::DISK_IO, 13) => "WriteInit",
        (group::DISK_IO, 14) => "Flush",
        (group::DISK_IO, 15) => "FlushInit",
        (group::PERF_INFO, 46) => "SampleProf",
        (group::PERF_INFO, 51) => "SysClEnter",
        (group::PERF_INFO, 52) => "SysClExit",
        (group::PERF_INFO, 66) => "ThreadedDPC",
        (group::PERF_INFO, 67) => "ISR",
        (group::PERF_INFO, 68) => "DPC",
        (group::PERF_INFO, 69) => "TimerDPC",
        (group::PERF_INFO, 72) => "SetInterval",
        (group::PERF_INFO, 73) => "CollStart",
        (group::PERF_INFO, 74) => "CollEnd",
        (group::STACK_WALK, 32) => "Stack",
        (group::STACK_WALK, 34) => "KeyCreate",
        (group::STACK_WALK, 35) => "KeyDelete",
        (group::STACK_WALK, 36) => "KeyRundown",
        (group::STACK_WALK, 37) => "StackKeyKernel",
        (group::STACK_WALK, 38) => "StackKeyUser",
        (group::POWER, 0x33) => "PerfStateChange",
        (group::POWER, 0x35) => "IdleStateChange",
        (group::POWER, 0x39) => "IdleStateEnter",
        (group::POWER, 0x3a) => "IdleStateExit",
        (group::CONFIG, 10) => "CPU",
        (group::CONFIG, 11) => "PhyDisk",
        (group::CONFIG, 12) => "LogDisk",
        (group::CONFIG, 13) => "NIC",
        (group::CONFIG, 14) => "Video",
        (group::CONFIG, 15) => "Services",
        (group::CONFIG, 16) => "Power",
        (group::CONFIG, 21) => "IRQ",
        (group::CONFIG, 22) => "PnP",
        (group::CONFIG, 25) => "Platform",
        _ => return None,
    })
}

/// Returns the name under which an event of the kernel is counted.
pub(super) fn kernel(group: u8, kind: u8) -> String {
    let name =
        GROUPS.get(usize::from(group)).map_or_else(|| format!("{group:#04x}"), ToString::to_string);
    match type_name(group, kind) {
        Some(kind) => format!("{name}/{kind}"),
        None => format!("{name}/{kind}"),
    }
}

/// GUIDs of the kernel's classes of events, as Windows XP and programs write them (`MSNT_SystemTrace`).
pub(super) mod class {
    use super::Guid;

    pub const PROCESS: Guid = Guid::new(0x3d6f_a8d0, 0xfe05, 0x11d0, 0x9dda, 0x00c0_4fd7_ba7c);
    pub const THREAD: Guid = Guid::new(0x3d6f_a8d1, 0xfe05, 0x11d0, 0x9dda, 0x00c0_4fd7_ba7c);
    pub const DISK_IO: Guid = Guid::new(0x3d6f_a8d4, 0xfe05, 0x11d0, 0x9dda, 0x00c0_4fd7_ba7c);
    pub const FILE_IO: Guid = Guid::new(0x90cb_dc39, 0x4a3e, 0x11d1, 0x84f4, 0x0000_f804_64e3);
    pub const PAGE_FAULT: Guid = Guid::new(0x3d6f_a8d3, 0xfe05, 0x11d0, 0x9dda, 0x00c0_4fd7_ba7c);
    pub const IMAGE: Guid = Guid::new(0x2cb1_5d1d, 0x5fc1, 0x11d2, 0xabe1, 0x00a0_c911_f518);
    pub const PERF_INFO: Guid = Guid::new(0xce1d_bfb4, 0x137e, 0x4da6, 0x87b0, 0x3f59_aa10_2cbc);
    pub const STACK_WALK: Guid = Guid::new(0xdef2_fe46, 0x7bd6, 0x4b80, 0xbd94, 0xf57f_e20d_0ce3);
    pub const IMAGE_ID: Guid = Guid::new(0xb3e6_75d7, 0x2554, 0x4f18, 0x830b, 0x2762_7325_60de);
    pub const SYS_CONFIG_EX: Guid =
        Guid::new(0x9b79_ee91, 0xb5fd, 0x41c0, 0xa243, 0x4248_e266_e9d0);
    pub const EVENT_METADATA: Guid =
        Guid::new(0xbbcc_f6c1, 0x6cd1, 0x48c4, 0x80ff, 0x8394_82e3_7671);
    pub const CLR_METHOD: Guid = Guid::new(0x3044_f61a, 0x99b0, 0x4c21, 0xb203, 0xd394_23c7_3b00);
    pub const CLR_METHOD_RUNDOWN: Guid =
        Guid::new(0x0bcd_91db, 0xf943, 0x454a, 0xa662, 0x6edb_cfbb_76d2);
    pub const CLR_LOADER: Guid = Guid::new(0xd007_92da, 0x07b7, 0x40f5, 0x97eb, 0x5d97_4e05_4740);
    pub const CLR_LOADER_RUNDOWN: Guid =
        Guid::new(0x5a54_f4df, 0xd302, 0x4fee, 0xa211, 0x6c2c_0c1d_cb1a);
}

/// `Microsoft-Windows-Kernel-Process`.
pub(super) const KERNEL_PROCESS: Guid =
    Guid::new(0x22fb_2cd6, 0x0e7b, 0x422b, 0xa0c7, 0x2fad_1fd0_e716);

/// `Microsoft-Windows-Kernel-Power`.
pub(super) const KERNEL_POWER: Guid =
    Guid::new(0x331c_3b3a, 0x2005, 0x44c2, 0xac5e, 0x7722_0c37_d6b4);

/// `Microsoft-Windows-DotNETRuntime`.
pub(super) const DOTNET_RUNTIME: Guid =
    Guid::new(0xe13c_0d23, 0xccbc, 0x4e12, 0x931b, 0xd9cc_2eee_27e4);

/// `Microsoft-Windows-DotNETRuntimeRundown`.
pub(super) const DOTNET_RUNDOWN: Guid =
    Guid::new(0xa669_021c, 0xc450, 0x4609, 0xa035, 0x5af5_9af4_df18);

/// Returns the name of a class of classic events.
fn class_name(class: Guid) -> Option<&'static str> {
    Some(match class {
        class::PROCESS => "MSNT Process",
        class::THREAD => "MSNT Thread",
        class::DISK_IO => "MSNT DiskIo",
        class::FILE_IO => "MSNT FileIo",
        class::PAGE_FAULT => "MSNT PageFault",
        class::IMAGE => "MSNT Image",
        class::PERF_INFO => "MSNT PerfInfo",
        class::STACK_WALK => "MSNT StackWalk",
        class::IMAGE_ID => "KernelTraceControl/ImageId",
        class::SYS_CONFIG_EX => "KernelTraceControl/SysConfigEx",
        class::EVENT_METADATA => "KernelTraceControl/EventMetadata",
        class::CLR_METHOD => "CLR Method",
        class::CLR_METHOD_RUNDOWN => "CLR Method rundown",
        class::CLR_LOADER => "CLR Loader",
        class::CLR_LOADER_RUNDOWN => "CLR Loader rundown",
        _ => return None,
    })
}

/// Returns the name under which a classic event is counted.
pub(super) fn classic(class: Guid, opcode: u8) -> String {
    match class_name(class) {
        Some(name) => format!("{name}/{opcode}"),
        None => format!("{class}/{opcode}"),
    }
}
