//! Names, lines and inlined functions of ELF files, against what binutils and LLVM say of the same files.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::{Bench, PROGRAM, addr2line, functions, in_elf, shown, tool};
use wattle_symbols::{ElfImage, demangle};
use wattle_testdata::requires;
use wattle_timeline::FrameAddress;

const OWN: [&str; 3] = ["leaf", "outer", "main"];

/// Each byte of each function of the program is what another tool says that it is. Returns how many of them are inlined.
#[track_caller]
fn check_lines(file: &Path, judge: &str) -> usize {
    let listed = functions(file, &[]);
    let own = listed.iter().filter(|(.., name)| OWN.contains(&name.as_str()));
    let addresses: Vec<u64> = own.flat_map(|(start, size, _)| *start..start + size).collect();
    assert!(addresses.len() > 40, "{} addresses", addresses.len());
    let expected = addr2line(judge, file, &addresses);
    let bytes = std::fs::read(file).unwrap();
    let image = ElfImage::parse(&[&bytes]).unwrap();
    let lookups: Vec<FrameAddress> = addresses.iter().map(|it| in_elf(*it)).collect();
    let found = image.places(&lookups);
    for ((address, found), expected) in addresses.iter().zip(&found).zip(&expected) {
        assert_eq!(&shown(found), expected, "{judge} {address:x} of {}", file.display());
    }
    found.iter().filter(|places| places.len() == 3).count()
}

type Build = (&'static str, &'static [&'static str]);

const GCC: [Build; 2] = [("gcc", &["-O2", "-g"]), ("gcc", &["-O2", "-gdwarf-4"])];
const CLANG: [Build; 3] = [
    ("clang", &["-O2", "-g"]),
    ("clang", &["-O2", "-g", "-fPIE", "-pie", "-gz"]),
    ("clang", &["-O0", "-g", "-no-pie"]),
];

#[requires(program = "gcc", program = "nm", program = "addr2line")]
#[test]
fn lines_and_inlined_functions_of_gcc() {
    check_builds(&GCC, &["addr2line"]);
}

#[requires(
    program = "gcc",
    program = "clang",
    program = "nm",
    program = "addr2line",
    program = "llvm-addr2line",
    program = "llvm-symbolizer"
)]
#[test]
fn lines_and_inlined_functions() {
    check_builds(&[&GCC[..], &CLANG].concat(), &["addr2line", "llvm-addr2line"]);
}

#[track_caller]
fn check_builds(builds: &[Build], judges: &[&str]) {
    for (compiler, flags) in builds {
        let bench = Bench::new();
        let file = bench.compile(compiler, PROGRAM, flags, "program");
        for judge in judges {
            let inlined = check_lines(&file, judge);
            assert!(
                inlined > 10,
                "{compiler} {flags:?}: {inlined} addresses in inner in middle in outer"
            );
        }
    }
}

/// The name of each byte of each function is what `nm` says, whatever the table is.
#[track_caller]
fn check_names(files: &[&Path], listed: &[(u64, u64, String)]) {
    let contents: Vec<Vec<u8>> = files.iter().map(|it| std::fs::read(it).unwrap()).collect();
    let contents: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
    let image = ElfImage::parse(&contents).unwrap();
    assert_eq!(image.problems(), []);
    for (start, size, name) in listed {
        for address in [*start, start + size / 2, start + size - 1] {
            let found = image.places(&[in_elf(address)]).remove(0);
            let found = found.last().map(|it| it.function.as_str());
            assert_eq!(found, Some(name.as_str()), "{address:x} of {}", files[0].display());
        }
    }
}

#[requires(program = "gcc", program = "nm", program = "strip", program = "objcopy", program = "xz")]
#[test]
fn tables_of_symbols() {
    let bench = Bench::new();
    let whole = bench.compile("gcc", PROGRAM, &["-O2", "-g"], "whole");
    let listed = functions(&whole, &[]);
    let own: Vec<_> = listed.into_iter().filter(|it| OWN.contains(&it.2.as_str())).collect();
    assert_eq!(own.len(), OWN.len());
    let (whole, path) = (bench.text("whole"), |name: &str| bench.text(name));

    // Symbols without debug data.
    tool("strip", &["-g", "-o", &path("symbols"), &whole]);
    check_names(&[&bench.path("symbols")], &own);

    // Debug data beside a file that has neither.
    tool("objcopy", &["--only-keep-debug", &whole, &path("whole.debug")]);
    tool("strip", &["-o", &path("stripped"), &whole]);
    check_names(&[&bench.path("stripped"), &bench.path("whole.debug")], &own);
    check_names(&[&bench.path("whole.debug")], &own);

    // Nothing at all.
    let stripped = std::fs::read(bench.path("stripped")).unwrap();
    let image = ElfImage::parse(&[&stripped]).unwrap();
    assert_eq!(image.places(&[in_elf(own[0].0)]), [Vec::new()]);

    // Mini debug info, made as Fedora and Android make it.
    let names: Vec<&str> = own.iter().map(|it| it.2.as_str()).collect();
    std::fs::write(bench.path("names"), names.join("\n")).unwrap();
    let keep = format!("--keep-symbols={}", path("names"));
    tool(
        "objcopy",
        &["-S", "--remove-section", ".comment", &keep, &path("whole.debug"), &path("mini")],
    );
    for level in ["-0", "-9"] {
        tool("xz", &["-k", "-f", level, &path("mini")]);
        let section = format!(".gnu_debugdata={}", path("mini.xz"));
        tool("objcopy", &["--add-section", &section, &path("stripped"), &path("with-mini")]);
        check_names(&[&bench.path("with-mini")], &own);
    }
}

