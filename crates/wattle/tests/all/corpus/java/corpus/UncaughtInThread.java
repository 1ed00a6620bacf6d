package corpus;

/** An exception ends a thread; the program goes on. */
public final class UncaughtInThread implements Runnable {
    @Override
    public void run() {
        Say.line("in thread");
        fail();
    }

    void fail() {
        Object nothing = null;
        nothing.toString();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread thread = new Thread(new UncaughtInThread(), "doomed");
        thread.start();
        thread.join();
        Say.line("after", thread.isAlive());
    }
}
