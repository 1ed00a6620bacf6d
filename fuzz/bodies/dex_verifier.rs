//! Verifies any bytes as a Dalvik executable; the verdict does not depend on the number of threads.

use wattle_dex::{Dex, Linkage, Verifier, seal};

pub fn run(bytes: &[u8]) {
    // With a checksum that fits, or hardly anything that fuzzing makes would be sound.
    let mut sealed = bytes.to_vec();
    seal(&mut sealed);
    let Ok(files) = Dex::parse_container(&sealed) else { return };
    for dex in &files {
        let verifier = Verifier::new(dex);
        let verification = verifier.all(1);
        assert_eq!(verification, verifier.all(2));
        for defect in &verification.defects {
            assert!(!defect.rule.is_empty() && !defect.expected.is_empty(), "{defect}");
        }
    }
    let linkage = Linkage::new(&files);
    let must_be_here = |class: &[u8]| class.first() == Some(&b'L');
    assert_eq!(linkage.broken(&must_be_here, 1), linkage.broken(&must_be_here, 2));
}
