//! Packages and descriptions (models, mappings, ledgers, folders, symbols) with impossible structure.

use super::crafted::{DEPTH, files, nested};
use super::hostile_file::{Content, HostileFile, Reader};
use super::zip_writer::{ZipEntry, zip};

/// All of them.
pub(super) fn crafted() -> Vec<HostileFile> {
    let parts = [packages(), manifests(), models(), mappings(), ledgers(), folders(), symbols()];
    parts.concat()
}

fn packages() -> Vec<HostileFile> {
    let dex = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = vec![0; 0x70];
        file[..8].copy_from_slice(b"dex\n035\0");
        file[0x24..0x28].copy_from_slice(&0x70_u32.to_le_bytes());
        file[0x28..0x2c].copy_from_slice(&0x1234_5678_u32.to_le_bytes());
        change(&mut file);
        let length = file.len() as u32;
        file[0x20..0x24].copy_from_slice(&length.to_le_bytes());
        file
    };
    let mut list: Vec<(String, Vec<u8>)> = Vec::new();
    for at in (0x20..0x70).step_by(4) {
        let set = |file: &mut Vec<u8>| file[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        list.push((format!("word-{at:02x}.dex"), dex(&set)));
    }
    list.push((
        "of-4-gb-strings.dex".into(),
        dex(&|file| {
            file[0x38..0x40].copy_from_slice(&[0xff, 0xff, 0xff, 0x0f, 0x70, 0, 0, 0]);
            file.resize(1 << 20, 0);
        }),
    ));
    list.push((
        "overlapping-sections.dex".into(),
        dex(&|file| {
            for at in (0x38..0x68).step_by(8) {
                file[at..at + 4].copy_from_slice(&5000_u32.to_le_bytes());
                file[at + 4..at + 8].copy_from_slice(&0x70_u32.to_le_bytes());
            }
            file.resize(1 << 18, 1);
        }),
    ));
    list.push(("no-file.dex".into(), Vec::new()));
    list.push(("compact.dex".into(), b"cdex001\0".to_vec()));
    list.push(("container.dex".into(), [b"dex\n041\0".as_slice(), &[0xff; 400]].concat()));
    list.into_iter().map(|(name, file)| HostileFile::new(name, Reader::Package, file)).collect()
}

/// Binary manifests, each in a package.
fn manifests() -> Vec<HostileFile> {
    let chunk = |kind: u16, header: u16, content: &[u8]| {
        [
            &kind.to_le_bytes()[..],
            &header.to_le_bytes(),
            &(content.len() as u32 + 8).to_le_bytes(),
            content,
        ]
        .concat()
    };
    let words = |list: &[u32]| list.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>();
    let pool = chunk(1, 28, &[words(&[1, 0, 0x100, 32, 0, 0]), vec![1, 1, b'a', 0]].concat());
    let start = chunk(
        0x0102,
        16,
        &[words(&[1, u32::MAX, u32::MAX, 0]), vec![20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0]].concat(),
    );
    let xml = |chunks: &[u8]| chunk(3, 8, chunks);
    let pool_of = |strings: u32, styles: u32, from: u32| {
        chunk(1, 28, &[words(&[strings, styles, 0, from, from, 0]), vec![0xff; 64]].concat())
    };
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("text", b"<manifest package=\"a\"/>".to_vec()),
        ("deep", xml(&[pool.clone(), start.repeat(60_000)].concat())),
        ("4-gb-strings", xml(&pool_of(u32::MAX, 0, 28))),
        ("4-gb-styles", xml(&pool_of(1, u32::MAX, 28))),
        ("strings-outside", xml(&pool_of(8, 0, u32::MAX))),
        ("chunk-of-0", xml(&[pool.clone(), words(&[0x0010_0102, 0])].concat())),
        ("chunk-of-4-gb", xml(&[pool.clone(), words(&[0x0010_0102, u32::MAX])].concat())),
        ("size-of-4-gb", words(&[0x0008_0003, u32::MAX])),
        ("two-pools", xml(&pool.repeat(5000))),
        ("no-pool", xml(&start)),
    ];
    let package = |manifest: &[u8]| {
        zip(&[
            ZipEntry::deflated("AndroidManifest.xml", manifest),
            ZipEntry::stored("classes.dex", b"dex\n035\0"),
        ])
    };
    cases
        .into_iter()
        .map(|(name, manifest)| {
            HostileFile::new(format!("manifest-{name}.apk"), Reader::Package, package(&manifest))
        })
        .collect()
}

