//! Installing and uninstalling.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::package_transfer::Package;
use crate::adb::AdbDevice;
use crate::install_refusal::InstallRefusal;
use crate::{Cancel, Device, DeviceError, InstallOptions, quote};

/// The folder where the shell user may write on every device.
const TEMPORARY: &str = "/data/local/tmp";

impl AdbDevice {
    /// Installs one package, or the packages of one app in one session. An installed app is replaced and keeps its data.
    pub(in crate::adb) fn install_packages(
        &self,
        packages: &[PathBuf],
        options: &InstallOptions,
    ) -> Result<(), DeviceError> {
        // All are opened before the device is touched.
        let mut packages: Vec<Package> =
            packages.iter().map(|path| Package::open(path)).collect::<Result<_, _>>()?;
        match packages.as_mut_slice() {
            [] => Err(DeviceError::Unsupported {
                serial: self.serial.clone(),
                what: "installing needs at least one package".to_owned(),
            }),
            [only] => self.install_one(only, options),
            several => self.install_several(several, options),
        }
    }

    fn install_one(
        &self,
        package: &mut Package,
        options: &InstallOptions,
    ) -> Result<(), DeviceError> {
        let what = format!("installing {}", package.path.display());
        let flags = flags(options);
        let answer = if self.features.cmd() {
            let command = format!("cmd package install{flags} -S {}", package.bytes);
            self.stream_package(&command, package, &what)?
        } else {
            let file = Self::temporary("package.apk");
            self.send(package.reader(), &file, 0o644)?;
            let command = format!("pm install{flags} {}", quote(&file));
            let answer = self.ask_package_manager(&command, &what);
            self.remove(&file);
            answer?
        };
        check(&answer, &package.path)
    }

    fn install_several(
        &self,
        packages: &mut [Package],
        options: &InstallOptions,
    ) -> Result<(), DeviceError> {
        let Some(first) = packages.first().map(|package| package.path.clone()) else {
            return Ok(());
        };
        let what = format!("installing {} and {} more", first.display(), packages.len() - 1);
        let total = packages.iter().fold(0_u64, |sum, package| sum.saturating_add(package.bytes));
        let manager = if self.features.cmd() { "cmd package" } else { "pm" };
        let command = format!("{manager} install-create{} -S {total}", flags(options));
        let answer = self.ask_package_manager(&command, &what)?;
        check(&answer, &first)?;
        let Some(session) = session_number(&answer) else {
            return Err(refused(&answer, &first));
        };
        let written = self
            .write_session(packages, manager, session, &what)
            .and_then(|()| {
                let command = format!("{manager} install-commit {session}");
                self.ask_package_manager(&command, &what)
            })
            .and_then(|answer| check(&answer, &first));
        if written.is_err() {
            // The device would keep the parts until it restarts; that it is gone or cancelled is no reason to leave
            // them, and that abandoning fails too says nothing new.
            let _left = self
                .after_cancel()
                .ask_package_manager(&format!("{manager} install-abandon {session}"), &what);
        }
        written
    }

    fn write_session(
        &self,
        packages: &mut [Package],
        manager: &str,
        session: u32,
        what: &str,
    ) -> Result<(), DeviceError> {
        for (number, package) in packages.iter_mut().enumerate() {
            let name = format!("{number}.apk");
            let write = format!("{manager} install-write -S {} {session} {name}", package.bytes);
            let answer = if self.features.cmd() {
                self.stream_package(&format!("{write} -"), package, what)?
            } else {
                let file = Self::temporary(&name);
                self.send(package.reader(), &file, 0o644)?;
                let answer = self.ask_package_manager(&format!("{write} {}", quote(&file)), what);
                self.remove(&file);
                answer?
            };
            check(&answer, &package.path)?;
        }
        Ok(())
    }

    /// Uninstalls an app with its data, for one user or for all.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] with the package manager's words, also if it was not installed.
    pub fn uninstall(&self, package: &str, user: Option<u32>) -> Result<(), DeviceError> {
        let manager = if self.features.cmd() { "cmd package" } else { "pm" };
        let user = user.map(|user| format!(" --user {user}")).unwrap_or_default();
        let what = format!("uninstalling {package}");
        let command = format!("{manager} uninstall{user} {}", quote(package));
        let answer = self.ask_package_manager(&command, &what)?;
        InstallRefusal::parse(&answer)
            .map_or(Ok(()), |refusal| Err(DeviceError::Refused { what, said: refusal.said }))
    }

    /// A path for a file that is needed for a moment.
    pub(in crate::adb) fn temporary(name: &str) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        format!("{TEMPORARY}/wattle-{:x}-{count:x}-{name}", std::process::id())
    }

    /// Removes such a file, also after a cancelled run. That it stays is no harm worth an error.
    pub(in crate::adb) fn remove(&self, file: &str) {
        let limit = self.server.limits().answer;
        let _stays = self.after_cancel().shell(&format!("rm -f {}", quote(file)), limit);
    }

    /// The device for what must be tidied up although the work was cancelled.
    fn after_cancel(&self) -> Self {
        Self { server: self.server.with_cancel(Cancel::new()), ..self.clone() }
    }
}

fn flags(options: &InstallOptions) -> String {
    let mut flags = " -r".to_owned();
    for (wanted, flag) in
        [(options.downgrade, " -d"), (options.grant, " -g"), (options.test_only, " -t")]
    {
        if wanted {
            flags.push_str(flag);
        }
    }
    flags + &options.user.map(|user| format!(" --user {user}")).unwrap_or_default()
}

fn check(answer: &str, package: &Path) -> Result<(), DeviceError> {
    InstallRefusal::parse(answer).map_or(Ok(()), |refusal| {
        Err(DeviceError::NotInstalled { package: package.to_owned(), refusal })
    })
}

fn refused(answer: &str, package: &Path) -> DeviceError {
    DeviceError::Refused {
        what: format!("opening a session to install {}", package.display()),
        said: answer.trim().to_owned(),
    }
}

/// `Success: created install session [42]`.
fn session_number(answer: &str) -> Option<u32> {
    let (_, rest) = answer.rsplit_once('[')?;
    rest.split_once(']')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_the_package_managers_flags() {
        let none = InstallOptions::default();
        assert_eq!(flags(&none), " -r");
        let all = InstallOptions { downgrade: true, grant: true, test_only: true, user: Some(10) };
        assert_eq!(flags(&all), " -r -d -g -t --user 10");
    }

    #[test]
    fn the_session_is_the_number_in_brackets() {
        assert_eq!(session_number("Success: created install session [42]\n"), Some(42));
        for bad in ["Success", "Success []", "Success [x]", "Success [99999999999]"] {
            assert_eq!(session_number(bad), None, "{bad}");
        }
    }
}
