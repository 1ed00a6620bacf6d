//! Writes a simulated trace, its device model and a table of the truth:
//! `cargo run -p wattle-sim --release --example write_trace -- TRACE [BYTES]`.
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use wattle_sim::{Truth, scenario, write_big};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("expected the file to write")?;
    let bytes: Option<u64> = arguments.next().map(|bytes| bytes.parse()).transpose()?;
    let out = BufWriter::new(File::create(&path)?);
    let begin = Instant::now();
    let (truth, _) = if let Some(bytes) = bytes {
        write_big(bytes, 1, out)?
    } else {
        let simulation = scenario::demo(1)?;
        std::fs::write(format!("{path}.model.toml"), simulation.device_model())?;
        simulation.write_trace(out)?
    };
    println!("{path}: {} bytes in {:.1?}", std::fs::metadata(&path)?.len(), begin.elapsed());
    print(&truth);
    Ok(())
}

fn print(truth: &Truth) {
    println!("{} in {}", truth.total, truth.end - truth.start);
    println!("  idle floor {}", truth.idle_floor.total());
    println!("  interrupts {}", truth.interrupts_total());
    println!("  wake transitions {}", truth.wake_transitions());
    println!("  profiling overhead {}", truth.profiling_overhead());
    for cluster in &truth.clusters {
        println!("  policy {}: {}, shared {}", cluster.policy, cluster.total(), cluster.shared);
    }
    for (method, joules) in truth.self_joules_by_method() {
        println!("  {:5.1} %  {joules:>8}  {method}", 100.0 * (joules / truth.total));
    }
    for thread in &truth.threads {
        let joules = thread.charges.total();
        println!(
            "  {:5.1} %  {joules:>8}  thread {}",
            100.0 * (joules / truth.total),
            thread.thread
        );
    }
}
