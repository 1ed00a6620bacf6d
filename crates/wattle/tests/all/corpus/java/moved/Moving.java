package moved;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Moves known numbers of bytes in all kinds of surroundings. */
public final class Moving {
    static final Object LOCK = new Object();
    static File folder;

    static File file(String name) {
        return new File(folder, name);
    }

    /** Three overloads, five times: 131 bytes each. */
    static void writes() throws IOException {
        FileOutputStream out = new FileOutputStream(file("a"));
        byte[] bytes = new byte[100];
        for (int i = 0; i < 5; i++) {
            out.write(i);
            out.write(bytes);
            out.write(bytes, 10, 30);
        }
        out.close();
    }

    /** In pieces, and the end of the file. */
    static int readsToTheEnd() throws IOException {
        InputStream in = new FileInputStream(file("a"));
        byte[] buffer = new byte[64];
        int sum = 0;
        for (int n; (n = in.read(buffer)) != -1; ) sum += n;
        in.close();
        return sum;
    }

    /** One after the other: what a byte is must not be taken for how many there are. */
    static int readsBytes() throws IOException {
        FileOutputStream out = new FileOutputStream(file("b"));
        for (int i = 250; i < 256; i++) out.write(i);
        out.write(-1);
        out.close();
        BufferedInputStream in = new BufferedInputStream(new FileInputStream(file("b")));
        int sum = 0;
        for (int n; (n = in.read()) >= 0; ) sum += n;
        in.close();
        return sum;
    }

    /** Nothing is done with what the calls return. */
    static void ignores() throws IOException {
        RandomAccessFile file = new RandomAccessFile(file("a"), "rw");
        byte[] buffer = new byte[600];
        file.read();
        file.read(buffer, 0, 7);
        file.read(buffer);
        file.read(buffer);
        file.read(buffer);
        file.close();
    }

    /** Results of two words, used and not. */
    static long channels() throws IOException {
        FileInputStream in = new FileInputStream(file("a"));
        FileOutputStream out = new FileOutputStream(file("c"));
        FileChannel from = in.getChannel();
        FileChannel to = out.getChannel();
        from.transferTo(0, 600, to);
        long moved = from.transferTo(600, 600, to);
        ByteBuffer buffer = ByteBuffer.allocate(40);
        moved += from.read(buffer);
        ((Buffer) buffer).flip();
        to.write(buffer);
        in.close();
        out.close();
        return moved;
    }

    /** The handler reads what the result would overwrite; the second call throws. */
    static int caught() throws IOException {
        InputStream in = new FileInputStream(file("a"));
        byte[] buffer = new byte[33];
        int n = -7;
        try {
            n = in.read(buffer);
            in.close();
            n = in.read(buffer);
        } catch (IOException e) {
            return n;
        }
        return -n;
    }

    static int locked() throws IOException {
        InputStream in = new FileInputStream(file("a"));
        int n = 5;
        synchronized (LOCK) {
            try {
                n = in.read(new byte[50]);
                in.read(new byte[20]);
            } catch (RuntimeException e) {
                n += 1;
            } finally {
                n += in.available();
            }
        }
        in.close();
        return n;
    }

    /** A class of the app between the app and the framework. */
    static final class Halving extends FilterInputStream {
        Halving(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return super.read(bytes, offset, (length + 1) / 2);
        }
    }

    static int halves() throws IOException {
        Halving in = new Halving(new FileInputStream(file("a")));
        int n = in.read(new byte[30], 0, 30);
        n += in.read(new byte[44]);
        in.close();
        return n;
    }

    static long data() throws IOException {
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(file("d"))));
        out.writeInt(1 << 30);
        out.writeLong(1L << 50);
        out.writeByte(200);
        out.write(new byte[12]);
        out.close();
        DataInputStream in = new DataInputStream(new FileInputStream(file("d")));
        long sum = in.readInt() + in.readLong();
        byte[] rest = new byte[13];
        in.readFully(rest, 0, 9);
        in.readFully(new byte[3]);
        try {
            in.readFully(rest);
        } catch (IOException e) {
            sum++;
        }
        in.close();
        return sum;
    }

    static int datagrams() throws IOException {
        DatagramSocket here = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        DatagramSocket there = new DatagramSocket();
        there.send(new DatagramPacket(new byte[77], 77, here.getLocalSocketAddress()));
        DatagramPacket packet = new DatagramPacket(new byte[1000], 1000);
        here.receive(packet);
        here.close();
        there.close();
        return packet.getLength();
    }

    /** No register is free: results go to new ones. */
    static long crowded(long seed) throws IOException {
        FileInputStream in = new FileInputStream(file("a"));
        FileOutputStream out = new FileOutputStream(file("e"));
        FileChannel from = in.getChannel();
        FileChannel to = out.getChannel();
        byte[] buffer = new byte[21];
        long a = seed + 1, b = seed + 2, c = seed + 3, d = seed + 4, e = seed + 5, f = seed + 6;
        from.transferTo(0, 9, to);
        in.read(buffer);
        out.write(7);
        in.close();
        out.close();
        return a + b * c - d + e * f + buffer.length;
    }

    public static void main(String[] args) throws IOException {
        folder = new File(System.getProperty("moved.folder"));
        writes();
        System.out.println(readsToTheEnd());
        System.out.println(readsBytes());
        ignores();
        System.out.println(channels());
        System.out.println(caught());
        System.out.println(locked());
        System.out.println(halves());
        System.out.println(data());
        System.out.println(crowded(1L << 33));
        System.out.println(datagrams());
        System.exit(0);
    }
}
