//! Every fault is found in every method that it can be planted in.

use std::fmt::Write as _;

use wattle_dex::{CodeItem, Dex, Verifier, seal};
use wattle_testdata::requires;

use super::injected_fault::Fault;
use super::mutation_run::{Outcome, Sound};
use super::{byte_faults, code_faults, frame_faults, mutation_samples};
use crate::Sink;

/// Sinks whose probes hand over numbers, texts, and nothing at the exit.
pub(super) const SINKS: [Sink; 3] = [Sink::File, Sink::Navitas, Sink::Trace];

/// All faults.
pub(super) fn faults() -> impl Iterator<Item = &'static Fault> {
    frame_faults::FAULTS.iter().chain(code_faults::FAULTS).chain(byte_faults::FAULTS)
}

/// Adds what a fault's outcomes in several files are.
#[derive(Default)]
struct Sum {
    fatal: u32,
    found: u32,
    harmless: u32,
    harmless_found: u32,
    missed: Vec<String>,
}

impl Sum {
    fn add(&mut self, label: &str, outcome: Outcome) {
        assert!(
            outcome.hit.is_empty(),
            "{label}: found where nothing was planted: {:?}",
            outcome.hit
        );
        self.fatal += outcome.fatal;
        self.found += outcome.found;
        self.harmless += outcome.harmless;
        self.harmless_found += outcome.harmless_found;
        self.missed.extend(outcome.missed.into_iter().map(|method| format!("{label}: {method}")));
    }
}

/// Plants all faults in a file, for each sink, and adds up.
fn plant_all(label: &str, bytes: &[u8], sinks: &[Sink], sums: &mut Vec<Sum>) {
    let dex = Dex::parse(bytes).unwrap();
    for &sink in sinks {
        let sound = Sound::new(&dex, sink);
        sums.resize_with(faults().count(), Sum::default);
        for (fault, sum) in faults().zip(sums.iter_mut()) {
            sum.add(&format!("{} in {label}, {}", fault.name, sink.name()), sound.plant(fault));
        }
    }
}

/// Fails where a fatal fault passed.
fn judge(sums: &[Sum]) {
    let mut table = String::new();
    for (fault, sum) in faults().zip(sums) {
        let _ = writeln!(
            table,
            "{:44} planted {:7}, found {:7}; perhaps harmless {:7}, refused {:7}",
            fault.name, sum.fatal, sum.found, sum.harmless, sum.harmless_found
        );
    }
    println!("{table}");
    let missed: Vec<_> = sums.iter().flat_map(|sum| &sum.missed).take(20).collect();
    assert!(missed.is_empty(), "not found:\n{missed:#?}\n{table}");
}

#[test]
fn samples_are_sound_with_probes() {
    let (bytes, classes) = mutation_samples::file();
    let dex = Dex::parse(&bytes).unwrap();
    assert_eq!(Verifier::new(&dex).all(1).defects, []);
    for sink in SINKS {
        let sound = Sound::new(&dex, sink);
        assert_eq!(sound.methods(), classes.len(), "every sample gets probes, {sink:?}");
        let dex = Dex::parse(sound.bytes()).unwrap();
        assert_eq!(Verifier::new(&dex).all(1).defects, []);
    }
}

#[test]
fn faults_in_samples_are_found() {
    let (bytes, _) = mutation_samples::file();
    let mut sums = Vec::new();
    plant_all("samples", &bytes, &SINKS, &mut sums);
    judge(&sums);
    for (fault, sum) in faults().zip(&sums) {
        assert!(sum.fatal + sum.harmless > 0, "{} is planted nowhere", fault.name);
    }
    let fatal = sums.iter().filter(|sum| sum.fatal > 0).count();
    assert!(fatal >= 40, "{fatal} faults are fatal somewhere");
}

