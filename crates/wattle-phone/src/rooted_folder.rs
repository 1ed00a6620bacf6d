//! The phone's folder, so that no path leads out of it.
//!
//! Commands of the phone can make symbolic links and move folders while the phone itself reads and writes files for them. The
//! kernel resolves every path here with the phone's folder as `/` (`openat2`, `RESOLVE_IN_ROOT`): absolute links and `..` end
//! there, and nothing can be swapped in between.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, ResolveFlags, mkdirat, openat2, symlinkat, unlinkat};

/// Folders that can be written to through the phone, as far as the shell's user can.
const WRITABLE: [&str; 3] = ["data", "storage", "mnt"];
/// Largest file that is read whole.
const MOST_BYTES: u64 = 2 << 30;

/// A folder that is the root of the paths in it.
#[derive(Clone, Debug)]
pub(crate) struct RootedFolder {
    root: PathBuf,
}

/// The folder that a file is in, held open, and the file's name in it.
#[derive(Debug)]
pub(crate) struct Place {
    folder: File,
    name: PathBuf,
}

impl Place {
    /// A path that leads to the file whatever is renamed above it. A link at its end is still one.
    pub(crate) fn path(&self) -> PathBuf {
        use std::os::fd::AsRawFd as _;
        Path::new("/proc/self/fd").join(self.folder.as_raw_fd().to_string()).join(&self.name)
    }
}

impl RootedFolder {
    pub(crate) const fn new(root: PathBuf) -> Self {
        Self { root }
    }

    fn open_as(&self, path: &Path, flags: OFlags, mode: u32) -> io::Result<File> {
        let root = File::open(&self.root)?;
        let path = path.strip_prefix("/").unwrap_or(path);
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let mode = Mode::from_raw_mode(mode);
        Ok(openat2(root, path, flags | OFlags::CLOEXEC, mode, resolve)?.into())
    }

