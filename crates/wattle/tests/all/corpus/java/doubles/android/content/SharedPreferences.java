package android.content;

public interface SharedPreferences {}
