//! The lease of a device among the processes of this machine.

use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use crate::DeviceError;
use crate::lease::holder::{Holder, MAX_BYTES};

const EXTENSION: &str = "lease";
/// The file with the identifier of the folder.
const ID: &str = "host-id";

/// A lock on a file of this machine, which the system takes away when its process dies.
#[derive(Debug)]
pub(super) struct HostLease {
    file: File,
}

impl HostLease {
    /// Takes the lease; gives whoever has it if it cannot be had.
    ///
    /// # Errors
    /// The error of the file system.
    pub(super) fn take(
        folder: &Path,
        name: &str,
        holder: &Holder,
    ) -> Result<Result<Self, Box<Holder>>, DeviceError> {
        fs::create_dir_all(folder)
            .map_err(|source| DeviceError::File { path: folder.to_owned(), source })?;
        // The file stays where it is for ever: a lock on a file that somebody removes in the meantime locks nothing.
        let path = folder.join(format!("{name}.{EXTENSION}"));
        let error = |source| DeviceError::File { path: path.clone(), source };
        let file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = (&file).take(MAX_BYTES as u64).read_to_string(&mut text);
                // It may have been locked a moment ago and not be written yet.
                return Ok(Err(Box::new(Holder::parse(&text).unwrap_or_default())));
            }
            Err(TryLockError::Error(source)) => return Err(error(source)),
        }
        // From here on it is unlocked whatever happens.
        let mut lease = Self { file };
        lease.write(holder).map_err(error)?;
        Ok(Ok(lease))
    }

    fn write(&mut self, holder: &Holder) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(holder.to_line().as_bytes())
    }
}

impl Drop for HostLease {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        // A child that another thread is just starting has a copy of the descriptor: closing alone is not enough.
        let _ = self.file.unlock();
    }
}

/// The identifier of a data folder: leases on devices name it, so that a process that can take the host's lease knows
/// that the earlier holder from the same folder is dead.
///
/// # Errors
/// The error of the file system.
pub(super) fn host_id(folder: &Path) -> Result<String, DeviceError> {
    fs::create_dir_all(folder)
        .map_err(|source| DeviceError::File { path: folder.to_owned(), source })?;
    let path = folder.join(ID);
    let error = |source| DeviceError::File { path: path.clone(), source };
    let is_id =
        |text: &String| text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let read = || fs::read_to_string(&path).ok().filter(is_id);
    if let Some(id) = read() {
        return Ok(id);
    }
    let made = made_id();
    // Whole or not at all, and never over one that another process has just made.
    let draft = folder.join(format!("{ID}.{}", std::process::id()));
    fs::write(&draft, &made).map_err(error)?;
    let linked = fs::hard_link(&draft, &path);
    let _ = fs::remove_file(&draft);
    match (linked, read()) {
        (_, Some(id)) => Ok(id),
        // What is there is no identifier: an empty file of a full disk.
        (_, None) => fs::write(&path, &made).map_err(error).map(|()| made),
    }
}

/// Random enough: two folders that are made at the same nanosecond by processes of one number on two machines differ by
/// the keys of the hasher.
fn made_id() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    let part = |salt: i64| RandomState::new().hash_one((salt, std::process::id()));
    let now = crate::host_clock::unix_nanos();
    format!("{:016x}{:016x}", part(now), part(!now))
}

#[cfg(test)]
mod tests {
    use super::{HostLease, host_id};
    use crate::lease::holder::Holder;

    #[test]
    fn a_device_is_leased_once_and_says_to_whom() {
        let folder = tempfile::tempdir().expect("a folder");
        let id = host_id(folder.path()).expect("an identifier");
        assert_eq!(host_id(folder.path()).expect("an identifier"), id);
        let first = Holder::this(&id, "wattle run a.apk", None);
        let take = |holder: &Holder| HostLease::take(folder.path(), "X1", holder).expect("a file");
        let lease = take(&first).expect("it is free");
        let second = Holder::this(&id, "wattle run b.apk", None);
        assert_eq!(take(&second).expect_err("it is taken"), Box::new(first));
        let other = HostLease::take(folder.path(), "X2", &second).expect("a file");
        assert!(other.is_ok(), "another device is free");
        drop(lease);
        assert!(take(&second).is_ok());
    }

    #[test]
    fn a_spoilt_identifier_is_made_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("host-id"), "").expect("written");
        let id = host_id(folder.path()).expect("an identifier");
        assert_eq!((id.len(), host_id(folder.path()).ok()), (32, Some(id.clone())));
    }
}
