package corpus;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Several threads with work of their own, an exception that ends one, shared counters. */
public final class Threads {
    static final class Worker extends Thread {
        final int number;
        long result;

        Worker(int number) {
            super("worker-" + number);
            this.number = number;
        }

        @Override
        public void run() {
            for (int i = 0; i <= number; i++) result += step(i);
            if (number == 3) fail();
        }

        long step(int i) {
            long sum = 0;
            for (int k = 0; k < 10; k++) sum += leaf(i * k);
            return sum;
        }

        static int leaf(int x) {
            try {
                return 100 / (x - 6);
            } catch (ArithmeticException e) {
                return -1;
            }
        }

        void fail() {
            throw new IllegalStateException(getName() + " ends");
        }
    }

    static volatile int published;
    static int plain;
    static final AtomicInteger atomic = new AtomicInteger();
    static final AtomicLong wide = new AtomicLong();
    static final ThreadLocal<Integer> local = new ThreadLocal<Integer>() {
        @Override protected Integer initialValue() { return 40; }
    };

    static void publish() {
        plain = 42;
        published = 1;
    }

    static void count(int times) {
        for (int i = 0; i < times; i++) {
            atomic.incrementAndGet();
            wide.addAndGet(1L << 33);
        }
        local.set(local.get() + times);
    }

    public static void main(String[] args) throws Exception {
        final String[] ended = new String[1];
        Thread.setDefaultUncaughtExceptionHandler(new Thread.UncaughtExceptionHandler() {
            @Override public void uncaughtException(Thread thread, Throwable e) {
                ended[0] = thread.getName() + ": " + e.getMessage() + ":" + e.getStackTrace()[0].getLineNumber();
            }
        });
        Worker[] workers = new Worker[5];
        for (int i = 0; i < workers.length; i++) (workers[i] = new Worker(i)).start();
        for (Worker worker : workers) worker.join();
        for (Worker worker : workers) Say.line(worker.getName(), worker.result);
        Say.line(ended[0]);

        final CountDownLatch latch = new CountDownLatch(3);
        for (int i = 1; i < 4; i++) {
            final int times = i * 10;
            new Thread("counter-" + i) {
                @Override public void run() {
                    count(times);
                    latch.countDown();
                }
            }.start();
        }
        latch.await();
        Say.line(atomic, wide, local.get());

        Thread publisher = new Thread(Threads::publish, "publisher");
        publisher.start();
        while (published == 0) Thread.yield();
        publisher.join();
        Say.line(plain);

        ExecutorService pool = Executors.newSingleThreadExecutor(task -> new Thread(task, "pool"));
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            final int number = i;
            futures.add(pool.submit(new Callable<Integer>() {
                @Override public Integer call() {
                    if (number == 2) throw new UnsupportedOperationException("task");
                    return Worker.leaf(number);
                }
            }));
        }
        for (Future<Integer> future : futures) {
            try {
                Say.line(future.get());
            } catch (ExecutionException e) {
                Say.line(e.getCause());
            }
        }
        pool.shutdown();
        Say.line(pool.awaitTermination(20, java.util.concurrent.TimeUnit.SECONDS));
    }
}
