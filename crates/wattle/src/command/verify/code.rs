//! Bytecode: each file by itself, then what they say of each other.

use std::time::Instant;

use wattle_apk::Apk;
use wattle_dex::{BrokenLink, Dex, Linkage, Section, Verifier};
use wattle_unpack::UnpackBudget;

use super::Work;
use super::input::Kind;
use super::member::{Member, manifest};
use super::verdict::{CodeFile, Finding, Judged};

/// Classes that probes call: all of them must be in the package.
const PROBES: &[u8] = b"Lwattle/probe/";

/// The bytes of one file with code.
struct Code<'m> {
    file: &'m str,
    entry: Option<String>,
    bytes: std::borrow::Cow<'m, [u8]>,
}

/// Checks all code of a subject.
pub fn check(members: &[Member], judged: &mut Judged, work: &mut Work<'_>, budget: &UnpackBudget) {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut codes = Vec::new();
    for member in members {
        collect(member, &mut codes, judged, budget);
    }
    let total: u64 = codes.iter().map(|code| code.bytes.len() as u64).sum();
    let compressed = judged.bytes;
    let mut files = Vec::new();
    let mut places = Vec::new();
    for code in &codes {
        let parsed = match Dex::parse_container(&code.bytes) {
            Ok(parsed) => parsed,
            Err(error) => {
                let expected = "a Dalvik executable that can be read";
                let finding = Finding::new("readable", code.file, expected, error.to_string());
                judged.defects.push(finding.of_entry(code.entry.as_deref()));
                continue;
            }
        };
        for dex in parsed {
            followed(code, &dex, threads, judged);
            let share = u128::from(dex.header().file_size) * u128::from(compressed);
            work.advance((share / u128::from(total.max(1))) as u64);
            files.push(dex);
            places.push(code);
        }
    }
    for (files, places) in programs(members, &files, &places) {
        let linkage = Linkage::new(&files);
        for link in linkage.broken(&|class| class.starts_with(PROBES), threads) {
            let Some(code) = places.get(link.file) else { continue };
            let finding = Finding::of_code(code.file, code.entry.as_deref(), &link.defect);
            if is_defect(&link) {
                judged.defects.push(finding);
            } else {
                judged.notes.push(finding);
            }
        }
    }
}

/// The files of code that run together: an archive may have several base packages, of which a device installs one,
/// with splits.
fn programs<'p, 'a, 'm>(
    members: &[Member],
    files: &[Dex<'a>],
    places: &[&'p Code<'m>],
) -> Vec<(Vec<Dex<'a>>, Vec<&'p Code<'m>>)> {
    let is_base = |member: &&Member| {
        manifest(member.kind, &member.bytes).is_some_and(|manifest| manifest.is_base())
    };
    let bases: Vec<&str> = members.iter().filter(is_base).map(|it| it.name.as_str()).collect();
    let program = |base: &str| {
        let of_base = |code: &&Code<'m>| code.file == base || !bases.contains(&code.file);
        files
            .iter()
            .zip(places)
            .filter(|(_, code)| of_base(code))
            .map(|(dex, code)| (dex.clone(), *code))
            .unzip()
    };
    match bases.as_slice() {
        [] | [_] => vec![(files.to_vec(), places.to_vec())],
        several => several.iter().map(|base| program(base)).collect(),
    }
}

/// Compilers leave calls that can never work in code that never runs, so only those of probes are defects.
fn is_defect(link: &BrokenLink) -> bool {
    link.class.as_bytes().starts_with(PROBES)
}

fn collect<'m>(
    member: &'m Member,
    codes: &mut Vec<Code<'m>>,
    judged: &mut Judged,
    budget: &UnpackBudget,
) {
    let file = member.name.as_str();
    if member.kind == Kind::Dex {
        let bytes = member.bytes.as_slice().into();
        codes.push(Code { file, entry: None, bytes });
        return;
    }
    let Ok(apk) = Apk::open(&member.bytes) else { return };
    let loaded: Vec<&str> = apk.code_entries().map(wattle_apk::Entry::name).collect();
    let named = |name: &str| {
        let number = name.strip_prefix("classes").and_then(|rest| rest.strip_suffix(".dex"));
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    for entry in apk.entries().iter().filter(|entry| named(entry.name())) {
        let name = entry.name();
        if !loaded.contains(&name) {
            let expected = "classes.dex, classes2.dex and so on without a gap";
            let finding = Finding::new("unloaded-code", file, expected, "a file never loaded");
            judged.notes.push(finding.of_entry(Some(name)));
        }
        match entry.read_within(budget) {
            Ok(bytes) => {
                codes.push(Code { file, entry: Some(name.to_owned()), bytes: bytes.into() });
            }
            Err(error) => {
                let expected = "an entry that can be read";
                let finding = Finding::new("readable", file, expected, error.to_string());
                judged.defects.push(finding.of_entry(Some(name)));
            }
        }
    }
}

fn followed(code: &Code<'_>, dex: &Dex<'_>, threads: usize, judged: &mut Judged) {
    let started = Instant::now();
    let verification = Verifier::new(dex).all(threads);
    let entry = code.entry.as_deref();
    let defects = verification.defects.iter();
    judged.defects.extend(defects.map(|defect| Finding::of_code(code.file, entry, defect)));
    if !verification.signature_fits {
        let expected = "the SHA-1 of the file in the header (Android does not check it)";
        let finding = Finding::new("stale-sha1", code.file, expected, "another one");
        judged.notes.push(finding.of_entry(entry));
    }
    judged.code.push(CodeFile {
        file: code.file.to_owned(),
        entry: code.entry.clone(),
        version: dex.header().version,
        bytes: dex.header().file_size,
        classes: dex.count(Section::CLASS_DEFS),
        methods: verification.methods,
        sha1_fits: verification.signature_fits,
        seconds: started.elapsed().as_secs_f64(),
    });
}
