package abathur.bench;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * Sums over every field that a reader has read: equal for equal content, in every form of it.
 *
 * <p>Integers, enums and truth values are added modulo 2^64, text and bytes by their CRC-32; floats are added apart.
 */
public final class Sums {
    private long whole;
    private double real;

    public long whole() {
        return whole;
    }

    public double real() {
        return real;
    }

    public void add(long value) {
        whole += value;
    }

    public void addUnsigned(int value) {
        whole += Integer.toUnsignedLong(value);
    }

    public void add(float value) {
        real += value;
    }

    public void add(boolean value) {
        if (value) whole++;
    }

    public void add(String value) {
        add(ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
    }

    public void add(byte[] value) {
        add(ByteBuffer.wrap(value));
    }

    public void add(ByteString value) {
        add(value.asReadOnlyByteBuffer());
    }

    private void add(ByteBuffer value) {
        var crc = new CRC32();
        crc.update(value);
        whole += crc.getValue();
    }

    /** Whether the content is the same: the same values, in the same order. */
    public boolean isSame(Sums other) {
        return whole == other.whole && Double.compare(real, other.real) == 0;
    }
}
