//! Writes what any bytes hold as a Dalvik executable, as it is and edited: what is written can be read, and
//! is sound where the source was.

use wattle_dex::{Code, Dex, DexFile, RoundTrip, Verifier, seal};

pub fn run(bytes: &[u8]) {
    // With a checksum that fits, or hardly anything that fuzzing makes would be sound.
    let mut sealed = bytes.to_vec();
    seal(&mut sealed);
    let Ok(files) = Dex::parse_container(&sealed) else { return };
    for dex in &files {
        let is_sound = Verifier::new(dex).all(1).defects.is_empty();
        let round_trip = RoundTrip::from_dex(dex);
        assert!(round_trip.is_ok() || !is_sound, "a sound file cannot be written: {round_trip:?}");
        let mut file = DexFile::edit(dex);
        let _ = file.pool_mut().method("La;", "$", "(I)V");
        check(&file.write_with(&|site| Code::decode(dex, &site.code).map(Some)), is_sound);
        file.set_prune(true);
        file.set_threads(1);
        check(&file.write(), is_sound);
    }
    if files.iter().all(|dex| dex.header().version >= 41) {
        let edits: Vec<_> = files.iter().map(DexFile::edit).collect();
        if let Ok(container) = DexFile::write_container(&edits) {
            let again = Dex::parse_container(&container).expect("what was written can be read");
            assert_eq!(again.len(), files.len());
        }
    }
}

fn check(written: &wattle_dex::Result<Vec<u8>>, is_sound: bool) {
    let written = match written {
        Ok(written) => written,
        Err(error) => {
            assert!(!is_sound, "a sound file cannot be edited: {error}");
            return;
        }
    };
    let again = Dex::parse(written).expect("what was written can be read");
    if is_sound {
        let defects = Verifier::new(&again).all(1).defects;
        assert!(defects.is_empty(), "a sound file was written with a defect: {}", defects[0]);
    }
}
