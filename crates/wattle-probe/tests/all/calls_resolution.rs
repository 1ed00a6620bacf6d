//! The methods that calls land in, and which of them are wanted.

use wattle_dex::{
    AccessFlags, Body, Class, CodeBuilder, Dex, DexFile, Method, MethodId, Mutf8, Opcode, Section,
    seal,
};
use wattle_probe::{ApiPatterns, FrameworkCalls};

const CLASS: AccessFlags = AccessFlags::PUBLIC;
const ABSTRACT: AccessFlags = AccessFlags(0x401);
const INTERFACE: AccessFlags = AccessFlags(0x601);

/// File, class, flags, superclass, interfaces, own methods (`!` in front: abstract).
type Definition = (
    usize,
    &'static str,
    AccessFlags,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const ACTIVITY: &str = "Landroid/app/Activity;";
const OBJECT: &str = "Ljava/lang/Object;";

const APP: &[Definition] = &[
    (0, "La/Base;", CLASS, ACTIVITY, &[], &["onPause()V"]),
    (0, "La/Leaf;", CLASS, "La/Base;", &[], &["own()V"]),
    // The superclass is in the other file.
    (0, "La/Far;", CLASS, "Lb/Middle;", &[], &[]),
    (1, "Lb/Middle;", CLASS, "Lb/Top;", &[], &["onStop()V"]),
    (1, "Lb/Top;", CLASS, "Landroid/app/Service;", &[], &["top(Lb/Top;)V"]),
    // Interfaces.
    (0, "La/Closer;", INTERFACE, OBJECT, &["Ljava/io/Closeable;"], &["!mine()V", "defaulted()V"]),
    (1, "Lb/Closer2;", INTERFACE, OBJECT, &["La/Closer;"], &[]),
    (0, "La/Loose;", INTERFACE, OBJECT, &[], &["!mine()V"]),
    (0, "La/Part;", ABSTRACT, OBJECT, &["Lb/Closer2;", "Ljava/lang/Runnable;"], &[]),
    (0, "La/Shows;", INTERFACE, OBJECT, &[], &["!finish()V", "!show()V", "offer()V"]),
    (0, "La/Screen;", CLASS, ACTIVITY, &["La/Shows;"], &["show()V"]),
    (0, "La/AnyScreen;", ABSTRACT, ACTIVITY, &["La/Shows;"], &[]),
    (0, "La/List;", CLASS, OBJECT, &["Ljava/util/List;"], &["sort(Ljava/util/Comparator;)V"]),
    // Broken hierarchies.
    (0, "Lc/One;", CLASS, "Lc/Two;", &["Lc/Three;"], &[]),
    (1, "Lc/Two;", CLASS, "Lc/One;", &["Lc/Three;"], &[]),
    (0, "Lc/Three;", INTERFACE, OBJECT, &["Lc/Four;"], &[]),
    (1, "Lc/Four;", INTERFACE, OBJECT, &["Lc/Three;"], &[]),
    (0, "Lc/Self;", CLASS, "Lc/Self;", &[], &[]),
    // Defined twice: the first counts.
    (0, "Ld/Twice;", CLASS, ACTIVITY, &[], &[]),
    (1, "Ld/Twice;", CLASS, OBJECT, &[], &["onPause()V"]),
    (0, "Lwattle/probe/Probe;", CLASS, OBJECT, &[], &[]),
];

/// File, kind, calling class, what is called, where it lands.
type Case = (usize, Opcode, &'static str, &'static str, Option<&'static str>);

const VIRTUAL: Opcode = Opcode::INVOKE_VIRTUAL;
const RANGE: Opcode = Opcode::INVOKE_VIRTUAL_RANGE;
const DIRECT: Opcode = Opcode::INVOKE_DIRECT;
const STATIC: Opcode = Opcode::INVOKE_STATIC;
const BY_INTERFACE: Opcode = Opcode::INVOKE_INTERFACE;
const SUPER: Opcode = Opcode::INVOKE_SUPER;

const CASES: &[Case] = &[
    // Named outside.
    (0, VIRTUAL, "La/Leaf;", "Landroid/view/View;->draw()V", Some("android.view.View.draw()V")),
    (0, STATIC, "La/Leaf;", "Landroid/util/Log;->d(I)I", Some("android.util.Log.d(I)I")),
    (0, DIRECT, "La/Leaf;", "Ljava/net/Socket;-><init>()V", Some("java.net.Socket.<init>()V")),
    (
        0,
        DIRECT,
        "La/Base;",
        "Landroid/app/Activity;-><init>()V",
        Some("android.app.Activity.<init>()V"),
    ),
    // By way of the app's classes.
    (
        0,
        VIRTUAL,
        "La/Leaf;",
        "La/Leaf;->setContentView(I)V",
        Some("android.app.Activity.setContentView(I)V"),
    ),
    (
        0,
        RANGE,
        "La/Leaf;",
        "La/Leaf;->setContentView(I)V",
        Some("android.app.Activity.setContentView(I)V"),
    ),
    (
        0,
        STATIC,
        "La/Leaf;",
        "La/Leaf;->isChild(JLa/Leaf;)[Z",
        Some("android.app.Activity.isChild(JLa/Leaf;)[Z"),
    ),
    (0, VIRTUAL, "La/Leaf;", "La/Leaf;->onPause()V", None),
    (0, VIRTUAL, "La/Leaf;", "La/Leaf;->onPause(I)V", Some("android.app.Activity.onPause(I)V")),
    (0, VIRTUAL, "La/Leaf;", "La/Leaf;->own()V", None),
    (0, DIRECT, "La/Leaf;", "La/Base;-><init>(I)V", None),
    // Over files.
    (0, VIRTUAL, "La/Far;", "La/Far;->onStop()V", None),
    (0, VIRTUAL, "La/Far;", "La/Far;->top(Lb/Top;)V", None),
    (0, VIRTUAL, "La/Far;", "La/Far;->stopSelf()V", Some("android.app.Service.stopSelf()V")),
    (1, VIRTUAL, "Lb/Top;", "La/Leaf;->getTitle()V", Some("android.app.Activity.getTitle()V")),
    // `invoke-super` begins above the caller.
    (
        0,
        SUPER,
        "La/Base;",
        "Landroid/app/Activity;->onPause()V",
        Some("android.app.Activity.onPause()V"),
    ),
    (0, SUPER, "La/Base;", "La/Base;->onPause()V", Some("android.app.Activity.onPause()V")),
    (0, SUPER, "La/Leaf;", "La/Base;->onPause()V", None),
    (0, SUPER, "La/Leaf;", "Landroid/app/Activity;->onPause()V", None),
    (0, SUPER, "La/Leaf;", "La/Base;->onResume()V", Some("android.app.Activity.onResume()V")),
    (0, SUPER, "La/Far;", "Lb/Middle;->onStop()V", None),
    (0, SUPER, "La/Far;", "Lb/Middle;->onBind()V", Some("android.app.Service.onBind()V")),
    (
        0,
        SUPER,
        "La/List;",
        "Ljava/util/List;->sort(Ljava/util/Comparator;)V",
        Some("java.util.List.sort(Ljava/util/Comparator;)V"),
    ),
    (0, SUPER, "La/List;", "Ljava/lang/Object;->hashCode()I", Some("java.lang.Object.hashCode()I")),
    (0, SUPER, "La/Part;", "La/Closer;->defaulted()V", None),
    // Interfaces.
    (
        0,
        BY_INTERFACE,
        "La/Leaf;",
        "Ljava/lang/Runnable;->run()V",
        Some("java.lang.Runnable.run()V"),
    ),
    (0, BY_INTERFACE, "La/Leaf;", "La/Closer;->mine()V", None),
    (0, BY_INTERFACE, "La/Leaf;", "Lb/Closer2;->mine()V", None),
    (0, BY_INTERFACE, "La/Leaf;", "Lb/Closer2;->close()V", Some("java.io.Closeable.close()V")),
    (0, BY_INTERFACE, "La/Leaf;", "Lb/Closer2;->hashCode()I", Some("java.lang.Object.hashCode()I")),
    (0, BY_INTERFACE, "La/Leaf;", "Lb/Closer2;->defaulted()V", None),
    (0, BY_INTERFACE, "La/Leaf;", "La/Loose;->nowhere()V", None),
    (0, VIRTUAL, "La/Part;", "La/Part;->defaulted()V", None),
    (0, VIRTUAL, "La/Part;", "La/Part;->close()V", Some("java.lang.Runnable.close()V")),
    // A class that inherits what its interface asks for, and one that leaves it to subclasses.
    (0, VIRTUAL, "La/Screen;", "La/Screen;->finish()V", Some("android.app.Activity.finish()V")),
    (0, VIRTUAL, "La/Screen;", "La/Screen;->show()V", None),
    (0, VIRTUAL, "La/Screen;", "La/Screen;->offer()V", None),
    (0, VIRTUAL, "La/AnyScreen;", "La/AnyScreen;->finish()V", None),
    (
        0,
        VIRTUAL,
        "La/AnyScreen;",
        "La/AnyScreen;->getTitle()V",
        Some("android.app.Activity.getTitle()V"),
    ),
    // Arrays.
    (
        0,
        VIRTUAL,
        "La/Leaf;",
        "[I->clone()Ljava/lang/Object;",
        Some("java.lang.Object.clone()Ljava/lang/Object;"),
    ),
    (
        0,
        VIRTUAL,
        "La/Leaf;",
        "[La/Leaf;->clone()Ljava/lang/Object;",
        Some("java.lang.Object.clone()Ljava/lang/Object;"),
    ),
    // Broken.
    (0, VIRTUAL, "Lc/One;", "Lc/One;->m()V", None),
    (0, SUPER, "Lc/One;", "Lc/Two;->m()V", None),
    (0, VIRTUAL, "Lc/Self;", "Lc/Self;->m()V", None),
    (0, VIRTUAL, "La/Leaf;", "Ld/Twice;->onPause()V", Some("android.app.Activity.onPause()V")),
    (0, STATIC, "La/Leaf;", "Lwattle/probe/Probe;->call(I)V", None),
    (0, Opcode::INVOKE_POLYMORPHIC, "La/Leaf;", "Landroid/view/View;->draw()V", None),
    (0, Opcode::CONST_STRING, "La/Leaf;", "Landroid/view/View;->draw()V", None),
];

fn split(method: &str) -> (&str, &str) {
    method.split_at(method.find('(').unwrap())
}

fn write(file: usize) -> Vec<u8> {
    let mut out = DexFile::new(38);
    for &(at, name, access, superclass, interfaces, methods) in APP {
        if at != file {
            continue;
        }
        let pool = out.pool_mut();
        let superclass = pool.ty(superclass);
        let mut class = Class::new(pool.ty(name), Some(superclass), access);
        class.interfaces = interfaces.iter().map(|it| pool.ty(it)).collect();
        for method in methods {
            let (method, access) = match method.strip_prefix('!') {
                Some(method) => (method, ABSTRACT),
                None => (*method, AccessFlags::PUBLIC | AccessFlags::NATIVE),
            };
            let (method, signature) = split(method);
            let id = pool.method(name, method, signature).unwrap();
            class.virtual_methods.push(Method { id, access, body: Body::None });
        }
        out.add_class(class);
    }
    for (at, _, _, method, _) in CASES {
        if *at == file {
            let (class, method) = method.split_once("->").unwrap();
            let (method, signature) = split(method);
            out.pool_mut().method(class, method, signature).unwrap();
        }
    }
    let mut bytes = out.write().unwrap();
    seal(&mut bytes);
    bytes
}

#[test]
fn calls_land_where_they_should() {
    let files = [write(0), write(1)];
    let files = [Dex::parse(&files[0]).unwrap(), Dex::parse(&files[1]).unwrap()];
    let calls = FrameworkCalls::new(&files, &ApiPatterns::new(&["**"], &[])).unwrap();
    for &(file, opcode, caller, method, expected) in CASES {
        let dex = &files[file];
        let id = (0..dex.count(Section::METHOD_IDS))
            .map(MethodId)
            .find(|&id| dex.method_name(id).unwrap() == method)
            .unwrap();
        let caller_ty = dex.find_type(Mutf8::new(caller.as_bytes())).unwrap();
        let landing = calls
            .landing(file, caller_ty, opcode, id)
            .map(|it| format!("{}.{}{}", calls.class(it), calls.name(it), calls.signature(it)));
        assert_eq!(landing.as_deref(), expected, "{opcode} {method} in {caller}");
    }
}

/// The classes that D8 puts in for one of newer versions of the framework, and an app's class that throws the same.
#[test]
fn what_stands_in_for_a_class_of_the_framework_is_none_of_the_app() {
    const ERROR: &str = "Ljava/lang/NoClassDefFoundError;";
    let mut out = DexFile::new(38);
    let synthetic = AccessFlags::PUBLIC | AccessFlags::SYNTHETIC;
    let cases = [
        ("Landroid/app/LocaleManager;", synthetic, Some("android.app.LocaleManager")),
        ("La/Refusing;", CLASS, None),
    ];
    for (name, access, _) in cases {
        let pool = out.pool_mut();
        let mut code = CodeBuilder::new(1, 0);
        let new = pool.method(ERROR, "<init>", "()V").unwrap();
        code.with_type(Opcode::NEW_INSTANCE, &[0], pool.ty(ERROR))
            .invoke(Opcode::INVOKE_DIRECT, new, &[0])
            .plain(Opcode::THROW, &[0]);
        let object = pool.ty(OBJECT);
        let mut class = Class::new(pool.ty(name), Some(object), access);
        let id = pool.method(name, "<clinit>", "()V").unwrap();
        let body = Body::Code(Box::new(code.finish().unwrap()));
        let access = AccessFlags::STATIC | AccessFlags::CONSTRUCTOR;
        class.direct_methods.push(Method { id, access, body });
        pool.method(name, "setLocales", "()V").unwrap();
        out.add_class(class);
    }
    let mut bytes = out.write().unwrap();
    seal(&mut bytes);
    let files = [Dex::parse(&bytes).unwrap()];
    let calls = FrameworkCalls::new(&files, &ApiPatterns::new(&["**"], &[])).unwrap();
    let [dex] = &files;
    let caller = dex.class_defs().next().unwrap().1.unwrap().class;
    for (name, _, expected) in cases {
        let method = format!("{name}->setLocales()V");
        let id = (0..dex.count(Section::METHOD_IDS))
            .map(MethodId)
            .find(|&id| dex.method_name(id).unwrap() == method)
            .unwrap();
        let landing = calls.landing(0, caller, VIRTUAL, id).map(|it| calls.class(it));
        assert_eq!(landing.as_deref(), expected, "{name}");
    }
}

#[test]
fn the_same_method_is_one_call_in_all_files() {
    let files = [write(0), write(1)];
    let files = [Dex::parse(&files[0]).unwrap(), Dex::parse(&files[1]).unwrap()];
    let calls = FrameworkCalls::new(&files, &ApiPatterns::new(&["**"], &[])).unwrap();
    let find = |file: usize, method: &str| {
        let dex = &files[file];
        let id = (0..dex.count(Section::METHOD_IDS))
            .map(MethodId)
            .find(|&id| dex.method_name(id).unwrap() == method)
            .unwrap();
        let caller = dex.class_defs().next().unwrap().1.unwrap().class;
        calls.landing(file, caller, VIRTUAL, id).unwrap()
    };
    let (near, far) = (find(0, "La/AnyScreen;->getTitle()V"), find(1, "La/Leaf;->getTitle()V"));
    assert_eq!(near, far);
    assert_ne!(near, find(0, "La/Leaf;->setContentView(I)V"));
}

#[track_caller]
fn check(include: &[&str], exclude: &[&str], class: &str, expected: bool) {
    assert_eq!(ApiPatterns::new(include, exclude).matches(class), expected, "{class}");
}

#[test]
fn patterns() {
    let all = &["**"];
    check(all, &[], "android.net.Uri", true);
    check(&[], &[], "android.net.Uri", false);
    check(&["android.**"], &[], "android.net.Uri", true);
    check(&["android.**"], &[], "androidx.core.Uri", false);
    check(&["java.io.*"], &[], "java.io.File", true);
    check(&["java.io.*"], &[], "java.io.sub.File", false);
    check(&["java.io.File"], &[], "java.io.File", true);
    check(&["java.io.File"], &[], "java.io.FileReader", false);
    check(&["java.io.File"], &[], "java.io.File$1", true);
    check(&["*"], &[], "Unpackaged", true);
    check(&["*"], &[], "java.Packaged", false);
    check(all, &["java.**"], "java.io.File", false);
    check(&["java.io.File"], &["java.io.*"], "java.io.File", false);
    check(all, &[], "android.os.Trace", false);
    check(&["android.os.Trace"], &[], "android.os.Trace", false);
}

#[test]
fn default_patterns() {
    let patterns = ApiPatterns::default();
    for class in ["android.location.LocationManager", "java.net.Socket", "dalvik.system.DexFile"] {
        assert!(patterns.matches(class), "{class}");
    }
    for class in ["java.lang.String", "java.util.HashMap", "kotlin.Unit", "android.os.Trace"] {
        assert!(!patterns.matches(class), "{class}");
    }
}
