//! Counters of the server in the text form of Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the histogram of durations, in seconds.
const BOUNDS: [f64; 10] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0];

/// Counters of requests, connections, uploads and views.
#[derive(Debug, Default)]
pub struct ServedMetrics {
    /// By the first digit of the status.
    statuses: [AtomicU64; 6],
    durations: [AtomicU64; 10],
    requests: AtomicU64,
    micros: AtomicU64,
    opened: AtomicU64,
    closed: AtomicU64,
    uploaded: AtomicU64,
    views_made: AtomicU64,
    views_kept: AtomicU64,
    limited: AtomicU64,
}

impl ServedMetrics {
    /// Counts an answer.
    pub fn answered(&self, status: u16, took: Duration) {
        let class = usize::from(status / 100).min(5);
        self.statuses[class].fetch_add(1, Ordering::Relaxed);
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(took.as_micros() as u64, Ordering::Relaxed);
        let seconds = took.as_secs_f64();
        if let Some(at) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            self.durations[at].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a connection.
    pub fn connection_opened(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts its end.
    pub fn connection_closed(&self) {
        self.closed.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts bytes of uploads.
    pub fn uploaded(&self, bytes: u64) {
        self.uploaded.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts a view that was asked for, and whether it was kept already.
    pub fn view(&self, was_kept: bool) {
        let counter = if was_kept { &self.views_kept } else { &self.views_made };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that came too fast.
    pub fn limited(&self) {
        self.limited.fetch_add(1, Ordering::Relaxed);
    }

    /// All of them, and gauges of others: name, help, value.
    pub fn text(&self, gauges: &[(&str, &str, u64)]) -> String {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut text = String::new();
        let mut put = |line: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line}");
        };
        put(format_args!("# HELP wattle_requests_total Requests that were answered."));
        put(format_args!("# TYPE wattle_requests_total counter"));
        for class in 1..6 {
            let value = get(&self.statuses[class]);
            put(format_args!("wattle_requests_total{{status=\"{class}xx\"}} {value}"));
        }
        put(format_args!("# HELP wattle_request_seconds Duration of requests."));
        put(format_args!("# TYPE wattle_request_seconds histogram"));
        let mut sum = 0;
        for (bound, counter) in BOUNDS.iter().zip(&self.durations) {
            sum += get(counter);
            put(format_args!("wattle_request_seconds_bucket{{le=\"{bound}\"}} {sum}"));
        }
        let all = get(&self.requests);
        put(format_args!("wattle_request_seconds_bucket{{le=\"+Inf\"}} {all}"));
        let seconds = get(&self.micros) as f64 * 1e-6;
        put(format_args!("wattle_request_seconds_sum {seconds}"));
        put(format_args!("wattle_request_seconds_count {all}"));
        let closed = get(&self.closed);
        let counters = [
            ("wattle_upload_bytes_total", "Bytes of uploads.", get(&self.uploaded)),
            ("wattle_views_made_total", "Views that were made.", get(&self.views_made)),
            ("wattle_views_kept_total", "Views that were kept.", get(&self.views_kept)),
            ("wattle_rate_limited_total", "Requests refused by rate.", get(&self.limited)),
        ];
        for (name, help, value) in counters {
            put(format_args!("# HELP {name} {help}"));
            put(format_args!("# TYPE {name} counter"));
            put(format_args!("{name} {value}"));
        }
        let open = get(&self.opened).saturating_sub(closed);
        let own = [("wattle_connections", "Open connections.", open)];
        for (name, help, value) in own.iter().chain(gauges) {
            put(format_args!("# HELP {name} {help}"));
            put(format_args!("# TYPE {name} gauge"));
            put(format_args!("{name} {value}"));
        }
        text
    }
}
