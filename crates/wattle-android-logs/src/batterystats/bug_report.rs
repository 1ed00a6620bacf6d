//! Contents of a bug report besides its logs: battery statistics in both forms, device properties and packages.
//!
//! A report is one stream of some hundred megabytes with many readers: the log's reader pulls it, and [`Watched`] shows what
//! passes to this one.

use std::io::Read;

use wattle_timeline::{
    Architecture, ArtifactQuality, DeviceFacts, Emulator, NameId, Names, Package, Uid,
};

use super::TEXT;
use super::battery_statistics::Statistics;
use super::checkin::CheckinReader;
use super::dump_file::LONGEST;
use super::dump_findings::Findings;
use super::text_dump::TextReader;
use super::uid_text::package_of;
use wattle_import::Session;

/// Whether a text begins as bug reports do.
pub(crate) fn looks_like_bug_report(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').take(3);
    lines.any(|line| line.starts_with(b"== dumpstate"))
}

/// Section of the report that a line belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Other,
    Head,
    Properties,
    Statistics,
    Checkin,
    /// `packages.xml`.
    PackageSettings,
    /// `DUMP OF SERVICE package`.
    Packages,
}

/// Takes what it knows out of a report.
#[derive(Debug)]
pub(crate) struct BugReport {
    section: Section,
    near: Option<i64>,
    line: Vec<u8>,
    bytes: u64,
    cut: u64,
    text: Option<TextReader>,
    checkin: Option<CheckinReader>,
    device: DeviceFacts,
    package: Option<String>,
    packages: Vec<Package>,
    names: Names,
}

impl BugReport {
    /// One that is near to a time, nanoseconds since 1970.
    pub fn new(near: Option<i64>) -> Self {
        Self {
            section: Section::Head,
            near,
            line: Vec::new(),
            bytes: 0,
            cut: 0,
            text: None,
            checkin: None,
            device: DeviceFacts::default(),
            package: None,
            packages: Vec::new(),
            names: Names::default(),
        }
    }

    /// The next bytes of the report.
    fn push(&mut self, mut bytes: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (part, rest) = bytes.split_at(end);
            bytes = rest.get(1..).unwrap_or_default();
            if self.line.is_empty() {
                self.whole_line(part);
            } else {
                self.keep(part);
                let line = std::mem::take(&mut self.line);
                self.whole_line(&line);
                self.line = line;
                self.line.clear();
            }
        }
        self.keep(bytes);
    }

    fn keep(&mut self, part: &[u8]) {
        let room = LONGEST.saturating_sub(self.line.len());
        if part.len() > room && self.is_read() {
            self.cut += 1;
        }
        self.line.extend_from_slice(part.get(..room).unwrap_or(part));
    }

    fn is_read(&self) -> bool {
        self.section != Section::Other
    }

    fn whole_line(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.starts_with(b"------ ") || line.starts_with(b"-------") {
            self.begin_section(line);
        } else if let Some(service) = line.strip_prefix(b"DUMP OF SERVICE ") {
            self.begin_service(service);
        } else if self.is_read() {
            self.bytes += line.len() as u64 + 1;
            let line = String::from_utf8_lossy(line);
            self.line_of_section(&line);
        }
    }

    fn begin_section(&mut self, line: &[u8]) {
        // A line of dashes alone stands before each service.
        let title = line.strip_prefix(b"------ ").unwrap_or_default();
        let titles: [(&[u8], Section); 3] = [
            (b"SYSTEM PROPERTIES", Section::Properties),
            (b"CHECKIN BATTERYSTATS", Section::Checkin),
            (b"PACKAGE SETTINGS", Section::PackageSettings),
        ];
        let known = titles.iter().find(|(begin, _)| title.starts_with(begin));
        self.section = known.map_or(Section::Other, |(_, section)| *section);
        if self.section == Section::Checkin && self.checkin.is_some() {
            self.section = Section::Other;
        }
    }

    fn begin_service(&mut self, service: &[u8]) {
        // `batterystats:`, `CRITICAL package:`, with the time it took behind it.
        let service = service.strip_prefix(b"CRITICAL ").unwrap_or(service);
        let service = service.strip_prefix(b"HIGH ").unwrap_or(service);
        let end = service.iter().position(|byte| matches!(byte, b':' | b' '));
        let name = end.and_then(|end| service.get(..end)).unwrap_or(service);
        self.section = match name {
            b"batterystats" | b"batteryinfo" => Section::Statistics,
            b"package" => Section::Packages,
            _ => Section::Other,
        };
    }

    fn line_of_section(&mut self, line: &str) {
        let near = self.near;
        let packages = &mut self.packages;
        let mut add = |package: Package| packages.push(package);
        match self.section {
            Section::Other => {}
            Section::Head => self.head(line),
            Section::Properties => self.property(line),
            Section::Statistics => {
                let reader = self.text.get_or_insert_with(|| TextReader::new(0, near));
                reader.line(line, &mut self.names, &mut add);
            }
            Section::Checkin => {
                // A heading of the section stands before the lines.
                if line.as_bytes().first().is_some_and(u8::is_ascii_digit) {
                    let reader = self.checkin.get_or_insert_with(|| CheckinReader::new(0));
                    reader.line(line, &mut self.names, &mut add);
                }
            }
            Section::PackageSettings => self.package_setting(line),
            Section::Packages => self.package_line(line),
        }
    }

    fn head(&mut self, line: &str) {
        if let Some(value) = line.strip_prefix("Build fingerprint: ") {
            self.device.fingerprint = Some(value.trim_matches('\'').to_owned());
        } else if let Some(value) = line.strip_prefix("Kernel: ") {
            self.device.kernel = Some(value.trim().to_owned());
        }
    }

    /// `[ro.product.model]: [Nexus One]`.
    fn property(&mut self, line: &str) {
        let Some((name, value)) = line.split_once("]: [") else { return };
        let (name, value) = (name.trim_start_matches('['), value.trim_end_matches(']'));
        if value.is_empty() {
            return;
        }
        let device = &mut self.device;
        let slot = match name {
            "ro.build.fingerprint" => &mut device.fingerprint,
            "ro.product.manufacturer" => &mut device.manufacturer,
            "ro.product.model" => &mut device.model,
            "ro.product.device" => &mut device.codename,
            "ro.soc.model" => &mut device.soc,
            "ro.board.platform" | "ro.product.board" => &mut device.board,
            "ro.hardware" => &mut device.hardware,
            "ro.product.cpu.abi" => {
                device.architecture = device.architecture.or(Architecture::from_machine(value));
                return;
            }
            "ro.kernel.qemu" | "ro.boot.qemu" => {
                device.emulator = device.emulator.or((value == "1").then_some(Emulator::Android));
                return;
            }
            "ro.build.version.sdk" => {
                device.sdk = device.sdk.or(value.parse().ok());
                return;
            }
            _ => return,
        };
        slot.get_or_insert_with(|| value.to_owned());
    }

    /// `<package name="com.example" … userId="10045" …>`, or `sharedUserId`.
    fn package_setting(&mut self, line: &str) {
        let Some(rest) = line.trim_start().strip_prefix("<package ") else { return };
        let value = |mark: &str| rest.split_once(mark)?.1.split_once('"').map(|(value, _)| value);
        let uid = value(" userId=\"").or_else(|| value(" sharedUserId=\""));
        if let (Some(name), Some(uid)) = (
            rest.strip_prefix("name=\"").and_then(|it| it.split_once('"')),
            uid.and_then(Uid::of_android_name),
        ) {
            let name = self.names.intern(name.0);
            self.packages.push(package_of(name, uid));
        }
    }

    /// `  Package [com.example] (4a5b6c):` and below it `    userId=10045` or `    appId=10045`.
    fn package_line(&mut self, line: &str) {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix("Package [") {
            self.package = rest.split_once(']').map(|(name, _)| name.to_owned());
        } else if let Some(uid) =
            text.strip_prefix("userId=").or_else(|| text.strip_prefix("appId="))
        {
            let end = uid.find(|c: char| !c.is_ascii_digit()).unwrap_or(uid.len());
            let uid = uid.get(..end).and_then(Uid::of_android_name);
            if let (Some(name), Some(uid)) = (self.package.take(), uid) {
                let name = self.names.intern(&name);
                self.packages.push(package_of(name, uid));
            }
        }
    }

    /// Everything that was found: statistics, device, packages, names.
    pub fn finish(mut self, name: &str) -> Contents {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.whole_line(&line);
        }
        let mut statistics = Vec::new();
        statistics.extend(self.text.map(TextReader::finish));
        statistics.extend(self.checkin.map(CheckinReader::finish));
        if let Some(first) = statistics.first_mut() {
            first.counts.cut += self.cut;
        }
        let quality = ArtifactQuality {
            bytes: self.bytes,
            ..TEXT.quality(&format!("{name} (battery statistics)"))
        };
        let quality = (!statistics.is_empty()).then_some(quality);
        Contents {
            statistics,
            quality,
            device: self.device,
            packages: self.packages,
            names: self.names,
        }
    }
}

