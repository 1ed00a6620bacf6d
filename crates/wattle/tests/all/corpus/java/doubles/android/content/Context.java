package android.content;

import doubles.Counts;

public abstract class Context {
    public Context() { Counts.call("android.content.Context.<init>()V"); }

    public void startActivity(Intent intent) {
        Counts.call("android.content.Context.startActivity(Landroid/content/Intent;)V");
    }
}
