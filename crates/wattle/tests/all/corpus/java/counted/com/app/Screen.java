package com.app;

import android.app.Activity;
import android.os.Bundle;
import android.view.View;

/** Between the app's activity and the framework's. */
public class Screen extends Activity {
    @Override protected void onCreate(Bundle state) {
        super.onCreate(state);
        setContentView(1);
    }

    /** Hides the framework's from all calls but its own. */
    @Override public View findViewById(int id) {
        return super.findViewById(id + 1);
    }
}
