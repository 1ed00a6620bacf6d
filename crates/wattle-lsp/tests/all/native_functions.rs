//! Functions of C++ and Rust, by the lines that symbols state.

use std::path::Path;

use wattle_ledger::FunctionPlace;
use wattle_lsp::digest::{CallRecord, GroupRecord, MethodRecord};
use wattle_lsp::documents::{AnnotatedFile, FileVersions};
use wattle_lsp::energy::{CallDetails, GroupEnergies, MethodTable};
use wattle_lsp::source::Language;
use wattle_lsp::tracking::Freshness;
use wattle_store::{CodeVersion, RunFacts};
use wattle_units::{Estimate, Interval, Joules, Provenance};

/// Compares `LINE NAME MARK` of the figures of a file, lines from 1.
#[track_caller]
fn check(
    path: &str,
    (before, now): (&str, &str),
    functions: &[(&str, [u32; 2])],
    expected: &[&str],
) {
    let joules = Joules::new(1.0);
    let energy = Estimate {
        joules,
        interval: Interval { low: joules, high: joules },
        provenance: Provenance::Modelled,
    };
    let mut names: Vec<&str> = functions.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    let mut methods = MethodTable::default();
    for name in names {
        let name = name.to_owned();
        let record =
            MethodRecord { name, calls: 0.0, runs: 1, own: energy, total: energy, changes: None };
        assert!(methods.push(&record));
    }
    let mut details = CallDetails::new(1);
    for (function, lines) in functions {
        let (function, file) = ((*function).to_owned(), format!("/home/build/src/{path}"));
        let place = FunctionPlace { function, file, lines: *lines };
        details.push(CallRecord::Place(place), &methods);
    }
    let code =
        CodeVersion { commit: Some("12345678".to_owned()), branch: None, dirty: Some(false) };
    let facts = RunFacts { code, ..RunFacts::default() };
    let group = GroupEnergies { runs: GroupRecord { facts, ..GroupRecord::default() }, methods };
    let path = Path::new(path);
    let language = Language::of_path(path).expect("a language");
    let versions = FileVersions::new(path, language, (Some(before), now));
    let file = AnnotatedFile::new(
        (path, language),
        &versions,
        (Some(before), now),
        (&group, Some(&details)),
    );
    let found: Vec<String> = file
        .methods
        .iter()
        .map(|placed| {
            let line = versions.now.all[placed.method].line + 1;
            format!("{line} {} {}", group.methods.name(placed.row), placed.freshness.mark())
        })
        .collect();
    assert_eq!(found, expected);
    assert_eq!(Freshness::Current.mark(), "");
}

const CPP: &str = "#include \"feed.h\"

namespace ns {

int Feed::load(int limit) const noexcept {
  for (int i = 0; i < limit; ++i) {
    if (parse(i)) { total_ += i; }
  }
  return total_;
}

template <typename T>
static void sort(T* items, size_t count) {
  std::sort(items, items + count, [](const T& a, const T& b) { return a < b; });
}

Feed::Feed(Api* api) : api_(api), items_{1, 2} {
  load(1);
}

}  // namespace ns
";

#[test]
fn functions_of_cpp_are_found_by_their_lines() {
    let functions = [
        ("_ZNK2ns4Feed4loadEi", [6, 9]),
        ("ns::Feed::Feed(Api*)", [18, 18]),
        ("void ns::sort<int>(int*, unsigned long)", [14, 14]),
        // Another function of that name, in a file of that name elsewhere.
        ("other::load(int)", [40, 42]),
    ];
    let expected = [
        "5 _ZNK2ns4Feed4loadEi ",
        "13 void ns::sort<int>(int*, unsigned long) ",
        "17 ns::Feed::Feed(Api*) ",
    ];
    check("feed.cc", (CPP, CPP), &functions, &expected);
    let edited =
        CPP.replace("namespace ns {", "// More.\n\nnamespace ns {").replace("load(1);", "load(2);");
    let expected = [
        "7 _ZNK2ns4Feed4loadEi ",
        "15 void ns::sort<int>(int*, unsigned long) ",
        "19 ns::Feed::Feed(Api*) stale",
    ];
    check("feed.cc", (CPP, &edited), &functions, &expected);
}

#[test]
fn functions_of_rust_are_found_by_their_lines() {
    let text = "impl<'a> Feed<'a> {\n    pub fn load<T: Into<u32>>(&'a self, limit: T) -> Vec<char> {\n        let quote = '\"';\n        match limit.into() { 0 => vec![quote], _ => vec!['{'] }\n    }\n\n    fn other(&self) {}\n}\n";
    let functions = [("demo::Feed::load", [3, 4])];
    check("feed.rs", (text, text), &functions, &["2 demo::Feed::load "]);
}
