package shop;

import android.util.Log;
import org.junit.*;

public class PriceTest extends PriceBase {
    @Before public void prepare() { Log.i("PriceTest", "prepare"); }
    @After public void tidy() { Log.i("PriceTest", "tidy"); }
    @Test public void sums() { Log.i("PriceTest", "sums"); }
    @Test(expected = ArithmeticException.class) public void divides() { Log.i("PriceTest", "" + 1 / zero()); }
    @Test(expected = ArithmeticException.class) public void doesNotThrow() {}
    @Ignore @Test public void notToday() { throw new Error(); }
    int zero() { return 0; }
}
