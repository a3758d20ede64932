package org.segno.simulator;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.SegnoException;

/** The recorded pattern of a node in the mixed workload: a message and a PUT to each of a few ranks. */
final class MixedPattern implements MixedPart {
    /** The pattern's slot of each pair of ranks. */
    static final int SLOT = MixedLayout.SLOTS - 2;

    /** The slot before it is that of the messenger, whose PUTs go through the same FIFO. */
    static final int MESSENGER_SLOT = SLOT - 1;

    private static final int PAYLOAD_BYTES = 48;
    private static final int LENGTH = MixedLayout.FIELD_BYTES + PAYLOAD_BYTES;
    private static final int MOST_PEERS = 3;

    private final MixedParts parts;
    private final int payloadBytes;
    private final int putBytes;
    private final List<Target> targets;
    private final Message message = new Message();

    /** Rounds by which the next generation goes beyond the usual one; 0 for none. */
    private long leap;

    private int[] peers = {};

    /** True if the PUTs of the recording are runs of two, each behind that to another rank. */
    private boolean areTogether;

    private @Nullable Pattern pattern;

    /** Creates the pattern, whose generations begin with one that is {@code leap} greater than usual. */
    MixedPattern(MixedParts parts, List<Target> targets, long leap) {
        this.parts = parts;
        this.payloadBytes = parts.atMost(PAYLOAD_BYTES);
        this.putBytes = parts.atMost(LENGTH);
        this.targets = targets;
        this.leap = leap;
    }

    /** Records the pattern, with ranks that this node can reach. Returns false while that is not possible. */
    boolean record() {
        final Pattern last = pattern;
        if (last != null && !last.isComplete()) {
            return false;
        }
        final SplittableRandom random = parts.random();
        final int nodes = parts.layout().nodes();
        final int first = parts.drawPeer();
        final int count = random.nextInt(1, Math.min(nodes, MOST_PEERS) + 1);
        peers = IntStream.range(first, first + count)
                .map(peer -> peer % nodes)
                .filter(peer -> parts.isNear(peer) && parts.reaches(peer))
                .toArray();
        areTogether = random.nextBoolean();
        write();
        pattern = parts.context().record(0, Rounds.ORDERED_BY_CALLER, this::body);
        count();
        return true;
    }

    private void body() {
        for (int i = 0; i < peers.length; i++) {
            final long at = part(i);
            message.to(peers[i], MixedReceiver.REPLAYED)
                    .metadata(parts.window(), at, MixedLayout.FIELD_BYTES)
                    .payload(parts.window(), at + MixedLayout.FIELD_BYTES, payloadBytes);
            accept(parts.context().send(message));
            if (!areTogether) {
                put(i, 0, putBytes);
            }
        }
        for (int i = 0; areTogether && i < peers.length; i++) {
            put(i, 0, putBytes / 2);
            put(i, putBytes / 2, putBytes - putBytes / 2);
        }
    }

    private void put(int number, int offset, int bytes) {
        final Target target = targets.get(peers[number]);
        final long source = part(number) + offset;
        accept(parts.context().put(target, parts.slot(SLOT) + offset, parts.window(), source, bytes));
    }

    private long part(int number) {
        return parts.layout().pattern() + (long) number * LENGTH;
    }

    private static void accept(long status) {
        if (status < 0) {
            throw new IllegalStateException("a recording refused an operation: " + status);
        }
    }

    /** Writes the data of the next round. */
    private void write() {
        final Window window = parts.window();
        for (int i = 0; i < peers.length; i++) {
            final long number = parts.ledger().next(parts.rank(), peers[i], Ledger.REPLAYED);
            window.putLong(part(i), number);
            window.putLong(part(i) + Long.BYTES, payloadBytes);
            final int first = ExpectedBytes.ofMessage(parts.rank(), number);
            ExpectedBytes.write(window, part(i) + MixedLayout.FIELD_BYTES, first, payloadBytes);
        }
    }

    /** Adds the data of a round to the ledger. */
    private void count() {
        for (int i = 0; i < peers.length; i++) {
            parts.ledger().sent(parts.rank(), peers[i], Ledger.REPLAYED);
            parts.put(peers[i], SLOT, parts.window(), part(i), putBytes);
        }
    }

    /** Begins a round. Returns false while that is not possible. */
    boolean replay() {
        final Pattern recorded = pattern;
        if (recorded == null) {
            return record();
        }
        if (!recorded.isComplete()) {
            return false;
        }
        write();
        final long generation = recorded.generation() + 1 + leap;
        try {
            if (parts.context().replay(recorded, generation) < 0) {
                return false;
            }
        } catch (final SegnoException e) {
            parts.ledger().failedPattern(parts.rank(), peers, e.toString());
            pattern = null;
            return true;
        }
        leap = 0;
        count();
        return true;
    }

    @Override
    public void begin() {
        record();
    }

    /** Returns true if no round is in progress. */
    @Override
    public boolean isIdle() {
        final Pattern recorded = pattern;
        return recorded == null || recorded.isComplete();
    }
}
