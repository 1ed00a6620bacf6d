package android.util;

import doubles.Counts;

/** Writes what {@code logcat -v threadtime} shows to the standard error, in one piece a line. */
public final class Log {
    private static final long BEGAN = System.nanoTime();

    private Log() {}

    public static int d(String tag, String text) {
        Counts.call("android.util.Log.d(Ljava/lang/String;Ljava/lang/String;)I");
        return line('D', tag, text);
    }

    public static int i(String tag, String text) {
        Counts.call("android.util.Log.i(Ljava/lang/String;Ljava/lang/String;)I");
        return line('I', tag, text);
    }

    public static int i(String tag, String text, Throwable cause) {
        Counts.call("android.util.Log.i(Ljava/lang/String;Ljava/lang/String;Ljava/lang/Throwable;)I");
        return line('I', tag, text + ": " + cause);
    }

    /** The clock begins at ten o'clock, so that no midnight comes between. */
    private static synchronized int line(char priority, String tag, String text) {
        long millis = (System.nanoTime() - BEGAN) / 1000000;
        StringBuilder line = new StringBuilder("11-22 10:");
        two(line, millis / 60000 % 60).append(':');
        two(line, millis / 1000 % 60).append('.');
        long rest = millis % 1000;
        line.append(rest / 100);
        two(line, rest % 100).append("  1000  ").append(1000 + Thread.currentThread().getId());
        line.append(' ').append(priority).append(' ').append(tag).append(": ").append(text).append('\n');
        System.err.print(line);
        return line.length();
    }

    private static StringBuilder two(StringBuilder line, long number) {
        return line.append(number / 10).append(number % 10);
    }
}
