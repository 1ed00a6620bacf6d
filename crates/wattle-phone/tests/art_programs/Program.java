package shop;

import android.os.Process;
import android.os.SystemClock;
import android.os.Trace;
import android.util.Log;

/** A program that does what it is told by its arguments. */
public class Program {
    static volatile long sink;

    /** The same work whatever else the machine does, unlike work for a time. */
    static void work(int thousands) {
        long sum = 0;
        for (int i = 0; i < thousands * 1000; i++) sum += i * 31L ^ sum;
        sink = sum;
    }

    public static void main(String[] arguments) throws Exception {
        for (String argument : arguments) {
            if (argument.equals("sections")) sections();
            else if (argument.equals("crash")) crash();
            else if (argument.equals("kill")) Process.killProcess(Process.myPid());
            else if (argument.equals("hang")) Thread.sleep(100000);
            else if (argument.equals("long")) Trace.beginSection(new String(new char[128]));
            else Log.i("argument", argument);
        }
    }

    static void sections() throws Exception {
        Log.i("numbers", Process.myPid() + " " + Process.myTid() + " " + Process.myUid());
        Log.w("lines", "one\n\ttwo\\n", new IllegalStateException("three"));
        Log.println(Log.ERROR, "clock", SystemClock.elapsedRealtime() + "");
        Trace.beginSection("outer|of\nall");
        work(2000);
        Trace.beginSection("inner");
        Thread.sleep(80);
        Trace.endSection();
        Thread worker = new Thread("worker") {
            public void run() {
                Trace.beginSection("on the worker");
                work(1500);
                Trace.endSection();
            }
        };
        worker.start();
        worker.join();
        Trace.endSection();
        System.out.println("printed");
    }

    static void crash() throws Exception {
        Thread other = new Thread("other") {
            public void run() {
                throw new IllegalStateException("nobody catches\nthis");
            }
        };
        other.start();
        other.join();
        Thread.sleep(10000);
    }
}
