//! The phone's folders on the host.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use crate::program_list::{HOST_TOOLS, phone_tools};
use crate::rooted_folder::RootedFolder;
use crate::sandbox::{ADB_SOCKET, FOLDER_PREFIX, SandboxPlan, libraries};
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

/// The folders and files of this machine that hold a phone.
#[derive(Debug)]
pub(crate) struct PhoneFiles {
    /// The guard that removes them; the phone's handle takes it.
    folder: Mutex<Option<TempDir>>,
    root: PathBuf,
    rooted: RootedFolder,
    socket: PathBuf,
    /// The plan of the sandbox.
    plan: PathBuf,
    /// The capacity of the storage, in bytes.
    capacity: AtomicU64,
}

impl PhoneFiles {
    /// Makes a phone's folders in a temporary one, which goes when this is dropped.
    pub(crate) fn create(options: &PhoneOptions) -> Result<Self, PhoneError> {
        let error = PhoneError::host("making its folders");
        let made = || -> io::Result<Self> {
            // Nobody else may look into it, whatever the mask of this process is.
            let private = std::fs::Permissions::from_mode(0o700);
            let folder =
                tempfile::Builder::new().prefix(FOLDER_PREFIX).permissions(private).tempdir()?;
            // A path without symbolic links: what tools write of it must look like what commands were given.
            let base = folder.path().canonicalize()?;
            let files = Self {
                root: base.join("root"),
                rooted: RootedFolder::new(base.join("root")),
                socket: base.join("s"),
                plan: base.join("sandbox.json"),
                capacity: AtomicU64::new(options.free_bytes),
                folder: Mutex::new(Some(folder)),
            };
            std::fs::create_dir_all(files.adb_home().join(".android"))?;
            files.populate(options)?;
            let mut plan = SandboxPlan {
                root: files.root.clone(),
                socket: files.socket.clone(),
                shown: Vec::new(),
                most_file_bytes: options.free_bytes,
                base,
            };
            files.show_programs(options, &mut plan)?;
            plan.write(&files.plan)?;
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
        symlink("system/bin", self.root.join("bin"))?;
        let bin = self.root.join("system/bin");
        for name in phone_tools(options) {
            script(&bin.join(name), &tool_script("/bin/sh", &options.tool, name))?;
        }
        for name in HOST_TOOLS {
            if let Some(found) = host_program(name) {
                symlink(found, bin.join(name))?;
            }
        }
        std::fs::write(self.root.join("system/build.prop"), "# see getprop\n")
    }

    /// Prepares the folder that a sandbox shows as `/system/bin`, and lists what of this machine is shown in it and elsewhere.
    fn show_programs(&self, options: &PhoneOptions, plan: &mut SandboxPlan) -> io::Result<()> {
        let bin = plan.base.join("programs");
        std::fs::create_dir(&bin)?;
        plan.shown.push((bin.clone(), "/system/bin".into()));
        let mut shown = Vec::new();
        let (tool, words) = options.tool.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        shown.push((Path::new(tool).canonicalize()?, ".tool"));
        for (name, hidden) in [("sh", ".sh"), ("cat", ".cat")] {
            let found = host_program(name).ok_or(io::ErrorKind::NotFound)?;
            shown.push((found.canonicalize()?, hidden));
        }
        for name in HOST_TOOLS {
            if let Some(found) = host_program(name) {
                shown.push((found.canonicalize()?, name));
            }
        }
        let mut all = std::collections::BTreeSet::new();
        for (host, name) in shown {
            std::fs::write(bin.join(name), "")?;
            all.extend(libraries(&host)?);
            plan.shown.push((host, Path::new("/system/bin").join(name)));
        }
        for library in all {
            let target = self.root.join(library.strip_prefix("/").unwrap_or(&library));
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&target, "")?;
            plan.shown.push((library.canonicalize()?, library));
        }
        let call = std::iter::once(OsString::from("/system/bin/.tool")).chain(words.to_vec());
        let call: Vec<OsString> = call.collect();
        for name in phone_tools(options) {
            script(&bin.join(name), &tool_script("/system/bin/.sh", &call, name))?;
        }
        let full = plan.base.join("full");
        std::fs::create_dir(&full)?;
        std::fs::create_dir(self.root.join("system/.full"))?;
        for name in ["cp", "mv", "tee", "touch", "mkdir", "dd"] {
            let text = format!(
                "#!/system/bin/.sh\necho \"{name}: write error: No space left on device\" >&2\nexit 1\n"
            );
            script(&full.join(name), &text)?;
        }
        plan.shown.push((full, "/system/.full".into()));
        Ok(())
    }

    /// Takes the guard that removes everything when it is dropped.
    pub(crate) fn take_folder(&self) -> Option<TempDir> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The phone's `/`, so that no path leads out of it.
    pub(crate) const fn rooted(&self) -> &RootedFolder {
        &self.rooted
    }

    /// The file with the key of this run.
    pub(crate) fn key(&self) -> PathBuf {
        self.adb_home().join(".android/adbkey")
    }

    /// The home of an adb server that is for this phone alone.
    pub(crate) fn adb_home(&self) -> PathBuf {
        self.plan.with_file_name("home")
    }

    /// The socket of such a server.
    pub(crate) fn adb_socket(&self) -> PathBuf {
        self.plan.with_file_name(ADB_SOCKET)
    }

    /// The plan of the sandbox, as a file.
    pub(crate) fn plan(&self) -> &Path {
        &self.plan
    }

    /// The socket of the phone for its tools.
    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// `PATH` of the shell.
    pub(crate) fn search_path(&self) -> &'static str {
        if self.is_full() { "/system/.full:/system/bin" } else { "/system/bin" }
    }

    /// The host path of a path of the phone. `..` ends at the root, as it does on the phone; links are not looked at, so it is
    /// not for files that commands can touch.
    pub(crate) fn on_host(&self, path: &str) -> PathBuf {
        let mut found = self.root.clone();
        let mut depth = 0_usize;
        for component in Path::new(path).components() {
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

    /// A new file for a package that comes in, beside the phone's folders: no command can touch it.
    pub(crate) fn streamed(&self) -> io::Result<(std::fs::File, PathBuf)> {
        let folder = self.plan.parent().unwrap_or(&self.root);
        Ok(tempfile::Builder::new().prefix("vmdl").tempfile_in(folder)?.keep()?)
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
fn tool_script(shell: &str, tool: &[OsString], name: &str) -> String {
    let mut script = format!("#!{shell}\nexec");
    for word in tool {
        script += &format!(" '{}'", word.to_string_lossy().replace('\'', "'\\''"));
    }
    script + &format!(" {name} \"$@\"\n")
}

/// A program of this machine.
fn host_program(name: &str) -> Option<PathBuf> {
    let folders = ["/usr/bin", "/bin", "/usr/local/bin"];
    folders.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists())
}

fn script(path: &Path, text: &str) -> io::Result<()> {
    std::fs::write(path, text)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}