#[requires(data)]
#[test]
fn faults_in_real_files_are_found() {
    let mut sums = Vec::new();
    for file in [
        "dex/redex-integ-classes.dex",
        "dex/smali-accessorTest.dex",
        "dex/smali-MultiSwitchInput.dex",
    ] {
        let bytes = wattle_testdata::bytes(file);
        plant_all(file, &bytes, &SINKS, &mut sums);
    }
    for file in ["apk/androguard-a2dp.Vol_137.apk", "apk/fdroid-com.politedroid_3.apk"] {
        let bytes = wattle_testdata::bytes(file);
        let apk = wattle_apk::Apk::open(&bytes).unwrap();
        let code = apk.read("classes.dex").unwrap();
        plant_all(file, &code, &[Sink::File, Sink::Trace], &mut sums);
    }
    judge(&sums);
}

/// A fault of the whole file.
#[track_caller]
fn check_file(expected: &str, sealed: bool, change: impl FnOnce(&mut [u8])) {
    let (bytes, _) = mutation_samples::file();
    let dex = Dex::parse(&bytes).unwrap();
    let mut bytes = Sound::new(&dex, Sink::Trace).bytes().to_vec();
    change(&mut bytes);
    if sealed {
        seal(&mut bytes);
    }
    let found = match Dex::parse(&bytes) {
        Ok(dex) => {
            let verification = Verifier::new(&dex).all(1);
            let signature = Some("signature").filter(|_| !verification.signature_fits);
            verification.defects.iter().map(|it| it.rule).chain(signature).collect()
        }
        Err(_) => vec!["unreadable"],
    };
    assert!(found.contains(&expected), "expected {expected}, found {found:?}");
}

fn add(bytes: &mut [u8], at: usize, more: u32) {
    let old = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    bytes[at..at + 4].copy_from_slice(&old.wrapping_add(more).to_le_bytes());
}

#[test]
fn faults_of_the_file_are_found() {
    // Offsets of the header's fields are those of "header_item" in Android's description of the format.
    check_file("checksum", false, |bytes| bytes[8] ^= 1);
    check_file("signature", false, |bytes| bytes[12] ^= 1);
    check_file("unreadable", true, |bytes| add(bytes, 0x20, 4));
    check_file("map", true, |bytes| add(bytes, 0x60, u32::MAX));
    check_file("map", true, |bytes| add(bytes, 0x58, u32::MAX));
    let swap_first_two = |bytes: &mut [u8], field: usize, size: usize| {
        let at = u32::from_le_bytes(bytes[field..field + 4].try_into().unwrap()) as usize;
        for byte in at..at + size {
            bytes.swap(byte, byte + size);
        }
    };
    // Tables that were added to and not sorted again.
    check_file("order", true, |bytes| swap_first_two(bytes, 0x3c, 4));
    check_file("order", true, |bytes| swap_first_two(bytes, 0x5c, 8));
}

#[test]
fn line_programs_without_their_end_are_found() {
    let (bytes, _) = mutation_samples::file();
    let dex = Dex::parse(&bytes).unwrap();
    let sound = Sound::new(&dex, Sink::Trace);
    let dex = Dex::parse(sound.bytes()).unwrap();
    let all = codes(&dex);
    assert_eq!(all.len(), sound.methods());
    // Behind the last program of the file there may be padding, whose zero ends it as well.
    let last = all.iter().map(|code| code.debug_info_off).max();
    for code in all.iter().filter(|code| Some(code.debug_info_off) != last) {
        let mut bytes = sound.bytes().to_vec();
        byte_faults::lines_without_end(&mut bytes, code);
        seal(&mut bytes);
        let defects = Verifier::new(&Dex::parse(&bytes).unwrap()).all(1).defects;
        assert!(!defects.is_empty(), "code at {:#x}", code.offset);
    }
}

/// The code of all methods.
fn codes<'a>(dex: &Dex<'a>) -> Vec<CodeItem<'a>> {
    let members = dex.class_defs().filter_map(|(_, item)| dex.class_data(&item.unwrap()).unwrap());
    let methods = members.flatten().filter_map(|member| member.unwrap().method());
    methods.filter(|it| it.code_off != 0).map(|it| dex.code(it.code_off).unwrap()).collect()
}
