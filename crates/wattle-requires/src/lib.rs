//! The attribute of tests that need something this repository does not contain.
//!
//! A test that returns early because a file or a program is missing looks green and tests nothing. With
//! [`macro@requires`] such a test is *ignored*, and `cargo test` prints why:
//!
//! ```text
//! #[requires(data, program = "dexdump")]
//! #[test]
//! fn dexdump_reads_what_we_write() { … }
//!
//! test dexdump_reads_what_we_write ... ignored, requires dexdump on PATH
//! ```
//!
//! The decision is made while the test is compiled, because Rust's test harness cannot skip a test while it runs. With
//! `WATTLE_REQUIRE_DATA` set no test is ignored for missing data, and with `WATTLE_REQUIRE_PROGRAMS` none for missing
//! programs or variables: the test runs and fails. Continuous integration sets both.
//!
//! The attribute also tells `wattle_testdata` what the test declares, when it runs: a test that reads a recording without saying so
//! fails everywhere, and not only where there are none.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

mod need;

use need::Need;

/// Ignores a test, with the reason, on machines that lack something it needs.
///
/// | argument | needs |
/// |---|---|
/// | `data` | the folder of real recordings: `$WATTLE_DATA`, else `../shared/data` beside the workspace |
/// | `program = "dexdump"` | a program on `PATH` |
/// | `env = "WATTLE_ART"` | an environment variable, which names a file or folder that exists |
/// | `small_disk` | leave to mount a file system in a namespace: `unshare --user --map-root-user --mount` |
///
/// Several are separated by commas; all of them are needed. It stands above `#[test]`.
#[proc_macro_attribute]
pub fn requires(arguments: TokenStream, test: TokenStream) -> TokenStream {
    let needs = match Need::parse_list(arguments) {
        Ok(needs) => needs,
        Err(message) => return compile_error(&message),
    };
    let missing: Vec<String> = needs.iter().filter_map(Need::missing).collect();
    let mut output = TokenStream::new();
    if !missing.is_empty() {
        let reason = format!("requires {}", missing.join(" and "));
        output.extend(parse(&format!("#[ignore = {reason:?}]")));
    }
    output.extend(declaring(test, &needs));
    // The compiler notes which variables a file was compiled with, so that a change compiles it anew.
    for variable in needs.iter().flat_map(Need::variables) {
        output.extend(parse(&format!("const _: Option<&str> = option_env!({variable:?});")));
    }
    output
}

/// The test with a statement at its beginning that tells what it needs.
fn declaring(test: TokenStream, needs: &[Need]) -> TokenStream {
    let names: Vec<&str> = needs.iter().filter_map(Need::read_by_tests).collect();
    let mut tokens: Vec<TokenTree> = test.into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut()
        && body.delimiter() == Delimiter::Brace
    {
        let mut statements = parse(&format!("::wattle_testdata::declare(&{names:?});"));
        // A block of its own: items of the test may stand at its beginning.
        statements.extend([TokenTree::Group(body.clone())]);
        let mut declaring = Group::new(Delimiter::Brace, statements);
        declaring.set_span(body.span());
        *body = declaring;
    }
    tokens.into_iter().collect()
}

fn compile_error(message: &str) -> TokenStream {
    parse(&format!("compile_error!({message:?});"))
}

/// Tokens of a text that this crate made; nothing if it is no Rust, which a test of the attribute would show.
fn parse(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}
