//! Records of perf.data in every form that a file can have.

#[path = "../../../wattle-ingest/tests/all/perf_data_writer.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod writer;

use wattle_stacks::perf_file::{Damage, PerfFile, PerfFileError, PerfRecord, is_perf_data};
use writer::{Form, START, Writer, story};

const WRITERS: [Writer; 4] =
    [Writer::Perf, Writer::Simpleperf1, Writer::Simpleperf2, Writer::SimpleperfRecords];

/// Files of each recorder, in both orders of bytes, as a file and as a stream.
fn files() -> impl Iterator<Item = (Form, Vec<u8>)> {
    WRITERS.into_iter().flat_map(|writer| {
        let orders = [(false, false), (false, true), (true, false), (true, true)];
        orders.into_iter().map(move |(is_big, is_pipe)| {
            let form = Form { is_big, is_pipe, writer };
            (form, story(form))
        })
    })
}

#[test]
fn records_of_every_form() {
    let mut forms = 0;
    for (form, bytes) in files() {
        assert!(is_perf_data(&bytes));
        let file = PerfFile::parse(&bytes).unwrap();
        assert_eq!((file.order().is_big, file.header().is_pipe), (form.is_big, form.is_pipe));
        assert!(file.damage().is_empty(), "{form:?}: {:?}", file.damage());
        assert_eq!(file.metadata().events.list.len(), 2, "{form:?}");
        let (mut samples, mut names, mut mappings, mut lost) = (Vec::new(), Vec::new(), 0, 0);
        let mut last = 0;
        for timed in file.records() {
            assert!(timed.time >= last, "{form:?}: records are in order of time");
            last = timed.time;
            match file.fields(&timed.record) {
                Some(PerfRecord::Sample { sample, .. }) => samples.push((timed.time, sample.tid)),
                Some(PerfRecord::ThreadName(thread)) => names.push(thread.name.to_vec()),
                Some(PerfRecord::Mapping(_)) => mappings += 1,
                Some(PerfRecord::Lost { count, .. }) => lost += count,
                Some(_) => {}
                None => panic!("{form:?}: a record ends before its fields do: {timed:?}"),
            }
        }
        let expected = [5, 10, 30, 40, 50].map(|after| START + after);
        let times: Vec<_> = samples.iter().map(|(time, _)| *time).collect();
        assert_eq!(times, expected, "{form:?}");
        assert_eq!(samples[0].1, Some((7, 7)), "{form:?}");
        assert!(names.contains(&b"RenderThread".to_vec()), "{form:?}: {names:?}");
        assert!(mappings > 0 && lost == 3, "{form:?}: {mappings} mappings, {lost} lost");
        forms += 1;
    }
    assert_eq!(forms, 16);
}

#[test]
fn a_cut_file_gives_the_beginning() {
    for (form, bytes) in files() {
        let whole = PerfFile::parse(&bytes).unwrap().len();
        for end in 0..bytes.len() {
            match PerfFile::parse(&bytes[..end]) {
                Err(error) if end < 8 => assert_eq!(error, PerfFileError::NotPerfData),
                Err(error) => assert_eq!(error, PerfFileError::HeaderCut, "{form:?}, {end} bytes"),
                Ok(file) => {
                    let records = file.records();
                    let fields = records.filter_map(|timed| file.fields(&timed.record)).count();
                    assert!(fields <= whole, "{form:?}, {end} bytes");
                }
            }
        }
    }
}

#[test]
fn bytes_that_are_no_records_are_stepped_over() {
    let form = Form { is_big: false, is_pipe: true, writer: Writer::Perf };
    let mut bytes = story(form);
    let whole = PerfFile::parse(&bytes).unwrap().len();
    let at = PerfFile::parse(&bytes).unwrap().records().next().unwrap().record.at;
    bytes.splice(at..at, [0; 16]);
    let file = PerfFile::parse(&bytes).unwrap();
    assert_eq!(file.damage(), [Damage::NotRecords { at, bytes: 16 }]);
    assert_eq!(file.len(), whole);
}
