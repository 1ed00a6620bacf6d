//! The numbers of a package's probes (`assets/wattle/probes.jsonl`, see `docs/probe-formats.md`).

use std::collections::BTreeMap;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use wattle_apk::Apk;

use crate::state::InstalledPackage;

const ENTRY: &str = "assets/wattle/probes.jsonl";

/// The sink of probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SinkKind {
    Trace,
    File,
    Logcat,
    Navitas,
    Orka,
}

/// A method with a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Probed {
    pub(crate) id: u32,
    /// `com.example.Foo`.
    pub(crate) class: String,
    pub(crate) method: String,
    /// Calls in it: `java.net.Socket.connect` with number and line.
    pub(crate) calls: Vec<(String, u32, Option<u32>)>,
}

/// The probe map of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProbeNumbers {
    pub(crate) sink: SinkKind,
    /// SHA-256 of the map.
    pub(crate) map: [u8; 32],
    pub(crate) methods: Vec<Probed>,
    by_name: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
struct Header {
    sink: String,
}

#[derive(Deserialize)]
struct ClassLine {
    class: String,
    methods: Vec<MethodLine>,
}

#[derive(Deserialize)]
struct MethodLine {
    id: Option<u32>,
    name: String,
    #[serde(default)]
    calls: Vec<CallLine>,
}

#[derive(Deserialize)]
struct CallLine {
    id: u32,
    class: String,
    name: String,
    line: Option<u32>,
}

impl ProbeNumbers {
    /// Those of an installed package; `None` if it has no probes.
    pub(crate) fn of_package(package: &InstalledPackage) -> Option<Self> {
        let bytes = std::fs::read(package.host_files.first()?).ok()?;
        let map = Apk::open(&bytes).ok()?.read(ENTRY).ok()?;
        Self::parse(&map)
    }

    fn parse(map: &[u8]) -> Option<Self> {
        let mut lines = map.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let header: Header = serde_json::from_slice(lines.next()?).ok()?;
        let sink = match header.sink.as_str() {
            "trace" => SinkKind::Trace,
            "file" => SinkKind::File,
            "logcat" => SinkKind::Logcat,
            "navitas" => SinkKind::Navitas,
            "orka" => SinkKind::Orka,
            _ => return None,
        };
        let mut methods = Vec::new();
        for line in lines {
            let class: ClassLine = serde_json::from_slice(line).ok()?;
            for method in class.methods {
                let calls = method
                    .calls
                    .into_iter()
                    .map(|call| (format!("{}.{}", call.class, call.name), call.id, call.line))
                    .collect();
                methods.push(Probed {
                    id: method.id.unwrap_or(0),
                    class: class.class.clone(),
                    method: method.name,
                    calls,
                });
            }
        }
        let by_name = methods
            .iter()
            .enumerate()
            .map(|(index, probed)| (format!("{}.{}", probed.class, probed.method), index))
            .collect();
        Some(Self { sink, map: Sha256::digest(map).into(), methods, by_name })
    }

    /// The probe of a method by its name.
    pub(crate) fn method(&self, name: &str) -> Option<&Probed> {
        self.methods.get(*self.by_name.get(name)?)
    }

    /// The first eight digits of the map's name.
    pub(crate) fn short(&self) -> String {
        self.map.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
    }

    /// All digits of it.
    pub(crate) fn digits(&self) -> String {
        self.map.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
