//! Everything that a file contains beside what happened: its events, the machine, functions, build ids.

use std::collections::BTreeMap;

use super::code_file::{CodeFileKind, CodeFiles};
use super::event_attr::EventAttr;
use super::feature::{self, ClockReading, sized_text, text};
use super::file_header::{FileHeader, Section};
use super::meta_info::MetaInfo;
use super::raw_record::RawRecord;
use super::recorded_events::Events;
use super::{event_name, kallsyms, record_kind, simpleperf_files};
use wattle_wire::{ByteCursor, ByteOrder};

/// Build ids that are kept.
const MAX_BUILD_IDS: usize = 1 << 20;

/// `PERF_EVENT_UPDATE__NAME`.
const UPDATE_NAME: u64 = 2;

/// The description of a recording: its events, the machine, functions, build ids.
#[derive(Debug, Default)]
pub struct Metadata {
    pub(super) order: ByteOrder,
    /// The events.
    pub events: Events,
    /// Texts of simpleperf.
    pub meta: MetaInfo,
    /// The recorder's command line.
    pub command: Vec<String>,
    /// Release of the kernel (`uname -r`).
    pub release: Option<String>,
    /// The machine (`uname -m`).
    pub arch: Option<String>,
    /// A reading of two clocks at once.
    pub clock_reading: Option<ClockReading>,
    /// Paths and build ids.
    pub build_ids: Vec<(Vec<u8>, Vec<u8>)>,
    /// Files with code and their functions.
    pub code_files: CodeFiles,
    /// Descriptions of tracepoints, as they lie in the file (`trace.dat` without its records).
    pub tracing_data: Option<Vec<u8>>,
    /// Mappings from before the recording, in newer files of simpleperf.
    pub(super) init_map: Option<Section>,
    /// Number of parts that are cut off or damaged.
    pub damaged: u64,
    /// Files by the numbers that old records of simpleperf use.
    dso_numbers: BTreeMap<u64, (Vec<u8>, CodeFileKind)>,
}

impl Metadata {
    /// Takes in the head of a file: events and features.
    pub(super) fn head(&mut self, file: &[u8], header: &FileHeader) {
        self.order = header.order;
        self.attrs(file, header);
        let sections = header.feature_sections(file);
        if !header.is_unfinished() {
            self.damaged += (header.features.len() - sections.len()) as u64;
        }
        for (id, section) in sections {
            self.damaged += u64::from(section.is_cut(file));
            match id {
                feature::BUILD_ID => self.build_id_section(section.bytes(file)),
                feature::INIT_MAP => self.init_map = Some(section),
                _ => self.feature(id, section.bytes(file)),
            }
        }
    }

    fn attrs(&mut self, file: &[u8], header: &FileHeader) {
        let section = header.attrs.bytes(file);
        self.damaged += u64::from(header.attrs.is_cut(file));
        if header.attr_size < 64 {
            return;
        }
        for entry in section.chunks_exact(header.attr_size) {
            let (attr, ids) = entry.split_at(header.attr_size - 16);
            let ids = Section::read(&mut ByteCursor::new(ids, 0, self.order)).unwrap_or_default();
            let order = self.order;
            if let Some(attr) = EventAttr::parse(attr, order) {
                let ids = ids.bytes(file).chunks_exact(8);
                self.events.add(attr, ids.filter_map(|id| order.long(id, 0)));
            }
        }
    }

    /// The build ids of a file: records without a kind.
    fn build_id_section(&mut self, section: &[u8]) {
        let mut at = 0;
        while let Some((record, next)) = RawRecord::at(section, at, self.order) {
            self.build_id(&record);
            at = next;
        }
    }

    fn build_id(&mut self, record: &RawRecord<'_>) {
        let found = feature::build_id(record.body, record.misc, self.order);
        if let Some(found) = found.filter(|_| self.build_ids.len() < MAX_BUILD_IDS) {
            self.build_ids.push((found.file.to_vec(), found.id.to_vec()));
        }
    }

