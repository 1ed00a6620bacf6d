//! API costs: the table of the 2014 study in full, and tables that cannot be.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use wattle_power::{ApiCost, ApiCosts, ApiMatch, ApiName, ApiRow, ApiSignature, ApiTable};
use wattle_testdata::requires;
use wattle_units::{Joules, Provenance};

/// The study's own rows: a signature and joules.
fn published() -> Vec<(String, f64)> {
    let bytes = wattle_testdata::bytes("models/api-costs/linares-vasquez-2014.csv");
    let text = String::from_utf8(bytes).unwrap();
    let row = |line: &str| {
        let (signature, joules) = line.rsplit_once(',').unwrap();
        (signature.to_owned(), joules.parse().unwrap())
    };
    text.lines().map(row).collect()
}

/// As bytecode names it; the result is no part of a table.
fn bytecode(signature: &ApiSignature) -> (String, String, String) {
    let (class, method) = (signature.class().to_owned(), signature.method().to_owned());
    (class, method, signature.descriptor() + "V")
}

fn find<'a>(
    costs: &'a ApiCosts,
    class: &str,
    method: &str,
    descriptor: Option<&str>,
) -> ApiCost<'a> {
    let found = costs.find(&ApiName { class, method, descriptor });
    found.unwrap_or_else(|| panic!("{class}.{method}{descriptor:?}"))
}

#[requires(data)]
#[test]
fn all_published_rows_are_found_both_ways() {
    let published = published();
    let library = ApiCosts::library();
    assert_eq!(published.len(), 806);
    let (mut constructors, mut inner, mut zeros) = (0, 0, 0);
    for (text, joules) in &published {
        let signature = ApiSignature::parse(text).unwrap();
        let (class, method, descriptor) = bytecode(&signature);
        let back = ApiSignature::of_bytecode(&class, &method, &descriptor).unwrap();
        assert_eq!(format!("{back}---"), *text);
        assert_eq!(back, signature);
        let found = find(library, &class, &method, Some(&descriptor));
        assert_eq!(found.per_call.joules.value(), *joules, "{text}");
        assert_eq!((found.matched, &*found.signature), (ApiMatch::Exact, &text[..text.len() - 3]));
        assert_eq!(found.per_call.provenance, Provenance::Assumed);
        assert!(found.per_call.interval.contains(found.per_call.joules));
        assert!(found.per_call.interval.low >= Joules::ZERO);
        constructors += u32::from(method == "<init>");
        inner += u32::from(class.contains('$'));
        zeros += u32::from(found.per_call.joules == Joules::ZERO);
    }
    assert_eq!((constructors, inner, zeros), (90, 40, 9));
    assert_eq!(library.tables()[0].rows().len(), published.len());
}

/// Checks that overloads are kept apart, which a key of the name alone would lose: 806 rows are 732 names, of which 60
/// have several rows.
#[requires(data)]
#[test]
fn overloads_are_kept_apart() {
    let published = published();
    let mut names: BTreeMap<&str, Vec<&(String, f64)>> = BTreeMap::new();
    for row in &published {
        names.entry(row.0.split('(').next().unwrap()).or_default().push(row);
    }
    let several: Vec<_> = names.values().filter(|rows| rows.len() > 1).collect();
    assert_eq!((names.len(), several.len()), (732, 60));
    for rows in several {
        let signature = ApiSignature::parse(&rows[0].0).unwrap();
        let found = find(ApiCosts::library(), signature.class(), signature.method(), None);
        let mean = rows.iter().map(|row| row.1).sum::<f64>() / rows.len() as f64;
        assert!((found.per_call.joules.value() - mean).abs() <= 1e-12 * mean, "{rows:?}");
        assert_eq!(found.matched, ApiMatch::Overloads);
        for (_, joules) in rows {
            assert!(found.per_call.interval.contains(Joules::new(*joules)), "{rows:?}");
        }
        assert!(!found.signature.contains('('), "{}", found.signature);
    }
    let of = |descriptor| {
        find(ApiCosts::library(), "android.util.Log", "i", Some(descriptor)).per_call.joules.value()
    };
    let (short, long) = (
        of("(Ljava/lang/String;Ljava/lang/String;)I"),
        of("(Ljava/lang/String;Ljava/lang/String;Ljava/lang/Throwable;)I"),
    );
    assert!((long / short - 24.0).abs() < 0.1, "{short} {long}");
}