    /// Opens a file to read. What is no file, such as a pipe that nobody writes to, is not waited for.
    pub(crate) fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let file = self.open_as(path.as_ref(), OFlags::RDONLY | OFlags::NONBLOCK, 0)?;
        let facts = file.metadata()?;
        if facts.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !facts.is_file() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(file)
    }

    /// Reads a file.
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Facts of a file, or of the link that stands there.
    pub(crate) fn facts(&self, path: impl AsRef<Path>, follow: bool) -> io::Result<Metadata> {
        let flags = if follow { OFlags::PATH } else { OFlags::PATH | OFlags::NOFOLLOW };
        self.open_as(path.as_ref(), flags, 0)?.metadata()
    }

    /// Names of the entries of a folder.
    pub(crate) fn names(&self, path: impl AsRef<Path>) -> io::Result<Vec<String>> {
        let folder = self.open_as(path.as_ref(), OFlags::RDONLY | OFlags::DIRECTORY, 0)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// The place of a file, whose folder is made if need be.
    ///
    /// # Errors
    /// Among others if nothing may be written there.
    pub(crate) fn place(&self, path: impl AsRef<Path>) -> io::Result<Place> {
        let path = path.as_ref();
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let parent = path.parent().unwrap_or(Path::new("/"));
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let folder = match self.open_as(parent, flags, 0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.make(parent)?,
            found => found?,
        };
        self.check(&folder)?;
        Ok(Place { folder, name: name.into() })
    }

    /// Whether something may be written into a folder.
    fn check(&self, folder: &File) -> io::Result<()> {
        use std::os::fd::AsRawFd as _;
        let real = std::fs::read_link(format!("/proc/self/fd/{}", folder.as_raw_fd()))?;
        let is_writable = WRITABLE.iter().any(|name| real.starts_with(self.root.join(name)));
        if is_writable { Ok(()) } else { Err(io::ErrorKind::ReadOnlyFilesystem.into()) }
    }

    fn make(&self, path: &Path) -> io::Result<File> {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let mut done = PathBuf::from("/");
        let mut folder = self.open_as(&done, flags, 0)?;
        for component in path.components() {
            if matches!(component, Component::RootDir) {
                continue;
            }
            done.push(component);
            folder = match self.open_as(&done, flags, 0) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.check(&folder)?;
                    mkdirat(&folder, component.as_os_str(), Mode::from_raw_mode(0o771))?;
                    self.open_as(&done, flags, 0)?
                }
                found => found?,
            };
        }
        Ok(folder)
    }

    /// Makes a folder with those above it.
    pub(crate) fn make_folder(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.make(path.as_ref()).map(drop)
    }

    /// Makes a file in the place of another file or link.
    pub(crate) fn create(&self, path: impl AsRef<Path>, mode: u32) -> io::Result<File> {
        let place = self.place(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        match unlinkat(&place.folder, &place.name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let mode = Mode::from_raw_mode(mode & 0o777 | 0o600);
        let flags = flags | OFlags::CLOEXEC;
        Ok(openat2(&place.folder, &place.name, flags, mode, resolve)?.into())
    }

    /// Writes a file anew.
    pub(crate) fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        self.create(path, 0o644)?.write_all(bytes)
    }

    /// Writes behind the end of a file, which is made if need be.
    pub(crate) fn append(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        let place = self.place(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NOFOLLOW;
        let flags = flags | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let mode = Mode::from_raw_mode(0o644);
        File::from(openat2(&place.folder, &place.name, flags, mode, resolve)?).write_all(bytes)
    }

    /// Makes a symbolic link in the place of another file or link.
    pub(crate) fn link(&self, path: impl AsRef<Path>, target: &str) -> io::Result<()> {
        let place = self.place(path)?;
        match unlinkat(&place.folder, &place.name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(symlinkat(target, &place.folder, &place.name)?)
    }

    /// Removes a file or a link.
    pub(crate) fn remove(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let place = self.place(path)?;
        Ok(unlinkat(&place.folder, &place.name, AtFlags::empty())?)
    }

    /// Removes a folder with all that is in it; links are removed, never followed.
    pub(crate) fn remove_tree(&self, path: impl AsRef<Path>) -> io::Result<()> {
        std::fs::remove_dir_all(self.place(path)?.path())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A root with links that lead out of it, and a file outside.
    fn trapped() -> (tempfile::TempDir, RootedFolder, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().canonicalize().expect("a path");
        let root = base.join("root");
        std::fs::create_dir_all(root.join("data/local/tmp")).expect("folders");
        std::fs::create_dir_all(root.join("system")).expect("folders");
        let outside = base.join("outside");
        std::fs::create_dir(&outside).expect("a folder");
        std::fs::write(outside.join("secret"), "secret").expect("written");
        let link = |target: &Path, name: &str| symlink(target, root.join(name)).expect("a link");
        link(&outside, "data/absolute");
        link(Path::new("../../outside"), "data/relative");
        link(&outside.join("secret"), "data/file");
        link(Path::new("/system"), "data/sealed");
        (folder, RootedFolder::new(root), outside)
    }

    #[test]
    fn no_path_leads_out_to_read() {
        let (_folder, root, _outside) = trapped();
        for path in [
            "/data/absolute/secret",
            "/data/relative/secret",
            "/data/file",
            "/../outside/secret",
            "/data/../../outside/secret",
            "data/local/../../../outside/secret",
            "/proc/self/root/etc/passwd",
        ] {
            assert!(root.read(path).is_err(), "{path}");
            assert!(root.facts(path, true).is_err(), "{path}");
        }
        assert!(root.names("/data/absolute").is_err());
        assert_eq!(root.names("/../../..").expect("the root itself").len(), 2);
    }

    #[test]
    fn no_path_leads_out_to_write() {
        let (_folder, root, outside) = trapped();
        for path in [
            "/data/absolute/new",
            "/data/relative/new",
            "/../outside/new",
            "/data/absolute/secret",
            "/data/sealed/new",
            "/system/new",
            "/new",
        ] {
            // Some make folders of those names in the root, as on a phone.
            let _ = root.write(path, b"x");
            let _ = root.append(path, b"x");
            let _ = root.link(path, "/x");
            let _ = root.remove_tree(path);
            let _ = root.remove(path);
        }
        assert_eq!(std::fs::read_dir(&outside).expect("it is there").count(), 1);
        assert_eq!(std::fs::read(outside.join("secret")).expect("it is there"), b"secret");
        assert!(root.names("/system").expect("it is there").is_empty());
        // A link at the end is replaced, not followed.
        root.write("/data/file", b"new").expect("written");
        assert_eq!(root.read("/data/file").expect("it is there"), b"new");
        assert_eq!(std::fs::read(outside.join("secret")).expect("it is there"), b"secret");
        root.remove_tree("/data/absolute").expect("the link is removed");
        assert!(outside.join("secret").exists() && root.facts("/data/absolute", false).is_err());
    }
}
