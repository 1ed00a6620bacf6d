package com.paper;

import android.app.Activity;
import android.os.Bundle;
import android.widget.Toast;

/** The second app of Orka's proof of concept: the call moved out of the loop. */
public class SecondApp extends Activity {
    @Override protected void onCreate(Bundle state) {
        super.onCreate(state);
        int sum = 0;
        for (int i = 0; i < 50; i++) {
            sum += i;
        }
        Toast.makeText(this, "sum " + sum, Toast.LENGTH_SHORT).show();
    }

    public static void main(String[] args) {
        new SecondApp().onCreate(null);
    }
}