#[requires(program = "gcc", program = "nm", program = "readelf")]
#[test]
fn offsets_in_the_file_become_addresses() {
    check_offsets(&[("gcc", &["-O2"]), ("gcc", &["-O2", "-no-pie"])]);
}

#[requires(program = "clang", program = "ld.lld", program = "nm", program = "readelf")]
#[test]
fn offsets_in_the_file_become_addresses_as_lld_places_them() {
    check_offsets(&[("clang", &["-O2", "-fuse-ld=lld"])]);
}

#[track_caller]
fn check_offsets(builds: &[Build]) {
    let bench = Bench::new();
    for (compiler, flags) in builds {
        let file = bench.compile(compiler, PROGRAM, flags, "program");
        // `readelf -S` knows offset and address of the code's section.
        let sections = tool("readelf", &["-SW", file.to_str().unwrap()]);
        let text = sections.lines().find_map(|line| line.split_once(" .text ")).unwrap().1;
        let numbers: Vec<u64> = text
            .split_ascii_whitespace()
            .skip(1)
            .take(2)
            .map(|it| u64::from_str_radix(it, 16).unwrap())
            .collect();
        let bytes = std::fs::read(&file).unwrap();
        let image = ElfImage::parse(&[&bytes]).unwrap();
        for (start, _, name) in
            functions(&file, &[]).iter().filter(|it| OWN.contains(&it.2.as_str()))
        {
            let address = FrameAddress::InFile(start - numbers[0] + numbers[1]);
            let found = image.places(&[address]).remove(0);
            assert_eq!(found[0].function, *name);
        }
    }
}

#[requires(program = "gcc", program = "readelf")]
#[test]
fn build_ids() {
    let bench = Bench::new();
    for style in ["sha1", "md5", "0x0123456789abcdef"] {
        let flag = format!("-Wl,--build-id={style}");
        let file = bench.compile("gcc", PROGRAM, &[&flag], "program");
        let notes = tool("readelf", &["-n", file.to_str().unwrap()]);
        let expected = notes.split_once("Build ID: ").unwrap().1.lines().next().unwrap();
        let found = ElfImage::build_id(&std::fs::read(&file).unwrap()).unwrap();
        assert_eq!(found.to_string(), expected);
    }
}

/// Exported functions of a real library, by what `nm` lists; several names may be of one address.
#[track_caller]
fn check_exports(path: &str, flags: &[&str], least: usize) {
    let path = Path::new(path);
    let listed = functions(path, flags);
    let bytes = std::fs::read(path).unwrap();
    let image = ElfImage::parse(&[&bytes]).unwrap();
    let starts: BTreeSet<u64> = listed.iter().filter(|it| it.1 > 0).map(|it| it.0).collect();
    assert!(starts.len() >= least, "{}", starts.len());
    let lookups: Vec<FrameAddress> = starts.iter().map(|it| in_elf(*it)).collect();
    for (start, found) in starts.iter().zip(image.places(&lookups)) {
        let name = |it: &&(u64, u64, String)| it.0 == *start;
        let names: Vec<&str> =
            listed.iter().filter(name).map(|it| it.2.split('@').next().unwrap()).collect();
        let found = &found.last().unwrap().function;
        assert!(
            names.iter().any(|name| demangle(name) == found.as_str()),
            "{start:x}: {found} is none of {names:?}"
        );
    }
}

/// Debian's libraries of the Android runtime, which `dexdump` is linked with.
#[requires(program = "nm", program = "dexdump")]
#[test]
fn exports_of_real_libraries() {
    check_exports("/usr/lib/x86_64-linux-gnu/android/libart.so.0", &["-D"], 5000);
    check_exports("/usr/lib/x86_64-linux-gnu/android/libbacktrace.so.0", &["-D"], 50);
}

#[requires(program = "nm", program = "gcc")]
#[test]
fn exports_of_a_library_in_c() {
    let path = tool("gcc", &["-print-file-name=libc.so.6"]);
    check_exports(path.trim(), &["-D"], 1000);
}

