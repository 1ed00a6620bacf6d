//! Takes any bytes for the tables of an OAT file, and for the executables that have its names.

use wattle_symbols::{DexMethods, oat_methods};
use wattle_timeline::FrameAddress;

/// Address and offset of the tables in the ELF file around them.
pub const START: u64 = 0x1000;
/// `EM_AARCH64`.
pub const ARM64: u16 = 183;

pub fn run(bytes: &[u8]) {
    let _ = oat_methods(bytes, bytes);
    // How many of the bytes are the OAT file; the others are the executables.
    let Some((length, rest)) = bytes.split_first_chunk() else { return };
    let length = usize::from(u16::from_le_bytes(*length)).min(rest.len());
    let (oat, executables) = rest.split_at(length);
    let elf = oat_elf(oat, ARM64);
    let Some(Ok(methods)) = oat_methods(&elf, executables) else { return };
    for method in &methods {
        assert!(!method.name.is_empty() && method.start >= START);
    }
    assert!(methods.is_sorted_by_key(|method| method.start));
    let methods = DexMethods::find(executables);
    for address in 0..64 {
        let _ = methods.place(FrameAddress::InFile(address * 16));
    }
}

/// An ELF file with nothing but these bytes, executable, at the symbol `oatdata`.
pub fn oat_elf(oat: &[u8], machine: u16) -> Vec<u8> {
    const SYMBOLS: u64 = 0x100;
    const STRINGS: u64 = 0x140;
    const SECTIONS: u64 = 0x200;
    const NAMES: &[u8] = b"\0oatdata\0.dynsym\0.dynstr\0";
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    let size = oat.len() as u64;
    let put = |elf: &mut Vec<u8>, at: u64, words: &[(u64, usize)]| {
        elf.resize(elf.len().max(at as usize), 0);
        elf.truncate(at as usize);
        for (value, bytes) in words {
            elf.extend_from_slice(&value.to_le_bytes()[..*bytes]);
        }
    };
    let header = [(3, 2), (machine.into(), 2), (1, 4), (0, 8), (64, 8), (SECTIONS, 8), (0, 4)];
    put(&mut elf, 16, &header);
    put(&mut elf, 52, &[(64, 2), (56, 2), (1, 2), (64, 2), (3, 2), (2, 2)]);
    // PT_LOAD, readable and executable.
    let load =
        [(1, 4), (5, 4), (START, 8), (START, 8), (START, 8), (size, 8), (size, 8), (START, 8)];
    put(&mut elf, 64, &load);
    // A global object of the first section.
    put(&mut elf, SYMBOLS + 24, &[(1, 4), (0x11, 1), (0, 1), (1, 2), (START, 8), (size, 8)]);
    put(&mut elf, STRINGS, &[]);
    elf.extend_from_slice(NAMES);
    let section = |name: u64, kind: u64, (at, size): (u64, u64), (link, entry): (u64, u64)| {
        [
            (name, 4),
            (kind, 4),
            (0, 8),
            (0, 8),
            (at, 8),
            (size, 8),
            (link, 4),
            (1, 4),
            (8, 8),
            (entry, 8),
        ]
    };
    put(&mut elf, SECTIONS + 64, &section(9, 11, (SYMBOLS, 48), (2, 24)));
    put(&mut elf, SECTIONS + 128, &section(17, 3, (STRINGS, NAMES.len() as u64), (0, 0)));
    put(&mut elf, START, &[]);
    elf.extend_from_slice(oat);
    elf
}
