//! A small run of the benchmark. The published figures come from `cargo xtask gate-bench`.

#![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]

use wattle_gate_bench::{GateRun, GateTool, KindScore, SeriesKind, SuiteCounts, ToolName};

/// Another seed than those of tuning (1 to 9, 2026) and of the published figures.
const SEED: u64 = 40;

#[test]
fn wattle_finds_more_with_fewer_alarms_than_rules_for_the_newest_commit() {
    let run = GateRun { suites: SuiteCounts { null: 1, stepped: 1 }, seed: SEED, threads: 2 };
    let scores = run.score(&GateTool::all());
    let score = |kind, tool| scores.get(&(kind, tool)).expect("every tool is scored");
    let mut alarms = 0.0;
    for kind in SeriesKind::ALL {
        let ours = score(kind, ToolName::WattleWithReruns);
        alarms += ours.false_alarms();
        for tool in [
            ToolName::BencherTTest,
            ToolName::BencherIqr,
            ToolName::RustcPerfFence,
            ToolName::FivePercent,
        ] {
            let theirs = score(kind, tool).f1();
            assert!(ours.f1() > theirs, "{kind:?}: F1 {} against {tool:?}'s {theirs}", ours.f1());
        }
        assert!(ours.right_signs() >= 0.99, "{kind:?}: directions {}", ours.right_signs());
        assert!(ours.similarity() >= 0.8, "{kind:?}: similarity {}", ours.similarity());
        assert!(ours.runs_per_commit() >= 5.0 && ours.quiet_runs_per_commit() <= 25.0);
    }
    // One suite of each kind: 50 commits, in which half an alarm is allowed each.
    assert!(alarms / SeriesKind::ALL.len() as f64 <= 2.0, "{alarms}");
    let gaussian = score(SeriesKind::Gaussian, ToolName::WattleWithReruns);
    assert!(gaussian.found_soon(2) >= 0.8, "{}", gaussian.found_soon(2));
}

#[test]
fn scores_follow_from_the_seed_alone() {
    let score = |seed, threads| {
        let suites = SuiteCounts { null: 1, stepped: 1 };
        let rule = GateTool::Rule(wattle_gate_bench::PointRule::BencherTTest, 1.0);
        GateRun { suites, seed, threads }.score(&[rule])
    };
    assert_eq!(score(SEED, 1), score(SEED, 3));
    assert_ne!(score(SEED, 1), score(SEED + 1, 1));
    let gaussian = score(SEED, 1).remove(&(SeriesKind::Gaussian, ToolName::BencherTTest));
    // 1 % on either side of 2,500 values: 50, more for a deviation of a sample.
    let alarms = gaussian.as_ref().map_or(0.0, KindScore::false_alarms);
    assert!((60.0..200.0).contains(&alarms), "{alarms}");
}
