//! Which package a process belongs to.

use crate::{Names, Package, Process, Uid};

/// Uids below this are the system's own and are shared by many packages (AOSP
/// `Process.FIRST_APPLICATION_UID`).
const FIRST_APPLICATION: u32 = 10_000;

/// Sets the package of each process: by name among those of its uid, alone under its uid, or by name
/// where the uid says nothing (isolated processes, old recordings).
pub(crate) fn resolve(processes: &mut [Process], packages: &[Package], names: &Names) {
    for process in processes {
        let name = process.name.map_or("", |name| names.get(name));
        let app = process.uid.filter(|uid| !uid.is_isolated()).map(Uid::app_id);
        let of_app = |package: &&Package| app.is_none_or(|app| package.uid.app_id() == app);
        let named = packages
            .iter()
            .filter(of_app)
            .filter(|package| belongs(name, names.get(package.name)))
            .max_by_key(|package| names.get(package.name).len());
        let alone = || {
            let app = app.filter(|app| *app >= FIRST_APPLICATION)?;
            let mut candidates = packages.iter().filter(|p| p.uid.app_id() == app);
            candidates.next().filter(|_| candidates.next().is_none())
        };
        process.package = named.or_else(alone).map(|package| package.name);
    }
}

/// `com.example.app` itself, one of its processes (`com.example.app:remote`), or the kernel's view of
/// either, which is cut to its last 15 bytes.
fn belongs(process: &str, package: &str) -> bool {
    !package.is_empty()
        && (crate::process_base(process) == package
            || (process.len() == 15 && package.ends_with(process)))
}