/// Contents of a report.
pub(crate) struct Contents {
    statistics: Vec<Findings>,
    /// Of the statistics, if there are any.
    quality: Option<ArtifactQuality>,
    device: DeviceFacts,
    packages: Vec<Package>,
    names: Names,
}

impl Contents {
    /// Puts it all where it belongs. The artifact of the log is there already.
    pub fn apply(self, session: &mut Session) {
        let builder = &mut session.builder;
        let texts = (0..self.names.len() as u32).map(|id| self.names.get(NameId(id)));
        let ids: Vec<NameId> = texts.map(|text| builder.names.intern(text)).collect();
        let renamed = |id: NameId| ids.get(id.index()).copied().unwrap_or(id);
        for package in self.packages {
            builder.tasks().package(Package { name: renamed(package.name), ..package });
        }
        let known = &mut builder.device;
        let device = self.device;
        known.fingerprint = known.fingerprint.take().or(device.fingerprint);
        known.manufacturer = known.manufacturer.take().or(device.manufacturer);
        known.model = known.model.take().or(device.model);
        known.codename = known.codename.take().or(device.codename);
        known.soc = known.soc.take().or(device.soc);
        known.board = known.board.take().or(device.board);
        known.hardware = known.hardware.take().or(device.hardware);
        known.architecture = known.architecture.or(device.architecture);
        known.emulator = known.emulator.or(device.emulator);
        known.kernel = known.kernel.take().or(device.kernel);
        known.sdk = known.sdk.or(device.sdk);
        let Some(quality) = self.quality else { return };
        let artifact = session.qualities.len();
        session.qualities.push(quality);
        session.pending::<Statistics>().0.extend(self.statistics.into_iter().map(|mut found| {
            found.artifact = artifact;
            found.rename(&renamed);
            found
        }));
    }
}

/// A stream that shows what passes.
pub(crate) struct Watched<'a, R> {
    input: R,
    report: &'a mut BugReport,
}

impl<'a, R: Read> Watched<'a, R> {
    pub fn new(input: R, report: &'a mut BugReport) -> Self {
        Self { input, report }
    }
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.report.push(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}
