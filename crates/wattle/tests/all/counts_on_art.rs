//! Calls of the framework, counted in a real Android runtime: by the probes, by stand-ins for the framework's classes, and by the
//! arithmetic of the program.

use std::collections::BTreeMap;

use crate::counted;
use crate::counted::{Counted, Counts, Place};
use wattle_testdata::requires;

const MAIN: &str = "com.app.Main";

/// Returns the calls in `Main.java`, from its text: caller behind `com.app.`, callee behind `android.`, number of
/// calls.
fn known() -> BTreeMap<(String, String), u64> {
    let inner = || (0..7_u64).flat_map(|i| (0..=i).map(move |j| i + j));
    let thirds = inner().filter(|sum| sum % 3 == 0).count() as u64;
    let halves = inner().filter(|sum| sum % 3 != 0 && sum % 2 == 0).count() as u64;
    let rest = |rest| (0..22).filter(|i| i % 4 == rest).count() as u64;
    let toast = "(Landroid/content/Context;Ljava/lang/CharSequence;I)Landroid/widget/Toast;";
    let toast_of_number = "(Landroid/content/Context;II)Landroid/widget/Toast;";
    let log = "util.Log.i(Ljava/lang/String;Ljava/lang/String;";
    let start = "app.Activity.startActivity(Landroid/content/Intent;)V";
    let intent = "content.Intent.<init>(Ljava/lang/String;)V";
    let put = "os.Bundle.putInt(Ljava/lang/String;I)V";
    let preferences =
        "getSharedPreferences(Ljava/lang/String;I)Landroid/content/SharedPreferences;";
    let listen = "view.View.setOnClickListener(Landroid/view/View$OnClickListener;)V";
    let all = [
        ("Screen.<init>", "app.Activity.<init>()V".to_owned(), 1),
        ("Screen.onCreate", "app.Activity.onCreate(Landroid/os/Bundle;)V".to_owned(), 1),
        ("Screen.onCreate", "app.Activity.setContentView(I)V".to_owned(), 1),
        ("Screen.findViewById", "app.Activity.findViewById(I)Landroid/view/View;".to_owned(), 1),
        ("Main.<init>", "view.View.<init>()V".to_owned(), 1),
        ("Main$Item.<init>", intent.to_owned(), 10),
        ("Main$Worker.run", "view.View.postInvalidate()V".to_owned(), 4 * 25),
        ("Main.onCreate", "app.Activity.setContentView(I)V".to_owned(), 1),
        ("Main.onCreate", "os.Bundle.getInt(Ljava/lang/String;)I".to_owned(), 1),
        ("Main.onCreate", "view.View.getId()I".to_owned(), 1),
        ("Main.onCreate", format!("app.Activity.{preferences}"), 1),
        ("Main.nested", format!("widget.Toast.makeText{toast}"), 7 * 8 / 2),
        ("Main.nested", "widget.Toast.show()V".to_owned(), thirds),
        ("Main.nested", "widget.Toast.cancel()V".to_owned(), halves),
        ("Main.thrown", intent.to_owned(), 1),
        ("Main.thrown", "content.Intent.<init>()V".to_owned(), 1),
        ("Main.thrown", start.to_owned(), 20),
        ("Main.thrown", "view.View.getId()I".to_owned(), 15),
        ("Main.thrown", "view.View.invalidate()V".to_owned(), 20),
        ("Main.leaves", "content.Intent.<init>()V".to_owned(), 3),
        ("Main.leaves", start.to_owned(), 3),
        ("Main.thrownThrough", put.to_owned(), 3),
        ("Main.thrownThrough", format!("{log}Ljava/lang/Throwable;)I"), 3),
        ("Main.tower", "view.View.invalidate()V".to_owned(), (1 << 6) - 1),
        // even(7) comes down by 7, 5, 3, 1; odd(4) by 3, 1.
        ("Main.even", "view.View.getId()I".to_owned(), 4 + 2),
        ("Main.clicks", listen.to_owned(), 1),
        ("Main.clicks", format!("{log})I"), 1),
        ("Main.clicks", "view.View.performClick()Z".to_owned(), 12),
        ("Main$1.onClick", "view.View.getId()I".to_owned(), 12),
        ("Main$1.onClick", format!("widget.Toast.makeText{toast_of_number}"), 12),
        ("Main$1.onClick", "widget.Toast.show()V".to_owned(), 12),
        ("Main.switched", "os.Bundle.getInt(Ljava/lang/String;)I".to_owned(), rest(0)),
        ("Main.switched", "os.Bundle.getInt(Ljava/lang/String;I)I".to_owned(), rest(1)),
        ("Main.switched", put.to_owned(), rest(1) + rest(2)),
        ("Main.together", "view.View.getId()I".to_owned(), 9 + 5),
        ("Main.main", "os.Bundle.<init>()V".to_owned(), 1),
    ];
    let name = |caller: &str| format!("com.app.{caller}");
    all.into_iter()
        .map(|(caller, api, count)| ((name(caller), format!("android.{api}")), count))
        .collect()
}

