//! The variables that tell tests what is at hand, and what a machine may lack.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::child_process::is_program;
use super::{code_server, programs, viewers};
use crate::places;

pub struct Environment {
    pub variables: BTreeMap<&'static str, OsString>,
    /// Whether everything that tests can ask for must be here, so that every skipped test is a failure.
    pub is_strict: bool,
}

impl Environment {
    /// Detects the environment of this machine.
    ///
    /// Real recordings and the scripts that make the runtime and the daemon lie beside the checkout. Where they do, nothing
    /// may be missing. Elsewhere (a contributor's machine) tests are ignored for what is not there, and the gate says so.
    pub fn detect() -> Self {
        let mut variables: BTreeMap<&str, OsString> = BTreeMap::new();
        let mut require = |name, is_here: bool| {
            if is_here {
                variables.insert(name, "1".into());
            }
        };
        let is_strict = places::shared().is_dir();
        let has_data =
            std::env::var_os("WATTLE_DATA").is_some() || places::shared().join("data").is_dir();
        require("WATTLE_REQUIRE_DATA", has_data);
        require("WATTLE_REQUIRE_PROGRAMS", is_strict);
        // With a thing at hand its tests must run: skipping is for machines without it.
        require("WATTLE_REQUIRE_SPREADSHEET", is_program("ssconvert"));
        variables.insert("WATTLE_ART", places::runtime().into());
        variables.insert("WATTLE_ADBD", places::daemon().into());
        // All of the workspace is built before the first test runs.
        variables.insert("WATTLE_PROGRAM", places::target().join("debug/wattle").into());
        let found = [
            ("WATTLE_PPROF", viewers::pprof()),
            ("WATTLE_PYARROW", viewers::pyarrow()),
            ("WATTLE_PERFETTO_PYTHON", viewers::perfetto_python()),
            ("WATTLE_FRAMEWORK", programs::framework()),
            ("WATTLE_SPEEDSCOPE", viewers::speedscope()),
            ("WATTLE_FIREFOX_PROFILER", viewers::firefox_profiler()),
            ("WATTLE_SARIF_SCHEMA", viewers::sarif_schema()),
            ("WATTLE_AXE", viewers::axe()),
            ("WATTLE_NEOVIM", viewers::neovim()),
            ("WATTLE_CODE_SERVER", code_server::code_server()),
            ("WATTLE_EXTENSION_PACKAGES", code_server::packages()),
            ("WATTLE_MCP_CONFORMANCE", viewers::mcp_conformance()),
            ("WATTLE_SCHEMATHESIS", viewers::schemathesis()),
        ];
        variables.extend(found.into_iter().filter_map(|(name, path)| Some((name, path?.into()))));
        Self { variables, is_strict }
    }
}