/// 131 is the number of energy-greedy methods that the study gives.
#[test]
fn greedy_methods_of_the_study() {
    let library = ApiCosts::library();
    let table = &library.tables()[0];
    let greedy = table.rows().iter().filter(|row| table.is_greedy(row.joules)).count();
    assert_eq!(greedy, 131);
    let found = find(library, "android.app.Activity", "setContentView", Some("(I)V"));
    assert!(found.greedy);
    let found =
        find(library, "android.app.Activity", "findViewById", Some("(I)Landroid/view/View;"));
    assert_eq!((found.greedy, found.per_call.joules.value()), (true, 0.000_423_541));
}

/// Orka's two apps: a toast once, and fifty times.
#[test]
fn toasts() {
    let library = ApiCosts::library();
    let made = find(
        library,
        "android.widget.Toast",
        "makeText",
        Some("(Landroid/content/Context;Ljava/lang/CharSequence;I)Landroid/widget/Toast;"),
    );
    let shown = find(library, "android.widget.Toast", "show", Some("()V"));
    let once = made.per_call.joules + shown.per_call.joules;
    assert!((once.value() - 0.008_438_666_8).abs() < 1e-15, "{once:?}");
    assert!((once.value() * 50.0 - 0.421_933_34).abs() < 1e-13, "{once:?}");
}

#[track_caller]
fn check(class: &str, method: &str, descriptor: &str, expected: Option<(ApiMatch, &str)>) {
    let descriptor = Some(descriptor).filter(|descriptor| !descriptor.is_empty());
    let found = ApiCosts::library().find(&ApiName { class, method, descriptor });
    let found = found.map(|found| (found.matched, found.signature.into_owned()));
    let expected = expected.map(|(matched, signature)| (matched, signature.to_owned()));
    assert_eq!(found, expected, "{class}.{method}{descriptor:?}");
}

#[test]
fn what_is_not_there_is_looked_for_above() {
    use ApiMatch::{Exact, Inherited, Overloads};
    // The framework's own subclasses.
    let of_view = "android.view.View.setVisibility(int)";
    check("android.view.View", "setVisibility", "(I)V", Some((Exact, of_view)));
    check("android.widget.Button", "setVisibility", "(I)V", Some((Inherited, of_view)));
    let set_content = "android.app.Activity.setContentView(int)";
    check("android.app.ListActivity", "setContentView", "(I)V", Some((Inherited, set_content)));
    // Constructors are their class's own.
    let context = "(Landroid/content/Context;)V";
    check(
        "android.webkit.WebView",
        "<init>",
        context,
        Some((Exact, "android.webkit.WebView.WebView(android.content.Context)")),
    );
    check("android.app.Dialog", "<init>", "()V", None);
    check("android.widget.ZoomButton", "<init>", context, None);
    // Other parameters, or none that are known.
    let log = "android.util.Log.i";
    check("android.util.Log", "i", "(I)I", Some((Overloads, log)));
    check("android.util.Log", "i", "", Some((Overloads, log)));
    check("android.util.Log", "i", "(not a descriptor", Some((Overloads, log)));
    check("android.widget.Toast", "show", "", Some((Overloads, "android.widget.Toast.show()")));
    check("android.widget.Button", "setVisibility", "", Some((Overloads, of_view)));
    // Nobody's.
    check("android.util.Log", "nothing", "()V", None);
    check("com.example.Main", "setContentView", "(I)V", None);
    check("", "", "", None);
}

