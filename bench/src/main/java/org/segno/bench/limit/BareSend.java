package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;

/**
 * Section of SENDs that a bare loop replays into a packed lane until the peer has read all, followed by the same in the
 * other direction.
 *
 * <p>Descriptors are 64 bytes as in {@link BareSection}, each field read once and then checked.
 *
 * <pre>
 *  offset  length  field          meaning
 *       0       4  operation      SEND
 *       4       4  dispatch id    below 256
 *       8       8  length         bytes
 *      16       8  source offset  in the source window
 *      24      40  -
 *      64          LENGTH
 * </pre>
 */
final class BareSend implements Exchange {
    private static final int LENGTH = 64;
    private static final int SEND = 2;
    private static final int DISPATCH_IDS = 256;
    private static final int DISPATCH_OFFSET = 4;
    private static final int LENGTH_OFFSET = 8;
    private static final int SOURCE_OFFSET = 16;
    /** Power of two of 16-byte records that holds the largest section. */
    private static final int RECORDS = 16 * 1024;

    private final PackedRing out;
    private final PackedRing in;
    private final long descriptors;
    private final long source;
    private final int count;
    private int refused;

    private BareSend(PackedRing out, PackedRing in, MappedBlock own, int count) {
        this.out = out;
        this.in = in;
        this.count = count;
        this.descriptors = own.address();
        this.source = descriptors + (long) count * LENGTH;
        for (int i = 0; i < count; i++) {
            final long descriptor = descriptors + (long) i * LENGTH;
            UnsafeApi.putInt(descriptor, SEND);
            UnsafeApi.putInt(descriptor + DISPATCH_OFFSET, 1);
            UnsafeApi.putLong(descriptor + LENGTH_OFFSET, Long.BYTES);
            UnsafeApi.putLong(descriptor + SOURCE_OFFSET, (long) i * Long.BYTES);
        }
    }

    /** Opens one end with a section of {@code count} SENDs of 8 bytes. */
    static BareSend open(Role role, Path directory, int count) throws IOException {
        final MappedBlock own = MappedBlock.make(directory.resolve("own-" + role), count * (LENGTH + Long.BYTES));
        final PackedRing forth = PackedRing.open(role, directory.resolve("forth"), Long.BYTES, RECORDS);
        final PackedRing back = PackedRing.open(role, directory.resolve("back"), Long.BYTES, RECORDS);
        return role == Role.ORIGIN ? new BareSend(forth, back, own, count) : new BareSend(back, forth, own, count);
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            execute();
            in.receive(count);
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            in.receive(count);
            execute();
        }
    }

    private void execute() {
        final long end = descriptors + (long) count * LENGTH;
        for (long descriptor = descriptors; descriptor < end; descriptor += LENGTH) {
            final int operation = UnsafeApi.getInt(descriptor);
            final int dispatchId = UnsafeApi.getInt(descriptor + DISPATCH_OFFSET);
            final long length = UnsafeApi.getLong(descriptor + LENGTH_OFFSET);
            final long offset = UnsafeApi.getLong(descriptor + SOURCE_OFFSET);
            if (operation != SEND
                    || (dispatchId & -DISPATCH_IDS) != 0
                    || length != Long.BYTES
                    || offset < 0
                    || offset > (long) count * Long.BYTES - length) {
                refused++;
                continue;
            }
            out.put(source + offset);
        }
    }

    @Override
    public void close() {
        if (refused != 0) {
            throw new IllegalStateException("descriptors refused: " + refused);
        }
    }
}
