//! The rules.

use super::RuntimeClass::{AppStart, ClassLoading, GarbageCollection, JitCompilation};
use super::RuntimeRuleKind::{Function, Section, Thread};
use super::{RuntimeClass, RuntimeRule, RuntimeRuleKind};

const fn rule(
    class: RuntimeClass,
    kind: RuntimeRuleKind,
    pattern: &'static str,
    source: &'static str,
) -> RuntimeRule {
    RuntimeRule { class, kind, pattern, source }
}

const DAEMONS: &str = "libcore/libart/src/main/java/java/lang/Daemons.java";
const HEAP: &str = "art/runtime/gc/heap.cc";
const COLLECTOR: &str = "art/runtime/gc/collector/garbage_collector.cc";
const BARRIER: &str = "art/runtime/read_barrier.h";
const JIT: &str = "art/runtime/jit/jit.cc";
const JIT_COMPILER: &str = "art/compiler/jit/jit_compiler.cc";
const CODE_CACHE: &str = "art/runtime/jit/jit_code_cache.cc";
const SAVER: &str = "art/runtime/jit/profile_saver.cc";
const LINKER: &str = "art/runtime/class_linker.cc";
const VERIFIER: &str = "art/runtime/verifier/class_verifier.cc";
const OAT: &str = "art/runtime/oat_file_manager.cc";
const DEX_LOADER: &str = "art/libdexfile/dex/dex_file_loader.cc";
const ENTRYPOINTS: &str = "art/runtime/entrypoints/quick/quick_dexcache_entrypoints.cc";
const CLASS: &str = "libcore/ojluni/src/main/java/java/lang/Class.java";
const CLASS_LOADER: &str = "libcore/ojluni/src/main/java/java/lang/ClassLoader.java";
const DALVIK: &str = "libcore/dalvik/src/main/java/dalvik/system";
const ACTIVITY_THREAD: &str = "frameworks/base/core/java/android/app/ActivityThread.java";
const LAUNCH_ITEM: &str =
    "frameworks/base/core/java/android/app/servertransaction/LaunchActivityItem.java";
const START_ITEM: &str =
    "frameworks/base/core/java/android/app/servertransaction/StartActivityItem.java";
const RESUME_ITEM: &str =
    "frameworks/base/core/java/android/app/servertransaction/ResumeActivityItem.java";
const ZYGOTE: &str = "frameworks/base/core/java/com/android/internal/os/Zygote.java";

impl RuntimeRule {
    /// All rules.
    pub fn all() -> &'static [Self] {
        RULES
    }
}