#[test]
fn ways_to_write_a_signature() {
    #[track_caller]
    fn check(text: &str, class: &str, method: &str, descriptor: &str) {
        let found = ApiSignature::parse(text).unwrap();
        let found = (found.class(), found.method(), found.descriptor());
        assert_eq!(found, (class, method, descriptor.to_owned()), "{text}");
    }
    check("a.B.c()---", "a.B", "c", "()");
    check(
        "a.B.c(java.util.List<java.util.Map<K,V>>#T)",
        "a.B",
        "c",
        "(Ljava/util/List;Ljava/lang/Object;)",
    );
    check("a.B.c(int..., long[][])", "a.B", "c", "([I[[J)");
    check("a.B.B(a.B.C)", "a.B", "<init>", "(La/B$C;)");
    check("a.B.C.B.C(int)", "a.B$C", "<init>", "(I)");
    check("a.B.C.C(int)", "a.B$C", "<init>", "(I)");
    check("a.B$C.<init>(int)", "a.B$C", "<init>", "(I)");
    check("a.a.a()", "a.a", "a", "()");
    check(
        "android.widget.LinearLayout.LayoutParams.setMargins(int)",
        "android.widget.LinearLayout$LayoutParams",
        "setMargins",
        "(I)",
    );
    for text in [
        "",
        "()",
        "a()",
        "a.b",
        "a.b(",
        "a.b)(",
        "a.b(x y)",
        "a..b()",
        "a.b(int#)",
        "a.b(<)",
        "a.b(List<)",
        "a.b\n.c()",
    ] {
        assert_eq!(ApiSignature::parse(text), None, "{text:?}");
    }
}

fn table(text: &str) -> ApiTable {
    ApiTable::parse("own.toml", text).unwrap()
}

const HEAD: &str =
    "format = 'wattle-api-costs/1'\nname = 'own'\nprovenance = 'modelled'\nerror = 0.1\n";

#[test]
fn later_tables_count_for_what_they_have() {
    let mut costs = ApiCosts::library().clone();
    let own = "[costs]\n'android.widget.Toast.show()' = { joules = 0.001, error = 0.2, calls = 40 }\n\
        'android.view.View.setVisibility(long)' = 1";
    costs.add(table(&format!("{HEAD}{own}")));
    let found = find(&costs, "android.widget.Toast", "show", Some("()V"));
    assert_eq!((found.table, found.matched, found.greedy), (1, ApiMatch::Exact, false));
    assert_eq!(found.per_call.provenance, Provenance::Modelled);
    let half = found.per_call.interval.half_width().value();
    assert!((half - 0.001 * 0.2 * 1.644_853_6).abs() < 1e-10, "{half}");
    // What it does not have is still found; what it has exactly goes before names alone.
    assert_eq!(find(&costs, "android.view.View", "setVisibility", Some("(I)V")).table, 0);
    assert_eq!(find(&costs, "android.view.View", "setVisibility", None).table, 1);
    assert_eq!(
        find(&costs, "android.view.View", "setVisibility", Some("(Z)V")).per_call.provenance,
        Provenance::Assumed
    );
    // A table of the same name goes.
    costs.add(table(&format!("{HEAD}[costs]\n'a.B.c()' = 0")));
    assert_eq!(find(&costs, "android.widget.Toast", "show", Some("()V")).table, 0);
    assert_eq!(
        (costs.tables().len(), find(&costs, "a.B", "c", None).per_call.joules),
        (2, Joules::ZERO)
    );
}

#[test]
fn tables_that_cannot_be() {
    #[track_caller]
    fn check(text: &str, part: &str) {
        let error = ApiTable::parse("own.toml", text).unwrap_err().to_string();
        assert!(error.starts_with("own.toml: ") && error.contains(part), "{error}");
    }
    let cost = |cost: &str| format!("{HEAD}[costs]\n\"a.B.c(int)\" = {cost}");
    for wrong in ["nan", "-1", "-0.1e-9", "inf", "1e6"] {
        check(&cost(wrong), "joules a call from 0");
        check(&cost(&format!("{{ joules = {wrong} }}")), "joules a call from 0");
    }
    for wrong in ["nan", "-1", "1e9"] {
        check(&cost(&format!("{{ joules = 1, error = {wrong} }}")), "relative error");
    }
    check(&cost("1e999"), "overflow");
    check(&cost("'much'"), "expected joules a call");
    check(&cost("{ joules = 1, calls = -1 }"), "expected joules a call");
    check(&format!("{}\n\"a.B.c(int)\" = 2", cost("1")), "duplicate key");
    check(&format!("{}\n\"a.B.c(int)---\" = 2", cost("1")), "two of a.B.c(int)");
    check(&format!("{}\n\"a.B.C.B.C(int)\" = 2\n\"a.B$C.<init>(int)\" = 2", cost("1")), "two of");
    check(&format!("{HEAD}[costs]\n'no method' = 1"), "no method");
    check(&format!("{HEAD}[costs]\n"), "1 to");
    check(HEAD, "costs");
    check(&HEAD.replace("/1", "/2"), "wattle-api-costs/1");
    check(
        &HEAD.replace("0.1", "nan").replace("\nname", "\ncosts = { 'a.B.c()' = 1 }\nname"),
        "relative error",
    );
    check("nothing", "expected");
    check("", "format");
    check(&format!("{HEAD}extra = 1\n[costs]"), "extra");
    let many: BTreeSet<String> = (0..5000).map(|n| format!("'a.B.c{n}()' = 1")).collect();
    let many = many.into_iter().collect::<Vec<_>>().join("\n");
    assert_eq!(table(&format!("{HEAD}[costs]\n{many}")).methods, 5000);
}

