package org.segno.simulator;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.memory.Window;

/** Bytes that follow from a few numbers: each is one more than the one before. */
final class ExpectedBytes {
    private static final int LONGEST = 4096;
    private static final byte[] BYTES = new byte[LONGEST + 256];
    private static final UnsafeBuffer BUFFER = new UnsafeBuffer(BYTES);

    static {
        for (int i = 0; i < BYTES.length; i++) {
            BYTES[i] = (byte) i;
        }
    }

    private final byte[] received = new byte[LONGEST];
    private final UnsafeBuffer receivedBuffer = new UnsafeBuffer(received);

    /** Returns the first byte of the payload of message {@code number} from a rank. */
    static int ofMessage(int origin, long number) {
        return (int) (origin * 17L + number * 13) & 0xFF;
    }

    /** Returns the byte at an offset of the constant part of a rank. */
    static int ofConstant(int rank, int offset) {
        return (rank * 31 + offset + 1) & 0xFF;
    }

    /** Returns the first byte that a rank sends in a round of an exchange. */
    static int ofRound(int origin, long round) {
        return (int) (origin * 19L + round * 11) & 0xFF;
    }

    /** Returns true if a part of a window holds nothing but zeroes. */
    static boolean isZero(Window window, long offset, int length) {
        for (int i = 0; i < length; i++) {
            if (window.getByte(offset + i) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Writes bytes of which the first one is given. */
    static void write(Window window, long offset, int first, int length) {
        window.putBytes(offset, BUFFER, first, length);
    }

    /** Returns the offset of the first byte that is not as written, or -1 if there is none. */
    int mismatch(Window window, long offset, int first, int length) {
        window.getBytes(offset, receivedBuffer, 0, length);
        return Arrays.mismatch(received, 0, length, BYTES, first, first + length);
    }

    /** Returns the offset of the first byte that is not as written, or -1 if there is none. */
    int mismatch(DirectBuffer buffer, int offset, int first, int length) {
        buffer.getBytes(offset, received, 0, length);
        return Arrays.mismatch(received, 0, length, BYTES, first, first + length);
    }
}
