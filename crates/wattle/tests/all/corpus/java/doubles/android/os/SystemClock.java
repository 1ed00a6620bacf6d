package android.os;

import doubles.Counts;

public final class SystemClock {
    private SystemClock() {}

    public static long elapsedRealtime() {
        Counts.call("android.os.SystemClock.elapsedRealtime()J");
        return System.nanoTime() / 1000000;
    }

    /** The probes ask for it. */
    public static long elapsedRealtimeNanos() { return System.nanoTime(); }
}
