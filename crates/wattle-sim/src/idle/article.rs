//! The example of Intel's article on its Power Auto-Analyzer.

use wattle_units::{BootNanos, Nanos};

use super::code_maker::{CodeMaker, IdleSystem, Leaf};
use super::{Background, Behaviour, CodePath, IdleMachine, IdleProcess, IdleThread, TimerBeat};
use crate::SplitMix64;

impl IdleMachine {
    /// A game that nobody plays: process `AfterMouse.race` (1464), whose thread 2084 has peaks with an event about every 5 ms, four of
    /// them in twenty seconds, among threads and processes that do next to nothing.
    pub fn article(seed: u64) -> Self {
        let random = SplitMix64::new(seed).fork(0xA27);
        let mut code = CodeMaker::new(IdleSystem::Windows64, random.fork(1));
        let modules = code.modules("AfterMouse.race");
        let quiet = |tid, rate, code: &mut CodeMaker| IdleThread {
            tid,
            name: String::new(),
            background: Background { rate, median: Nanos::new(60_000), deviation: 0.6 },
            background_path: code.path("wait", Leaf::Wait, 0),
            behaviours: Vec::new(),
        };
        let mut culprit = quiet(2084, 0.5, &mut code);
        let path = code.path("pollInput", Leaf::Sleep, 4);
        culprit.behaviours = peaks(&path);
        let threads = vec![
            quiet(1468, 2.0, &mut code),
            quiet(1996, 1.0, &mut code),
            culprit,
            quiet(2100, 0.3, &mut code),
        ];
        let game =
            IdleProcess { pid: 1464, name: "AfterMouse.race".into(), uid: 1000, modules, threads };
        let mut code = CodeMaker::new(IdleSystem::Windows64, random.fork(2));
        let modules = code.modules("svchost.exe");
        let threads = vec![quiet(804, 4.0, &mut code), quiet(812, 1.5, &mut code)];
        let service =
            IdleProcess { pid: 800, name: "svchost.exe".into(), uid: 0, modules, threads };
        Self {
            cores: 4,
            duration: Nanos::from_seconds(20.0),
            start: BootNanos::new(812_345_678_900),
            processes: vec![game, service],
            files: Vec::new(),
            timer_requests: Vec::new(),
            sampling: Some(Nanos::new(1_000_000)),
            seed,
        }
    }
}

fn peaks(path: &CodePath) -> Vec<(Behaviour, CodePath)> {
    let peaks = [(2.0, 1.4), (6.5, 1.1), (11.2, 1.8), (16.0, 1.3)];
    let peak = |(start, length)| Behaviour::Timer {
        start: Nanos::from_seconds(start),
        length: Some(Nanos::from_seconds(length)),
        period: Nanos::new(5_000_000),
        beat: TimerBeat::Absolute,
        jitter: 0.05,
        run: Nanos::new(450_000),
    };
    peaks.map(|it| (peak(it), path.clone())).to_vec()
}
