//! Providers and events whose names no log carries, as far as they are of interest here.
//!
//! Sources: Microsoft's documentation of the .NET runtime's events ("CLR ETW events"), the manifests of Windows' own providers.

use crate::event_record::Guid;
use crate::names::{DOTNET_RUNDOWN, DOTNET_RUNTIME as DOTNET, KERNEL_POWER};

/// Effect of an event on the activity of its thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing: it takes no time.
    #[default]
    Instant,
    /// It begins something.
    Start,
    /// It ends what began.
    Stop,
}

const DOTNET_PRIVATE: Guid = Guid::new(0x763f_d754, 0x7086, 0x4dfe, 0x95eb, 0xc01a_46fa_f4ca);
const KERNEL_PROCESS: Guid = Guid::new(0x22fb_2cd6, 0x0e7b, 0x422b, 0xa0c7, 0x2fad_1fd0_e716);

/// Names of providers.
const PROVIDERS: [(Guid, &str); 18] = [
    (DOTNET, "Microsoft-Windows-DotNETRuntime"),
    (DOTNET_RUNDOWN, "DotNETRuntimeRundown"),
    (DOTNET_PRIVATE, "DotNETRuntimePrivate"),
    (KERNEL_PROCESS, "Microsoft-Windows-Kernel-Process"),
    (
        Guid::new(0xb675_ec37, 0xbdb6, 0x4648, 0xbc92, 0xf3fd_c74d_3ca2),
        "Microsoft-Windows-Kernel-EventTracing",
    ),
    (
        Guid::new(0xedd0_8927, 0x9cc4, 0x4e65, 0xb970, 0xc256_0fb5_c289),
        "Microsoft-Windows-Kernel-File",
    ),
    (
        Guid::new(0x7dd4_2a49, 0x5329, 0x4832, 0x8dfd, 0x43d9_7915_3a88),
        "Microsoft-Windows-Kernel-Network",
    ),
    (KERNEL_POWER, "Microsoft-Windows-Kernel-Power"),
    (
        Guid::new(0x0f67_e49f, 0xfe51, 0x4e9f, 0xb490, 0x6f29_48cc_6027),
        "Microsoft-Windows-Kernel-Processor-Power",
    ),
    (
        Guid::new(0x70eb_4f03, 0xc1de, 0x4f73, 0xa051, 0x33d1_3d54_13bd),
        "Microsoft-Windows-Kernel-Registry",
    ),
    (
        Guid::new(0xc7bd_e69a, 0xe1e0, 0x4177, 0xb6ef, 0x283a_d152_5271),
        "Microsoft-Windows-Kernel-Disk",
    ),
    (Guid::new(0x802e_c45a, 0x1e99, 0x4b83, 0x9920, 0x87c9_8277_ba9d), "Microsoft-Windows-DxgKrnl"),
    (Guid::new(0x8c41_6c79, 0xd49b, 0x4f01, 0xa467, 0xe56d_3aa8_234c), "Microsoft-Windows-Win32k"),
    (
        Guid::new(0x9e9b_ba3c, 0x2e38, 0x40cb, 0x99f4, 0x9e82_8142_5164),
        "Microsoft-Windows-Dwm-Core",
    ),
    (
        Guid::new(0x8e9f_5090, 0x2d75, 0x4d03, 0x8a81, 0xe5af_bf85_daf1),
        "System.Diagnostics.Eventing.FrameworkEventSource",
    ),
    (
        Guid::new(0x2e5d_ba47, 0xa3d2, 0x4d16, 0x8ee0, 0x6671_ffdc_d7b5),
        "System.Threading.Tasks.TplEventSource",
    ),
    (
        Guid::new(0xbbcc_f6c1, 0x6cd1, 0x48c4, 0x80ff, 0x8394_82e3_7671),
        "KernelTraceControl/EventMetadata",
    ),
    (
        Guid::new(0x9b79_ee91, 0xb5fd, 0x41c0, 0xa243, 0x4248_e266_e9d0),
        "KernelTraceControl/SysConfigEx",
    ),
];

use Step::{Instant, Start, Stop};