/// All rules. Their order says nothing: the strongest class that applies wins.
const RULES: &[RuntimeRule] = &[
    // Threads of the collector, and those that it hands work to.
    rule(GarbageCollection, Thread, "HeapTaskDaemon", DAEMONS),
    rule(GarbageCollection, Thread, "GCDaemon", DAEMONS),
    rule(GarbageCollection, Thread, "HeapTrimmerDaemon", DAEMONS),
    rule(GarbageCollection, Thread, "ReferenceQueueDaemon", DAEMONS),
    rule(GarbageCollection, Thread, "FinalizerDaemon", DAEMONS),
    rule(GarbageCollection, Thread, "FinalizerWatchdogDaemon", DAEMONS),
    rule(GarbageCollection, Thread, "Heap thread pool*", HEAP),
    // `"%s %s GC"` of cause and collector.
    rule(GarbageCollection, Section, "* concurrent copying GC", COLLECTOR),
    rule(GarbageCollection, Section, "* concurrent mark compact GC", COLLECTOR),
    rule(GarbageCollection, Section, "* mark compact GC", COLLECTOR),
    rule(GarbageCollection, Section, "* mark sweep GC", COLLECTOR),
    rule(GarbageCollection, Section, "* semispace GC", COLLECTOR),
    rule(GarbageCollection, Section, "GC: Wait For Completion *", HEAP),
    // Allocating is the app's own work, so not all of `art::gc::`.
    rule(GarbageCollection, Function, "art::gc::collector::*", COLLECTOR),
    rule(GarbageCollection, Function, "art::gc::accounting::*", "art/runtime/gc/accounting"),
    rule(
        GarbageCollection,
        Function,
        "art::gc::ReferenceProcessor::*",
        "art/runtime/gc/reference_processor.cc",
    ),
    rule(
        GarbageCollection,
        Function,
        "art::gc::TaskProcessor::*",
        "art/runtime/gc/task_processor.cc",
    ),
    rule(GarbageCollection, Function, "art::gc::Heap::CollectGarbage*", HEAP),
    rule(GarbageCollection, Function, "art::gc::Heap::ConcurrentGC*", HEAP),
    rule(GarbageCollection, Function, "art::gc::Heap::Trim*", HEAP),
    rule(GarbageCollection, Function, "art::gc::Heap::WaitForGc*", HEAP),
    rule(GarbageCollection, Function, "art::gc::Heap::FinishGC*", HEAP),
    rule(GarbageCollection, Function, "art::gc::Heap::GrowForUtilization*", HEAP),
    rule(GarbageCollection, Function, "art::ReadBarrier::*", BARRIER),
    rule(GarbageCollection, Function, "artReadBarrier*", BARRIER),
    rule(GarbageCollection, Function, "art_quick_read_barrier_*", BARRIER),
    rule(GarbageCollection, Function, "java.lang.Daemons$*", DAEMONS),
    rule(GarbageCollection, Function, "java.lang.ref.FinalizerReference.*", DAEMONS),
    // Compiling, and profiles.
    rule(JitCompilation, Thread, "Jit thread pool*", JIT),
    rule(JitCompilation, Thread, "Profile Saver", SAVER),
    rule(JitCompilation, Section, "JIT compiling *", JIT_COMPILER),
    rule(JitCompilation, Section, "ScopedCodeCacheWrite", CODE_CACHE),
    rule(JitCompilation, Function, "art::jit::*", JIT),
    rule(JitCompilation, Function, "art::ProfileSaver::*", SAVER),
    rule(JitCompilation, Function, "art::ProfileCompilationInfo::*", "art/libprofile/profile"),
    rule(JitCompilation, Function, "art::OptimizingCompiler::*", "art/compiler/optimizing"),
    // Classes.
    rule(ClassLoading, Thread, "Verification thread pool*", OAT),
    rule(ClassLoading, Section, "VerifyClass *", VERIFIER),
    rule(ClassLoading, Section, "OpenDexFilesFromOat*", OAT),
    rule(ClassLoading, Section, "Open dex file *", DEX_LOADER),
    rule(ClassLoading, Section, "Open oat file *", OAT),
    rule(ClassLoading, Section, "AppImage:*", LINKER),
    rule(ClassLoading, Function, "art::ClassLinker::*", LINKER),
    rule(ClassLoading, Function, "art::ClassTable::*", "art/runtime/class_table.cc"),
    rule(ClassLoading, Function, "art::verifier::*", VERIFIER),
    rule(ClassLoading, Function, "art::DexFileLoader::*", DEX_LOADER),
    rule(ClassLoading, Function, "art::ArtDexFileLoader::*", DEX_LOADER),
    rule(
        ClassLoading,
        Function,
        "art::DexFileVerifier::*",
        "art/libdexfile/dex/dex_file_verifier.cc",
    ),
    rule(ClassLoading, Function, "art::OatFileManager::*", OAT),
    rule(ClassLoading, Function, "art::OatFileAssistant::*", "art/runtime/oat_file_assistant.cc"),
    rule(ClassLoading, Function, "art::OatFile::Open*", "art/runtime/oat_file.cc"),
    rule(ClassLoading, Function, "art::DexFile_*", "art/runtime/native/dalvik_system_DexFile.cc"),
    rule(
        ClassLoading,
        Function,
        "art::Class_classForName",
        "art/runtime/native/java_lang_Class.cc",
    ),
    rule(ClassLoading, Function, "artInitializeStaticStorageFromCode", ENTRYPOINTS),
    rule(ClassLoading, Function, "artResolveType*FromCode", ENTRYPOINTS),
    rule(ClassLoading, Function, "java.lang.Class.forName", CLASS),
    rule(ClassLoading, Function, "java.lang.Class.classForName", CLASS),
    rule(ClassLoading, Function, "java.lang.ClassLoader.loadClass", CLASS_LOADER),
    rule(ClassLoading, Function, "java.lang.ClassLoader.findClass", CLASS_LOADER),
    rule(ClassLoading, Function, "java.lang.ClassLoader.findLoadedClass", CLASS_LOADER),
    rule(ClassLoading, Function, "dalvik.system.DexFile.*", DALVIK),
    rule(ClassLoading, Function, "dalvik.system.DexPathList*", DALVIK),
    rule(ClassLoading, Function, "dalvik.system.BaseDexClassLoader.*", DALVIK),
    rule(ClassLoading, Function, "dalvik.system.PathClassLoader.*", DALVIK),
    rule(ClassLoading, Function, "dalvik.system.DexClassLoader.*", DALVIK),
    rule(ClassLoading, Function, "dalvik.system.DelegateLastClassLoader.*", DALVIK),
    rule(ClassLoading, Function, "dalvik.system.InMemoryDexClassLoader.*", DALVIK),
    // The launch of the app: from its process's first code to an activity on the screen.
    rule(AppStart, Section, "PostFork", ZYGOTE),
    rule(AppStart, Section, "ActivityThreadMain", ACTIVITY_THREAD),
    rule(AppStart, Section, "bindApplication", ACTIVITY_THREAD),
    rule(AppStart, Section, "activityStart", LAUNCH_ITEM),
    rule(
        AppStart,
        Section,
        "performCreate:*",
        "frameworks/base/core/java/android/app/Activity.java",
    ),
    rule(AppStart, Section, "activityRestart", START_ITEM),
    rule(AppStart, Section, "activityResume", RESUME_ITEM),
    rule(AppStart, Function, "android.app.ActivityThread.handleBindApplication", ACTIVITY_THREAD),
    rule(AppStart, Function, "android.app.ActivityThread.attach", ACTIVITY_THREAD),
    rule(AppStart, Function, "android.app.ActivityThread.handleLaunchActivity", ACTIVITY_THREAD),
    rule(AppStart, Function, "android.app.ActivityThread.performLaunchActivity", ACTIVITY_THREAD),
    rule(AppStart, Function, "android.app.ActivityThread.handleStartActivity", ACTIVITY_THREAD),
    rule(AppStart, Function, "android.app.ActivityThread.handleResumeActivity", ACTIVITY_THREAD),
];