#[test]
fn what_looks_wrong_is_said() {
    #[track_caller]
    fn check(costs: &str, place: &str, words: &str) {
        let defects = table(&format!("{HEAD}[costs]\n{costs}")).defects();
        let said = defects.iter().any(|it| it.place == place && it.text.contains(words));
        assert!(said, "{defects:?}");
    }
    check("'a.B.c()' = 500", "a.B.c()", "millijoules");
    check("'a.B.c()' = { joules = 1, error = 2 }", "a.B.c()", "larger than itself");
    check("'a.B.c()' = 0", "table", "1 methods cost nothing");
    check("'a.B.c()' = 1", "table", "source");
    check("'a.B.c()' = 1", "table", "too few");
    let library = &ApiCosts::library().tables()[0];
    let said: Vec<_> = library.defects().into_iter().map(|defect| defect.text).collect();
    assert_eq!(said, ["9 methods cost nothing at all"]);
    assert!(ApiTable::is_one(&library.to_toml()));
    assert!(!ApiTable::is_one("format = 'wattle-device-model/1'"));
}

proptest! {
    #[test]
    fn nothing_panics(class in ".{0,40}", method in ".{0,20}", descriptor in "\\(.{0,20}\\).{0,3}") {
        let library = ApiCosts::library();
        let _ = library.find(&ApiName { class: &class, method: &method, descriptor: Some(&descriptor) });
        let _ = ApiSignature::parse(&format!("{class}.{method}{descriptor}"));
        let _ = ApiTable::parse("x", &class);
    }

    #[test]
    fn bytecode_comes_back(
        class in "[a-z]{1,3}(/[a-z]{1,3}){0,2}/[A-Z][a-z]{0,3}(\\$[A-Z][a-z]{0,3}){0,2}",
        method in "<init>|[a-z][A-Za-z0-9]{0,5}",
        parameters in proptest::collection::vec("\\[{0,3}([IJZBCSFD]|L[a-z]{1,3}/[A-Z][a-z]{0,3}(\\$[A-Z])?;)", 0..5),
    ) {
        let descriptor = format!("({})", parameters.concat());
        let java = class.replace('/', ".");
        // Java lets no class have the name of one around it.
        let simple = java.rsplit('.').next().unwrap_or_default();
        prop_assume!(simple.split('$').collect::<BTreeSet<_>>().len() == simple.split('$').count());
        let of = ApiSignature::of_bytecode(&java, &method, &format!("{descriptor}V")).unwrap();
        let back = ApiSignature::parse(&of.to_string()).unwrap();
        prop_assert_eq!((back.class(), back.method(), back.descriptor()), (&*java, &*method, descriptor));
    }

    #[test]
    fn written_tables_are_read(joules in proptest::collection::vec(0.0..1e5_f64, 1..30), error in 0.0..10.0_f64) {
        let rows = joules.iter().enumerate().map(|(n, joules)| ApiRow {
            signature: ApiSignature::parse(&format!("a.B.c{n:02}(int#a.D.E)")).unwrap(),
            joules: Joules::new(*joules),
            error: (n % 2 == 0).then_some(error),
            calls: (n % 3 == 0).then_some(n as u64),
        });
        let of = ApiTable::new("a \"name\"", "", Provenance::Measured, (error, "said"), rows.collect()).unwrap();
        prop_assert_eq!(ApiTable::parse("x", &of.to_toml()).unwrap(), of);
    }
}
