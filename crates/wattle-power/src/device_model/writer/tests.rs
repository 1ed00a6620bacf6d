//! Whatever is written is read back equal.

use proptest::prelude::*;
use wattle_timeline::CpuId;
use wattle_units::Hertz;

use super::super::{
    BasePower, DependsOn, DsuClock, ErrorSizes, GpuCurve, GpuPoint, Measure, PolicyId,
    RAIL_NUMBERS, RailCorrection, RailNumber, RailRecording, TpuPoint,
};
use super::*;
use crate::ModelMatch;
use crate::{
    CoefficientUnit, Component, CorrectionInput, Intercept, LinearTerm, ResidualQuantile,
    SupportPoint,
};

#[track_caller]
fn check(model: &DeviceModel) {
    let text = model.to_toml();
    let read = DeviceModel::parse(&model.name, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(&read, model, "{text}");
}

#[test]
fn models_of_the_library_are_read_as_they_were_written() {
    for model in crate::library() {
        check(model);
    }
}

/// A rail of the policy that every model here has.
fn rail() -> impl Strategy<Value = RailCorrection> {
    // A power of a file is in milliwatts.
    let numbers = || {
        let number = (0.0..9.0, 1e-6..9.0);
        prop::collection::vec(number, RAIL_NUMBERS).prop_map(|all| {
            std::array::from_fn(|at| {
                let (value, deviation) = all[at];
                if !RailCorrection::is_power(at) {
                    return RailNumber { value, deviation };
                }
                let [value, deviation] =
                    [value, deviation].map(|it| Watts::from_milliwatts(it).value());
                RailNumber { value, deviation }
            })
        })
    };
    let correlations = || prop::collection::vec(-1.0..1.0, 10);
    let correlations =
        || correlations().prop_map(|all: Vec<f64>| std::array::from_fn(|at| all[at]));
    let recording = (".{0,9}", "[a-z]{0,5}", 0_u32..99, numbers(), numbers(), correlations());
    let recording = recording.prop_map(|(name, device, periods, expected, found, correlations)| {
        RailRecording { name, device, periods, expected, found, correlations }
    });
    (".{0,9}", numbers(), prop::collection::vec(recording, 0..3)).prop_map(
        |(rail, numbers, mut recordings): (String, _, Vec<RailRecording>)| {
            recordings.sort_by(|one, other| one.name.cmp(&other.name));
            recordings.dedup_by(|one, other| one.name == other.name);
            RailCorrection { rail, policies: vec![PolicyId(1)], numbers, recordings }
        },
    )
}

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(".{0,12}", 0..4)
}

/// A figure as a file has it: in milliwatts.
fn watts() -> impl Strategy<Value = Watts> {
    prop_oneof![0.0..1e4, -1e-3..1e-3, (0_u32..5000).prop_map(f64::from)]
        .prop_map(Watts::from_milliwatts)
}

fn khz() -> impl Strategy<Value = Hertz> {
    (1_u64..5_000_000).prop_map(Hertz::from_kilohertz)
}

fn power(interconnect: bool) -> impl Strategy<Value = StatePower> {
    let l3 = prop_oneof![Just([0.0; 2]), [0.0..9.0, 0.0..9.0]];
    (watts(), [watts(), watts(), watts()], watts(), l3).prop_map(
        move |(shared, core, connected, l3)| StatePower {
            shared,
            core,
            interconnect: if interconnect { connected } else { Watts::ZERO },
            l3: l3.map(Watts::new),
        },
    )
}

