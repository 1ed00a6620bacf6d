package android.content;

import doubles.Counts;

public class Intent {
    public final String action;

    public Intent() {
        Counts.call("android.content.Intent.<init>()V");
        action = null;
    }

    public Intent(String action) {
        Counts.call("android.content.Intent.<init>(Ljava/lang/String;)V");
        this.action = action;
    }
}
