package android.view;

import doubles.Counts;

public class View {
    public interface OnClickListener {
        void onClick(View view);
    }

    private OnClickListener listener;

    public View() { Counts.call("android.view.View.<init>()V"); }

    public void setOnClickListener(OnClickListener listener) {
        Counts.call("android.view.View.setOnClickListener(Landroid/view/View$OnClickListener;)V");
        this.listener = listener;
    }

    /** The framework calls back into the app. */
    public boolean performClick() {
        Counts.call("android.view.View.performClick()Z");
        if (listener != null) listener.onClick(this);
        return listener != null;
    }

    public void invalidate() { Counts.call("android.view.View.invalidate()V"); }

    public void postInvalidate() { Counts.call("android.view.View.postInvalidate()V"); }

    public int getId() {
        Counts.call("android.view.View.getId()I");
        return 3;
    }
}
