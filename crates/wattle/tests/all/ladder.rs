//! Every real package and executable with probes, before judges that are not ours: Android's own disassembler,
//! signature and alignment checks, and the verifier of a real Android runtime.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::art::ArtHost;
use serde_json::Value;
use wattle_testdata::requires;

/// Files that cannot be rewritten, and a part of the sentence that says why.
const REFUSED: &[(&str, &str)] = &[
    ("tools-base-android-app-bundle.aab", "Android App Bundle (.aab), which no device can install"),
    // The executable inside is longer than the package announces.
    ("redex-test.apk", "597924 bytes announced, 597970 came out"),
];

/// Of all methods with code, how many may be left without probes: one in a hundred.
const LEFT_OUT: u64 = 100;

/// The real files of one run.
struct Ladder {
    art: ArtHost,
    folder: tempfile::TempDir,
}

/// Methods of a file.
#[derive(Default)]
struct Counts {
    with_code: u64,
    probed: u64,
}

#[track_caller]
fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Returns the output of a tool that was asked to judge.
fn judged(command: &mut Command) -> Result<String, String> {
    let output = run(command);
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let tail = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.chars().rev().take(600).collect::<Vec<_>>().into_iter().rev().collect::<String>()
    };
    Err(format!("{command:?}: {}: {}{}", output.status, tail(&output.stdout), tail(&output.stderr)))
}

impl Ladder {
    /// Rewrites a file, or the packages of one app, and has the result judged.
    fn climb(&self, inputs: &[PathBuf], number: usize) -> Result<Counts, String> {
        let ending = inputs[0].extension().unwrap().to_str().unwrap();
        let folder = self.folder.path().join(number.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        let output = match inputs {
            [_] => folder.join(format!("out.{ending}")),
            _ => folder.join("out"),
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattle"));
        command.arg("instrument").args(inputs).arg("-o").arg(&output);
        command.args(["--all", "--short-methods", "probe", "--mode", "both", "--json", "-"]);
        command.current_dir(&folder).env("XDG_DATA_HOME", self.folder.path());
        let summary: Value = serde_json::from_str(&judged(&mut command)?).unwrap();
        let count = |key: &str| summary[key].as_u64().unwrap_or_else(|| panic!("{key}"));
        let counts =
            Counts { with_code: count("methods_with_code"), probed: count("methods_probed") };

        let mut outputs = Vec::new();
        for file in summary["output"].as_array().unwrap() {
            let file = PathBuf::from(file.as_str().unwrap());
            if ending == "apk" {
                judged(Command::new("apksigner").arg("verify").arg(&file))?;
                judged(Command::new("zipalign").args(["-c", "4"]).arg(&file))?;
            }
            outputs.push(file);
        }
        // Of bare executables the command judges each alone, without the one that has the runtime class.
        if ending == "apk" {
            judged(Command::new(env!("CARGO_BIN_EXE_wattle")).arg("verify").args(&outputs))?;
        }
        let before = self.verified(inputs, &folder.join("before"));
        let after = self.verified(&outputs, &folder.join("after"));
        std::fs::remove_dir_all(&folder).unwrap();
        let (before, after) = (before?, after?);
        let worse: Vec<_> = after
            .iter()
            .filter(|(class, now)| before.get(*class).is_none_or(|then| then < *now))
            .filter(|(_, now)| now.0 > Verdict::CLEAN)
            .map(|(class, now)| format!("{class}: {}", now.1))
            .collect();
        if !worse.is_empty() {
            return Err(format!("{} classes newly not clean: {}", worse.len(), worse.join("; ")));
        }
        if counts.probed * LEFT_OUT < counts.with_code * (LEFT_OUT - 1) {
            let (probed, all) = (counts.probed, counts.with_code);
            return Err(format!("only {probed} of {all} methods have probes"));
        }
        Ok(counts)
    }

    /// Returns the verdict of the runtime's verifier on each class.
    fn verified(
        &self,
        files: &[PathBuf],
        folder: &Path,
    ) -> Result<BTreeMap<String, Verdict>, String> {
        let mut names = Vec::new();
        for (index, file) in files.iter().enumerate() {
            let folder = folder.join(index.to_string());
            std::fs::create_dir_all(&folder).unwrap();
            let mut executables = vec![file.clone()];
            if file.extension().is_some_and(|it| it != "dex") {
                // Eleven says that nothing matched: a package without code.
                let unzip = run(Command::new("unzip")
                    .arg("-qo")
                    .arg(file)
                    .arg("classes*.dex")
                    .arg("-d")
                    .arg(&folder));
                assert!(
                    [Some(0), Some(11)].contains(&unzip.status.code()),
                    "{}: {unzip:?}",
                    file.display()
                );
                let entries = std::fs::read_dir(&folder).unwrap();
                executables = entries.map(|entry| entry.unwrap().path()).collect();
            }
            for executable in executables {
                let text = judged(Command::new("dexdump").arg(&executable))?;
                names.extend(text.lines().filter_map(|line| {
                    let quoted =
                        line.trim_start().strip_prefix("Class descriptor")?.split('\'').nth(1)?;
                    Some(quoted.trim_start_matches('L').trim_end_matches(';').replace('/', "."))
                }));
            }
        }
        if names.is_empty() {
            return Ok(BTreeMap::new());
        }
        let said = self.art.verify(files, &names);
        if !said.lines().any(|line| line.starts_with("verified=")) {
            return Err(format!("the runtime died after {said}"));
        }
        let mut verdicts: BTreeMap<String, Verdict> =
            names.into_iter().map(|name| (name, Verdict::default())).collect();
        for line in said.lines() {
            let mut words = line.splitn(3, ' ');
            let Some(level) = words.next().and_then(Verdict::level) else { continue };
            let class = words.next().unwrap_or_default().trim_end_matches(':').to_owned();
            verdicts.insert(class, Verdict(level, line.to_owned()));
        }
        Ok(verdicts)
    }
}

/// Severity of a class's defects, and the line that states it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Verdict(u8, String);

impl Verdict {
    const CLEAN: u8 = 0;

    fn level(word: &str) -> Option<u8> {
        let order = ["ACCESS", "SOFT", "LOADFAIL", "HARD"];
        order.iter().position(|it| *it == word).map(|at| at as u8 + 1)
    }
}

impl PartialOrd for Verdict {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.0.cmp(&other.0))
    }
}

