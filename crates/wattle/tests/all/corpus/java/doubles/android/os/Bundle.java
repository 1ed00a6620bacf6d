package android.os;

import doubles.Counts;

public final class Bundle {
    private int value;

    public Bundle() { Counts.call("android.os.Bundle.<init>()V"); }

    public void putInt(String key, int value) {
        Counts.call("android.os.Bundle.putInt(Ljava/lang/String;I)V");
        this.value = value;
    }

    public int getInt(String key) {
        Counts.call("android.os.Bundle.getInt(Ljava/lang/String;)I");
        return value;
    }

    public int getInt(String key, int otherwise) {
        Counts.call("android.os.Bundle.getInt(Ljava/lang/String;I)I");
        return otherwise;
    }
}
