//! The sync service: files to and from the phone, as `SYNC.TXT` and `file_sync_protocol.h` of AOSP have it.

use std::fs::Metadata;
use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use super::sync_files::{stat_v1, stat_v2};
use crate::Event;
use crate::core::Core;
use crate::rooted_folder::RootedFolder;
use crate::transport::{Received, Stream};

/// Longest path (`SYNC` requests have at most 1,024 bytes).
const MOST_PATH: u32 = 1024;
/// Largest piece of a file (`SYNC_DATA_MAX`).
const MOST_DATA: u32 = 64 << 10;
/// The bits of a mode that say what kind of file it is (`S_IFMT`), and those of a link (`S_IFLNK`).
const FILE_KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

/// A conversation.
struct Sync<'a> {
    core: &'a Arc<Core>,
    stream: &'a Stream,
    held: Vec<u8>,
    taken: usize,
}

/// Serves requests until the host quits.
pub(super) fn run(core: &Arc<Core>, stream: &Stream) {
    let mut sync = Sync { core, stream, held: Vec::new(), taken: 0 };
    core.command_began();
    // Whatever ended it: the stream is closed after.
    while matches!(sync.request(), Ok(true)) {}
    core.command_ended();
}

impl Sync<'_> {
    /// One request. `false`: the last.
    fn request(&mut self) -> io::Result<bool> {
        let [a, b, c, d, length @ ..] = self.take_array::<8>()?;
        let length = u32::from_le_bytes(length);
        let id = [a, b, c, d];
        if &id == b"QUIT" {
            return Ok(false);
        }
        if length > MOST_PATH {
            self.refuse("path too long")?;
            return Ok(false);
        }
        let path = self.take(length as usize)?;
        let path = String::from_utf8_lossy(&path).into_owned();
        match &id {
            b"STAT" => {
                let answer = stat_v1(self.facts(&path, false).as_ref());
                self.answer(*b"STAT", &answer)?;
            }
            b"STA2" | b"LST2" => {
                let answer = stat_v2(self.facts(&path, &id == b"STA2").as_ref());
                self.answer(id, &answer)?;
            }
            b"LIST" | b"LIS2" => self.list(&path, &id == b"LIS2")?,
            b"SEND" => {
                let (path, mode) = path.rsplit_once(',').unwrap_or((path.as_str(), ""));
                let mode = mode.parse().unwrap_or(0o644);
                self.receive_file(path, mode)?;
            }
            b"SND2" => {
                let setup = self.take_array::<12>()?;
                let [_, _, _, _, m0, m1, m2, m3, flags @ ..] = setup;
                if u32::from_le_bytes(flags) & 0b111 != 0 {
                    self.refuse("compression is not supported")?;
                    return Ok(false);
                }
                self.receive_file(&path, u32::from_le_bytes([m0, m1, m2, m3]))?;
            }
            b"RECV" => self.send_file(&path)?,
            b"RCV2" => {
                let setup = self.take_array::<8>()?;
                let [_, _, _, _, flags @ ..] = setup;
                if u32::from_le_bytes(flags) & 0b111 != 0 {
                    self.refuse("compression is not supported")?;
                    return Ok(false);
                }
                self.send_file(&path)?;
            }
            _ => {
                self.refuse(&format!("unknown command {}", u32::from_le_bytes(id)))?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn rooted(&self) -> &RootedFolder {
        self.core.files.rooted()
    }

    fn facts(&self, path: &str, follow: bool) -> Option<Metadata> {
        crate::system::refresh_one(self.core, path);
        self.rooted().facts(path, follow).ok()
    }

    fn answer(&mut self, id: [u8; 4], fields: &[u8]) -> io::Result<()> {
        let mut answer = id.to_vec();
        answer.extend_from_slice(fields);
        self.stream.write(&answer)
    }

    fn refuse(&mut self, reason: &str) -> io::Result<()> {
        let mut fields = (reason.len() as u32).to_le_bytes().to_vec();
        fields.extend_from_slice(reason.as_bytes());
        self.answer(*b"FAIL", &fields)
    }

    fn list(&mut self, path: &str, v2: bool) -> io::Result<()> {
        // A folder that cannot be read has no entries, as with adbd.
        let mut names = self.rooted().names(path).unwrap_or_default();
        if self.facts(path, true).is_some_and(|facts| facts.is_dir()) {
            names.extend([".".to_owned(), "..".to_owned()]);
        }
        for name in &names {
            let facts = self.facts(&format!("{path}/{name}"), false);
            let (id, mut fields) = if v2 {
                (*b"DNT2", stat_v2(facts.as_ref()))
            } else {
                (*b"DENT", stat_v1(facts.as_ref()))
            };
            fields.extend((name.len() as u32).to_le_bytes());
            fields.extend_from_slice(name.as_bytes());
            self.answer(id, &fields)?;
        }
        self.answer(*b"DONE", &vec![0; if v2 { 72 } else { 16 }])
    }

    /// The host pushes.
    fn receive_file(&mut self, path: &str, mode: u32) -> io::Result<()> {
        let is_link = mode & FILE_KIND == LINK;
        let mut target = Vec::new();
        let mut problem = None;
        let mut file = None;
        if !is_link {
            match self.rooted().create(path, mode) {
                Ok(created) => file = Some(created),
                Err(error) => problem = Some(format!("couldn't create file: {}", reason(&error))),
            }
        }
        let mut left = self.core.files.free();
        let modified = loop {
            let [a, b, c, d, length @ ..] = self.take_array::<8>()?;
            let length = u32::from_le_bytes(length);
            match &[a, b, c, d] {
                b"DONE" => break length,
                b"DATA" if length <= MOST_DATA => {}
                _ => return Err(io::ErrorKind::InvalidData.into()),
            }
            let bytes = self.take(length as usize)?;
            // What follows a failure still has to be taken from the host.
            if problem.is_some() {
                continue;
            }
            if u64::from(length) > left {
                problem = Some("write failed: No space left on device".to_owned());
                continue;
            }
            left -= u64::from(length);
            if is_link {
                target.extend_from_slice(&bytes);
                if target.len() > MOST_PATH as usize {
                    problem = Some("couldn't create symlink: File name too long".to_owned());
                }
            } else if let Some(file) = file.as_mut()
                && let Err(error) = file.write_all(&bytes)
            {
                problem = Some(format!("write failed: {}", reason(&error)));
            }
        };
        if is_link && problem.is_none() {
            let text = String::from_utf8_lossy(&target).into_owned();
            let made = self.rooted().link(path, text.trim_end_matches('\0'));
            return match made {
                Ok(()) => self.answer(*b"OKAY", &[0; 4]),
                Err(error) => self.refuse(&format!("couldn't create symlink: {}", reason(&error))),
            };
        }
        match (problem, file) {
            (None, Some(file)) => {
                let time = UNIX_EPOCH + Duration::from_secs(u64::from(modified));
                // A time that the host's file system cannot have is no reason to lose the file.
                let _ = file.set_modified(time);
                self.answer(*b"OKAY", &[0; 4])
            }
            (problem, file) => {
                if file.is_some() {
                    // As adbd does with half a file.
                    let _ = self.rooted().remove(path);
                }
                self.refuse(&problem.unwrap_or_default())
            }
        }
    }

    /// The host pulls.
    fn send_file(&mut self, path: &str) -> io::Result<()> {
        self.core.happened(Event::PullStarted);
        crate::system::refresh_one(self.core, path);
        let mut file = match self.rooted().open(path) {
            Ok(file) => file,
            Err(error) => return self.refuse(&format!("open failed: {}", reason(&error))),
        };
        let mut buffer = vec![0; MOST_DATA as usize];
        loop {
            let count = match file.read(&mut buffer) {
                Ok(count) => count,
                Err(error) => return self.refuse(&format!("read failed: {}", reason(&error))),
            };
            if count == 0 {
                return self.answer(*b"DONE", &[0; 4]);
            }
            let mut fields = (count as u32).to_le_bytes().to_vec();
            fields.extend_from_slice(buffer.get(..count).unwrap_or_default());
            self.answer(*b"DATA", &fields)?;
        }
    }

    fn take_array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| io::ErrorKind::InvalidData.into())
    }

    fn take(&mut self, count: usize) -> io::Result<Vec<u8>> {
        while self.held.len() - self.taken < count {
            if self.taken > 0 {
                self.held.drain(..self.taken);
                self.taken = 0;
            }
            match self.stream.receive(None) {
                Received::Bytes(bytes) => self.held.extend_from_slice(&bytes),
                Received::Nothing | Received::Closed => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        let end = self.taken + count;
        let bytes = self.held.get(self.taken..end).unwrap_or_default().to_vec();
        self.taken = end;
        Ok(bytes)
    }
}

/// The reason without the number that Rust adds.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
