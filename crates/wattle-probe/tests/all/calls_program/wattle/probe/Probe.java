package wattle.probe;

/** Prints what probes tell, one line each. */
public class Probe {
    public static void call(String what) {
        System.err.println("@+" + what);
    }

    public static void call(int what) {
        System.err.println("@+" + what);
    }

    public static void back(String what) {
        System.err.println("@-" + what);
    }

    public static void back() {
        System.err.println("@-");
    }

    public static void fail() {
        System.err.println("@!");
    }
}
