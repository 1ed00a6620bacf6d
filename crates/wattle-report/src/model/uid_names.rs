//! Names of uids in a ledger.

use wattle_ledger::Ledger;
use wattle_timeline::{Uid, process_base};

/// The packages that run under a uid: the recording's own list, and those of its processes. In order of name.
pub(crate) fn packages(ledger: &Ledger, uid: Uid) -> Vec<String> {
    let listed = ledger.rows.packages.iter().filter(|package| package.uid == uid.0);
    let mut names: Vec<String> = listed.map(|package| package.name.clone()).collect();
    let running = ledger.rows.processes.iter().filter(|process| process.uid == Some(uid.0));
    names.extend(running.filter_map(|process| process.package.clone()));
    if names.is_empty() {
        names.extend(process_names(ledger, uid));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The names of an app's processes up to a colon, which are its package's unless it says otherwise. Of the system's own uids many programs
/// run, none of which is the uid.
fn process_names(ledger: &Ledger, uid: Uid) -> impl Iterator<Item = String> {
    let is_app = uid.is_app() && !uid.is_isolated();
    let running = ledger.rows.processes.iter().filter(move |it| is_app && it.uid == Some(uid.0));
    let names = running.map(|process| process_base(&process.name));
    names.filter(|name| name.contains('.') && !name.contains('/')).map(str::to_owned)
}

/// The platform's name of a uid of its own; else the packages of a uid, else as Android writes it.
///
/// A package has one app id for all users of a device, and the list of packages is often that of the first user alone: an app of
/// a work profile has the name of the same app with its user.
pub(crate) fn name(ledger: &Ledger, uid: Uid) -> String {
    // Dozens of packages run under the system's own uids, none of which is the uid.
    if let Some(name) = uid.platform_name().filter(|_| !uid.is_app()) {
        return name.to_owned();
    }
    let own = packages(ledger, uid);
    if !own.is_empty() {
        return own.join(", ");
    }
    let is_in_profile = uid.is_app() && !uid.is_isolated() && uid.user() > 0;
    let of_others = || packages(ledger, Uid(uid.app_id()));
    let others = if is_in_profile { of_others() } else { Vec::new() };
    if !others.is_empty() {
        return format!("{} (user {})", others.join(", "), uid.user());
    }
    let platform = || uid.platform_name().map(str::to_owned);
    if uid.is_app() && uid.is_isolated() {
        return format!("isolated process {}", uid.android_name());
    }
    platform().unwrap_or_else(|| match uid.signed() {
        ..0 => "of no app".to_owned(),
        _ => uid.android_name(),
    })
}

#[cfg(test)]
mod tests {
    use wattle_ledger::PackageEntry;
    use wattle_timeline::Window;

    use super::*;

    #[test]
    fn uids_are_named_by_package_platform_or_as_android_writes_them() {
        let mut ledger = Ledger::empty(Window::default());
        let mut package = |uid: u32, name: &str| {
            ledger.rows.packages.push(PackageEntry { uid, name: name.to_owned() });
        };
        package(10_045, "com.example.mail");
        package(10_046, "com.example.b");
        package(10_046, "com.example.a");
        package(1_010_050, "com.example.work");
        for (uid, expected) in [
            (10_045, "com.example.mail"),
            // A shared uid.
            (10_046, "com.example.a, com.example.b"),
            (1_010_045, "com.example.mail (user 10)"),
            (1_010_050, "com.example.work"),
            (10_050, "u0a50"),
            (99_012, "isolated process u0i12"),
            (0, "root"),
            (1_001_041, "audioserver"),
            (1999, "1999"),
            (4_294_967_291, "tethering"),
            (u32::MAX, "of no app"),
        ] {
            assert_eq!(name(&ledger, Uid(uid)), expected, "{uid}");
        }
    }
}