fn models() -> Vec<HostileFile> {
    let entity: String =
        (1..20).map(|nth| format!("<!ENTITY e{nth} \"&e{};&e{};\">", nth - 1, nth - 1)).collect();
    let laughs = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE d [<!ENTITY e0 \"ha\">{entity}]><device name=\"Android\"><item name=\"cpu.active\">&e19;</item></device>"
    );
    let profile = |items: &str| {
        format!("<?xml version=\"1.0\"?><device name=\"Android\">{items}</device>").into_bytes()
    };
    let array = |value: &str, count: usize| {
        format!(
            "<array name=\"cpu.core_speeds.cluster0\">{}</array>",
            format!("<value>{value}</value>").repeat(count)
        )
    };
    let curve = |rows: &str| {
        format!(
            "schema = \"wattle-device-model/1\"\nname = \"x\"\n[[clusters]]\ncpus = [0]\n{rows}\n"
        )
        .into_bytes()
    };
    files(
        Reader::Model,
        vec![
            ("laughs.power_profile.xml", laughs.into_bytes()),
            ("deep.power_profile.xml", nested("<array>", "</array>")),
            (
                "deep-profile.power_profile.xml",
                profile(&["<array name=\"a\">".repeat(DEPTH), "</array>".repeat(DEPTH)].concat()),
            ),
            (
                "nan.power_profile.xml",
                profile(
                    "<item name=\"cpu.active\">nan</item><item name=\"screen.on\">-1e308</item><item name=\"battery.capacity\">inf</item>",
                ),
            ),
            ("values.power_profile.xml", profile(&array("18446744073709551616", 100_000))),
            (
                "cpus.power_profile.xml",
                profile("<array name=\"cpu.clusters.cores\"><value>4294967295</value></array>"),
            ),
            (
                "not-closed.power_profile.xml",
                b"<?xml version=\"1.0\"?><device name=\"Android\"><item name=\"a".to_vec(),
            ),
            (
                "deep.toml",
                format!("a = {}", String::from_utf8_lossy(&nested("[", "]"))).into_bytes(),
            ),
            ("deep-keys.toml", format!("[{}a]\nb = 1\n", "a.".repeat(DEPTH)).into_bytes()),
            ("nan.toml", curve("curve = [[nan, -1.0], [1e308, inf]]")),
            ("cpus.toml", curve("cpus = [4294967295, 18446744073709551615]")),
            ("no-name.toml", b"schema = 5".to_vec()),
        ],
    )
}

fn mappings() -> Vec<HostileFile> {
    let class = |nth: usize| {
        format!("a.B{nth} -> a:\n    1:4294967295:void f():18446744073709551615:-1 -> f\n")
    };
    let chain = |nth: usize| format!("    1:1:void f{nth}():1:1 -> f\n");
    let mut configuration = files(
        Reader::Configuration,
        vec![
            (
                "deep.wattle.toml",
                format!("a = {}", String::from_utf8_lossy(&nested("[", "]"))).into_bytes(),
            ),
            ("types.wattle.toml", b"[report]\nmodel = 5\n[budgets]\nx = nan\n".to_vec()),
            ("not-utf8.wattle.toml", vec![0xff; 3000]),
        ],
    );
    let tables = vec![
        ("columns.table.csv", format!("a{}\n", ",a".repeat(100_000)).into_bytes()),
        (
            "nan.table.csv",
            format!("time,power,x\n{}", "nan,inf,-1e308\n".repeat(2000)).into_bytes(),
        ),
        ("same.table.csv", format!("time,power,x\n{}", "1,1,1\n".repeat(2000)).into_bytes()),
        ("not-utf8.table.csv", vec![0xfe; 4000]),
    ];
    configuration.extend(files(Reader::Table, tables));
    let costs = vec![
        ("negative.api-costs.toml", b"schema = \"wattle-api-costs/1\"\nname = \"x\"\n[[costs]]\nmethod = \"a.b\"\njoules = -1e308\n".to_vec()),
        ("methods.api-costs.csv", format!("method,joules\n{}", "a.b.C.f,nan\n".repeat(50_000)).into_bytes()),
    ];
    configuration.extend(files(Reader::ApiCosts, costs));
    configuration.extend(files(
        Reader::Mapping,
        vec![
            ("ranges.mapping.txt", (0..2000).map(class).collect::<String>().into_bytes()),
            (
                "inlined.mapping.txt",
                format!("a.B -> a:\n{}", (0..100_000).map(chain).collect::<String>()).into_bytes(),
            ),
            ("no-class.mapping.txt", b"    1:1:void f():1:1 -> f\n -> \n->\n".to_vec()),
            (
                "json.mapping.txt",
                format!("a.B -> a:\n# {}\n", String::from_utf8_lossy(&nested("[", "]")))
                    .into_bytes(),
            ),
            ("long-line.mapping.txt", format!("a.B -> {}:\n", "x".repeat(10 << 20)).into_bytes()),
        ],
    ));
    configuration
}

