use wattle_power::*;
use wattle_timeline::*;
use wattle_units::*;
fn main() {
    for (soc, n) in [("Tensor", 190_000u64), ("Tensor", 380_000), ("Tensor G5", 190_000)] {
        let mut t = Timeline::default();
        t.device.soc = Some(soc.into());
        let freqs: [&[u64]; 3] = [
            &[300000, 574000, 738000, 1401000, 1803000],
            &[400000, 553000, 1197000, 2253000],
            &[500000, 851000, 2802000],
        ];
        let mut x = 12345u64;
        let mut r = move || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        };
        let mut end = 0;
        for c in 0..8usize {
            let mut cpu = CpuTimeline::default();
            let mut now = 1000i64;
            let f = freqs[usize::from(c >= 4) + usize::from(c >= 6)];
            for i in 0..n {
                now += (r() % 100_000) as i64 + 1;
                if i % 8 == 0 {
                    cpu.frequency.push(
                        BootNanos::new(now),
                        Hertz::from_kilohertz(f[(r() % f.len() as u64) as usize]),
                    );
                }
                cpu.idle.push(BootNanos::new(now), IdleState([-1, 0, 1][(i % 3) as usize]));
            }
            end = end.max(now);
            t.cpus.push(cpu);
        }
        t.window = Window::new(BootNanos::new(0), BootNanos::new(end));
        let changes: usize = t.cpus.iter().map(|c| c.idle.len() + c.frequency.len()).sum();
        let s0 = std::time::Instant::now();
        library();
        println!("library {:?}", s0.elapsed());
        let mut o = PowerOptions::default();
        o.model = ModelChoice::Curves;
        for _ in 0..3 {
            let s = std::time::Instant::now();
            let e = estimate(&t, &o).unwrap();
            println!(
                "{soc} {changes} changes {:?} tracks {} segs {}",
                s.elapsed(),
                e.tracks.len(),
                e.tracks.iter().map(|t| t.len()).sum::<usize>()
            );
        }
    }
}
