//! Package listings of the package manager.

use std::io;

use super::plain_words::plain;
use crate::core::Core;
use crate::local_calendar::local_date;
use crate::tool::Call;

/// `pm list packages|instrumentation|features|users|libraries`.
pub(super) fn list(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let what = words.first().map_or("", String::as_str);
    let rest = words.get(1..).unwrap_or_default();
    let text = match what {
        "packages" | "package" => packages(&call.core, rest),
        "instrumentation" => {
            let wanted = plain(rest).first().copied();
            let state = call.core.state();
            let mut text = String::new();
            for package in state.packages.by_name.values() {
                for (class, target) in &package.instrumentations {
                    if wanted.is_none_or(|wanted| wanted == target) {
                        text += &format!(
                            "instrumentation:{}/{class} (target={target})\n",
                            package.name
                        );
                    }
                }
            }
            text
        }
        "users" => "Users:\n\tUserInfo{0:Owner:4c13} running\n".to_owned(),
        "features" => "feature:android.hardware.wifi\nfeature:reqGlEsVersion=0x30002\n".to_owned(),
        _ => return call.fail(format!("Error: unknown list type '{what}'")).map(|_| 255),
    };
    call.out(text).map(|()| 0)
}

fn packages(core: &Core, words: &[String]) -> String {
    let has = |flag: &str| words.iter().any(|word| word == flag);
    let filter = plain(words).first().copied().unwrap_or_default();
    let uid = words.iter().skip_while(|word| *word != "--uid").nth(1).cloned();
    let state = core.state();
    let mut text = String::new();
    for package in state.packages.by_name.values() {
        if (has("-3") && package.system)
            || (has("-s") && !package.system)
            || !package.name.contains(filter)
            || uid.as_ref().is_some_and(|uid| *uid != package.uid.to_string())
        {
            continue;
        }
        text += "package:";
        if has("-f") {
            text += &format!(
                "{}/{}=",
                package.code_path,
                package.files.first().map_or("", String::as_str)
            );
        }
        text += &package.name;
        if has("--show-versioncode") {
            text += &format!(" versionCode:{}", package.version_code);
        }
        if has("-U") {
            text += &format!(" uid:{}", package.uid);
        }
        text += "\n";
    }
    text
}

/// `pm path`.
pub(super) fn path(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let name = plain(words).first().copied().unwrap_or_default().to_owned();
    let found = call.core.state().packages.by_name.get(&name).cloned();
    let Some(package) = found else { return Ok(1) };
    let text: String = package
        .files
        .iter()
        .map(|file| format!("package:{}/{file}\n", package.code_path))
        .collect();
    call.out(text).map(|()| 0)
}

/// `cmd package resolve-activity --brief`.
pub(super) fn resolve(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let names: Vec<String> = plain(words).iter().map(|word| (*word).to_owned()).collect();
    let text = {
        let state = call.core.state();
        let package = names.iter().find_map(|name| state.packages.by_name.get(name));
        match package.and_then(|package| Some((package, package.launcher.as_ref()?))) {
            Some((package, class)) => {
                format!(
                    "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n{}/{class}\n",
                    package.name
                )
            }
            None => "No activity found\n".to_owned(),
        }
    };
    call.out(text).map(|()| 0)
}

/// `cmd package query-activities`: those that a launcher starts are all that the phone's packages say of theirs.
pub(super) fn activities(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let name = words.last().cloned().unwrap_or_default();
    let found = {
        let state = call.core.state();
        let package = state.packages.by_name.get(&name);
        package.and_then(|package| Some(format!("{}/{}", package.name, package.launcher.as_ref()?)))
    };
    let text = found.map_or_else(
        || "No activities found\n".to_owned(),
        |component| {
            format!(
                "1 activities found:\n  Activity #0:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 \
                 isDefault=false\n    {component}\n"
            )
        },
    );
    call.out(text).map(|()| 0)
}

/// `dumpsys package NAME`.
pub(super) fn describe(core: &Core, name: &str) -> String {
    let state = core.state();
    let Some(package) = state.packages.by_name.get(name) else {
        return format!("Unable to find package: {name}\n");
    };
    let time = |nanos: i64| local_date(nanos, core.clock.zone_offset()).format("%F %T").to_string();
    let mut flags = vec!["HAS_CODE", "ALLOW_CLEAR_USER_DATA"];
    for (flag, set) in [
        ("DEBUGGABLE", package.debuggable),
        ("TEST_ONLY", package.test_only),
        ("SYSTEM", package.system),
    ] {
        if set {
            flags.insert(0, flag);
        }
    }
    let digits = format!("{:x}", package.signer_hash);
    let splits: Vec<&str> = package
        .files
        .iter()
        .map(|file| file.trim_end_matches(".apk").trim_start_matches("split_"))
        .collect();
    let privately = if package.profileable { " [ PROFILEABLE_BY_SHELL ]" } else { "" };
    format!(
        "Packages:\n  Package [{name}] (a1b2c3d):\n    userId={uid}\n    appId={uid}\n    pkg=Package{{5d1c9e {name}}}\n    \
         codePath={path}\n    resourcePath={path}\n    primaryCpuAbi=null\n    versionCode={code} minSdk={min} \
         targetSdk={target}\n    versionName={version}\n    splits=[{splits}]\n    apkSigningVersion=3\n    \
         flags=[ {flags} ]\n    privateFlags=[{privately} ]\n    dataDir=/data/user/0/{name}\n    \
         firstInstallTime={first}\n    lastUpdateTime={last}\n    signatures=PackageSignatures{{8d1e2f version:3, \
         signatures:[{digits}], past signatures:[]}}\n    User 0: ceDataInode=4711 installed=true hidden=false \
         suspended=false stopped=false notLaunched=false enabled=0 instant=false virtual=false\n\nDexopt state:\n  [{name}]\n    \
         path: {path}/base.apk\n      arm64: [status={filter}] [reason=install]\n",
        filter = package.filter,
        uid = package.uid,
        path = package.code_path,
        code = package.version_code,
        min = package.min_sdk,
        target = package.target_sdk,
        version = package.version_name.as_deref().unwrap_or("null"),
        splits = splits.join(", "),
        flags = flags.join(" "),
        first = time(package.installed.0),
        last = time(package.installed.1),
    )
}
