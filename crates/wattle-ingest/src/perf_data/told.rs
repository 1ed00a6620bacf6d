//! What a file says of itself and of its events, apart from what happened.

use std::collections::BTreeMap;

use super::attr::Attr;
use super::dso::{DsoKind, Dsos};
use super::event::Events;
use super::feature::{self, ClockData, sized_text, text};
use super::header::{Header, Section};
use super::meta_info::MetaInfo;
use super::record::Record;
use super::{event_name, kallsyms, kind, simpleperf};
use crate::trace_dat::{Contents, Cursor, Order, descriptions};

/// Build ids that are kept.
const MAX_BUILD_IDS: usize = 1 << 20;

/// `PERF_EVENT_UPDATE__NAME`.
const UPDATE_NAME: u64 = 2;

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub order: Order,
    pub events: Events,
    pub meta: MetaInfo,
    pub command: Vec<String>,
    pub release: Option<String>,
    pub arch: Option<String>,
    pub clock_data: Option<ClockData>,
    /// Paths and build ids.
    pub build_ids: Vec<(Vec<u8>, Vec<u8>)>,
    pub dsos: Dsos,
    /// Descriptions of tracepoints.
    pub tracing: Option<Contents>,
    /// Where the mappings from before the recording are, of newer files of simpleperf.
    pub init_map: Option<Section>,
    /// Parts that were cut off or damaged.
    pub damaged: u64,
    /// Files by the numbers that old records of simpleperf use.
    dso_numbers: BTreeMap<u64, (Vec<u8>, DsoKind)>,
}

impl Told {
    /// Takes in the head of a file: events and features.
    pub fn head(&mut self, file: &[u8], header: &Header) {
        self.order = header.order;
        self.attrs(file, header);
        for (id, section) in header.feature_sections(file) {
            self.damaged += u64::from(section.is_cut(file));
            match id {
                feature::BUILD_ID => self.build_id_section(section.of(file)),
                feature::INIT_MAP => self.init_map = Some(section),
                _ => self.feature(id, section.of(file)),
            }
        }
    }

    fn attrs(&mut self, file: &[u8], header: &Header) {
        let section = header.attrs.of(file);
        self.damaged += u64::from(header.attrs.is_cut(file));
        if header.attr_size < 64 {
            return;
        }
        for entry in section.chunks_exact(header.attr_size) {
            let (attr, ids) = entry.split_at(header.attr_size - 16);
            let ids = Section::read(&mut Cursor::new(ids, 0, self.order)).unwrap_or_default();
            let order = self.order;
            if let Some(attr) = Attr::parse(attr, order) {
                let ids = ids.of(file).chunks_exact(8);
                self.events.add(attr, ids.filter_map(|id| order.long(id, 0)));
            }
        }
    }

    /// The build ids of a file: records without a kind.
    fn build_id_section(&mut self, section: &[u8]) {
        let mut at = 0;
        while let Some((record, next)) = Record::at(section, at, self.order) {
            self.build_id(&record);
            at = next;
        }
    }

    fn build_id(&mut self, record: &Record<'_>) {
        let found = feature::build_id(record.body, record.misc, self.order);
        if let Some(found) = found.filter(|_| self.build_ids.len() < MAX_BUILD_IDS) {
            self.build_ids.push((found.file.to_vec(), found.id.to_vec()));
        }
    }

    fn feature(&mut self, id: u32, bytes: &[u8]) {
        let order = self.order;
        let string = || {
            let mut cursor = Cursor::new(bytes, 0, order);
            sized_text(&mut cursor).map(|text| String::from_utf8_lossy(text).into_owned())
        };
        match id {
            feature::TRACING_DATA => self.tracing_data(bytes),
            feature::OSRELEASE => self.release = string(),
            feature::ARCH => self.arch = string(),
            feature::CMDLINE => self.command = feature::command_line(bytes, self.order),
            feature::EVENT_DESC => self.event_descriptions(bytes),
            feature::CLOCK_DATA => self.clock_data = feature::clock_data(bytes, self.order),
            feature::META_INFO => self.meta = MetaInfo::parse(bytes),
            feature::FILE => {
                let whole = simpleperf::read_files(bytes, self.order, &mut self.dsos);
                self.damaged += u64::from(!whole);
            }
            feature::FILE2 => {
                let whole = simpleperf::read_files2(bytes, self.order, &mut self.dsos);
                self.damaged += u64::from(!whole);
            }
            _ => {}
        }
    }

    fn tracing_data(&mut self, bytes: &[u8]) {
        let (contents, is_whole) = descriptions(bytes);
        self.damaged += u64::from(!is_whole);
        self.tracing = Some(contents);
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

    /// Takes in a record that a program made. Whether it is of use.
    pub fn record(&mut self, record: &Record<'_>) -> bool {
        let mut cursor = record.cursor(self.order);
        match record.kind {
            kind::HEADER_ATTR => self.attr_record(record),
            kind::HEADER_TRACING_DATA => self.tracing_data(record.behind),
            kind::HEADER_BUILD_ID => self.build_id(record),
            kind::HEADER_FEATURE => {
                if let Some(id) = cursor.u64() {
                    self.feature(id as u32, record.body.get(8..).unwrap_or_default());
                }
            }
            kind::EVENT_UPDATE => {
                if let (Some(UPDATE_NAME), Some(id)) = (cursor.u64(), cursor.u64()) {
                    let name = text(record.body.get(16..).unwrap_or_default());
                    let event = self.events.by_id(id).and_then(|it| self.events.list.get_mut(it));
                    if let Some(event) = event {
                        event.name = Some(String::from_utf8_lossy(name).into_owned());
                    }
                }
            }
            kind::KERNEL_SYMBOL => {
                let list = cursor.count().and_then(|size| cursor.take(size));
                kallsyms::read(list.unwrap_or_default(), &mut self.dsos.kernel);
            }
            kind::TRACING_DATA => {
                let data = cursor.count().and_then(|size| cursor.take(size));
                self.tracing_data(data.unwrap_or_default());
            }
            kind::DSO => {
                if let Some((id, kind, min, path)) = simpleperf::dso_record(record.body, self.order)
                {
                    self.dso_numbers.insert(id, (path.to_vec(), kind));
                    if let Some(dso) = self.dsos.add(path, kind) {
                        dso.min_vaddr = min;
                    }
                }
            }
            kind::SYMBOL => {
                let found = simpleperf::symbol_record(record.body, self.order);
                let known = found.and_then(|found| Some((found, self.dso_numbers.get(&found.0)?)));
                if let Some(((_, place, name), (path, kind))) = known {
                    self.dsos.symbol(path, *kind, place, name);
                }
            }
            kind::EVENT_ID => {
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

    fn attr_record(&mut self, record: &Record<'_>) {
        let order = self.order;
        let size = order.word(record.body, 4).map_or(64, |size| size.max(64) as usize);
        if let Some(attr) = Attr::parse(record.body, order) {
            let ids = record.body.get(size..).unwrap_or_default().chunks_exact(8);
            self.events.add(attr, ids.filter_map(|id| order.long(id, 0)));
        }
    }

    /// What an event is called: by the recorder, else by its numbers.
    pub fn event_name(&self, index: usize) -> String {
        let Some(event) = self.events.get(index) else { return String::new() };
        let by_meta =
            || self.meta.event_name(event.attr.kind, event.attr.config).map(str::to_owned);
        event.name.clone().or_else(by_meta).unwrap_or_else(|| event_name::of(&event.attr))
    }
}
