/** Calls that are counted by hand, for traces of the runtime. */
public class Known {
    static int sink;

    static void spin(int count) {
        for (int i = 0; i < count; i++) {
            sink += i ^ (i << 3);
        }
    }

    static void leaf() {
        spin(20000);
    }

    static void twice() {
        leaf();
        leaf();
    }

    static int recurse(int depth) {
        return depth == 0 ? 0 : 1 + recurse(depth - 1);
    }

    static void thrower() {
        leaf();
        throw new IllegalStateException("known");
    }

    static void catcher() {
        try {
            thrower();
        } catch (IllegalStateException expected) {
            sink++;
        }
    }

    static void worker() throws InterruptedException {
        for (int i = 0; i < 7; i++) {
            twice();
        }
        Thread.sleep(50);
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 10; i++) {
            twice();
        }
        recurse(50);
        for (int i = 0; i < 5; i++) {
            catcher();
        }
        Thread thread = new Thread(new Runnable() {
            @Override
            public void run() {
                try {
                    worker();
                } catch (InterruptedException impossible) {
                    throw new IllegalStateException(impossible);
                }
            }
        }, "known worker");
        thread.start();
        thread.join();
        if (arguments.length > 0) {
            // Nobody stops the trace.
            for (int i = 0; i < 5000; i++) {
                recurse(10);
            }
            Runtime.getRuntime().halt(0);
        }
    }
}
