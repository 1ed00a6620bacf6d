//! Cost of the framework's methods, beside the ledger.

use wattle_ledger::{
    CallQuantiles, CallStats, Ledger, PathEntry, ProcessEntry, SiteEntry, ThreadEntry,
};
use wattle_power::{ApiCosts, ApiMatch, ApiTable};
use wattle_timeline::{SiteKind, Window};
use wattle_units::{BootNanos, Joules, Nanos, Provenance};

const MAKE_TEXT: &str =
    "(Landroid/content/Context;Ljava/lang/CharSequence;I)Landroid/widget/Toast;";

fn site(kind: SiteKind, class: &str, method: &str, descriptor: Option<&str>) -> SiteEntry {
    SiteEntry {
        kind,
        class: class.to_owned(),
        method: method.to_owned(),
        descriptor: descriptor.map(str::to_owned),
        file: None,
        line: None,
        within: None,
        api: None,
    }
}

/// Sites, and how often each path was entered: (site, calls).
fn ledger(sites: Vec<SiteEntry>, paths: &[(Option<u32>, u64)]) -> Ledger {
    let mut ledger = Ledger::empty(Window::new(BootNanos::new(0), BootNanos::new(1_000)));
    ledger.rows.processes.push(ProcessEntry {
        pid: Some(1),
        name: "com.app".to_owned(),
        uid: None,
        package: None,
    });
    ledger.rows.threads.push(ThreadEntry {
        process: 0,
        tid: 1,
        name: "main".to_owned(),
        cpu: Nanos::ZERO,
    });
    ledger.rows.paths = paths
        .iter()
        .map(|(site, calls)| PathEntry {
            thread: 0,
            caller: None,
            name: "x".to_owned(),
            calls: *calls,
            self_cpu: Nanos::ZERO,
            probe_cpu: Nanos::ZERO,
            wall: Nanos::ZERO,
            site: *site,
            from_lines: Vec::new(),
            frame: None,
            samples: 0,
            clock_cpu: None,
        })
        .collect();
    ledger.rows.sites = sites;
    ledger
}

/// Orka's app that shows toasts: made and shown in a loop, from two places.
fn toasts(times: u64) -> Ledger {
    let toast = "android.widget.Toast";
    let sites = vec![
        site(SiteKind::Method, "com.app.Main", "onCreate", Some("(Landroid/os/Bundle;)V")),
        site(SiteKind::Call, toast, "show", Some("()V")),
        site(SiteKind::Call, toast, "makeText", Some(MAKE_TEXT)),
        site(SiteKind::Call, toast, "show", Some("()V")),
        site(SiteKind::Call, "com.example.Unknown", "call", None),
        site(SiteKind::Call, "android.util.Log", "never", None),
    ];
    let paths = [
        (None, 0),
        (Some(0), 1),
        (Some(1), times - 1),
        (Some(2), times),
        (Some(3), 1),
        (Some(4), 7),
    ];
    let mut ledger = ledger(sites, &paths);
    ledger.fill_api_sheet(ApiCosts::library());
    ledger
}

fn total(ledger: &Ledger) -> f64 {
    let apis = ledger.sheets.apis.apis.iter();
    let of = apis.filter_map(|api| Some(api.cost.as_ref()?.per_call.joules * api.calls as f64));
    of.map(Joules::value).sum()
}

#[test]
fn toasts_cost_what_orka_says() {
    assert!((total(&toasts(50)) - 0.421_933_34).abs() < 1e-13, "{}", total(&toasts(50)));
    assert!((total(&toasts(1)) - 0.008_438_666_8).abs() < 1e-15);
    let ledger = toasts(50);
    let sheet = &ledger.sheets.apis;
    let names: Vec<_> =
        sheet.apis.iter().map(|api| (&*api.class, &*api.method, api.calls)).collect();
    let toast = "android.widget.Toast";
    assert_eq!(
        names,
        [(toast, "makeText", 50), (toast, "show", 50), ("com.example.Unknown", "call", 7)]
    );
    let apis: Vec<_> = ledger.rows.sites.iter().map(|site| site.api).collect();
    assert_eq!(apis, [None, Some(1), Some(0), Some(1), Some(2), None]);
    assert_eq!(sheet.call_coverage(), (100, 107));
    assert_eq!(sheet.method_coverage(), (2, 3));
    assert_eq!(sheet.tables.len(), 1);
    assert_eq!((sheet.tables[0].methods, sheet.tables[0].provenance), (806, Provenance::Assumed));
    let cost = sheet.apis[0].cost.as_ref().unwrap();
    assert_eq!((cost.matched, cost.table, cost.greedy), (ApiMatch::Exact, 0, true));
    assert!(ledger.bookings.is_empty(), "nothing of it is booked");
}

#[test]
fn a_saved_ledger_takes_another_table() {
    let mut ledger = toasts(50);
    let quantiles = CallQuantiles { p50: Joules::ZERO, p95: Joules::ZERO, max: Joules::new(1.0) };
    ledger.sheets.call_stats.push(CallStats {
        site: Some(0),
        name: "onCreate".to_owned(),
        calls: 1,
        joules: Some(quantiles),
        api_joules: Some(quantiles),
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ledger.json.zst");
    std::fs::write(&path, ledger.to_bytes().unwrap()).unwrap();
    let mut loaded = Ledger::load(&path).unwrap();
    assert_eq!(loaded, ledger);
    let text = "format = 'wattle-api-costs/1'\nname = 'own'\nprovenance = 'measured'\nerror = 0\n\
                [costs]\n'android.widget.Toast.show()' = 0.5\n'com.example.Unknown.call(int)' = 0.25";
    let mut costs = ApiCosts::library().clone();
    costs.add(ApiTable::parse("own", text).unwrap());
    loaded.fill_api_sheet(&costs);
    assert!((total(&loaded) - (50.0 * (0.007_864_691 + 0.5) + 7.0 * 0.25)).abs() < 1e-9);
    assert_eq!(loaded.sheets.apis.method_coverage(), (3, 3));
    assert_eq!(
        (loaded.sheets.call_stats[0].joules, loaded.sheets.call_stats[0].api_joules),
        (Some(quantiles), None)
    );
    loaded.fill_api_sheet(ApiCosts::library());
    assert_eq!(loaded.sheets.apis, ledger.sheets.apis);
    loaded.fill_api_sheet(&ApiCosts::default());
    assert_eq!(loaded.sheets.apis.method_coverage(), (0, 3));
}

#[test]
fn without_calls_there_is_no_sheet() {
    let mut ledger = ledger(vec![site(SiteKind::Method, "a.B", "c", None)], &[(Some(0), 3)]);
    ledger.fill_api_sheet(ApiCosts::library());
    assert!(ledger.sheets.apis.is_empty() && ledger.sheets.apis.tables.is_empty());
}
