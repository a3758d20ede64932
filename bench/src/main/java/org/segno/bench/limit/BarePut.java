package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;

/**
 * Section of PUTs that a bare loop replays until all have landed, followed by the same in the other direction. It is
 * the limit for replay, without the generality of an engine. One round trip is one replay in each direction.
 */
final class BarePut implements Exchange {
    private final BareTarget incoming;
    private final BareSection section;
    private final long bytes;
    private final boolean reads;
    private final int stride;
    private long sum;

    private BarePut(BareTarget incoming, BareSection section, int count, int stride, boolean reads) {
        this.incoming = incoming;
        this.section = section;
        this.bytes = (long) count * Long.BYTES;
        this.stride = stride;
        this.reads = reads;
    }

    /**
     * Opens one end.
     *
     * @param count PUTs of 8 bytes in the section
     * @param stride bytes from one to the next, 8 for adjacent ones
     * @param reads true if the receiver reads every landed line before it replies
     */
    static BarePut open(Role role, Path directory, int count, int stride, boolean reads) throws IOException {
        final int windowLength = count * stride;
        final int blockLength = BareTarget.blockLength(windowLength);
        final MappedBlock mine = MappedBlock.make(directory.resolve("target-" + role), blockLength);
        final MappedBlock own =
                MappedBlock.make(directory.resolve("own-" + role), BareSection.ownLength(count, stride));
        final MappedBlock theirs = MappedBlock.await(directory.resolve("target-" + role.other()));
        final BareSection section = new BareSection(own, new BareTarget(theirs, windowLength), count, stride);
        return new BarePut(new BareTarget(mine, windowLength), section, count, stride, reads);
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            incoming.expect(0, bytes);
            section.execute();
            receive();
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            incoming.expect(0, bytes);
            receive();
            section.execute();
        }
    }

    private void receive() {
        incoming.await(0);
        if (reads) {
            sum += CacheLineReads.read(incoming.address(), (int) (bytes / Long.BYTES * stride));
        }
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }

    @Override
    public void close() {
        if (section.refused() != 0) {
            throw new IllegalStateException("descriptors refused: " + section.refused());
        }
    }
}