/// All packages and executables of the real data; what belongs to one app is together.
fn real_files() -> Vec<Vec<PathBuf>> {
    let is_code = |name: &str| [".apk", ".dex", ".aab"].iter().any(|it| name.ends_with(it));
    let mut files = Vec::new();
    for (folder, count) in [("dex", 8), ("apk", 17), ("apk/splits", 3), ("apk/apksig", 5)] {
        let here = wattle_testdata::files(folder, count, is_code);
        if folder == "apk/splits" {
            files.push(here);
        } else {
            files.extend(here.into_iter().map(|file| vec![file]));
        }
    }
    // The largest first, so that no processor is left with one at the end.
    files.sort_by_key(|paths| std::cmp::Reverse(std::fs::metadata(&paths[0]).unwrap().len()));
    files
}

#[requires(
    data,
    env = "WATTLE_ART",
    program = "dexdump",
    program = "apksigner",
    program = "zipalign",
    program = "unzip"
)]
#[test]
fn every_real_file_passes_judges_that_are_not_ours() {
    let (files, art) = (real_files(), ArtHost::new());
    let ladder = Ladder { art, folder: tempfile::tempdir().unwrap() };
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(inputs) = files.get(number) else { break };
                    let result = ladder.climb(inputs, number);
                    let name = inputs[0].file_name().unwrap().to_string_lossy().into_owned();
                    results.lock().unwrap().push((name, result));
                }
            });
        }
    });
    let mut problems = Vec::new();
    let (mut total, mut passed) = (Counts::default(), 0);
    for (name, result) in results.into_inner().unwrap() {
        let refused = REFUSED.iter().find(|(file, _)| *file == name);
        match (result, refused) {
            (Ok(counts), None) => {
                total.with_code += counts.with_code;
                total.probed += counts.probed;
                passed += 1;
            }
            (Err(said), Some((_, why))) if said.contains(why) => {}
            (Err(said), _) => problems.push(format!("{name}: {said}")),
            (Ok(_), Some(_)) => problems.push(format!("{name} is no longer refused")),
        }
    }
    assert!(problems.is_empty(), "{} files:\n{}", problems.len(), problems.join("\n\n"));
    assert!(total.probed > 50_000, "only {} methods have probes", total.probed);
    assert!(passed >= 25, "only {passed} files passed");
}
