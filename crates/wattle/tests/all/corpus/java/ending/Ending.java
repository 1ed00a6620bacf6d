package ending;

import java.lang.reflect.InvocationTargetException;

/**
 * Runs the program that the first argument names, and ends as an app does that says so: with its shutdown hooks. With the
 * property {@code ending.stays} it leaves the end to the machine, which only then writes its own trace.
 */
public final class Ending {
    public static void main(String[] args) throws Exception {
        try {
            Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException e) {
            System.err.println("ended by " + e.getCause());
        }
        if (System.getProperty("ending.stays") == null) System.exit(0);
    }
}
