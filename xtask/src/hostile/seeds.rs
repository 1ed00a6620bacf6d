//! Well-formed files to damage: real recordings, the models of this repository, and what Wattle itself writes.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::damage_kind::{BINARY, Damage, TEXT};
use super::hostile_file::Reader;
use super::zip_writer::{ZipEntry, zip};
use crate::repository;

/// Bytes of a file that are used: the damage is the same in a large one, and reading it takes longer.
const LONGEST: usize = 120_000;

/// A well-formed file.
pub struct Seed {
    pub name: String,
    pub reader: Reader,
    pub bytes: Vec<u8>,
    /// The kinds of damage that suit it.
    pub damage: &'static [Damage],
}

/// Real recordings: reader, whether it is text, path below the folder of data.
const REAL: &[(Reader, &[Damage], &str)] = &[
    (Reader::Trace, BINARY, "perfetto/rails/rails_only_pixel7a_pixel7_5G_standby_0.perfetto-trace"),
    (Reader::Trace, BINARY, "perfetto/emanafa/trace-1626775333-1614351254.0"),
    (Reader::Trace, BINARY, "perfetto/pairs/cpu-spin_before.pftrace"),
    (Reader::Trace, BINARY, "art_trace/perflib-basic.trace"),
    (Reader::Trace, BINARY, "art_trace/perflib-basic-api10.trace"),
    (Reader::Trace, BINARY, "art_trace/perflib-streaming.trace"),
    (Reader::Trace, BINARY, "art_trace/firefox-art-trace-regular.trace.gz"),
    (Reader::Trace, BINARY, "perfdata/simpleperf-perf_g_fp.data"),
    (Reader::Trace, BINARY, "perfdata/simpleperf-perf_with_add_counter.data"),
    (Reader::Trace, BINARY, "perfdata/linux-perf-data-sleep.compressed.data"),
    (Reader::Trace, BINARY, "perfdata/linux-perf-data-sleep.compressed.pipe.data"),
    (Reader::Trace, BINARY, "perfdata/firefox-simpleperf-task-clock.trace.gz"),
    (Reader::Trace, BINARY, "etl/sawbuck-image_data_32_v1.etl"),
    (Reader::Trace, BINARY, "etl/sawbuck-process_data_64_v3.etl"),
    (Reader::Trace, BINARY, "etl/perfview-SelfDescribingSingleEvent.etl"),
    (Reader::Trace, BINARY, "etl/perfview-netfx-primitive-types.etl.zip"),
    (Reader::Trace, TEXT, "systrace/catapult-android_systrace.txt"),
    (Reader::Trace, BINARY, "systrace/catapult-compressed_atrace_data.txt"),
    (Reader::Trace, TEXT, "systrace/trappy-trace_surfaceflinger.html"),
    (Reader::Trace, TEXT, "logcat/ms-AndroidLogcatWSA.log"),
    (Reader::Trace, TEXT, "navitas_logs/navi_test-NavigationTest.child-2021.txt"),
    (Reader::Trace, TEXT, "navitas_logs/navi_test-logs-2021.json"),
    (Reader::Trace, TEXT, "batterystats/emanafa-energy_saving.log"),
    (Reader::Trace, TEXT, "batterystats/navitas-batterystats-1.txt"),
    (Reader::Trace, TEXT, "bugreport/chkbugreport-deadlock.txt"),
    (Reader::Trace, TEXT, "perf_script/ms-perf.data.txt"),
    (Reader::Trace, TEXT, "perf_script/flamegraph-perf-java-stacks-01-collapsed-all.txt"),
    (Reader::Package, BINARY, "dex/dex039.dex"),
    (Reader::Package, BINARY, "dex/const-method-handle.dex"),
    (Reader::Package, BINARY, "dex/smali-accessorTest.dex"),
    (Reader::Package, BINARY, "apk/apksig/golden-aligned-v1v2v3-lineage-out.apk"),
    (Reader::Package, BINARY, "apk/fdroid-v1.v2.sig_1020.apk"),
    (Reader::Package, BINARY, "apk/splits/tools-base-simple.apk"),
    (Reader::Model, TEXT, "power_profile/power_profile-mi9t-davinci.xml"),
    (Reader::Table, TEXT, "models/wattson/MT6858/cpu_2d.csv"),
    (Reader::ApiCosts, TEXT, "models/api-costs/linares-vasquez-2014.csv"),
];

/// All of them. `data` is the folder of real recordings; `program` makes what Wattle writes in `folder`.
pub fn seeds(data: &Path, program: &Path, folder: &Path) -> Result<Vec<Seed>> {
    let mut seeds = Vec::new();
    for (reader, damage, path) in REAL {
        let mut bytes = read(&data.join(path))?;
        let is_archive = path.ends_with(".apk") || path.ends_with(".zip") || path.ends_with(".dex");
        if !is_archive {
            bytes.truncate(LONGEST);
        }
        let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        seeds.push(Seed { name, reader: *reader, bytes, damage });
    }
    for name in ["tensor.toml", "generic-x86.toml"] {
        let path = repository::root().join("crates/wattle-power/models").join(name);
        seeds.push(Seed {
            name: name.into(),
            reader: Reader::Model,
            bytes: read(&path)?,
            damage: TEXT,
        });
    }
    seeds.push(meter());
    seeds.extend(written_by_wattle(data, program, folder)?);
    let members: Vec<_> = seeds
        .iter()
        .filter(|seed| seed.reader == Reader::Trace && seed.damage.len() == TEXT.len())
        .take(4)
        .map(|seed| ZipEntry::deflated(&seed.name, &seed.bytes))
        .collect();
    let archive = Seed {
        name: "bugreport.zip".into(),
        reader: Reader::Trace,
        bytes: zip(&members),
        damage: BINARY,
    };
    seeds.push(archive);
    Ok(seeds)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| path.display().to_string())
}

fn meter() -> Seed {
    let row = |nth: u32| format!("{},{},3.85\n", f64::from(nth) / 100.0, 800 + nth % 37);
    let rows: String = (0..1000).map(row).collect();
    let bytes = format!("Time (s),Power (mW),Voltage (V)\n{rows}").into_bytes();
    Seed { name: "meter.csv".into(), reader: Reader::Meter, bytes, damage: TEXT }
}

/// A ledger and a map of probes.
fn written_by_wattle(data: &Path, program: &Path, folder: &Path) -> Result<Vec<Seed>> {
    let run = |arguments: &[&std::ffi::OsStr]| -> Result<()> {
        let output = Command::new(program).args(arguments).current_dir(folder).output()?;
        if !output.status.success() {
            bail!("{}: {}", program.display(), String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    };
    let trace = data.join("perfetto/emanafa/trace-1626775333-1614351254.0");
    run(&[
        "report".as_ref(),
        trace.as_ref(),
        "--quiet".as_ref(),
        "--save".as_ref(),
        "seed.ledger.json.zst".as_ref(),
    ])?;
    let dex = data.join("dex/smali-accessorTest.dex");
    run(&[
        "instrument".as_ref(),
        dex.as_ref(),
        "--quiet".as_ref(),
        "--output".as_ref(),
        "seed.dex".as_ref(),
    ])?;
    let ledger = read(&folder.join("seed.ledger.json.zst"))?;
    let map = read(&folder.join("seed.probes.jsonl"))?;
    Ok(vec![
        Seed {
            name: "seed.ledger.json.zst".into(),
            reader: Reader::Ledger,
            bytes: ledger,
            damage: BINARY,
        },
        Seed { name: "seed.probes.jsonl".into(), reader: Reader::Trace, bytes: map, damage: TEXT },
    ])
}
