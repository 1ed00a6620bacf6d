use wattle_power::*;
fn main() {
    let p = std::env::args().nth(1).unwrap();
    let t = wattle_ingest::read_paths(&[p.into()]).unwrap();
    println!("{:?} {}", t.device, t.window.duration());
    for (i, c) in t.cpus.iter().enumerate() {
        let mut f: Vec<_> = c.frequency.values().to_vec();
        f.sort();
        f.dedup();
        println!(
            "{i} freqs {} {:?}..{:?} idle {} busy {} sched {} irq {} online {}",
            f.len(),
            f.first(),
            f.last(),
            c.idle.len(),
            c.sched.busy(t.window),
            c.sched.len(),
            c.interrupts.len(),
            c.online.len()
        );
    }
    for m in [ModelChoice::Auto, ModelChoice::Curves, ModelChoice::Profile] {
        let mut o = PowerOptions::default();
        o.model = m;
        let s = std::time::Instant::now();
        let e = estimate(&t, &o).unwrap();
        println!("== {m:?} {:?} {:?}", e.model, s.elapsed());
        for tr in &e.tracks {
            println!(
                "  {} {:?} {} segs {} [{}]",
                tr.component,
                tr.scope,
                tr.energy(t.window),
                tr.len(),
                tr.window().duration()
            );
        }
        for n in &e.notes {
            println!("  {:?} {} x{}: {}", n.severity, n.code, n.count, n.text);
        }
        for r in &e.rails {
            println!("  {r:?}");
        }
        for r in &e.spread {
            println!("  {:?} {:?} {:?}", r.model.kind, r.model.name, r.cpu);
        }
        println!("  {:?}", e.battery);
    }
}
