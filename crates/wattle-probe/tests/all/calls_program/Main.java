import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Calls in all kinds of surroundings; each scenario names itself on the error stream. */
public class Main {
    static final Object LOCK = new Object();
    static final Object OTHER = new Object();

    interface Scenario {
        void run();
    }

    static void scenario(String name, Scenario scenario) {
        System.err.println("# " + name);
        try {
            scenario.run();
        } catch (RuntimeException e) {
            System.out.println(name + " threw " + e);
            lines(e);
        }
        System.out.println(name + " locks " + Thread.holdsLock(LOCK) + Thread.holdsLock(OTHER));
    }

    static void lines(Throwable e) {
        for (StackTraceElement at : e.getStackTrace()) {
            if (at.getClassName().startsWith("Main")) {
                System.out.println("  " + at.getMethodName() + ":" + at.getLineNumber());
            }
        }
    }

    static int loop(int turns) {
        int sum = 0;
        for (int i = 0; i < turns; i++) {
            sum += Integer.parseInt("1");
        }
        return sum;
    }

    static int branch(boolean which) {
        int x = which ? Integer.parseInt("7") : Integer.bitCount(255);
        return which ? x : Integer.reverse(x);
    }

    static int caught(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            lines(e);
            return -1;
        }
    }

    static int caughtByNobody(String text) {
        try {
            return Integer.parseInt(text);
        } catch (ArithmeticException | ArrayStoreException e) {
            return -1;
        }
    }

    static int last(String text) {
        int x = 5;
        try {
            x = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            x = x + 1;
        }
        return x;
    }

    static String kept(String text, Object value) {
        Object x = value;
        try {
            x = Integer.toHexString(Integer.parseInt(text));
        } catch (NumberFormatException e) {
            return "kept " + x;
        }
        return "new " + x;
    }

    static int nested(String outer, String inner) {
        int steps = 0;
        try {
            try {
                steps += Integer.parseInt(outer);
                try {
                    steps += Integer.parseInt(inner);
                } finally {
                    steps += 10;
                    steps += Integer.bitCount(3);
                }
            } catch (NumberFormatException e) {
                steps += 100;
                throw new IllegalStateException("at " + steps);
            } finally {
                System.out.println("steps " + steps);
            }
        } catch (IllegalStateException e) {
            lines(e);
            return steps;
        }
        return -steps;
    }

    static int locked(String text) {
        synchronized (LOCK) {
            int x = Integer.parseInt(text);
            synchronized (OTHER) {
                x += Integer.parseInt(text);
            }
            return x + Integer.bitCount(x);
        }
    }

    static synchronized int lockedCatch(String text) {
        int x = 3;
        synchronized (LOCK) {
            try {
                x = Integer.parseInt(text);
            } catch (NumberFormatException e) {
                x += 1;
            } finally {
                x += Integer.bitCount(x);
            }
        }
        return x;
    }

    static long wide(long a, double b, String text) {
        long x = Long.parseLong(text);
        double y = Double.parseDouble(text);
        long z = Long.rotateLeft(x, 3) + a;
        return z + Double.doubleToLongBits(y + b);
    }

    static long crowded(long seed, String text) {
        long w0 = seed + 0;
        long w1 = seed + 1;
        long w2 = seed + 2;
        long w3 = seed + 3;
        long w4 = seed + 4;
        long w5 = seed + 5;
        long w6 = seed + 6;
        long w7 = seed + 7;
        long w8 = seed + 8;
        long before = w0 + w1 + w2 + w3 + w4 + w5 + w6 + w7 + w8;
        long x = Long.parseLong(text);
        return before + x + (w0 ^ w1 ^ w2 ^ w3 ^ w4 ^ w5 ^ w6 ^ w7 ^ w8);
    }

    static int huge(int seed, String text) {
        //DECLARATIONS
        int x = Integer.parseInt(text);
        int y = seed;
        try {
            y = Integer.parseInt("y");
        } catch (NumberFormatException e) {
            y += x;
        }
        return y + /*SUM*/ 0;
    }

    static class Sized extends ArrayList<String> {
        final int size;

        Sized(int size) {
            super(size);
            this.size = size;
            add("x");
            ensureCapacity(7);
        }

        @Override
        public boolean add(String text) {
            return super.add(text + size);
        }
    }

    static void made(int size) {
        List<String> sized = new Sized(size);
        System.out.println(sized.get(0));
    }

    static void sorted() {
        List<Integer> list = new ArrayList<Integer>();
        list.add(2);
        list.add(1);
        Collections.sort(list, new Comparator<Integer>() {
            @Override
            public int compare(Integer a, Integer b) {
                return Integer.compare(a, b);
            }
        });
        System.out.println(list);
    }

    static void thrown() {
        Collections.sort(new ArrayList<Integer>(Collections.nCopies(2, 1)), new Comparator<Integer>() {
            @Override
            public int compare(Integer a, Integer b) {
                return Integer.parseInt("a") + Integer.parseInt("b");
            }
        });
    }

    static int several(
            String a,
            String b) {
        return Integer.parseInt(a)
            + Integer.parseInt(
                b)
            + Integer
                .parseInt("3");
    }

    static int byValue(int x) {
        switch (x) {
            case 0: return Integer.parseInt("10");
            case 1: x += Integer.parseInt("11"); break;
            case 2: x += Integer.parseInt("12");
            default: x += Integer.bitCount(7);
        }
        return x;
    }

    static int depth(int n) {
        return n == 0 ? Integer.parseInt("0") : Integer.bitCount(n) + depth(n - 1);
    }

    public static void main(String[] args) {
        scenario("loop", new Scenario() {
            @Override
            public void run() {
                System.out.println(loop(3));
            }
        });
        scenario("branch", new Scenario() {
            @Override
            public void run() {
                System.out.println(branch(true) + branch(false));
            }
        });
        scenario("caught", new Scenario() {
            @Override
            public void run() {
                System.out.println(caught("1") + caught("a"));
            }
        });
        scenario("uncaught", new Scenario() {
            @Override
            public void run() {
                System.out.println(caughtByNobody("a"));
            }
        });
        scenario("last", new Scenario() {
            @Override
            public void run() {
                System.out.println(last("2") + last("a"));
            }
        });
        scenario("kept", new Scenario() {
            @Override
            public void run() {
                System.out.println(kept("17", "old") + kept("a", "old"));
            }
        });
        scenario("nested", new Scenario() {
            @Override
            public void run() {
                System.out.println(nested("1", "2") + nested("1", "b") + nested("a", "1"));
            }
        });
        scenario("locked", new Scenario() {
            @Override
            public void run() {
                System.out.println(locked("3"));
            }
        });
        scenario("locked and thrown", new Scenario() {
            @Override
            public void run() {
                System.out.println(locked("c"));
            }
        });
        scenario("locked and caught", new Scenario() {
            @Override
            public void run() {
                System.out.println(lockedCatch("c") + lockedCatch("8"));
            }
        });
        scenario("wide", new Scenario() {
            @Override
            public void run() {
                System.out.println(wide(1L << 40, 0.5, "12"));
            }
        });
        scenario("crowded", new Scenario() {
            @Override
            public void run() {
                System.out.println(crowded(1L << 33, "77"));
            }
        });
        scenario("huge", new Scenario() {
            @Override
            public void run() {
                System.out.println(huge(3, "4"));
            }
        });
        scenario("made", new Scenario() {
            @Override
            public void run() {
                made(2);
            }
        });
        scenario("not made", new Scenario() {
            @Override
            public void run() {
                made(-1);
            }
        });
        scenario("sorted", new Scenario() {
            @Override
            public void run() {
                sorted();
            }
        });
        scenario("thrown", new Scenario() {
            @Override
            public void run() {
                thrown();
            }
        });
        scenario("several", new Scenario() {
            @Override
            public void run() {
                System.out.println(several("1", "x"));
            }
        });
        scenario("switch", new Scenario() {
            @Override
            public void run() {
                System.out.println(byValue(0) + byValue(1) + byValue(2) + byValue(3));
            }
        });
        scenario("depth", new Scenario() {
            @Override
            public void run() {
                System.out.println(depth(2));
            }
        });
        System.err.println("# end");
        Integer.parseInt("uncaught");
    }
}
