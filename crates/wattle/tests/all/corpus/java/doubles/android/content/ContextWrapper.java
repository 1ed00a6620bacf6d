package android.content;

import doubles.Counts;

public class ContextWrapper extends Context {
    public ContextWrapper(Context base) { Counts.call("android.content.ContextWrapper.<init>(Landroid/content/Context;)V"); }

    public SharedPreferences getSharedPreferences(String name, int mode) {
        Counts.call("android.content.ContextWrapper.getSharedPreferences(Ljava/lang/String;I)Landroid/content/SharedPreferences;");
        return null;
    }
}
