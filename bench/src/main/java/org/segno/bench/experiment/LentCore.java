package org.segno.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.UnsafeApi;

/**
 * Core for a second thread of the origin. It is the echo's core, and the echo sleeps while the thread uses it, unless
 * the origin has a further core of its own ({@link Cores#engine}).
 *
 * <pre>
 *  offset  length  field      meaning                                    written by  access
 *       0       8  returned   number of slices after which it was returned  origin   release
 *     128       8  core       number of the echo's core, counted from 1  echo        release
 *     256          LENGTH
 * </pre>
 */
public final class LentCore {
    private static final int BLOCK_LENGTH = 4096;
    private static final int CORE_OFFSET = 128;

    /**
     * Interval at which the sleeping echo polls. A poll takes the core from the thread that uses it for some
     * microseconds, so that a shorter interval would show in a 99th percentile.
     */
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final long address;
    private final OptionalInt own;
    private long slices;

    private LentCore(long address, OptionalInt own) {
        this.address = address;
        this.own = own;
    }

    /** Opens one end; the echo provides its core. */
    public static LentCore share(Role role, Path directory) throws IOException {
        final MappedBlock block = MappedBlock.share(role, directory.resolve("lent-core"), BLOCK_LENGTH);
        if (role == Role.ECHO) {
            // Counted from 1, because zero means that no core is stored yet.
            UnsafeApi.putLongRelease(
                    null, block.address() + CORE_OFFSET, Cores.allowed().get(0) + 1L);
        }
        return new LentCore(block.address(), Cores.engine());
    }

    /** Returns the number of the core, after waiting for the echo. Called at the origin. */
    public int number() {
        if (own.isPresent()) {
            return own.getAsInt();
        }
        while (UnsafeApi.getLongAcquire(null, address + CORE_OFFSET) == 0) {
            LockSupport.parkNanos(POLL_NS);
        }
        return (int) UnsafeApi.getLongAcquire(null, address + CORE_OFFSET) - 1;
    }

    /** Ends one slice: sleeps at the echo until the origin has ended the same slice. */
    void endSlice(Role role) {
        slices++;
        if (role == Role.ORIGIN) {
            UnsafeApi.putLongRelease(null, address, slices);
            return;
        }
        while (UnsafeApi.getLongAcquire(null, address) < slices) {
            LockSupport.parkNanos(POLL_NS);
        }
    }
}
