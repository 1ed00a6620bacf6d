package com.app;

import android.content.ActivityNotFoundException;
import android.content.Intent;
import android.os.Bundle;
import android.util.Log;
import android.view.View;
import android.widget.Toast;

/** Calls of the framework whose numbers follow from the text. */
public class Main extends Screen {
    private final View view = new View();

    /** 10 objects, by two constructors. */
    static class Item {
        final Intent intent;

        Item() {
            this("item");
        }

        Item(String action) {
            intent = new Intent(action);
        }
    }

    /** 4 threads, 25 calls each. */
    class Worker extends Thread {
        @Override public void run() {
            for (int i = 0; i < 25; i++) {
                view.postInvalidate();
            }
        }
    }

    @Override protected void onCreate(Bundle state) {
        super.onCreate(state);
        setContentView(2);
        findViewById(state.getInt("id")).getId();
        getSharedPreferences("settings", 0);
    }

    /** 28 times the inner body: 10 sums are divisible by 3; of the 18 others 10 are even. */
    void nested() {
        for (int i = 0; i < 7; i++) {
            for (int j = 0; j <= i; j++) {
                Toast toast = Toast.makeText(this, "nested", Toast.LENGTH_SHORT);
                if ((i + j) % 3 == 0) {
                    toast.show();
                } else if ((i + j) % 2 == 0) {
                    toast.cancel();
                }
            }
        }
    }

    /** 20 calls, of which those of 5 throw. */
    int thrown() {
        int caught = 0;
        Intent good = new Intent("good");
        Intent bad = new Intent();
        for (int i = 0; i < 20; i++) {
            try {
                startActivity(i % 4 == 0 ? bad : good);
                view.getId();
            } catch (ActivityNotFoundException e) {
                caught++;
            } finally {
                view.invalidate();
            }
        }
        return caught;
    }

    void leaves(Bundle state) {
        startActivity(new Intent());
        state.putInt("never", 1);
    }

    /** The method that makes the call does not catch what it throws. */
    void thrownThrough(Bundle state) {
        for (int i = 0; i < 3; i++) {
            try {
                leaves(state);
            } catch (RuntimeException e) {
                state.putInt("caught", i);
                Log.i("Main", "caught", e);
            }
        }
    }

    /** 2^n - 1 calls. */
    void tower(int n) {
        if (n == 0) return;
        tower(n - 1);
        view.invalidate();
        tower(n - 1);
    }

    boolean even(int n) {
        view.getId();
        return n == 0 || odd(n - 1);
    }

    boolean odd(int n) {
        return n != 0 && even(n - 1);
    }

    /** 12 clicks; each comes back into the app. */
    void clicks() {
        view.setOnClickListener(new View.OnClickListener() {
            @Override public void onClick(View clicked) {
                Toast.makeText(Main.this, clicked.getId(), 0).show();
            }
        });
        Log.i("Main", "clicks");
        int left = 12;
        do {
            view.performClick();
        } while (--left > 0);
    }

    int switched(Bundle state) {
        int sum = 0;
        for (int i = 0; i < 22; i++) {
            switch (i % 4) {
                case 0: sum += state.getInt("a"); break;
                case 1: sum += state.getInt("b", i);
                case 2: state.putInt("c", i); break;
                default: sum--;
            }
        }
        return sum;
    }

    /** Two calls on one line: one place in the source, two in the code. */
    void together() {
        for (int i = 0; i < 9; i++) {
            view.getId(); if (i % 2 == 0) view.getId();
        }
    }

    void threads() throws InterruptedException {
        Worker[] workers = new Worker[4];
        for (int i = 0; i < workers.length; i++) (workers[i] = new Worker()).start();
        for (Worker worker : workers) worker.join();
    }

    static int items() {
        int length = 0;
        for (int i = 0; i < 10; i++) {
            Item item = i < 6 ? new Item() : new Item("other");
            length += item.intent.action.length();
        }
        return length;
    }

    public static void main(String[] args) throws InterruptedException {
        Main main = new Main();
        Bundle state = new Bundle();
        main.onCreate(state);
        main.nested();
        System.out.println(main.thrown());
        main.thrownThrough(state);
        main.tower(6);
        System.out.println(main.even(7) + " " + main.odd(4));
        main.clicks();
        System.out.println(main.switched(state));
        main.together();
        main.threads();
        System.out.println(items());
    }
}
