package doubles;

import java.util.Map;
import java.util.TreeMap;

/** Counts calls of the stand-ins for framework classes by who made them, and prints the counts when the process ends in order. */
public final class Counts {
    private static final Map<String, Integer> COUNTS = new TreeMap<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread("counts") {
            @Override public void run() { print(); }
        });
    }

    private Counts() {}

    /** To be called by the very method that is counted, whose class and signature are {@code api}. */
    public static void call(String api) {
        StackTraceElement[] stack = new Throwable().getStackTrace();
        StackTraceElement caller = stack[2];
        String name = caller.getClassName();
        // What the framework and the probes call themselves is not the app's.
        if (name.startsWith("android.") || name.startsWith("wattle.")) return;
        String key = name + "." + caller.getMethodName() + "\t" + caller.getLineNumber() + "\t" + api;
        synchronized (COUNTS) {
            Integer known = COUNTS.get(key);
            COUNTS.put(key, known == null ? 1 : known + 1);
        }
    }

    static void print() {
        StringBuilder text = new StringBuilder();
        synchronized (COUNTS) {
            for (Map.Entry<String, Integer> entry : COUNTS.entrySet()) {
                text.append("counted\t").append(entry.getValue()).append('\t').append(entry.getKey()).append('\n');
            }
        }
        System.out.print(text);
        System.out.flush();
    }
}
