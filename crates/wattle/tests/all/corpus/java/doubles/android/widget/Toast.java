package android.widget;

import android.content.Context;
import doubles.Counts;

public class Toast {
    public static final int LENGTH_SHORT = 0;

    public Toast(Context context) { Counts.call("android.widget.Toast.<init>(Landroid/content/Context;)V"); }

    public static Toast makeText(Context context, CharSequence text, int duration) {
        Counts.call("android.widget.Toast.makeText(Landroid/content/Context;Ljava/lang/CharSequence;I)Landroid/widget/Toast;");
        return new Toast(context);
    }

    public static Toast makeText(Context context, int text, int duration) {
        Counts.call("android.widget.Toast.makeText(Landroid/content/Context;II)Landroid/widget/Toast;");
        return new Toast(context);
    }

    public void show() { Counts.call("android.widget.Toast.show()V"); }

    public void cancel() { Counts.call("android.widget.Toast.cancel()V"); }
}
