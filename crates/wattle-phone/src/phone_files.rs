//! The phone's folders on the host.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use crate::program_list::{HOST_TOOLS, phone_tools};
use crate::{PhoneError, PhoneOptions};

const FOLDERS: [&str; 17] = [
    "data/local/tmp",
    "data/data",
    "data/app",
    "data/user",
    "data/misc/perfetto-traces",
    "data/misc/perfetto-configs",
    "data/misc/profman",
    "data/anr",
    "data/tombstones",
    "data/system",
    "storage/emulated/0/Download",
    "system/framework",
    "system/etc",
    "system/bin",
    "dev",
    "vendor/etc",
    "mnt",
];

/// Their root on the host.
#[derive(Debug)]
pub(crate) struct PhoneFiles {
    /// The guard that removes them; the phone's handle takes it.
    folder: Mutex<Option<TempDir>>,
    root: PathBuf,
    socket: PathBuf,
    /// Tools that stand before the others while the storage is full.
    full: PathBuf,
    /// The capacity of the storage, in bytes.
    capacity: AtomicU64,
}

impl PhoneFiles {
    /// Makes a phone's folders in a temporary one, which goes when this is dropped.
    pub(crate) fn create(options: &PhoneOptions) -> Result<Self, PhoneError> {
        let error = PhoneError::host("making its folders");
        let made = || -> io::Result<Self> {
            let folder = tempfile::Builder::new().prefix("wattle-phone-").tempdir()?;
            // A path without symbolic links: what tools write of it must look like what commands were given.
            let base = folder.path().canonicalize()?;
            let files = Self {
                root: base.join("root"),
                socket: base.join("s"),
                full: base.join("full"),
                capacity: AtomicU64::new(options.free_bytes),
                folder: Mutex::new(Some(folder)),
            };
            files.populate(options)?;
            Ok(files)
        };
        made().map_err(error)
    }

    fn populate(&self, options: &PhoneOptions) -> io::Result<()> {
        for folder in FOLDERS {
            std::fs::create_dir_all(self.root.join(folder))?;
        }
        symlink("storage/emulated/0", self.root.join("sdcard"))?;
        symlink("../data", self.root.join("data/user/0"))?;
        symlink("system/etc", self.root.join("etc"))?;
        let bin = self.root.join("system/bin");
        for name in phone_tools(options) {
            script(&bin.join(name), &tool_script(&options.tool, name))?;
        }
        for name in HOST_TOOLS {
            let found = ["/usr/bin", "/bin", "/usr/local/bin"]
                .iter()
                .map(|folder| Path::new(folder).join(name))
                .find(|path| path.exists());
            if let Some(found) = found {
                symlink(found, bin.join(name))?;
            }
        }
        std::fs::create_dir_all(&self.full)?;
        for name in ["cp", "mv", "tee", "touch", "mkdir", "dd"] {
            let text = format!(
                "#!/bin/sh\necho \"{name}: write error: No space left on device\" >&2\nexit 1\n"
            );
            script(&self.full.join(name), &text)?;
        }
        std::fs::write(self.root.join("system/build.prop"), "# see getprop\n")
    }

    /// Takes the guard that removes everything when it is dropped.
    pub(crate) fn take_folder(&self) -> Option<TempDir> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The phone's `/`.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The same as text. Temporary folders have names of ASCII where the host's are.
    pub(crate) fn root_text(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    /// The socket of the phone for its tools.
    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// `PATH` of the shell.
    pub(crate) fn search_path(&self) -> OsString {
        let mut path = OsString::new();
        if self.is_full() {
            path.push(&self.full);
            path.push(":");
        }
        path.push(self.root.join("system/bin"));
        path
    }

    /// The host path of a path of the phone. `..` ends at the root, as it does on the phone.
    pub(crate) fn on_host(&self, path: &str) -> PathBuf {
        let mut found = self.root.clone();
        let mut depth = 0_usize;
        let relative = path.strip_prefix(self.root_text().as_str()).unwrap_or(path);
        for component in Path::new(relative).components() {
            match component {
                Component::Normal(name) => {
                    found.push(name);
                    depth += 1;
                }
                Component::ParentDir if depth > 0 => {
                    found.pop();
                    depth -= 1;
                }
                _ => {}
            }
        }
        found
    }

    /// Whether a path leads, through symbolic links too, to something of the phone's (or to nothing yet).
    pub(crate) fn is_inside(&self, host: &Path) -> bool {
        let mut existing = host;
        loop {
            match existing.canonicalize() {
                Ok(real) => return real.starts_with(&self.root),
                Err(_) => match existing.parent() {
                    Some(parent) => existing = parent,
                    None => return false,
                },
            }
        }
    }

    /// Bytes that are free for data.
    pub(crate) fn free(&self) -> u64 {
        self.capacity.load(Ordering::SeqCst).saturating_sub(self.used())
    }

    /// Leaves so many bytes free.
    pub(crate) fn set_free(&self, bytes: u64) {
        self.capacity.store(self.used().saturating_add(bytes), Ordering::SeqCst);
    }

    /// Bytes that the storage has in all.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity.load(Ordering::SeqCst)
    }

    /// Whether not one block is free.
    pub(crate) fn is_full(&self) -> bool {
        self.free() < 4096
    }

    fn used(&self) -> u64 {
        fn bytes(folder: &Path) -> u64 {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries
                .map(|entry| match entry.metadata() {
                    Ok(facts) if facts.is_dir() => bytes(&entry.path()),
                    Ok(facts) if facts.is_file() => facts.len(),
                    _ => 0,
                })
                .sum()
        }
        bytes(&self.root.join("data")) + bytes(&self.root.join("storage"))
    }
}

/// A script that calls the phone. `exec` keeps the process's number.
fn tool_script(tool: &[OsString], name: &str) -> String {
    let mut script = "#!/bin/sh\nexec".to_owned();
    for word in tool {
        script += &format!(" '{}'", word.to_string_lossy().replace('\'', "'\\''"));
    }
    script + &format!(" {name} \"$@\"\n")
}

fn script(path: &Path, text: &str) -> io::Result<()> {
    std::fs::write(path, text)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}