    fn feature(&mut self, id: u32, bytes: &[u8]) {
        let order = self.order;
        let string = || {
            let mut cursor = ByteCursor::new(bytes, 0, order);
            sized_text(&mut cursor).map(|text| String::from_utf8_lossy(text).into_owned())
        };
        match id {
            feature::TRACING_DATA => self.tracing_data(bytes),
            feature::OSRELEASE => self.release = string(),
            feature::ARCH => self.arch = string(),
            feature::CMDLINE => self.command = feature::command_line(bytes, self.order),
            feature::EVENT_DESC => self.event_descriptions(bytes),
            feature::CLOCK_DATA => self.clock_reading = feature::clock_data(bytes, self.order),
            feature::META_INFO => self.meta = MetaInfo::parse(bytes),
            feature::FILE => {
                let whole = simpleperf_files::read_files(bytes, self.order, &mut self.code_files);
                self.damaged += u64::from(!whole);
            }
            feature::FILE2 => {
                let whole = simpleperf_files::read_files2(bytes, self.order, &mut self.code_files);
                self.damaged += u64::from(!whole);
            }
            _ => {}
        }
    }

    fn tracing_data(&mut self, bytes: &[u8]) {
        self.tracing_data = Some(bytes.to_vec());
    }

    fn event_descriptions(&mut self, bytes: &[u8]) {
        for (index, described) in
            feature::event_descriptions(bytes, self.order).into_iter().enumerate()
        {
            let by_id = described.ids.first().and_then(|id| self.events.by_id(*id));
            let event = self.events.list.get_mut(by_id.unwrap_or(index));
            if let Some(event) = event.filter(|event| event.attr.config == described.attr.config) {
                event.name = Some(String::from_utf8_lossy(described.name).into_owned());
            }
        }
    }

    /// Takes in a record that a program made. Whether it describes anything.
    pub(super) fn record(&mut self, record: &RawRecord<'_>) -> bool {
        let mut cursor = record.cursor(self.order);
        match record.kind {
            record_kind::HEADER_ATTR => self.attr_record(record),
            record_kind::HEADER_TRACING_DATA => self.tracing_data(record.behind),
            record_kind::HEADER_BUILD_ID => self.build_id(record),
            record_kind::HEADER_FEATURE => {
                if let Some(id) = cursor.u64() {
                    self.feature(id as u32, record.body.get(8..).unwrap_or_default());
                }
            }
            record_kind::EVENT_UPDATE => {
                if let (Some(UPDATE_NAME), Some(id)) = (cursor.u64(), cursor.u64()) {
                    let name = text(record.body.get(16..).unwrap_or_default());
                    let event = self.events.by_id(id).and_then(|it| self.events.list.get_mut(it));
                    if let Some(event) = event {
                        event.name = Some(String::from_utf8_lossy(name).into_owned());
                    }
                }
            }
            record_kind::KERNEL_SYMBOL => {
                let list = cursor.count().and_then(|size| cursor.take(size));
                kallsyms::read(list.unwrap_or_default(), &mut self.code_files.kernel);
            }
            record_kind::TRACING_DATA => {
                let data = cursor.count().and_then(|size| cursor.take(size));
                self.tracing_data(data.unwrap_or_default());
            }
            record_kind::DSO => {
                if let Some((id, kind, min, path)) =
                    simpleperf_files::dso_record(record.body, self.order)
                {
                    self.dso_numbers.insert(id, (path.to_vec(), kind));
                    if let Some(dso) = self.code_files.add(path, kind) {
                        dso.min_vaddr = min;
                    }
                }
            }
            record_kind::SYMBOL => {
                let found = simpleperf_files::symbol_record(record.body, self.order);
                let known = found.and_then(|found| Some((found, self.dso_numbers.get(&found.0)?)));
                if let Some(((_, place, name), (path, kind))) = known {
                    self.code_files.symbol(path, *kind, place, name);
                }
            }
            record_kind::EVENT_ID => {
                let count = cursor.u64().unwrap_or(0);
                for _ in 0..count {
                    let (Some(event), Some(id)) = (cursor.size(), cursor.u64()) else { break };
                    self.events.bind(id, event);
                }
            }
            _ => return false,
        }
        true
    }

    fn attr_record(&mut self, record: &RawRecord<'_>) {
        let order = self.order;
        let size = order.word(record.body, 4).map_or(64, |size| size.max(64) as usize);
        if let Some(attr) = EventAttr::parse(record.body, order) {
            let ids = record.body.get(size..).unwrap_or_default().chunks_exact(8);
            self.events.add(attr, ids.filter_map(|id| order.long(id, 0)));
        }
    }

    /// Name of an event: the recorder's, else one by its numbers.
    pub fn event_name(&self, index: usize) -> String {
        let Some(event) = self.events.get(index) else { return String::new() };
        let by_meta =
            || self.meta.event_name(event.attr.kind, event.attr.config).map(str::to_owned);
        event.name.clone().or_else(by_meta).unwrap_or_else(|| event_name::by_numbers(&event.attr))
    }
}
