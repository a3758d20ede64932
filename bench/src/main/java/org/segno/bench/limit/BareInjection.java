package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;

/**
 * PUTs of 8 bytes that one thread injects one by one into a ring of descriptors and then executes: the limit for
 * injection, without the generality of an engine. One round trip is one such round in each direction.
 *
 * <p>A descriptor has the words that the engine's PUT has. Each is published by a store of the tail.
 *
 * <pre>
 *  offset  length  field          meaning                                   access
 *       0       8  tail           position after the last descriptor        release, after each descriptor
 *     128       8  head           position after the last executed one      release
 *    4096      64  slots, each:
 *       0       4  operation      PUT
 *       4       4  rank           of the target
 *       8       8  target         index of the target's counter
 *      16       8  source offset  in the source window
 *      24       8  source         id of the source window
 *      32       8  target offset  from the counter's base
 *      40      16  -
 *      56       8  length         bytes
 * </pre>
 */
final class BareInjection implements Exchange {
    private static final int HEAD_OFFSET = 128;
    private static final int SLOTS_OFFSET = 4096;
    private static final int SLOT_LENGTH = 64;

    private static final long PUT = 1;
    private static final int TARGET_OFFSET = 8;
    private static final int SOURCE_OFFSET_OFFSET = 16;
    private static final int SOURCE_OFFSET = 24;
    private static final int TARGET_OFFSET_OFFSET = 32;
    private static final int LENGTH_OFFSET = 56;

    private final BareTarget incoming;
    private final BareTarget target;
    private final int count;
    private final long bytes;
    private final long mask;
    private final long tailAddress;
    private final long headAddress;
    private final long slots;
    private final long source;
    /** First word of each descriptor. */
    private final long operation;

    private long tail;
    private long limit;
    private long executed;
    private int refused;

    private BareInjection(Role role, BareTarget incoming, BareTarget target, MappedBlock own, int count) {
        final int slotCount = slotCount(count);
        this.incoming = incoming;
        this.target = target;
        this.count = count;
        this.bytes = (long) count * Long.BYTES;
        this.mask = slotCount - 1L;
        this.tailAddress = own.address();
        this.headAddress = own.address() + HEAD_OFFSET;
        this.slots = own.address() + SLOTS_OFFSET;
        this.source = slots + (long) slotCount * SLOT_LENGTH;
        this.operation = PUT | ((long) role.other().rank() << Integer.SIZE);
        this.limit = slotCount;
    }

    /** Opens one end with a ring that has room for all {@code count} PUTs of a round. */
    static BareInjection open(Role role, Path directory, int count) throws IOException {
        final int windowLength = count * Long.BYTES;
        final MappedBlock mine =
                MappedBlock.make(directory.resolve("target-" + role), BareTarget.blockLength(windowLength));
        final MappedBlock own = MappedBlock.make(
                directory.resolve("own-" + role), SLOTS_OFFSET + slotCount(count) * SLOT_LENGTH + windowLength);
        final MappedBlock theirs = MappedBlock.await(directory.resolve("target-" + role.other()));
        return new BareInjection(
                role, new BareTarget(mine, windowLength), new BareTarget(theirs, windowLength), own, count);
    }

    private static int slotCount(int count) {
        return Integer.highestOneBit(count) * 2;
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            inject();
            execute();
            receive();
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            receive();
            inject();
            execute();
        }
    }

    /** Injects the PUTs of a round. The ring has room for them when those of the last round are executed. */
    void inject() {
        for (int i = 0; i < count; i++) {
            final long offset = (long) i * Long.BYTES;
            put(offset, offset);
        }
    }

    private void put(long targetOffset, long sourceOffset) {
        if (tail == limit) {
            limit = UnsafeApi.getLongAcquire(null, headAddress) + mask + 1;
            if (tail == limit) {
                throw new IllegalStateException("the ring is full: tail=" + tail);
            }
        }
        final long slot = slots + (tail & mask) * SLOT_LENGTH;
        UnsafeApi.putLong(slot, operation);
        UnsafeApi.putLong(slot + TARGET_OFFSET, 0);
        UnsafeApi.putLong(slot + SOURCE_OFFSET, 0);
        UnsafeApi.putLong(slot + SOURCE_OFFSET_OFFSET, sourceOffset);
        UnsafeApi.putLong(slot + TARGET_OFFSET_OFFSET, targetOffset);
        UnsafeApi.putLong(slot + LENGTH_OFFSET, Long.BYTES);
        tail++;
        UnsafeApi.putLongRelease(null, tailAddress, tail);
    }

    /**
     * Executes all injected PUTs: copies their payloads, then decrements the target's counter and returns the slots.
     */
    void execute() {
        final long end = UnsafeApi.getLongAcquire(null, tailAddress);
        long landed = 0;
        for (long position = executed; position < end; position++) {
            final long slot = slots + (position & mask) * SLOT_LENGTH;
            final long first = UnsafeApi.getLong(slot);
            final long counter = UnsafeApi.getLong(slot + TARGET_OFFSET);
            final long window = UnsafeApi.getLong(slot + SOURCE_OFFSET);
            final long from = UnsafeApi.getLong(slot + SOURCE_OFFSET_OFFSET);
            final long to = UnsafeApi.getLong(slot + TARGET_OFFSET_OFFSET);
            final long length = UnsafeApi.getLong(slot + LENGTH_OFFSET);
            if (first != operation
                    || (counter | window) != 0
                    || length != Long.BYTES
                    || (from | to | (bytes - length - from) | (bytes - length - to)) < 0) {
                refused++;
                continue;
            }
            UnsafeApi.putLong(target.address() + to, UnsafeApi.getLong(source + from));
            landed += length;
        }
        executed = end;
        target.landed(0, landed);
        UnsafeApi.putLongRelease(null, headAddress, end);
    }

    /** Waits until a round of the other end has landed. */
    void receive() {
        incoming.expect(0, bytes);
        incoming.await(0);
    }

    @Override
    public void close() {
        if (refused != 0) {
            throw new IllegalStateException("descriptors refused: " + refused);
        }
    }
}
