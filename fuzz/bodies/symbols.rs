//! Takes any bytes for each kind of file that has symbols, and asks for names all over them.

use wattle_symbols::{DexMethods, ElfImage, Kallsyms, PerfMap, unpack_mini_debug};
use wattle_timeline::FrameAddress;

/// More would take too long of a file that claims to be full of inlined functions.
const LOOKUPS: u64 = 256;

pub fn run(bytes: &[u8]) {
    let _ = ElfImage::build_id(bytes);
    let _ = unpack_mini_debug(bytes);
    if let Some(image) = ElfImage::parse(&[bytes]) {
        // All over what the file itself takes, which is where addresses of small libraries are, too.
        let step = (bytes.len() as u64 / LOOKUPS).max(1);
        let addresses = (0..LOOKUPS).map(|index| index * step).chain([u64::MAX]);
        let addresses: Vec<FrameAddress> =
            addresses.flat_map(|at| [FrameAddress::InElf(at), FrameAddress::InFile(at)]).collect();
        for places in image.places(&addresses) {
            assert!(places.iter().all(|place| !place.function.is_empty()));
        }
    }
    let methods = DexMethods::find(bytes);
    let map = PerfMap::parse(bytes);
    let kallsyms = Kallsyms::parse(bytes);
    for address in (0..LOOKUPS).map(|index| index * 64).chain([u64::MAX]) {
        let _ = methods.place(FrameAddress::InFile(address));
        let _ = map.name(address);
        let _ = kallsyms.as_ref().and_then(|it| it.name(address));
    }
}
