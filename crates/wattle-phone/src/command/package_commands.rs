//! `pm`, `cmd package` and `run-as`.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use super::install::{InstallFlags, install, remove_kept};
use super::package_listing;
use super::plain_words::plain;
use crate::core::Core;
use crate::state::INSTALLED_FILTER;
use crate::tool::Call;

pub(super) fn pm(call: &mut Call) -> io::Result<u8> {
    let arguments = call.arguments.clone();
    let Some((verb, rest)) = arguments.split_first() else {
        return call
            .fail("Package manager (package) commands: install, list, path, uninstall, clear");
    };
    match verb.as_str() {
        "install" => streamed_install(call, rest),
        "install-create" => {
            let number = call.core.state().packages.open(rest.to_vec());
            call.out(format!("Success: created install session [{number}]\n")).map(|()| 0)
        }
        "install-write" => install_write(call, rest),
        "install-commit" => install_commit(call, rest),
        "install-abandon" => {
            let number = rest.first().and_then(|number| number.parse::<u32>().ok());
            let session =
                number.and_then(|number| call.core.state().packages.sessions.remove(&number));
            match session {
                Some(_) => call.out("Success\n").map(|()| 0),
                None => call.fail("Failure [INSTALL_FAILED_INVALID_SESSION]"),
            }
        }
        "uninstall" => uninstall(call, rest),
        "clear" => clear(call, rest),
        "list" => package_listing::list(call, rest),
        "path" => package_listing::path(call, rest),
        "dump" => {
            let name = plain(rest).first().copied().unwrap_or_default().to_owned();
            let text = package_listing::describe(&call.core, &name);
            call.out(text).map(|()| 0)
        }
        "resolve-activity" => package_listing::resolve(call, rest),
        "grant" | "revoke" => {
            if let [package, permission, ..] = plain(rest).as_slice() {
                let grant = ((*package).to_owned(), (*permission).to_owned());
                call.core.state().grants.push(grant);
            }
            Ok(0)
        }
        "query-activities" => package_listing::activities(call, rest),
        "compile" => compile(call, rest),
        "trim-caches" | "bg-dexopt-job" | "disable-user" | "enable" => {
            call.out("Success\n").map(|()| 0)
        }
        _ => call.fail(format!("Unknown command: {verb}")).map(|_| 255),
    }
}

/// `cmd package compile`: the filter is what `dumpsys package` shows afterwards.
fn compile(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let filter = words.iter().skip_while(|word| *word != "-m").nth(1).cloned();
    let resets = words.iter().any(|word| word == "--reset");
    let name = words.last().cloned().unwrap_or_default();
    let filter = if resets { Some(INSTALLED_FILTER.to_owned()) } else { filter };
    let known = {
        let mut state = call.core.state();
        let package = state.packages.by_name.get_mut(&name);
        match (package, filter) {
            (Some(package), Some(filter)) => {
                package.filter = filter;
                true
            }
            _ => false,
        }
    };
    if known {
        call.out("Success\n").map(|()| 0)
    } else {
        call.fail(format!("Error: java.lang.IllegalArgumentException: Package not found: {name}"))
    }
}

fn size_of(words: &[String]) -> Option<u64> {
    words.iter().skip_while(|word| *word != "-S").nth(1)?.parse().ok()
}

fn answer(call: &mut Call, result: Result<(), String>) -> io::Result<u8> {
    match result {
        Ok(()) => call.out("Success\n").map(|()| 0),
        Err(reason) => call.out(format!("Failure [{reason}]\n")).map(|()| 1),
    }
}

/// Takes exactly so many bytes of standard input into a file; `None` for all of it.
fn stream_to_file(
    call: &mut Call,
    size: Option<u64>,
) -> io::Result<Result<(PathBuf, u64), String>> {
    let (mut file, path) = call.core.files.streamed()?;
    let room = call.core.files.free();
    let wanted = size.unwrap_or(u64::MAX);
    let mut taken = 0;
    while taken < wanted {
        let Some(bytes) = call.read()? else { break };
        taken += bytes.len() as u64;
        if taken <= room {
            file.write_all(&bytes)?;
        }
    }
    if taken > room {
        std::fs::remove_file(&path)?;
        return Ok(Err(format!(
            "INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to allocate {taken} because only {room} allocatable"
        )));
    }
    if size.is_some_and(|size| size != taken) {
        std::fs::remove_file(&path)?;
        return Ok(Err(format!(
            "INSTALL_FAILED_INVALID_APK: expected {wanted} bytes, found {taken}"
        )));
    }
    Ok(Ok((path, taken)))
}

/// Copies a package of the phone's storage to where no command can change it while it is looked at.
fn copied(core: &Core, path: &str) -> io::Result<(PathBuf, u64)> {
    let mut from = core.files.rooted().open(path)?;
    let (mut file, copy) = core.files.streamed()?;
    let bytes = io::copy(&mut from, &mut file)?;
    Ok((copy, bytes))
}