fn ledgers() -> Vec<HostileFile> {
    files(
        Reader::Ledger,
        vec![
            ("empty.ledger.json", b"{}".to_vec()),
            ("schema.ledger.json", b"{\"schema\":\"wattle-ledger/4294967295\"}".to_vec()),
            ("array.ledger.json", b"[]".to_vec()),
            ("open.ledger.json", b"{\"schema\":\"wattle-ledger/1\",\"accounts\":[{".to_vec()),
            ("deep-objects.ledger.json", nested("{\"schema\":", "}")),
            (
                "frame.ledger.json.zst",
                b"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff\xff\xff".to_vec(),
            ),
            ("no-frame.ledger.json.zst", b"\x28\xb5\x2f\xfd".to_vec()),
        ],
    )
}

/// Folders of recordings.
fn folders() -> Vec<HostileFile> {
    let folder = |name: &str, description: &str, more: &[(&str, &[u8])]| {
        let mut list = vec![("recording.json".to_owned(), description.as_bytes().to_vec())];
        list.extend(more.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())));
        HostileFile { name: name.to_owned(), reader: Reader::Trace, content: Content::Folder(list) }
    };
    let listed = |file: &str| {
        format!(
            "{{\"schema\":\"wattle-recording/1\",\"artifacts\":[{{\"file\":\"{file}\",\"kind\":\"perfetto\"}}]}}"
        )
    };
    let many = format!(
        "{{\"artifacts\":[{}{{\"file\":\"x\"}}]}}",
        "{\"file\":\"x\",\"kind\":\"logcat\"},".repeat(50_000)
    );
    let deep = String::from_utf8_lossy(&nested("{\"a\":[", "]}")).into_owned();
    let clocks = "{\"artifacts\":[{\"file\":\"a.txt\",\"kind\":\"logcat\"}],\"clocks\":[{\"host_before_ns\":9223372036854775807,\"device_real_ns\":-9223372036854775808,\"device_boot_ns\":-1,\"boot_step_ns\":9223372036854775807,\"host_after_ns\":-9223372036854775808,\"zone_minutes\":2147483647}]}";
    vec![
        folder("empty-description.recording", "", &[]),
        folder("deep-description.recording", &deep, &[]),
        folder("itself.recording", &listed("."), &[]),
        folder("upwards.recording", &listed("../../../../etc/passwd"), &[]),
        folder("absolute.recording", &listed("/dev/zero"), &[]),
        folder("device.recording", &listed("../../../../../../../../../../dev/zero"), &[]),
        folder("description.recording", &listed("recording.json"), &[]),
        folder("missing.recording", &listed("no.perfetto-trace"), &[]),
        folder("many.recording", &many, &[("x", b"07-01 12:00:00.000  1  1 I a: b\n")]),
        folder("clocks.recording", clocks, &[("a.txt", b"07-01 12:00:00.000  1  1 I a: b\n")]),
    ]
}

fn symbols() -> Vec<HostileFile> {
    let elf = |words: &[(usize, u64)]| {
        let mut file = vec![0; 4096];
        file[..16].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
        file[16..20].copy_from_slice(&[3, 0, 0xb7, 0]);
        for (at, value) in words {
            file[*at..*at + 8].copy_from_slice(&value.to_le_bytes());
        }
        file
    };
    files(
        Reader::Symbols,
        vec![
            ("sections.so", elf(&[(40, u64::MAX), (56, u64::MAX)])),
            ("section-count.so", elf(&[(40, 64), (58, 0xffff_ffff_0040)])),
            ("short.so", b"\x7fELF\x02\x01\x01".to_vec()),
            (
                "addresses.map",
                format!("{}\n", "ffffffffffffffff ffffffffffffffff f\n".repeat(10_000))
                    .into_bytes(),
            ),
            ("oat.vdex", [b"vdex027\0".as_slice(), &[0xff; 4000]].concat()),
        ],
    )
}
