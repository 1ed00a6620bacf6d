//! Rails beside estimates that have not seen them.

use wattle_ledger::{AttributionOptions, JudgedRail, judged_rails};
use wattle_power::PowerOptions;
use wattle_testdata::requires;

fn judged(file: &str) -> Vec<JudgedRail> {
    let path = wattle_testdata::path(file);
    let timeline = wattle_ingest::read_paths(&[path]).expect("a timeline");
    let estimate = wattle_power::estimate(&timeline, &PowerOptions::default()).expect("power");
    println!("virtual {:?} rails {}", timeline.device.virtual_device(), timeline.energy.rails.len());
    judged_rails(&timeline, &estimate, &AttributionOptions::default()).expect("rails")
}

#[requires(data)]
#[test]
fn dump() {
    for file in [
        "perfetto/api32_startup_warm_pixel6a.perfetto-trace",
        "perfetto/rails/api32_odpm_rails_pixel6.perfetto-trace",
        "perfetto/pairs/cpu-spin_before.pftrace",
    ] {
        println!("{file}");
        for rail in judged(file) {
            println!("{} {} {:?}", rail.rail, rail.measured.value(), rail.plain);
            for (kind, stretches) in [("p", &rail.periods), ("w", &rail.windows)] {
                for it in stretches {
                    let fitted = it.fitted.expect("fit");
                    println!(
                        "{kind} {} {:.3} {:.2} mJ | plain {:.2} [{:.2} {:.2}] | fit {:.2} [{:.2} {:.2}] {}",
                        it.block, it.seconds, it.measured.millijoules(),
                        it.plain.joules.millijoules(), it.plain.interval.low.millijoules(), it.plain.interval.high.millijoules(),
                        fitted.joules.millijoules(), fitted.interval.low.millijoules(), fitted.interval.high.millijoules(),
                        fitted.interval.contains(it.measured)
                    );
                }
            }
        }
    }
}