fn policy(id: u32) -> impl Strategy<Value = Policy> {
    let on = (prop_oneof![Just(9_u32), Just(255)], khz())
        .prop_map(|(policy, frequency)| DependsOn { policy: PolicyId(policy), frequency });
    let dependent = prop::collection::btree_map(
        khz(),
        prop::collection::btree_map(on, power(true), 1..4),
        1..6,
    );
    let alone = prop::collection::btree_map(khz(), power(false), 1..9).prop_map(|rows| {
        let only = |power| [(DependsOn::default(), power)].into_iter().collect();
        rows.into_iter().map(|(khz, power)| (khz, only(power))).collect()
    });
    let rows = prop_oneof![
        dependent.prop_map(|rows| (true, rows)),
        alone.prop_map(
            |rows: std::collections::BTreeMap<
                Hertz,
                std::collections::BTreeMap<DependsOn, StatePower>,
            >| (false, rows)
        ),
    ];
    let exits = prop::collection::vec(0_i64..1_000_000, 1..5);
    (rows, exits, any::<bool>(), ".{0,9}").prop_map(
        move |((depends, rows), exits, vote, source)| {
            let rows: Vec<Row> = rows
                .into_iter()
                .map(|(frequency, cells)| Row {
                    frequency,
                    cells: cells.into_iter().map(|(on, power)| Cell { on, power }).collect(),
                })
                .collect();
            let all = || rows.iter().flat_map(|row| &row.cells).map(|cell| cell.on);
            let lowest = all().map(|on| on.frequency).min().unwrap_or_default();
            let default_vote = all().find(|on| on.frequency == lowest).unwrap_or_default();
            Policy {
                id: PolicyId(id),
                cpus: (0..exits.len() as u32).map(|n| CpuId(id * 8 + n)).collect(),
                deep_idle_exit: exits.into_iter().map(Nanos::new).collect(),
                vote_by: if vote { VoteBy::Frequency } else { VoteBy::Power },
                source,
                rows,
                depends,
                default_vote,
            }
        },
    )
}

fn provenance() -> impl Strategy<Value = Provenance> {
    prop_oneof![Just(Provenance::Measured), Just(Provenance::Modelled), Just(Provenance::Assumed)]
}

fn figures() -> impl Strategy<Value = Figures> {
    let figure = (
        prop::collection::vec(-1e6..1e6, 1..6),
        prop::sample::select(Measure::ALL.to_vec()),
        ".{0,9}",
        provenance(),
        prop::option::of(0.0..10.0),
    )
        .prop_map(|(values, unit, source, provenance, error)| Figure {
            values,
            unit,
            source,
            provenance,
            error,
        });
    prop::collection::btree_map("[a-z.]{1,20}", figure, 0..6).prop_map(|all| {
        let mut figures = Figures::default();
        for (name, figure) in all {
            figures.insert(name, figure);
        }
        figures
    })
}

fn linear() -> impl Strategy<Value = LinearModel> {
    let units = ["mW", "mW/core", "mW/GHz", "nJ/B", "mJ", "mJ/run"];
    let term = (
        -1e4..1e4,
        prop::sample::select(units.to_vec()),
        prop::option::of(0.0..1e3),
        ".{0,9}",
        provenance(),
    );
    let terms = prop::collection::btree_map(("[a-z.]{1,20}", "[a-z]{1,9}"), term, 1..5);
    let intercept =
        (watts(), prop::option::of((0.0..9.0).prop_map(Watts::from_milliwatts)), provenance());
    let residuals = prop::collection::btree_map(1_u32..99, 0.0..50.0, 0..9);
    (terms, prop::option::of(intercept), residuals, prop::option::of(1.0..1e3), ".{0,9}").prop_map(
        |(terms, intercept, residuals, freedom, source)| {
            let mut at = -100.0;
            LinearModel {
                intercept: intercept.map(|(power, error, provenance)| Intercept {
                    power,
                    error,
                    source: String::new(),
                    provenance,
                }),
                terms: terms
                    .into_iter()
                    .map(
                        |(
                            (parameter, component),
                            (coefficient, unit, error, source, provenance),
                        )| {
                            LinearTerm {
                                parameter,
                                component: Component::from(component),
                                between: error.map(|from| [from, from + 1.5]),
                                coefficient,
                                unit: CoefficientUnit::named(unit).unwrap(),
                                error,
                                source,
                                provenance,
                            }
                        },
                    )
                    .collect(),
                residuals: residuals
                    .into_iter()
                    .map(|(percent, step)| {
                        at += step;
                        ResidualQuantile {
                            quantile: f64::from(percent) / 100.0,
                            power: Watts::from_milliwatts(at),
                        }
                    })
                    .collect(),
                freedom,
                mean: freedom.map(Watts::from_milliwatts),
                interval: freedom.map(|freedom| [-0.1 / freedom, 0.2]),
                every: freedom,
                correction: freedom.map(correction),
                table: freedom.map(|_| LinearTable {
                    target: source.clone(),
                    unit: "uW".to_owned(),
                    duration: Some("\"seconds\"".to_owned()),
                    columns: vec![("a.b".to_owned(), "`A (%)` * 2^-3".to_owned())],
                    fills: vec![("a.b".to_owned(), 1.5)],
                }),
                source,
            }
        },
    )
}

