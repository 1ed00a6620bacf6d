//! Flags of commands that name sampled addresses and shrunk methods.

use std::path::PathBuf;

use clap::Args;

/// Symbol files for sampled stacks.
#[derive(Debug, Args, Clone, Default)]
#[expect(clippy::struct_field_names, reason = "fields are called as their flags")]
pub struct Symbols {
    /// Symbolize sampled addresses with these: unstripped libraries, debug files, packages, .dex and .vdex files,
    /// perf-PID.map, or folders of them (repeatable)
    #[arg(long, value_name = "DIR|FILE")]
    pub symbols: Vec<PathBuf>,
    /// Deobfuscate methods with this mapping.txt of R8 or ProGuard (repeatable)
    #[arg(long, value_name = "FILE")]
    pub mapping: Vec<PathBuf>,
    /// Symbolize kernel addresses with this copy of the device's /proc/kallsyms
    #[arg(long, value_name = "FILE")]
    pub kallsyms: Option<PathBuf>,
}

impl Symbols {
    /// The first flag that was given: a saved ledger has its names already.
    pub fn asked(&self) -> Option<&'static str> {
        let asked = [
            ("--symbols", !self.symbols.is_empty()),
            ("--mapping", !self.mapping.is_empty()),
            ("--kallsyms", self.kallsyms.is_some()),
        ];
        asked.into_iter().find(|(_, is_asked)| *is_asked).map(|(flag, _)| flag)
    }
}
