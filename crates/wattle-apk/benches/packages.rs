//! Time to open, rewrite, sign and verify real packages.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark fails by panicking")]

use std::hint::black_box;
use std::time::SystemTime;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wattle_apk::{
    Alignment, Apk, ApkEditor, Compression, GeneratedKey, Manifest, ManifestEditor, SignOptions,
    SigningKey, sign, verify_for,
};

fn packages(criterion: &mut Criterion) {
    let key = SigningKey::generate(GeneratedKey::Rsa2048, "Bench", SystemTime::now()).unwrap();
    for name in ["droidbotApp", "nowinandroid-release-b227394536", "androguard-a2dp.Vol_137"] {
        let Some(bytes) = wattle_testdata::read(&format!("apk/{name}.apk")) else { return };
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(bytes.len() as u64)).sample_size(20);
        group.bench_function("open", |b| b.iter(|| Apk::open(black_box(&bytes)).unwrap()));
        let apk = Apk::open(&bytes).unwrap();
        group.bench_function("rewrite without changes", |b| {
            b.iter(|| ApkEditor::new(black_box(&apk)).finish(Alignment::default()).unwrap());
        });
        let code = apk.read("classes.dex").unwrap();
        group.bench_function("replace classes.dex", |b| {
            b.iter(|| {
                let mut editor = ApkEditor::new(black_box(&apk));
                editor.replace("classes.dex", &code, Compression::AsBefore).unwrap();
                editor.finish(Alignment::default()).unwrap()
            });
        });
        for (schemes, min_sdk) in [("v2+v3", 24), ("v1+v2+v3", 18)] {
            let options = SignOptions::for_min_sdk(min_sdk);
            group.bench_function(format!("sign {schemes}"), |b| {
                b.iter(|| sign(black_box(&bytes), &key, &options).unwrap());
            });
            let signed = sign(&bytes, &key, &options).unwrap();
            group.bench_function(format!("verify {schemes}"), |b| {
                b.iter(|| verify_for(black_box(&signed), min_sdk).unwrap());
            });
        }
        let manifest = apk.read(Apk::MANIFEST).unwrap();
        group.bench_function("read the manifest", |b| {
            b.iter(|| Manifest::parse(black_box(&manifest)).unwrap());
        });
        group.bench_function("edit the manifest", |b| {
            b.iter(|| {
                let mut editor = ManifestEditor::open(black_box(&manifest)).unwrap();
                editor.set_debuggable(true).unwrap();
                editor.set_profileable_by_shell().unwrap();
                editor.finish()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, packages);
criterion_main!(benches);