/// Of which calls it is known that they threw, which Orka does not log.
const THROWN: [(&str, u64); 2] = [("com.app.Main.thrown", 5), ("com.app.Main.leaves", 3)];

/// Lines that the program prints.
const PRINTS: u64 = 4;

/// Number of runs of methods, from the text.
const RUNS: [(&str, u64); 9] = [
    ("com.app.Main.tower(I)V", (1 << 7) - 1),
    ("com.app.Main.even(I)Z", 4 + 2),
    ("com.app.Main.odd(I)Z", 4 + 3),
    ("com.app.Main.leaves(Landroid/os/Bundle;)V", 3),
    ("com.app.Main$Item.<init>()V", 6),
    ("com.app.Main$Item.<init>(Ljava/lang/String;)V", 10),
    ("com.app.Main$Worker.run()V", 4),
    ("com.app.Main$1.onClick(Landroid/view/View;)V", 12),
    ("com.app.Screen.findViewById(I)Landroid/view/View;", 1),
];

/// The stand-ins tell the class that declares a method; a call counts for the first class outside of the app.
fn by_landing(counts: Counts) -> Counts {
    let landing = |place: Place| {
        let api = place.api.replace("content.ContextWrapper.getShared", "app.Activity.getShared");
        Place { api, ..place }
    };
    counts.into_iter().map(|(place, count)| (landing(place), count)).collect()
}

fn without_lines(counts: &Counts) -> BTreeMap<(String, String), u64> {
    let mut all = BTreeMap::new();
    for (place, count) in counts {
        *all.entry((place.caller.clone(), place.api.clone())).or_default() += count;
    }
    all
}

/// Without packages of the app and descriptors: where methods or calls on one line share a name, Orka's lines leave open which
/// of them it was, and the probe map cannot tell.
fn in_short(place: &Place) -> Place {
    Place {
        caller: place.caller.trim_start_matches("com.app.").to_owned(),
        line: place.line,
        api: place.api.split('(').next().unwrap().to_owned(),
    }
}

/// All in short, without calls that threw.
fn without_thrown(counts: &Counts) -> Counts {
    let mut all = Counts::new();
    for (place, count) in counts {
        let is_start = place.api.contains(".startActivity(");
        let thrown = THROWN.iter().find(|it| it.0 == place.caller && is_start);
        let left = count - thrown.map_or(0, |it| it.1);
        if left > 0 {
            *all.entry(in_short(place)).or_default() += left;
        }
    }
    all
}

fn all_in_short(counts: &Counts) -> Counts {
    let mut all = Counts::new();
    for (place, count) in counts {
        *all.entry(in_short(place)).or_default() += count;
    }
    all
}

#[track_caller]
fn check_same(what: &str, found: &Counts, expected: &Counts) {
    for (place, count) in expected {
        assert_eq!(found.get(place), Some(count), "{what}: {place:?}");
    }
    let invented: Vec<_> =
        found.iter().filter(|(place, _)| !expected.contains_key(place)).collect();
    assert!(invented.is_empty(), "{what}: {invented:?}");
}

#[requires(
    env = "WATTLE_ART",
    program = "javac",
    program = "java",
    program = "smali",
    program = "dexdump"
)]
#[test]
fn of_each_method_and_api() {
    let program = Counted::make("counts-on-art", &counted::sources("counted"));
    let (plain, said) = program.plain(MAIN);
    let plain = by_landing(plain);
    assert_eq!(without_lines(&plain), known(), "without probes");
    assert!(plain.keys().all(|place| place.line.is_some()));
    for (mode, sink) in [
        ("apis", "file"),
        ("both", "file"),
        ("apis", "logcat"),
        ("both", "logcat"),
        ("apis", "trace"),
        ("both", "trace"),
        ("both", "orka"),
    ] {
        let what = format!("{mode} {sink}");
        let recorded = program.recorded(MAIN, mode, sink);
        assert_eq!(recorded.said, said, "{what}: what the program prints");
        check_same(&format!("{what}: the stand-ins"), &by_landing(recorded.counted), &plain);
        let (_, ledger) = counted::report(&recorded.artifacts, &[]);
        // The program prints; of that the stand-ins know nothing.
        let (found, printed): (Counts, Counts) = counted::calls(&ledger)
            .into_iter()
            .partition(|(place, _)| place.api.starts_with("android."));
        let prints = printed.keys().all(|it| it.api.starts_with("java.io.PrintStream.println"));
        assert!(prints && printed.values().sum::<u64>() == PRINTS, "{what}: {printed:?}");
        if sink == "orka" {
            check_same(&what, &all_in_short(&found), &without_thrown(&plain));
            continue;
        }
        check_same(&what, &found, &plain);
        let methods = counted::methods(&ledger);
        for (method, runs) in RUNS.iter().filter(|_| mode == "both") {
            assert_eq!(methods.get(*method), Some(runs), "{what}: {method}");
        }
    }
}