/// Numbers, names and steps of the .NET runtime's events.
const DOTNET_EVENTS: [(u16, &str, Step); 65] = [
    (1, "GC/Start", Start),
    (2, "GC/Stop", Stop),
    (3, "GC/RestartEEStop", Instant),
    (4, "GC/HeapStats", Instant),
    (5, "GC/CreateSegment", Instant),
    (6, "GC/FreeSegment", Instant),
    (7, "GC/RestartEEStart", Instant),
    (8, "GC/SuspendEEStop", Instant),
    (9, "GC/SuspendEEStart", Instant),
    (10, "GC/AllocationTick", Instant),
    (11, "GC/CreateConcurrentThread", Instant),
    (12, "GC/TerminateConcurrentThread", Instant),
    (13, "GC/FinalizersStop", Stop),
    (14, "GC/FinalizersStart", Start),
    (15, "Type/BulkType", Instant),
    (16, "GC/BulkRootEdge", Instant),
    (18, "GC/BulkNode", Instant),
    (19, "GC/BulkEdge", Instant),
    (20, "GC/SampledObjectAllocationHigh", Instant),
    (21, "GC/BulkSurvivingObjectRanges", Instant),
    (22, "GC/BulkMovedObjectRanges", Instant),
    (23, "GC/GenerationRange", Instant),
    (25, "GC/MarkStackRoots", Instant),
    (26, "GC/MarkFinalizeQueueRoots", Instant),
    (27, "GC/MarkHandles", Instant),
    (28, "GC/MarkCards", Instant),
    (29, "GC/FinalizeObject", Instant),
    (30, "GC/SetGCHandle", Instant),
    (31, "GC/DestroyGCHandle", Instant),
    (32, "GC/SampledObjectAllocationLow", Instant),
    (33, "GC/PinObjectAtGCTime", Instant),
    (35, "GC/Triggered", Instant),
    (50, "ThreadPoolWorkerThread/Start", Instant),
    (51, "ThreadPoolWorkerThread/Stop", Instant),
    (54, "ThreadPoolWorkerThreadAdjustment/Sample", Instant),
    (55, "ThreadPoolWorkerThreadAdjustment/Adjustment", Instant),
    (56, "ThreadPoolWorkerThreadAdjustment/Stats", Instant),
    (57, "ThreadPoolWorkerThread/Wait", Instant),
    (80, "Exception/Start", Instant),
    (81, "Contention/Start", Start),
    (82, "ClrStack/Walk", Instant),
    (91, "Contention/Stop", Stop),
    (137, "Method/DCStartV2", Instant),
    (138, "Method/DCStopV2", Instant),
    (139, "Method/DCStartVerboseV2", Instant),
    (140, "Method/DCStopVerboseV2", Instant),
    (141, "Method/Load", Instant),
    (142, "Method/Unload", Instant),
    (143, "Method/LoadVerbose", Instant),
    (144, "Method/UnloadVerbose", Instant),
    (145, "Method/JittingStarted", Instant),
    (149, "Loader/ModuleDCStartV2", Instant),
    (150, "Loader/ModuleDCStopV2", Instant),
    (151, "Loader/DomainModuleLoad", Instant),
    (152, "Loader/ModuleLoad", Instant),
    (153, "Loader/ModuleUnload", Instant),
    (154, "Loader/AssemblyLoad", Instant),
    (155, "Loader/AssemblyUnload", Instant),
    (156, "Loader/AppDomainLoad", Instant),
    (157, "Loader/AppDomainUnload", Instant),
    (187, "Runtime/Start", Instant),
    (190, "Method/ILToNativeMap", Instant),
    (202, "GC/MarkWithType", Instant),
    (204, "GC/PerHeapHistory", Instant),
    (205, "GC/GlobalHeapHistory", Instant),
];

/// Numbers and names of the lists that the .NET runtime writes when recording begins or ends.
const RUNDOWN_EVENTS: [(u16, &str, Step); 20] = [
    (141, "Method/DCStart", Instant),
    (142, "Method/DCStop", Instant),
    (143, "Method/DCStartVerbose", Instant),
    (144, "Method/DCStopVerbose", Instant),
    (145, "Method/DCStartComplete", Instant),
    (146, "Method/DCStopComplete", Instant),
    (147, "Method/DCStartInit", Instant),
    (148, "Method/DCStopInit", Instant),
    (149, "Method/ILToNativeMapDCStart", Instant),
    (150, "Method/ILToNativeMapDCStop", Instant),
    (151, "Loader/DomainModuleDCStart", Instant),
    (152, "Loader/DomainModuleDCStop", Instant),
    (153, "Loader/ModuleDCStart", Instant),
    (154, "Loader/ModuleDCStop", Instant),
    (155, "Loader/AssemblyDCStart", Instant),
    (156, "Loader/AssemblyDCStop", Instant),
    (157, "Loader/AppDomainDCStart", Instant),
    (158, "Loader/AppDomainDCStop", Instant),
    (159, "Loader/ThreadDCStop", Instant),
    (187, "Runtime/Start", Instant),
];

/// Numbers and names of `Microsoft-Windows-Kernel-Process`. What starts and stops are processes, not what a thread is busy with.
const PROCESS_EVENTS: [(u16, &str, Step); 11] = [
    (1, "ProcessStart", Instant),
    (2, "ProcessStop", Instant),
    (3, "ThreadStart", Instant),
    (4, "ThreadStop", Instant),
    (5, "ImageLoad", Instant),
    (6, "ImageUnload", Instant),
    (7, "CpuBasePriorityChange", Instant),
    (8, "CpuPriorityChange", Instant),
    (9, "PagePriorityChange", Instant),
    (10, "IoPriorityChange", Instant),
    (15, "ProcessRundown", Instant),
];

/// Numbers and names of those events of `Microsoft-Windows-Kernel-Power` that are about the clock.
const POWER_EVENTS: [(u16, &str, Step); 6] = [
    (63, "SystemTimeResolutionChange", Instant),
    (95, "SystemTimeResolutionUpdate", Instant),
    (96, "SystemTimeResolutionRundown", Instant),
    (97, "SystemTimeResolutionRequestRundown", Instant),
    (98, "SystemTimeResolutionKernelChange", Instant),
    (110, "SystemTimerResolutionStackRundown", Instant),
];

/// A provider's name.
pub(super) fn provider(guid: Guid) -> Option<&'static str> {
    PROVIDERS.iter().find(|(it, _)| *it == guid).map(|(_, name)| *name)
}

/// An event's name and what it does.
pub(super) fn event(provider: Guid, id: u16) -> Option<(&'static str, Step)> {
    let events: &[_] = match provider {
        DOTNET => &DOTNET_EVENTS,
        DOTNET_RUNDOWN => &RUNDOWN_EVENTS,
        KERNEL_PROCESS => &PROCESS_EVENTS,
        KERNEL_POWER => &POWER_EVENTS,
        _ => return None,
    };
    events.iter().find(|(it, ..)| *it == id).map(|(_, name, step)| (*name, *step))
}

/// Whether events that start and stop are about what their thread is busy with. Those of the kernel are about processes, files and
/// sessions, which several threads begin and end.
pub(super) fn is_of_thread(provider: &str) -> bool {
    !provider.starts_with("Microsoft-Windows-Kernel-")
}