/// Readable C++ names of a real library are those of `c++filt`, but for spaces and the form of numbers.
#[requires(program = "nm", program = "c++filt", program = "dexdump")]
#[test]
fn readable_names_of_a_real_library() {
    let path = Path::new("/usr/lib/x86_64-linux-gnu/android/libart.so.0");
    let listed = functions(path, &["-D"]);
    let mangled: BTreeSet<String> =
        listed.into_iter().map(|it| it.2).filter(|name| name.starts_with("_Z")).collect();
    let bench = Bench::new();
    std::fs::write(
        bench.path("names"),
        mangled.iter().map(String::as_str).collect::<Vec<_>>().join("\n"),
    )
    .unwrap();
    let readable = tool("sh", &["-c", &format!("c++filt -p < {}", bench.text("names"))]);
    // Numbers among template arguments have their type in front of them or behind.
    let plain = |text: &str| {
        let text = text
            .replace(' ', "")
            .replace(",>", ">")
            .replace("(unsignedlong)", "")
            .replace("(unsignedint)", "");
        ["ul>", "ul,", "u>", "u,"].iter().fold(text, |text, end| {
            let mut digits = text.split(end).map(str::to_owned).collect::<Vec<_>>();
            let last = digits.len() - 1;
            for part in &mut digits[..last] {
                let is_number = part.ends_with(|it: char| it.is_ascii_digit());
                part.push_str(if is_number { &end[end.len() - 1..] } else { end });
            }
            digits.concat()
        })
    };
    let different: Vec<(String, &str)> = mangled
        .iter()
        .zip(readable.lines())
        .map(|(name, expected)| (demangle(name).into_owned(), expected))
        // What lambdas inside template arguments are of, the two write differently.
        .filter(|(_, expected)| !expected.contains("{lambda"))
        .map(|(found, expected)| {
            // Of thunks it keeps the parameters.
            let is_thunk = expected.contains("virtual thunk to ");
            (found, if is_thunk { expected.split('(').next().unwrap() } else { expected })
        })
        .filter(|(found, expected)| plain(found) != plain(expected))
        .collect();
    assert!(mangled.len() > 5000);
    assert!(
        different.is_empty(),
        "{} of {}: {:#?}",
        different.len(),
        mangled.len(),
        &different[..different.len().min(20)]
    );
}

/// Rust in both forms of mangling, against `nm`, and a function inside another's place.
#[requires(program = "rustc", program = "nm")]
#[test]
fn rust_programs() {
    const SOURCE: &str = "mod inner {
    #[inline(never)] pub fn leaf(x: u64) -> u64 { std::hint::black_box(x) * 3 }
    #[inline(always)] pub fn middle(x: u64) -> u64 { leaf(x) + leaf(x + 1) }
}
#[inline(never)] fn outer(x: u64) -> u64 { inner::middle(x) + 1 }
fn main() { std::process::exit(outer(std::env::args().count() as u64) as i32); }
";
    for style in ["legacy", "v0"] {
        let bench = Bench::new();
        std::fs::write(bench.path("program.rs"), SOURCE).unwrap();
        let (source, to) = (bench.text("program.rs"), bench.text("program"));
        let mangling = format!("symbol-mangling-version={style}");
        let mut flags = vec!["--edition=2021", "-g", "-O", "-C", &mangling, "-o", &to, &source];
        if style == "legacy" {
            // Only for itself: what older compilers wrote.
            flags.extend(["-Z", "unstable-options"]);
        }
        let compiler =
            std::process::Command::new("rustc").env("RUSTC_BOOTSTRAP", "1").args(&flags).output();
        let compiler = compiler.unwrap();
        assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
        let listed = functions(&bench.path("program"), &[]);
        let (start, size, name) = listed.iter().find(|it| it.2.contains("outer")).unwrap();
        assert_eq!(name.starts_with("_R"), style == "v0", "{name}");
        let bytes = std::fs::read(&to).unwrap();
        let lookups: Vec<FrameAddress> = (*start..start + size).map(in_elf).collect();
        let found = ElfImage::parse(&[&bytes]).unwrap().places(&lookups);
        let names = |places: &Vec<wattle_symbols::Place>| -> Vec<String> {
            places.iter().map(|it| it.function.clone()).collect()
        };
        let names: BTreeSet<Vec<String>> = found.iter().map(names).collect();
        let inlined = ["program::inner::middle", "program::outer"].map(str::to_owned).to_vec();
        assert!(names.contains(&inlined), "{style}: {names:#?}");
        assert!(
            names.iter().all(|it| it.last().is_some_and(|it| it == "program::outer")),
            "{names:#?}"
        );
    }
}

#[inline(never)]
fn a_function_of_this_test(value: u64) -> u64 {
    std::hint::black_box(value).wrapping_mul(3)
}

/// Rust's own names, in the form that this compiler mangles them, of the test that runs.
#[test]
fn the_running_program() {
    let path = std::env::current_exe().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let image = ElfImage::parse(&[&bytes]).unwrap();
    assert_eq!(a_function_of_this_test(2), 6);
    let address = a_function_of_this_test as *const () as u64;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let offset = maps.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let (start, end) = fields[0].split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).unwrap();
        (number(start)..number(end))
            .contains(&address)
            .then(|| address - number(start) + number(fields[2]))
    });
    let lookup = FrameAddress::InFile(offset.unwrap());
    let found = image.places(&[lookup]).remove(0);
    assert_eq!(found[0].function, "all::elf_images::a_function_of_this_test");
    assert!(found[0].file.as_ref().unwrap().ends_with("tests/all/elf_images.rs"), "{found:?}");
    assert!(found[0].line.is_some());
}
