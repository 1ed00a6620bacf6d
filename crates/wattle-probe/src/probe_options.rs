//! Options of instrumenting.

use std::collections::BTreeSet;

use crate::{ApiPatterns, Mapping, Mode, Scope, ShortMethods, Sink};

/// Options of instrumenting.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The kinds of places that get probes. Default is entry and exit of methods.
    pub mode: Mode,
    /// The sink that they write to. Default is [`Sink::Trace`].
    pub sink: Sink,
    /// Which classes are traced. Default is what belongs to no known library.
    pub scope: Scope,
    /// Which part of the framework calls are traced into. Default is what spends energy, see [`ApiPatterns`].
    pub apis: ApiPatterns,
    /// The treatment of short methods. Default is to leave them alone.
    pub short_methods: ShortMethods,
    /// Methods that get no probes although their class is traced: class and name as the package has them. Default is nothing.
    pub left_out: BTreeSet<(String, String)>,
    /// Names and lines before a shrinker changed them. Default is nothing.
    pub mapping: Option<Mapping>,
    /// The app's package, which the probe map and the runtime class name. Default is nothing.
    pub package: Option<String>,
    /// Whether each process times its own probes at its first one, so that their cost can be told from the app's; see
    /// [`Runtime::is_calibrated`](crate::Runtime::is_calibrated). Default is yes.
    pub calibration: bool,
    /// Number of threads; the default, 0, is that of the processors. The result does not depend on it.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            sink: Sink::default(),
            scope: Scope::default(),
            apis: ApiPatterns::default(),
            short_methods: ShortMethods::default(),
            left_out: BTreeSet::new(),
            mapping: None,
            package: None,
            calibration: true,
            threads: 0,
        }
    }
}

impl Options {
    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            threads => threads,
        }
    }
}
