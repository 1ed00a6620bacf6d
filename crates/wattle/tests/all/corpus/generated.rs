//! Programs that are too large or too regular to be written by hand, as smali text.

use std::fmt::Write as _;

/// A class `corpus.made.Frames`: methods with frames of all the sizes where instructions change their form.
pub fn frames() -> String {
    let mut text = class("Frames");
    let sizes = [14, 15, 16, 17, 20, 253, 254, 255, 256, 257, 258, 300, 2000];
    let mut main = String::new();
    for size in sizes {
        frame(&mut text, size);
        let _ = write!(
            main,
            "    const/4 v0, 0x7\n    const-wide/32 v2, 0x12345\n    const-string v4, \"text\"\n\
             \x20   invoke-static {{v0, v2, v3, v4}}, Lcorpus/made/Frames;->frame{size}(IJLjava/lang/Object;)J\n\
             \x20   move-result-wide v2\n    long-to-int v2, v2\n    const-string v4, \"frame{size}\"\n\
             \x20   invoke-static {{v4, v2}}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V\n\
             \x20   const/4 v4, 0x0\n    const-wide/32 v2, 0x54321\n\
             \x20   invoke-static {{v0, v2, v3, v4}}, Lcorpus/made/Frames;->frame{size}(IJLjava/lang/Object;)J\n\
             \x20   move-result-wide v2\n    long-to-int v2, v2\n    const-string v4, \"caught{size}\"\n\
             \x20   invoke-static {{v4, v2}}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V\n\
             \x20   invoke-static {{v4}}, Lcorpus/made/Frames;->last{size}(Ljava/lang/Object;)Ljava/lang/Object;\n\
             \x20   move-result-object v4\n\
             \x20   invoke-static {{v4}}, Lcorpus/odd/Odd;->say(Ljava/lang/Object;)V\n"
        );
    }
    many_arguments(&mut text, &mut main);
    finish(text, &main)
}

/// Every local of a frame gets a value and is added up; a null argument is caught.
fn frame(text: &mut String, size: u32) {
    let _ = writeln!(
        text,
        ".method static frame{size}(IJLjava/lang/Object;)J\n    .registers {size}\n    .line {size}\n    \
         move/from16 v0, p0\n    move-wide/from16 v2, p1\n    const/4 v1, 0x1"
    );
    let locals = 8..size - 4;
    for local in locals.clone() {
        let _ = match local {
            0..=255 => writeln!(text, "    const/16 v{local}, {local}"),
            _ => writeln!(text, "    move/16 v{local}, v{}", local - 200),
        };
    }
    let _ = writeln!(
        text,
        "    :start\n    .line {}\n    move-object/from16 v4, p3\n    invoke-virtual {{v4}}, Ljava/lang/Object;->hashCode()I\n    \
         move-result v5\n    :end\n    .catch Ljava/lang/NullPointerException; {{:start .. :end}} :handler\n    \
         add-int/2addr v1, v5\n    :sum",
        size + 1
    );
    for local in locals {
        let _ = match local {
            0..=255 => writeln!(text, "    add-int v1, v1, v{local}"),
            _ => writeln!(text, "    move/from16 v5, v{local}\n    add-int/2addr v1, v5"),
        };
    }
    let _ = writeln!(
        text,
        "    add-int/2addr v1, v0\n    int-to-long v6, v1\n    add-long/2addr v6, v2\n    return-wide v6\n    \
         :handler\n    move-exception v4\n    const/16 v5, 0x3e8\n    add-int/2addr v1, v5\n    goto/16 :sum\n\
         .end method"
    );
    let last = size - 1;
    let _ = writeln!(
        text,
        ".method static last{size}(Ljava/lang/Object;)Ljava/lang/Object;\n    .registers {size}"
    );
    let _ = if last < 256 {
        writeln!(text, "    return-object v{last}\n.end method")
    } else {
        writeln!(text, "    move-object/16 v255, v{last}\n    return-object v255\n.end method")
    };
}

