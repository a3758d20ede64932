package org.segno.bench.idle;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The limit of a wake-up: a process that is blocked in a read of its standard input, a pipe, and one that writes the
 * time to it. Nothing of Segno runs. As main class it is the process that waits.
 */
final class BarePipe {
    private static final long WARM_UP_SLEEP_US = 2000;

    private BarePipe() {}

    /** Reads the number of times that the two arguments give, and prints their figures. */
    public static void main(String[] arguments) throws IOException {
        final WakeTimes times = new WakeTimes(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
        final byte[] word = new byte[Long.BYTES];
        final InputStream in = System.in;
        while (!times.isComplete() && in.readNBytes(word, 0, Long.BYTES) == Long.BYTES) {
            times.add(System.nanoTime() - ByteBuffer.wrap(word).getLong());
        }
        System.out.println(times.figures());
    }

    /** Writes the time to the waiting process at intervals, and returns the figures that it prints. */
    static String[] measure(Process waiting, WakeTimes times, long sleepMs) throws IOException {
        final OutputStream out = waiting.getOutputStream();
        for (int i = 0; i < times.all(); i++) {
            final long sleepUs = times.isWarmUp(i) ? WARM_UP_SLEEP_US : 1000 * sleepMs;
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(sleepUs));
            out.write(ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).array());
            out.flush();
        }
        return new String(waiting.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .trim()
                .split(" ", -1);
    }
}
