package shop;

import android.util.Log;
import org.junit.*;

public abstract class PriceBase {
    @BeforeClass public static void once() { Log.i("PriceTest", "once"); }
    @Before public void first() { Log.i("PriceTest", "first"); }
    @Test public void inherited() {}
}
