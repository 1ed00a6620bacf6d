//! Functions of the kernel as it lists them (`/proc/kallsyms`): `ffffffff81000000 T _text`, and the module in brackets.

use super::symbols::Symbols;

/// Takes in a list. CallChain that the kernel hid are 0 and say nothing.
pub(super) fn read(text: &[u8], symbols: &mut Symbols) {
    for line in text.split(|byte| matches!(byte, b'\n' | 0)) {
        let mut words =
            line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
        let (Some(address), Some(kind), Some(name)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let address = std::str::from_utf8(address).ok();
        let Some(address) = address.and_then(|it| u64::from_str_radix(it, 16).ok()) else {
            continue;
        };
        // Marks of the ARM linker are no functions.
        if address != 0 && matches!(kind, b"T" | b"t" | b"W" | b"w") && name.first() != Some(&b'$')
        {
            symbols.add(address, 0, name);
        }
    }
}
