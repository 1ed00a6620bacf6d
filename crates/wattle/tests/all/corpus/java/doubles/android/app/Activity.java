package android.app;

import android.content.ActivityNotFoundException;
import android.content.ContextWrapper;
import android.content.Intent;
import android.os.Bundle;
import android.view.View;
import doubles.Counts;

public class Activity extends ContextWrapper {
    private final View view = new View();

    public Activity() {
        super(null);
        Counts.call("android.app.Activity.<init>()V");
    }

    protected void onCreate(Bundle state) { Counts.call("android.app.Activity.onCreate(Landroid/os/Bundle;)V"); }

    public void setContentView(int layout) { Counts.call("android.app.Activity.setContentView(I)V"); }

    public View findViewById(int id) {
        Counts.call("android.app.Activity.findViewById(I)Landroid/view/View;");
        return view;
    }

    /** Throws where the intent says nothing. */
    @Override public void startActivity(Intent intent) {
        Counts.call("android.app.Activity.startActivity(Landroid/content/Intent;)V");
        if (intent.action == null) throw new ActivityNotFoundException();
    }
}