fn correction(value: f64) -> LinearCorrection {
    LinearCorrection {
        inputs: vec![CorrectionInput {
            parameter: "cpu.busy".to_owned(),
            centre: -value,
            reach: value / 3.0,
        }],
        share: 0.75,
        level: value.ln(),
        points: vec![
            SupportPoint { weight: 1e-7 * value, place: vec![value] },
            SupportPoint { weight: -value, place: vec![0.0] },
        ],
        residuals: vec![ResidualQuantile { quantile: 0.5, power: Watts::from_milliwatts(value) }],
        interval: Some([-0.25, value]),
    }
}

fn models() -> impl Strategy<Value = DeviceModel> {
    let head = (".{1,12}", any::<u32>(), ".{0,30}", words(), words(), words(), words());
    let base = prop::option::of([watts(), watts(), watts(), watts()]);
    let gpu =
        prop::option::of(prop::collection::btree_map(khz(), [watts(), watts(), watts()], 1..5));
    let tpu = prop::collection::vec((0_u32..3, 0_u64..999, 0_u32..9, watts()), 0..5);
    let error = prop::option::of((0.0..2.0, 0.0..2.0, prop::option::of(1.0..50.0), ".{0,9}"));
    let residual = ("[A-C]", prop::option::of(khz()), any::<bool>(), 0.1..9.0);
    let body = (
        (prop::option::of(policy(0)), policy(1), figures(), prop::option::of(linear())),
        (base, gpu, tpu, error, prop::collection::vec(residual, 0..4), prop::option::of(rail())),
        prop::collection::vec(0_u8..2, 1..4),
        any::<bool>(),
    );
    (head, body).prop_map(|(head, body)| {
        let (name, version, source, socs, devices, boards, remarks) = head;
        let ((first, second, figures, linear), rest, idle_states, current) = body;
        let (base, gpu, tpu, error, residuals, rails) = rest;
        DeviceModel {
            name,
            version,
            source,
            licence: String::new(),
            matching: ModelMatch { socs, devices, boards, ..ModelMatch::default() },
            remarks,
            unit: if current { FigureUnit::Current } else { FigureUnit::Power },
            base: base.map(|[suspend, awake, active, floor]| BasePower {
                suspend,
                awake,
                active,
                floor,
            }),
            idle_states,
            dsu: Some(DsuClock {
                devfreq: vec!["devfreq_dsu".to_owned()],
                guest: current.then_some(Hertz::from_kilohertz(610_000)),
            }),
            policies: first.into_iter().chain([second]).collect(),
            gpu: gpu.map(|points| GpuCurve {
                id: 1,
                points: points
                    .into_iter()
                    .map(|(frequency, by_state)| GpuPoint { frequency, by_state })
                    .collect(),
            }),
            tpu: tpu
                .into_iter()
                .map(|(cluster, clock, requests, power)| TpuPoint {
                    cluster,
                    clock,
                    requests,
                    power,
                })
                .collect(),
            figures,
            linear,
            rails: if current { Vec::new() } else { rails.into_iter().collect() },
            residuals: residuals
                .into_iter()
                .map(|(specimen, khz, is_idle, ratio)| Residual {
                    policy: PolicyId(1),
                    specimen,
                    kind: match (khz, is_idle) {
                        (Some(khz), _) => ResidualKind::Active(khz),
                        (None, true) => ResidualKind::Idle,
                        (None, false) => ResidualKind::Static,
                    },
                    ratio,
                })
                .collect(),
            error: error.map(|(shared, own, freedom, source)| ErrorSizes {
                shared,
                own,
                freedom,
                source,
            }),
        }
    })
}

proptest! {
    #[test]
    fn any_model_is_read_as_it_was_written(model in models()) {
        check(&model);
    }
}
