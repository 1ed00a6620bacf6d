//! Neovim, with the settings of this repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use wattle_testdata::requires;

use crate::sample_project::{FEED, Project};

/// Opens the file, waits for hints, and prints hints, lenses and diagnostics as the editor has them.
const SCRIPT: &str = r#"
local function fail(text) io.stdout:write("FAILED: " .. text .. "\n") vim.cmd("cquit 1") end
vim.lsp.config("wattle", { cmd = { vim.env.WATTLE, "lsp", "--store", vim.env.STORE, "--findings", vim.env.FINDINGS } })
vim.lsp.enable("wattle")
vim.lsp.inlay_hint.enable(true)
vim.cmd.edit(vim.env.SOURCE)
vim.bo.filetype = "kotlin"
local buffer = vim.api.nvim_get_current_buf()
local function client() return vim.lsp.get_clients({ name = "wattle", bufnr = buffer })[1] end
if not vim.wait(30000, function() return client() ~= nil end, 50) then fail("no client") end
if not vim.wait(60000, function() return #vim.lsp.inlay_hint.get({ bufnr = buffer }) >= 4 end, 50) then
  fail("hints: " .. vim.inspect(vim.lsp.inlay_hint.get({ bufnr = buffer })))
end
for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
  local position = hint.inlay_hint.position
  io.stdout:write("hint " .. position.line + 1 .. ": " .. hint.inlay_hint.label .. "\n")
end
vim.lsp.codelens.refresh({ bufnr = buffer })
vim.wait(30000, function() return #vim.lsp.codelens.get(buffer) >= 3 end, 50)
for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
  io.stdout:write("lens " .. lens.range.start.line + 1 .. ": " .. lens.command.title .. "\n")
end
vim.wait(30000, function() return #vim.diagnostic.get(buffer) >= 1 end, 50)
for _, diagnostic in ipairs(vim.diagnostic.get(buffer)) do
  io.stdout:write("diagnostic " .. diagnostic.lnum + 1 .. ": " .. diagnostic.message:gsub("\n", " ") .. "\n")
end
-- Lines are inserted above: what is shown moves along.
vim.api.nvim_buf_set_lines(buffer, 1, 1, false, { "// one", "// two" })
vim.wait(30000, function()
  local hints = vim.lsp.inlay_hint.get({ bufnr = buffer })
  return #hints >= 4 and hints[1].inlay_hint.position.line == 6
end, 50)
for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
  io.stdout:write("moved " .. hint.inlay_hint.position.line + 1 .. "\n")
end
vim.cmd("qall!")
"#;

fn settings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/neovim")
}

#[requires(env = "WATTLE_NEOVIM")]
#[test]
fn neovim_shows_hints_lenses_and_findings() {
    let project = Project::new();
    let folder = project.folder.path();
    std::fs::write(project.file(), FEED).expect("written");
    let findings = r#"{"schema": "wattle-diagnosis/1", "findings": [{"rule": "wakelock-held-too-long", "severity": "warning",
        "title": "a wakelock is held for 9 s", "remedy": "Release it.", "place": {"function": "com.example.news.Feed.refresh"}}]}"#;
    std::fs::write(folder.join("findings.json"), findings).expect("written");
    std::fs::write(folder.join("script.lua"), SCRIPT).expect("written");
    let program = PathBuf::from(std::env::var_os("WATTLE_NEOVIM").expect("a program"));
    // A package of Python has it without its place in it.
    let runtime =
        program.parent().and_then(Path::parent).map(|folder| folder.join("share/nvim/runtime"));
    let mut command = Command::new(&program);
    command
        .args(["--headless", "--clean", "-n", "--cmd"])
        .arg(format!("set runtimepath^={}", settings().display()))
        .arg("-S")
        .arg(folder.join("script.lua"))
        .current_dir(folder)
        .env("WATTLE", env!("CARGO_BIN_EXE_wattle"))
        .env("STORE", project.history())
        .env("FINDINGS", folder.join("findings.json"))
        .env("SOURCE", project.file())
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("XDG_DATA_HOME", folder.join("data"));
    if let Some(runtime) = runtime.filter(|it| it.is_dir()) {
        command.env("VIMRUNTIME", runtime);
    }
    let output = command.output().expect("Neovim runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let problems = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}\n{problems}");
    for line in [
        "hint 5: 100 mJ (",
        "hint 6: calls 80.3 mJ (",
        "hint 10: 80.2 mJ (",
        "hint 15: 110 mJ (",
        "lens 10: total 80.2 mJ (",
        "diagnostic 15: a wakelock is held for 9 s",
        "moved 7",
        "moved 8",
        "moved 12",
        "moved 17",
    ] {
        assert!(text.lines().any(|it| it.starts_with(line)), "{line}\n{text}\n{problems}");
    }
}