/// A method with as many arguments as a call can have.
fn many_arguments(text: &mut String, main: &mut String) {
    let signature = format!("({}D{})J", "J".repeat(100), "I".repeat(53));
    let _ = writeln!(
        text,
        ".method static many{signature}\n    .registers 260\n    move-wide/from16 v0, p0\n    \
         move-wide/from16 v2, p198\n    add-long/2addr v0, v2\n    move-wide/from16 v2, p200\n    \
         double-to-long v2, v2\n    add-long/2addr v0, v2\n    move/from16 v2, p254\n    int-to-long v2, v2\n    \
         add-long/2addr v0, v2\n    return-wide v0\n.end method"
    );
    let _ = writeln!(
        text,
        ".method static manyCalled()V\n    .registers 256\n    const-wide/16 v0, 0x5\n    \
         const-wide v200, 0x4024000000000000L"
    );
    for word in 1..100 {
        let _ = writeln!(text, "    const-wide/16 v{}, {word}", word * 2);
    }
    for word in 202..255 {
        let _ = writeln!(text, "    const/16 v{word}, {word}");
    }
    let _ = writeln!(
        text,
        "    invoke-static/range {{v0 .. v254}}, Lcorpus/made/Frames;->many{signature}\n    \
         move-result-wide v0\n    long-to-int v0, v0\n    const-string v1, \"many\"\n    \
         invoke-static {{v1, v0}}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V\n    return-void\n.end method"
    );
    main.push_str("    invoke-static {}, Lcorpus/made/Frames;->manyCalled()V\n");
}

/// A class `corpus.made.Far`: branches, tries and tables that only just reach, with returns between the ends, so
/// that whatever is put in front of a return moves them out of reach.
pub fn far() -> String {
    let mut text = class("Far");
    let mut main = String::new();
    for units in [124, 125, 126, 127, 128, 129, 32_760, 32_764, 32_765, 32_766, 32_767] {
        loop_of(&mut text, units);
        call(&mut main, &format!("loop{units}"), "-0x2");
        call(&mut main, &format!("loop{units}"), "0x1");
    }
    tables(&mut text, &mut main);
    finish(text, &main)
}

/// A class `corpus.made.Beyond`: tries whose handlers are near enough to 65536 units for probes to push them beyond.
pub fn beyond() -> String {
    let mut text = class("Beyond");
    let mut main = String::new();
    for units in [65_500, 65_520, 65_527] {
        try_of(&mut text, units);
        for argument in ["0x0", "0x5", "-0x5", "0x6"] {
            call(&mut main, &format!("try{units}"), argument);
        }
    }
    finish(text, &main.replace("made/Far", "made/Beyond"))
}

/// `:top if-gtz :end` over so many code units, which a jump back to the top closes.
fn loop_of(text: &mut String, units: u32) {
    let _ = writeln!(
        text,
        ".method static loop{units}(I)I\n    .registers 2\n    const/4 v0, 0x0\n    :top\n    if-gtz p0, :end\n    \
         if-nez p0, :skip\n    add-int/lit8 v0, v0, 0x7\n    return v0\n    :skip"
    );
    // What stands between: the `if` itself (2), test, addition and return (2 + 2 + 1), the increment (2), the
    // jump (2 where it is near enough for no other form).
    let padding = units - 11;
    pad(text, padding);
    let _ = writeln!(
        text,
        "    add-int/lit8 p0, p0, 0x1\n    goto/16 :top\n    :end\n    return v0\n.end method"
    );
}

/// A try of so many code units with a return inside.
fn try_of(text: &mut String, units: u32) {
    let _ = writeln!(
        text,
        ".method static try{units}(I)I\n    .registers 3\n    const/4 v0, 0x0\n    :start\n    const/16 v1, 0x64\n    \
         div-int/2addr v1, p0\n    if-gtz p0, :skip\n    return v1\n    :skip"
    );
    pad(text, units - 10);
    let _ = writeln!(
        text,
        "    add-int/lit8 p0, p0, -0x5\n    div-int/2addr v1, p0\n    :end\n    return v0\n    :handler\n    \
         move-exception v1\n    invoke-static {{v1}}, Lcorpus/odd/Odd;->say(Ljava/lang/Object;)V\n    \
         add-int/lit8 v0, v0, 0x3\n    return v0\n    .catchall {{:start .. :end}} :handler\n.end method"
    );
}