fn streamed_install(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let flags = InstallFlags::new(words, call.core.options.api);
    let named = plain(words).iter().find(|word| **word != "-").map(|word| (*word).to_owned());
    let core = Arc::clone(&call.core);
    let result = match named {
        Some(path) => {
            let Ok((file, _)) = copied(&core, &path) else {
                return call.fail(format!(
                    "Error: failed to open file: {path}: No such file or directory"
                ));
            };
            let result = install(&core, std::slice::from_ref(&file), flags);
            let _ = std::fs::remove_file(file);
            result
        }
        None => match stream_to_file(call, size_of(words))? {
            Ok((file, _)) => {
                let result = install(&core, std::slice::from_ref(&file), flags);
                let _ = std::fs::remove_file(file);
                result
            }
            Err(reason) => Err(reason),
        },
    };
    answer(call, result)
}

fn install_write(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let words_plain: Vec<String> = plain(words).iter().map(|word| (*word).to_owned()).collect();
    let (number, name, path) = match words_plain.as_slice() {
        [number, name] => (number, name, None),
        [number, name, path, ..] => (number, name, Some(path.as_str()).filter(|path| *path != "-")),
        _ => return call.fail("Error: install-write SESSION NAME [PATH]"),
    };
    let number: u32 = number.parse().unwrap_or_default();
    if !call.core.state().packages.sessions.contains_key(&number) {
        return call.fail(format!(
            "Error: java.lang.SecurityException: Caller has no access to session {number}"
        ));
    }
    let written = match path {
        Some(path) => copied(&call.core, path).map_err(|error| error.to_string()),
        None => stream_to_file(call, size_of(words))?,
    };
    match written {
        Ok((file, bytes)) => {
            if let Some(session) = call.core.state().packages.sessions.get_mut(&number) {
                session.files.push((name.clone(), file));
            }
            call.out(format!("Success: streamed {bytes} bytes\n")).map(|()| 0)
        }
        Err(reason) => call.out(format!("Failure [{reason}]\n")).map(|()| 1),
    }
}

fn install_commit(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let number = plain(words).first().and_then(|number| number.parse::<u32>().ok());
    let session = number.and_then(|number| call.core.state().packages.sessions.remove(&number));
    let Some(session) = session else {
        return answer(call, Err("INSTALL_FAILED_INVALID_SESSION".into()));
    };
    let flags = InstallFlags::new(&session.flags, call.core.options.api);
    let files: Vec<PathBuf> = session.files.iter().map(|(_, file)| file.clone()).collect();
    let core = Arc::clone(&call.core);
    let result = install(&core, &files, flags);
    for file in files {
        let _ = std::fs::remove_file(file);
    }
    answer(call, result)
}

fn uninstall(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let Some(name) = plain(words).first().map(|name| (*name).to_owned()) else {
        return call.fail("Error: package name not specified");
    };
    let keep = words.iter().any(|word| word == "-k");
    let removed = {
        let mut state = call.core.state();
        let there = state.packages.by_name.get(&name).is_some_and(|package| !package.system);
        there.then(|| state.packages.by_name.remove(&name)).flatten()
    };
    let Some(package) = removed else {
        return call.out("Failure [DELETE_FAILED_INTERNAL_ERROR]\n").map(|()| 1);
    };
    call.core.end_package(&name);
    let rooted = call.core.files.rooted();
    let _ = rooted.remove_tree(&package.code_path);
    remove_kept(&package);
    if !keep {
        let _ = rooted.remove_tree(format!("/data/data/{name}"));
    }
    call.out("Success\n").map(|()| 0)
}

fn clear(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let Some(name) = plain(words).first().map(|name| (*name).to_owned()) else {
        return call.fail("Error: no package specified");
    };
    if !call.core.state().packages.by_name.contains_key(&name) {
        return call.out("Failed\n").map(|()| 1);
    }
    call.core.end_package(&name);
    for folder in ["files", "cache"] {
        let path = format!("/data/data/{name}/{folder}");
        let _ = call.core.files.rooted().remove_tree(&path);
        call.core.files.rooted().make_folder(&path)?;
    }
    call.out("Success\n").map(|()| 0)
}

/// Says whether the shell may become an app; the program then does it.
pub(super) fn run_as(call: &mut Call) -> io::Result<u8> {
    let name = call.arguments.first().cloned().unwrap_or_default();
    let debuggable = {
        let state = call.core.state();
        state.packages.by_name.get(&name).map(|package| package.debuggable)
    };
    match debuggable {
        None => call.fail(format!("run-as: unknown package: {name}")),
        Some(false) => call.fail(format!("run-as: package not debuggable: {name}")),
        Some(true) => Ok(0),
    }
}
