//! The independent programs that tests ask, as packages of Debian.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::child_process::{command, is_program, output, run, succeeds};
use super::code_server;
use crate::places;

/// Programs, and the packages that bring them.
const PROGRAMS: &[(&str, &[&str])] = &[
    // A browser for the HTML report.
    ("chromedriver", &["chromium", "chromium-driver"]),
    // Android's own tools for packages.
    ("apksigner", &["apksigner", "default-jre-headless"]),
    ("zipalign", &["zipalign"]),
    ("aapt2", &["aapt"]),
    ("dexdump", &["dexdump"]),
    ("openssl", &["openssl"]),
    ("smali", &["libsmali-java"]),
    ("zip", &["zip"]),
    ("unzip", &["unzip"]),
    ("trace-cmd", &["trace-cmd"]),
    ("dmtracedump", &["dmtracedump"]),
    ("perf", &["linux-perf"]),
    // Opens the tables of a diagnosis.
    ("ssconvert", &["gnumeric"]),
    // A server for histories of teams, whose own programs are not on PATH.
    ("psql", &["postgresql"]),
    // Makes databases of other versions and of something else.
    ("sqlite3", &["sqlite3"]),
    ("pg_dump", &["postgresql"]),
    ("prlimit", &["util-linux"]),
    // The client of real phones, which also drives the simulated one.
    ("adb", &["adb"]),
    ("mksh", &["mksh"]),
    ("unshare", &["util-linux"]),
    ("script", &["bsdutils"]),
    ("ip", &["iproute2"]),
    ("javac", &["openjdk-17-jdk-headless"]),
    // What the Android runtime is built from, beside Android's own libraries.
    ("python3", &["python3"]),
    ("clang", &["clang"]),
    ("gcc", &["gcc"]),
    // Native modules of code-server, one of which is for Kerberos.
    ("g++", &["g++"]),
    ("make", &["make"]),
    ("krb5-config", &["libkrb5-dev"]),
    // Builds and runs the plugin for projects of Android.
    ("gradle", &["gradle"]),
    ("ld.lld", &["lld"]),
    ("objdump", &["binutils"]),
    ("llvm-symbolizer", &["llvm"]),
    // Programs of Arm, run and stopped, for what is read of their stacks.
    ("aarch64-linux-gnu-gcc", &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"]),
    ("arm-linux-gnueabihf-gcc", &["gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross"]),
    ("qemu-aarch64", &["qemu-user"]),
    ("qemu-arm", &["qemu-user"]),
    ("gdb-multiarch", &["gdb-multiarch"]),
    ("xz", &["xz-utils"]),
    ("dpkg-source", &["dpkg-dev"]),
    // Builds the real pprof from its source.
    ("go", &["golang-go"]),
];

const PPROF_SOURCE: &str = "/usr/share/gocode/src/github.com/google/pprof";

/// Android's libraries, which Debian has for few machines.
const LIBRARIES: &[(&str, &str)] = &[
    ("android/libart.so.0", "android-libart"),
    ("android/libnativeloader.so.0", "android-libnativeloader"),
    ("android/libnativebridge.so.0", "android-libnativebridge"),
    ("android/libbacktrace.so.0", "android-libbacktrace"),
    ("android/libbase.so.0", "android-libbase"),
    ("android/liblog.so.0", "android-liblog"),
    ("android/libziparchive.so.0", "android-libziparchive"),
    ("android/libcrypto.so.0", "android-libboringssl"),
    ("libz.so", "zlib1g-dev"),
    ("libicuuc.so", "libicu-dev"),
    ("libexpat.so", "libexpat1-dev"),
];

/// Installs the packages of the programs that are missing, where that is allowed.
pub fn install() -> Result<()> {
    let packages = missing();
    if packages.is_empty() {
        println!("all programs are installed");
        return Ok(());
    }
    let is_root = output(&mut command("id", &["-u"])).is_some_and(|id| id.trim() == "0");
    if !is_root || !is_program("apt-get") {
        println!("CANNOT INSTALL {} HERE: tests that need them do not run", packages.join(" "));
        return Ok(());
    }
    run(&mut command("apt-get", &["update", "-qq"]))?;
    let mut install = command(
        "apt-get",
        &["install", "-y", "-qq", "--no-install-recommends", "-o=Dpkg::Use-Pty=0"],
    );
    run(install.args(&packages).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Resources of the framework of a real Android, in which its power profile is.
pub fn framework() -> Option<PathBuf> {
    Some(PathBuf::from("/usr/share/android-framework-res/framework-res.apk"))
        .filter(|path| path.is_file())
}

fn missing() -> Vec<&'static str> {
    let mut packages: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(program, _)| !is_program(program))
        .flat_map(|(_, packages)| packages.iter().copied())
        .collect();
    if !Path::new(PPROF_SOURCE).exists() {
        packages.push("golang-github-google-pprof-dev");
    }
    if framework().is_none() {
        packages.push("android-framework-res");
    }
    // Brings Arrow's own reader of Parquet.
    if !succeeds(&mut command("python3", &["-m", "pip", "--version"])) {
        packages.push("python3-pip");
    }
    // Brings speedscope's schema, axe, the conformance suite of MCP, code-server and what its extension is built with, once.
    let packages_of_npm =
        ["package", "axe", "mcp", "code-server"].map(|name| places::viewers().join(name));
    let mut has_all = packages_of_npm.iter().all(|folder| folder.is_dir());
    has_all &= code_server::packages().is_some();
    if !has_all && !is_program("npm") {
        packages.push("npm");
    }
    if cfg!(target_arch = "x86_64") {
        let folder = Path::new("/usr/lib/x86_64-linux-gnu");
        let absent = LIBRARIES.iter().filter(|(library, _)| !folder.join(library).exists());
        packages.extend(absent.map(|(_, package)| *package));
    }
    packages
}