fn pad(text: &mut String, units: u32) {
    for _ in 0..units / 2 {
        text.push_str("    add-int/lit8 v0, v0, 0x1\n");
    }
    if units % 2 == 1 {
        text.push_str("    nop\n");
    }
}

/// A dense table of 3000 cases that all return, a sparse one of 500.
fn tables(text: &mut String, main: &mut String) {
    for (name, cases, step) in [("packed", 3000, 1), ("sparse", 500, 77)] {
        let _ = writeln!(
            text,
            ".method static {name}(I)I\n    .registers 2\n    {name}-switch p0, :table\n    const/4 v0, -0x1\n    return v0"
        );
        for case in 0..cases {
            let _ = writeln!(text, "    :case{case}\n    const/16 v0, {}\n    return v0", case * 3);
        }
        text.push_str("    :table\n");
        let first = if step == 1 { " -5" } else { "" };
        let _ = writeln!(text, "    .{name}-switch{first}");
        for case in 0..cases {
            let _ = if step == 1 {
                writeln!(text, "        :case{case}")
            } else {
                writeln!(text, "        {} -> :case{case}", case * step)
            };
        }
        let _ = writeln!(text, "    .end {name}-switch\n.end method");
        for value in [-6, -5, 0, 77, 2994, 2995, 38_423, 40_000] {
            call(main, name, &value.to_string());
        }
    }
}

fn call(main: &mut String, method: &str, argument: &str) {
    let _ = writeln!(
        main,
        "    const v0, {argument}\n    invoke-static {{v0}}, Lcorpus/made/Far;->{method}(I)I\n    move-result v0\n    \
         const-string v1, \"{method}\"\n    invoke-static {{v1, v0}}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V"
    );
}

/// Classes with more strings than 16 bits count, `corpus.made.Jumbo` the one to run.
pub fn jumbo() -> Vec<(String, String)> {
    let mut main = String::new();
    let mut files = Vec::new();
    for part in 0..8 {
        let mut text = class(&format!("Jumbo{part}"));
        for method in 0..9 {
            let _ = writeln!(
                text,
                ".method static hash{method}()I\n    .registers 3\n    const/4 v0, 0x0"
            );
            for string in 0..1000 {
                // Every string comes in both forms: whatever the compiler chose, the sum tells which was meant.
                let _ = writeln!(text, "    const-string v1, \"{part}.{method}.{string}\"");
                if string % 50 == 0 {
                    text.push_str(
                        "    invoke-virtual {v1}, Ljava/lang/String;->hashCode()I\n    move-result v2\n    add-int/2addr v0, v2\n",
                    );
                }
            }
            text.push_str("    return v0\n.end method\n");
            let _ = writeln!(
                main,
                "    invoke-static {{}}, Lcorpus/made/Jumbo{part};->hash{method}()I\n    move-result v0\n    \
                 const-string v1, \"zz {part} {method}\"\n    \
                 invoke-static {{v1, v0}}, Lcorpus/odd/Odd;->print(Ljava/lang/String;I)V"
            );
        }
        files.push((format!("Jumbo{part}"), text));
    }
    files.push(("Jumbo".to_owned(), finish(class("Jumbo"), &main)));
    files
}

fn class(name: &str) -> String {
    format!(
        ".class public Lcorpus/made/{name};\n.super Ljava/lang/Object;\n.source \"{name}.smali\"\n"
    )
}

fn finish(mut text: String, main: &str) -> String {
    let _ = writeln!(
        text,
        ".method public static main([Ljava/lang/String;)V\n    .registers 6\n{main}    return-void\n.end method"
    );
    text
}
