//! The meaning of the numbers of probes.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::{Options, ProbeError, Result};

/// The probe map: what each number stands for.
///
/// As a file it is text, one JSON object a line: first a [`MapHeader`], then one [`ProbedClass`] a line. The
/// [`MapId`](crate::MapId) is the SHA-256 of the whole file. The package carries it as [`ProbeMap::ENTRY`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeMap<'a> {
    /// The package that the map belongs to.
    pub header: MapHeader<'a>,
    /// The classes that have probes.
    pub classes: Vec<ProbedClass<'a>>,
}

/// The first line of a probe map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapHeader<'a> {
    /// The version of this format: 1.
    pub wattle_probe_map: u32,
    /// The app's package.
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    pub package: Option<Cow<'a, str>>,
    /// The traced places: `methods`, `apis` or `both`.
    pub mode: Cow<'a, str>,
    /// The sink of the probes: `trace`, `logcat`, `file`, `navitas` or `orka`.
    pub sink: Cow<'a, str>,
    /// The signature (SHA-1, from its header) of each file of code before the rewriting, in order.
    pub code: Vec<Cow<'a, str>>,
    /// The number of probes; their numbers go from 1 to it.
    pub probes: u32,
}

/// A class with probes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbedClass<'a> {
    /// Its name as Java writes it, before a shrinker changed it where that is known.
    #[serde(borrow)]
    pub class: Cow<'a, str>,
    /// Its name in the package, where that is another.
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    pub packaged: Option<Cow<'a, str>>,
    /// Its source file.
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    pub source: Option<Cow<'a, str>>,
    /// Its methods with probes.
    #[serde(borrow)]
    pub methods: Vec<ProbedMethod<'a>>,
}

/// A method with probes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbedMethod<'a> {
    /// The number of its entry and exit; nothing where only calls in it have probes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<u32>,
    /// Its name, before a shrinker changed it where that is known.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// Its name in the package, where that is another.
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    pub packaged: Option<Cow<'a, str>>,
    /// Its parameters and result as descriptors in the package, `(I)V`.
    #[serde(borrow)]
    pub descriptor: Cow<'a, str>,
    /// Its first line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// The calls in it that have probes, in the order of its code.
    #[serde(borrow, skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<ProbedCall<'a>>,
    /// The methods with a number that it calls, by the code alone, in order of their numbers. Where what is called is one of the
    /// methods that may override another, all of them are.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub invokes: Vec<ProbedInvocation>,
}

/// A method with probes that another one calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbedInvocation {
    /// Its number.
    pub id: u32,
    /// The lines of the calls, ascending.
    pub lines: Vec<u32>,
}

/// A call with a probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbedCall<'a> {
    /// Its number.
    pub id: u32,
    /// The class outside of the app that declares the method, as Java writes it.
    #[serde(borrow)]
    pub class: Cow<'a, str>,
    /// The method's name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// Its parameters and result.
    #[serde(borrow)]
    pub descriptor: Cow<'a, str>,
    /// The line of the method from which it is made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// Methods that a shrinker put in the place of their calls there, the one that makes the call first.
    #[serde(borrow, skip_serializing_if = "Vec::is_empty", default)]
    pub inlined: Vec<InlinedFrame<'a>>,
}

/// A place in a method that was put in the place of its call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlinedFrame<'a> {
    /// Its class as Java writes it.
    #[serde(borrow)]
    pub class: Cow<'a, str>,
    /// Its name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
}

/// The meaning of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbePoint<'m, 'a> {
    /// A method's entry and exit.
    Method(&'m ProbedClass<'a>, &'m ProbedMethod<'a>),
    /// A call.
    Call(&'m ProbedClass<'a>, &'m ProbedMethod<'a>, &'m ProbedCall<'a>),
}

impl<'a> ProbeMap<'a> {
    /// The entry of a package that holds its map.
    pub const ENTRY: &'static str = "assets/wattle/probes.jsonl";

    /// The version of the format that this crate writes and reads.
    pub const VERSION: u32 = 1;

    pub(crate) fn header(options: &'a Options, code: &[[u8; 20]], probes: u32) -> MapHeader<'a> {
        let hex = |signature: &[u8; 20]| {
            signature.iter().fold(String::with_capacity(40), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            })
        };
        MapHeader {
            wattle_probe_map: Self::VERSION,
            package: options.package.as_deref().map(Cow::Borrowed),
            mode: options.mode.name().into(),
            sink: options.sink.name().into(),
            code: code.iter().map(|signature| hex(signature).into()).collect(),
            probes,
        }
    }

    /// Reads a map.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut lines = bytes.split(|&byte| byte == b'\n').enumerate();
        let malformed = |line: usize, source| ProbeError::Map { line: line + 1, source };
        let (at, first) = lines.next().unwrap_or((0, &[]));
        let header: MapHeader<'a> =
            serde_json::from_slice(first).map_err(|error| malformed(at, error))?;
        if header.wattle_probe_map != Self::VERSION {
            return Err(ProbeError::MapVersion { found: header.wattle_probe_map });
        }
        let classes = lines
            .filter(|(_, line)| !line.is_empty())
            .map(|(at, line)| serde_json::from_slice(line).map_err(|error| malformed(at, error)))
            .collect::<Result<_>>()?;
        Ok(Self { header, classes })
    }

    /// All probes with their numbers.
    pub fn points(&self) -> impl Iterator<Item = (u32, ProbePoint<'_, 'a>)> {
        self.classes.iter().flat_map(|class| {
            class.methods.iter().flat_map(move |method| {
                let itself = method.id.map(|id| (id, ProbePoint::Method(class, method)));
                let calls = method
                    .calls
                    .iter()
                    .map(move |call| (call.id, ProbePoint::Call(class, method, call)));
                itself.into_iter().chain(calls)
            })
        })
    }
}
