package wattle.probe;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * In the place of the real runtime class: writes every event as a line, at once, into the file that the property
 * {@code corpus.events} names. It shows what the probes in the code do, whatever a sink makes of it.
 */
public final class Probe {
    private static final OutputStream out = open();

    private Probe() {}

    private static OutputStream open() {
        try {
            return new FileOutputStream(System.getProperty("corpus.events"), true);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void enter(int id) { write("enter", id); }

    public static void exit(int id) { write("exit", id); }

    public static void unwind(int id) { write("unwind", id); }

    public static void call(int id) { write("call", id); }

    public static void back() { write("back", 0); }

    public static void fail() { write("fail", 0); }

    private static void write(String event, int id) {
        try {
            out.write((Thread.currentThread().getName() + "\t" + event + "\t" + id + "\n").getBytes());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
