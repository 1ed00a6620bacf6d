//! `shared`: the tables that all threads share.

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Value, json};
use wattle_ledger::Ledger;

use crate::Payer;
use crate::stack_frames::{FrameId, Frames};

/// `ResourceType` of a library.
const LIBRARY: u32 = 1;

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shared {
    stack_table: StackTable,
    frame_table: FrameTable,
    func_table: FuncTable,
    resource_table: ResourceTable,
    native_symbols: NativeSymbols,
    string_array: Vec<String>,
    sources: Sources,
    #[serde(skip)]
    strings: FxHashMap<String, usize>,
    #[serde(skip)]
    libs: Vec<String>,
    #[serde(skip)]
    of_path: Vec<Option<usize>>,
    #[serde(skip)]
    outside: usize,
    #[serde(skip)]
    others: FxHashMap<Payer, usize>,
}

#[derive(Default, Serialize)]
struct StackTable {
    frame: Vec<u32>,
    prefix: Vec<Option<usize>>,
    length: usize,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct FrameTable {
    address: Vec<i32>,
    inline_depth: Vec<u32>,
    category: Vec<usize>,
    subcategory: Vec<u32>,
    func: Vec<usize>,
    native_symbol: Vec<Option<u32>>,
    #[serde(rename = "innerWindowID")]
    inner_window_id: Vec<Option<u32>>,
    line: Vec<Option<u32>>,
    column: Vec<Option<u32>>,
    length: usize,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct FuncTable {
    name: Vec<usize>,
    #[serde(rename = "isJS")]
    is_js: Vec<bool>,
    #[serde(rename = "relevantForJS")]
    relevant_for_js: Vec<bool>,
    resource: Vec<i64>,
    source: Vec<Option<usize>>,
    line_number: Vec<Option<u32>>,
    column_number: Vec<Option<u32>>,
    length: usize,
}

impl FuncTable {
    fn push(&mut self, name: usize, resource: Option<usize>, source: Option<usize>) -> usize {
        let at = self.length;
        self.name.push(name);
        self.is_js.push(false);
        self.relevant_for_js.push(false);
        self.resource.push(resource.map_or(-1, |at| at as i64));
        self.source.push(source);
        self.line_number.push(None);
        self.column_number.push(None);
        self.length += 1;
        at
    }
}

#[derive(Default, Serialize)]
struct ResourceTable {
    lib: Vec<Option<usize>>,
    name: Vec<usize>,
    host: Vec<Option<usize>>,
    #[serde(rename = "type")]
    kind: Vec<u32>,
    length: usize,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct NativeSymbols {
    lib_index: Vec<u32>,
    address: Vec<u32>,
    name: Vec<u32>,
    function_size: Vec<Option<u32>>,
    length: usize,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sources {
    id: Vec<Option<String>>,
    filename: Vec<usize>,
    start_line: Vec<u32>,
    start_column: Vec<u32>,
    #[serde(rename = "sourceMapURL")]
    source_map_url: Vec<Option<usize>>,
    length: usize,
}

impl Shared {
    /// Frames, and a stack for each call path.
    pub fn new(ledger: &Ledger, frames: &Frames<'_>) -> Self {
        let mut shared = Self::default();
        shared.add_frames(frames);
        shared.outside = shared.stack(frames.outside(), None);
        for path in 0..ledger.rows.paths.len() as u32 {
            let caller = frames.caller(path).and_then(|caller| shared.of_path[caller as usize]);
            let mut stack = caller;
            for frame in frames.added(path) {
                stack = Some(shared.stack(frame, stack));
            }
            shared.of_path.push(stack);
        }
        shared
    }

    fn add_frames(&mut self, frames: &Frames<'_>) {
        let mut funcs: FxHashMap<(&str, Option<&str>, Option<&str>), usize> = FxHashMap::default();
        let mut resources: FxHashMap<&str, usize> = FxHashMap::default();
        let mut sources: FxHashMap<&str, usize> = FxHashMap::default();
        for frame in frames.frames() {
            let key = (&*frame.name, frame.file, frame.mapping);
            let known = funcs.get(&key).copied();
            let func = known.unwrap_or_else(|| {
                let resource = frame.mapping.map(|mapping| {
                    *resources.entry(mapping).or_insert_with(|| self.resource(mapping))
                });
                let source = frame
                    .file
                    .map(|file| *sources.entry(file).or_insert_with(|| self.source(file)));
                let name = self.string(&frame.name);
                self.func_table.push(name, resource, source)
            });
            funcs.insert(key, func);
            let table = &mut self.frame_table;
            table.address.push(-1);
            table.inline_depth.push(u32::from(frame.is_inlined));
            table.category.push(frame.kind.number());
            table.subcategory.push(0);
            table.func.push(func);
            table.native_symbol.push(None);
            table.inner_window_id.push(None);
            table.line.push(frame.line);
            table.column.push(None);
            table.length += 1;
        }
    }

    fn resource(&mut self, mapping: &str) -> usize {
        let at = self.resource_table.length;
        let name = self.string(file_name(mapping));
        self.resource_table.lib.push(Some(self.libs.len()));
        self.resource_table.name.push(name);
        self.resource_table.host.push(None);
        self.resource_table.kind.push(LIBRARY);
        self.resource_table.length += 1;
        self.libs.push(mapping.to_owned());
        at
    }

    fn source(&mut self, file: &str) -> usize {
        let at = self.sources.length;
        let name = self.string(file);
        self.sources.id.push(None);
        self.sources.filename.push(name);
        self.sources.start_line.push(1);
        self.sources.start_column.push(1);
        self.sources.source_map_url.push(None);
        self.sources.length += 1;
        at
    }

    /// The number of a text.
    pub fn string(&mut self, text: &str) -> usize {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let number = self.string_array.len();
        self.string_array.push(text.to_owned());
        self.strings.insert(text.to_owned(), number);
        number
    }

    fn stack(&mut self, frame: FrameId, prefix: Option<usize>) -> usize {
        let at = self.stack_table.length;
        self.stack_table.frame.push(frame.0);
        self.stack_table.prefix.push(prefix);
        self.stack_table.length += 1;
        at
    }

    /// The stack of a payer.
    pub fn stack_of(&mut self, frames: &Frames<'_>, payer: Payer) -> usize {
        let of_path = |path: u32| self.of_path.get(path as usize).copied().flatten();
        match payer {
            Payer::Path(path) => of_path(path).unwrap_or(self.outside),
            Payer::Probes(path) => {
                let prefix = of_path(path).unwrap_or(self.outside);
                self.other(payer, &[frames.probes()], Some(prefix))
            }
            Payer::Account(_) => {
                let mut stack = Vec::new();
                frames.stack(payer, &mut stack);
                self.other(payer, &stack, None)
            }
        }
    }

    fn other(&mut self, payer: Payer, frames: &[FrameId], prefix: Option<usize>) -> usize {
        if let Some(known) = self.others.get(&payer) {
            return *known;
        }
        let mut stack = prefix;
        for frame in frames {
            stack = Some(self.stack(*frame, stack));
        }
        let stack = stack.unwrap_or(self.outside);
        self.others.insert(payer, stack);
        stack
    }

    /// `libs` of the profile.
    pub fn libs(&self) -> Vec<Value> {
        let lib = |path: &String| {
            let name = file_name(path);
            json!({
                "arch": "",
                "name": name,
                "path": path,
                "debugName": name,
                "debugPath": path,
                "breakpadId": "",
                "codeId": null,
            })
        };
        self.libs.iter().map(lib).collect()
    }
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(path)
}
