//! Names of methods in the PDB files of .NET's native images.

/// `[COLD] System.String.Concat(System.String, System.String){shared}` is `System.String.Concat`, as the runtime itself reports it.
pub(super) fn method_name(symbol: &str) -> &str {
    let name = symbol.strip_prefix("[COLD] ").unwrap_or(symbol);
    // Names that the compiler makes have brackets, too (`<Main>b__0`), but no parentheses.
    name.split_once('(').map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_left_out() {
        for (symbol, name) in [
            ("System.Decimal..ctor(Int32[])", "System.Decimal..ctor"),
            (
                "[COLD] System.Collections.Generic.List`1[System.Boolean].GetRange(Int32, Int32)",
                "System.Collections.Generic.List`1[System.Boolean].GetRange",
            ),
            (
                "System.Collections.Generic.SortedDictionary`2+KeyCollection[System.__Canon,System.__Canon].GetEnumerator(){shared}",
                "System.Collections.Generic.SortedDictionary`2+KeyCollection[System.__Canon,System.__Canon].GetEnumerator",
            ),
            ("JIT_New", "JIT_New"),
            ("", ""),
        ] {
            assert_eq!(method_name(symbol), name);
        }
    }
}
