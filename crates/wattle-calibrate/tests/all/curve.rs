//! Curves from a few measured clocks, held against whole curves that were measured.

use wattle_calibrate::{CurveCalibration, Table, curve_points};
use wattle_power::{DependsOn, DeviceModel};
use wattle_timeline::CpuId;
use wattle_units::Hertz;

fn calibrate(text: &str, known: Option<&DeviceModel>) -> CurveCalibration {
    let table = Table::parse("points.csv", text.as_bytes()).unwrap();
    CurveCalibration::new(&curve_points(&table, known).unwrap(), known).unwrap()
}

/// freqbench's figures of the big core of the Tensor SoC (gs101): five of its eighteen clocks, and three others.
#[test]
fn five_points_say_the_others() {
    let found = calibrate(
        "cluster,khz,mw,cpus\n6,500000,53,6-7\n6,1106000,152,6-7\n6,1826000,382,6-7\n6,2401000,820,6-7\n\
         6,2850000,1517,6-7\n",
        None,
    );
    let model = found.device_model("gs101", "test", None);
    let policy = &model.policies[0];
    assert_eq!(policy.cpus, [CpuId(6), CpuId(7)]);
    for (khz, milliwatts) in
        [(851_000, 102.0), (1_582_000, 277.0), (2_188_000, 645.0), (2_630_000, 1126.0)]
    {
        let said =
            policy.power(Hertz::from_kilohertz(khz), DependsOn::default()).core[0].milliwatts();
        assert!((said / milliwatts - 1.0).abs() < 0.15, "{khz}: {said} {milliwatts}");
    }
    let rising = found.clusters[0]
        .curve
        .windows(2)
        .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
    assert!(rising && found.warnings.is_empty(), "{found:?}");
    assert!(found.clusters[0].left_out_error.unwrap() < 0.3);
    assert_eq!(DeviceModel::parse("x", &model.to_toml()).unwrap(), model);
}

/// One of the five is a factor of two off.
#[test]
fn a_wild_point_is_left_out_and_said() {
    let found = calibrate(
        "cluster,khz,mw,cpus\n6,500000,53,6-7\n6,1106000,152,6-7\n6,1826000,900,6-7\n6,2401000,820,6-7\n\
         6,2850000,1517,6-7\n",
        None,
    );
    assert_eq!(found.clusters[0].rejected, [(1_826_000, 900.0)]);
    assert!(found.warnings[0].contains("does not fit"), "{:?}", found.warnings);
}

const OLD: &str = "format = 'wattle-device-model/1'\nname = 'old'\nversion = 1\n[[policy]]\nid = 4\ncpus = [4, 5]\n\
                   curve = [[400000, 1, 10, 1, 0], [800000, 1, 20, 1, 0], [1600000, 1, 60, 1, 0]]";

#[test]
fn clocks_and_cpus_are_those_of_the_model_it_goes_into() {
    let old = DeviceModel::parse("old", OLD).unwrap();
    let found = calibrate("cluster,khz,mw\n4,400000,30\n4,1000000,90\n4,1600000,250\n", Some(&old));
    let clocks: Vec<u64> = found.clusters[0].curve.iter().map(|point| point.0).collect();
    assert_eq!(clocks, [400_000, 800_000, 1_600_000]);
    let merged = old.merge(&found.device_model("new", "measured", None)).unwrap();
    assert_eq!(merged.replaced, ["policy 4"]);
    assert_eq!(merged.model.policies[0].cpus, old.policies[0].cpus);
    assert!(merged.model.policies[0].source.contains("3 measured clocks"));
}

#[test]
fn what_is_missing_is_said() {
    let check = |text: &str, words: &str| {
        let table = Table::parse("points.csv", text.as_bytes()).unwrap();
        let error = curve_points(&table, None).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    check("cluster,khz\n0,1\n", "\"mw\"");
    check("cluster,khz,mw\n0,300000,10\n", "--into");
    check("cluster,khz,mw,cpus\n0,300000,-10,0-3\n", "above 0");
    check("cluster,khz,mw,cpus\n0,300000,10,3-0\n", "0-3");
    check("cluster,khz,mw,cpus\n0.5,300000,10,0-3\n", "whole number");
    check("cluster,khz,mw,cpus\n0,many,10,0-3\n", "a number");
}
