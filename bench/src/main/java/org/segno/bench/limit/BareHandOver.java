package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.agrona.UnsafeApi;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.LentCore;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.ParkedEcho;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.Spin;
import org.segno.bench.experiment.Transfer;

/**
 * Minimal hand-over of copies to a thread on another core: a ring of slots of one cache line. The thread polls the
 * number in the next slot, copies, and stores its position in a line that the caller polls. It checks only the ranges.
 *
 * <p>{@link Answer#SAME_LINE} is the least that two cores need: the thread answers in the line of the slot, and neither
 * side pauses between two polls.
 *
 * <pre>
 *  offset  length  field          meaning                      written by  access
 *       0       8  done           position of the thread       thread      release
 *    4096      64  slots, each:
 *       0       8  number         position of the slot plus 1  caller      release, after the rest of the slot
 *       8       8  length         bytes                        caller      plain
 *      16       8  source offset                               caller      plain
 *      24       8  target offset                               caller      plain
 *      32       8  answer         position of the slot plus 1  thread      release, with SAME_LINE
 * </pre>
 */
final class BareHandOver implements Transfer {
    /** Places of the answer. */
    enum Answer {
        OWN_LINE,
        SAME_LINE
    }

    private static final int SLOTS = 1024;
    private static final int SLOT_LENGTH = 64;
    private static final int SLOTS_OFFSET = 4096;
    private static final int LENGTH_OFFSET = 8;
    private static final int SOURCE_OFFSET = 16;
    private static final int TARGET_OFFSET = 24;
    private static final int ANSWER_OFFSET = 32;
    private static final int PAGE_LENGTH = 4096;

    private final long done;
    private final long slots;
    private final long source;
    private final long target;
    private final int size;
    private final int limit;
    private final boolean sameLine;
    private final Thread copier;
    private volatile boolean isOpen;
    private volatile boolean closed;
    private long tail;
    private long refused;

    private BareHandOver(MappedBlock block, int size, Answer answer, int core) {
        this.done = block.address();
        this.slots = block.address() + SLOTS_OFFSET;
        this.limit = Math.max(PAGE_LENGTH, size);
        this.source = slots + (long) SLOTS * SLOT_LENGTH;
        this.target = source + limit;
        this.size = size;
        this.sameLine = answer == Answer.SAME_LINE;
        UnsafeApi.setMemory(source, size, (byte) 1);
        this.copier = new Thread(() -> copyOn(core), "bench-bare-copier");
        copier.setDaemon(true);
    }

    static Side open(Role role, Path directory, int size, Answer answer, Function<Transfer, Side> measurement)
            throws IOException {
        final LentCore core = LentCore.share(role, directory);
        final int length = SLOTS_OFFSET + SLOTS * SLOT_LENGTH + 2 * Math.max(PAGE_LENGTH, size);
        final BareHandOver handOver = new BareHandOver(
                MappedBlock.make(directory.resolve("hand-over-" + role), length),
                size,
                answer,
                role == Role.ORIGIN ? core.number() : 0);
        if (role == Role.ORIGIN) {
            handOver.copier.start();
        }
        return new ParkedEcho(role, measurement.apply(handOver), core);
    }

    private void copyOn(int core) {
        Cores.bindThisThread(core);
        long position = 0;
        while (!closed) {
            if (isOpen) {
                position = copyMany(position);
            } else {
                LockSupport.park(this);
            }
        }
    }

    /** Copies until the gate is shut. */
    private long copyMany(long first) {
        long position = first;
        while (isOpen) {
            final long slot = slots + (position & (SLOTS - 1)) * SLOT_LENGTH;
            if (UnsafeApi.getLongAcquire(null, slot) != position + 1) {
                if (!sameLine) {
                    Thread.onSpinWait();
                }
                continue;
            }
            copy(slot);
            position++;
            UnsafeApi.putLongRelease(null, sameLine ? slot + ANSWER_OFFSET : done, position);
        }
        return position;
    }

    private void copy(long slot) {
        final long length = UnsafeApi.getLong(slot + LENGTH_OFFSET);
        final long from = UnsafeApi.getLong(slot + SOURCE_OFFSET);
        final long into = UnsafeApi.getLong(slot + TARGET_OFFSET);
        if ((length | from | into | (limit - length - from) | (limit - length - into)) < 0) {
            refused++;
        } else if (length == Long.BYTES) {
            UnsafeApi.putLong(target + into, UnsafeApi.getLong(source + from));
        } else {
            UnsafeApi.copyMemory(source + from, target + into, length);
        }
    }

    @Override
    public void enter() {
        isOpen = true;
        LockSupport.unpark(copier);
    }

    @Override
    public void start(int count) {
        for (int i = 0; i < count; i++) {
            put();
        }
    }

    private void put() {
        final long slot = slots + (tail & (SLOTS - 1)) * SLOT_LENGTH;
        UnsafeApi.putLong(slot + LENGTH_OFFSET, size);
        UnsafeApi.putLong(slot + SOURCE_OFFSET, 0);
        UnsafeApi.putLong(slot + TARGET_OFFSET, 0);
        tail++;
        UnsafeApi.putLongRelease(null, slot, tail);
    }

    @Override
    public void await() {
        if (sameLine) {
            final long answer = slots + ((tail - 1) & (SLOTS - 1)) * SLOT_LENGTH + ANSWER_OFFSET;
            while (UnsafeApi.getLongAcquire(null, answer) != tail) {
                // No pause, see the class's Javadoc.
            }
            return;
        }
        int spins = 0;
        while (UnsafeApi.getLongAcquire(null, done) != tail) {
            spins = Spin.pause(spins);
        }
    }

    @Override
    public void oneByOne(int count) {
        for (int i = 0; i < count; i++) {
            put();
            await();
        }
    }

    @Override
    public void leave() {
        isOpen = false;
    }

    @Override
    public void close() {
        closed = true;
        isOpen = false;
        LockSupport.unpark(copier);
        if (refused != 0) {
            throw new IllegalStateException("copies refused: " + refused);
        }
    }
}
