//! Methods of sources under the names of the virtual machine.

use std::path::Path;

use wattle_lsp::source::{DeclaredMethods, Language};

/// Compares `LINE CLASS.NAME(PARAMETERS)` of every method, lines from 1.
#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    let language = Language::of_path(Path::new(path)).expect("a language");
    let found = DeclaredMethods::new(text, language, Path::new(path));
    let lines: Vec<String> = found
        .all
        .iter()
        .map(|it| format!("{} {}({})", it.line + 1, it.qualified(), it.parameters.join(",")))
        .collect();
    assert_eq!(lines, expected);
    for method in &found.all {
        assert!(method.lines.0 <= method.line && method.line <= method.lines.1, "{method:?}");
    }
}

#[test]
fn kotlin_has_its_names_of_the_virtual_machine() {
    let text = r#"@file:Suppress("x")
package com.example.news

import kotlin.math.max

// fun commented() {}
/* fun /* nested */ comment() { } */
fun top(a: Int, b: String?) = max(a, 1) +
    b!!.length

private val cache = HashMap<String, Int>()
val size: Int get() = cache.size

fun String.shout(times: Int = 1): String {
    val text = "fun fake() { ${if (times > 1) "{" else """}"""} "
    return text
}

class Feed @Inject constructor(private val api: Api, val title: String, var page: Int) : Base(), Listener {
    private val lazyItems by lazy { load() }
    var isOpen = false
        private set
    val count: Int
        get() {
            return 1
        }
    var name: String = "a"
        get() = field
        set(value) {
            field = value
        }

    init {
        println("fun no() {}")
    }

    constructor(api: Api) : this(api, "", 0) {
        page = 1
    }

    @Composable
    override suspend fun load(
        limit: Long,
        vararg names: String,
    ): List<Map<String, Int>> where T : Any {
        fun local() = 1
        items.forEach { fun inner() {} }
        val o = object : Runnable {
            override fun run() {}
        }
        return listOf()
    }

    abstract fun nothing(): Int
    inline fun <reified T : Any> typed(block: (T, Int) -> Unit) = block(x, 1)
    internal fun hidden() { }
    operator fun plus(other: Feed) = this
    fun `with blanks`() {}

    companion object {
        const val X = 1
        @JvmStatic fun create(): Feed = Feed(Api())
    }

    object Single { fun one() {} }
    enum class Kind(val code: Int) {
        A(1) { override fun size() = 1 },
        B(2);
        open fun size() = 2
    }
    inner class Row(val view: View) {
        fun bind() = view
    }
    interface Loader {
        fun load()
        fun again() { load() }
    }
}

data class Point(val x: Int, val y: Int)
sealed interface State
fun interface Action { fun act() }
class Empty
"#;
    check(
        "app/src/news/feedScreen.kt",
        text,
        &[
            "8 com.example.news.FeedScreenKt.top(int,String)",
            "12 com.example.news.FeedScreenKt.getSize()",
            "14 com.example.news.FeedScreenKt.shout(String,int)",
            "19 com.example.news.Feed.<init>(Api,String,int)",
            "19 com.example.news.Feed.getTitle()",
            "19 com.example.news.Feed.getPage()",
            "19 com.example.news.Feed.setPage()",
            "21 com.example.news.Feed.isOpen()",
            "21 com.example.news.Feed.setOpen()",
            "24 com.example.news.Feed.getCount()",
            "28 com.example.news.Feed.getName()",
            "29 com.example.news.Feed.setName()",
            "37 com.example.news.Feed.<init>(Api)",
            "42 com.example.news.Feed.load(long,String[])",
            "55 com.example.news.Feed.typed(Function2)",
            "56 com.example.news.Feed.hidden()",
            "57 com.example.news.Feed.plus(Feed)",
            "58 com.example.news.Feed.with blanks()",
            "60 com.example.news.Feed$Companion.<init>()",
            "61 com.example.news.Feed$Companion.getX()",
            "62 com.example.news.Feed$Companion.create()",
            "65 com.example.news.Feed$Single.<init>()",
            "65 com.example.news.Feed$Single.one()",
            "66 com.example.news.Feed$Kind.<init>(int)",
            "66 com.example.news.Feed$Kind.getCode()",
            "67 com.example.news.Feed$Kind$A.size()",
            "69 com.example.news.Feed$Kind.size()",
            "71 com.example.news.Feed$Row.<init>(View)",
            "71 com.example.news.Feed$Row.getView()",
            "72 com.example.news.Feed$Row.bind()",
            "76 com.example.news.Feed$Loader.again()",
            "80 com.example.news.Point.<init>(int,int)",
            "80 com.example.news.Point.getX()",
            "80 com.example.news.Point.getY()",
            "83 com.example.news.Empty.<init>()",
        ],
    );
}

#[test]
fn kotlin_files_can_have_names_of_their_own() {
    let text = "@file:JvmName(\"Tools\")\npackage a.b\n@JvmName(\"other\")\nfun one() {}\nfun List<Int>.two() = 1\nfun (() -> Unit).three() {}\n";
    check(
        "x.kt",
        text,
        &["4 a.b.Tools.other()", "5 a.b.Tools.two(List)", "6 a.b.Tools.three(Function0)"],
    );
    check("x-y.kt", "fun one() = 1", &["1 X_yKt.one()"]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_word() {
    check("B.kt", "\u{feff}package a\nclass B { fun c() {} }", &["2 a.B.<init>()", "2 a.B.c()"]);
    check("B.java", "\u{feff}package a; class B { void c() {} }", &["1 a.B.<init>()", "1 a.B.c()"]);
}

#[test]
fn expressions_end_where_declarations_begin() {
    let text = "class A {\n    fun a() = if (x)\n        1\n    else\n        2\n\n    fun b() = when (x) {\n        1 -> 2\n        else -> 3\n    }\n    val c = 1\n    @Test fun d() = a()\n        .plus(1)\n    private fun e() {}\n}\n";
    check(
        "A.kt",
        text,
        &["1 A.<init>()", "2 A.a()", "7 A.b()", "11 A.getC()", "12 A.d()", "14 A.e()"],
    );
}

#[test]
fn java_has_classes_in_classes() {
    let text = r#"package com.example.app;

import java.util.*;

/** class Doc { void no() {} } */
@SuppressWarnings({"a", "b"})
public final class Main extends Base<List<String>> implements Runnable {
    private static final String BRACES = "} void fake() {";
    private final Map<String, List<Integer>> map = new HashMap<>() {{ put("a", null); }};
    private Runnable later = () -> { run(); };
    char c = '}';

    static { System.loadLibrary("x"); }

    public Main(int a, final String... rest) { super(); }

    Main() { this(1); }

    @Override
    public void run() {
        new Thread(new Runnable() { public void run() { work(); } }).start();
        class Local { void inLocal() {} }
    }

    private static <T extends Comparable<T>> List<T> sorted(
            Map<String, T> map, int[] numbers, java.util.List<T>[] lists) throws Exception {
        if (map.isEmpty()) { return null; }
        return null;
    }

    native void nativeWork(long handle);
    abstract int none();
    int[] array() [] { return null; }

    static class Nested { void deep() { } class Deeper { Deeper(Nested n) {} } }
    interface Callback { void call(); default void twice() { call(); call(); } }
    enum Kind { A { void x() {} }, B; Kind() {} void run() {} }
    record Pair(int left, String right) { Pair { check(left); } int sum() { return left; } }
    @interface Mark { int value() default 1; }
}
"#;
    check(
        "src/Main.java",
        text,
        &[
            "15 com.example.app.Main.<init>(int,String[])",
            "17 com.example.app.Main.<init>()",
            "20 com.example.app.Main.run()",
            "25 com.example.app.Main.sorted(Map,int[],List[])",
            "31 com.example.app.Main.nativeWork(long)",
            "33 com.example.app.Main.array()",
            "35 com.example.app.Main$Nested.<init>()",
            "35 com.example.app.Main$Nested.deep()",
            "35 com.example.app.Main$Nested$Deeper.<init>(Nested)",
            "36 com.example.app.Main$Callback.twice()",
            "37 com.example.app.Main$Kind.<init>()",
            "37 com.example.app.Main$Kind.run()",
            "38 com.example.app.Main$Pair.<init>(int,String)",
            "38 com.example.app.Main$Pair.sum()",
        ],
    );
}

#[test]
fn unfinished_code_does_not_name_others_wrongly() {
    // The brace of `a` is missing: what follows may be in it.
    check("A.kt", "class A {\n    fun a() {\n    fun b() {}\n}\n", &["1 A.<init>()", "2 A.a()"]);
    check("A.kt", "class A {\n    fun \n    fun b() {}\n}\n", &["1 A.<init>()", "3 A.b()"]);
    check("A.kt", "class A {\n    fun a(\n    fun b() {}\n}\n", &["1 A.<init>()"]);
    check("A.java", "class A {\n  void a( { }\n  void b() {}\n}\n", &["1 A.<init>()"]);
}

proptest::proptest! {
    #[test]
    fn every_text_has_an_end(text in "(class|fun|val|get|set|interface|object|enum|companion|@A|A|b|\\(|\\)|\\{|\\}|<|>|:|=|,|;|\\.|\"|'|`|\n| |->|\\?|\\$|\\*|/){0,80}") {
        for path in ["a.kt", "A.java"] {
            let language = Language::of_path(Path::new(path)).expect("a language");
            let found = DeclaredMethods::new(&text, language, Path::new(path));
            for method in &found.all {
                proptest::prop_assert!(method.span.end <= text.len() && method.span.start < method.span.end);
            }
        }
    }
}
