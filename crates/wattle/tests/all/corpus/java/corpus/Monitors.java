package corpus;

/** Synchronized methods and blocks, also when they throw; wait and notify. */
public final class Monitors {
    private int count;
    private final Object lock = new Object();

    synchronized int plain(int by) {
        count += by;
        return count;
    }

    static synchronized String ofClass(String text) {
        return text + Thread.holdsLock(Monitors.class);
    }

    synchronized void throwing(int kind) {
        if (kind > 0) throw new IllegalStateException("held " + Thread.holdsLock(this));
        count++;
    }

    synchronized int empty() {
        return 7;
    }

    synchronized void nothing() {}

    int block(int kind) {
        synchronized (lock) {
            count++;
            if (kind == 1) throw new IllegalArgumentException("in block");
            if (kind == 2) return count;
        }
        return -count;
    }

    int nested(int kind) {
        synchronized (this) {
            synchronized (lock) {
                synchronized (Monitors.class) {
                    if (kind == 1) throw new IllegalStateException("innermost");
                    count += holds();
                }
                if (kind == 2) throw new IllegalStateException("middle");
                count += holds();
            }
            try {
                if (kind == 3) throw new IllegalStateException("outer");
                synchronized (lock) {
                    return holds();
                }
            } finally {
                synchronized (lock) {
                    count += 100;
                }
            }
        }
    }

    int holds() {
        return (Thread.holdsLock(this) ? 1 : 0) + (Thread.holdsLock(lock) ? 2 : 0)
                + (Thread.holdsLock(Monitors.class) ? 4 : 0);
    }

    synchronized int reentrant(int depth) {
        return depth == 0 ? holds() : reentrant(depth - 1) + 1;
    }

    int loop() {
        int sum = 0;
        for (int i = 0; i < 5; i++) {
            synchronized (lock) {
                if (i == 1) continue;
                if (i == 4) break;
                sum += holds();
            }
        }
        return sum * 10 + holds();
    }

    private boolean turn;

    void ping(int rounds) throws InterruptedException {
        for (int i = 0; i < rounds; i++) {
            synchronized (lock) {
                while (turn) lock.wait();
                plain(1);
                turn = true;
                lock.notifyAll();
            }
        }
    }

    void pong(int rounds) {
        for (int i = 0; i < rounds; i++) {
            synchronized (lock) {
                while (!turn) {
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
                plain(1);
                turn = false;
                lock.notifyAll();
            }
        }
    }

    static void attempt(String name, Runnable body) {
        try {
            body.run();
            Say.line(name, "returned");
        } catch (RuntimeException e) {
            Say.thrown(e);
        }
    }

    public static void main(String[] args) throws Exception {
        final Monitors m = new Monitors();
        Say.line(m.plain(2), ofClass("class "), m.empty(), m.reentrant(4));
        m.nothing();
        for (int i = 0; i < 4; i++) {
            final int kind = i;
            attempt("throwing", () -> m.throwing(kind));
            attempt("block", () -> m.block(kind));
            attempt("nested", () -> Say.line(m.nested(kind)));
            Say.line(kind, m.count, m.holds(), Thread.holdsLock(Monitors.class));
        }
        Say.line("loop", m.loop());
        attempt("not owner", m.lock::notify);
        Thread pong = new Thread(() -> m.pong(20), "pong");
        pong.start();
        m.ping(20);
        pong.join();
        Say.line(m.count, m.holds());
    }
}
