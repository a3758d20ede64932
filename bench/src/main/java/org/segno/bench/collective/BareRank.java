package org.segno.bench.collective;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.limit.BareCollectives;

/**
 * Main class of the processes beside the measured ones: the same collectives by {@link BareCollectives}. Rank 0 prints
 * a line of {@link MeasuredCalls} for each test.
 */
final class BareRank {
    /** Name in the place of the algorithm. */
    static final String BARE = "bare";

    private static final int LONGEST = 1 << 20;
    private static final int LINE_LENGTH = 64;

    private final BareCollectives calls;
    private final MeasuredCalls ends;
    private final int size;
    private double sum;

    private BareRank(BareCollectives calls, int size) {
        this.calls = calls;
        this.size = size;
        this.ends = new MeasuredCalls(calls::barrier, this::slowest);
    }

    /** Runs one rank: the directory, the own rank, the size, whether ranks share cores, then the tests. */
    public static void main(String[] arguments) throws IOException {
        final int self = Integer.parseInt(arguments[1]);
        final int size = Integer.parseInt(arguments[2]);
        final boolean shared = Boolean.parseBoolean(arguments[3]);
        final BareRank rank =
                new BareRank(BareCollectives.open(Path.of(arguments[0]), self, size, shared, LONGEST), size);
        final List<CollectiveTest> tests = CollectiveTest.listOf(arguments, 4);
        for (int pass = 1; pass <= CollectiveRank.PASSES; pass++) {
            for (final CollectiveTest test : tests) {
                rank.measure(test, pass == CollectiveRank.PASSES && self == 0);
            }
        }
        // Everybody has read everything of this rank before its process ends.
        rank.calls.barrier();
    }

    private void measure(CollectiveTest test, boolean prints) {
        final int bytes = (int) test.bytes();
        final Runnable call = switch (test.name()) {
            case "barrier" -> calls::barrier;
            case "broadcast" -> () -> calls.broadcast(bytes);
            case "all-to-all" -> () -> calls.allToAll(bytes);
            default -> bytes == Long.BYTES ? () -> sum = calls.sum(sum) : () -> calls.allreduce(bytes);
        };
        final String line = ends.measure(test, new MeasuredCalls.Steps(call, () -> 0, call), BARE);
        if (prints) {
            System.out.println(line);
        }
    }

    /** Replaces each word by the largest one of all ranks. Each sends all of its words to all others. */
    private void slowest(UnsafeBuffer took) {
        for (int rank = 0; rank < size; rank++) {
            UnsafeApi.copyMemory(took.byteArray(), took.addressOffset(), null, calls.source(rank), took.capacity());
        }
        // Not 8 bytes, which would travel in slots.
        calls.allToAll(Math.max(took.capacity(), LINE_LENGTH));
        for (int offset = 0; offset < took.capacity(); offset += Long.BYTES) {
            for (int rank = 0; rank < size; rank++) {
                took.putLong(offset, Math.max(took.getLong(offset), UnsafeApi.getLong(calls.target(rank) + offset)));
            }
        }
    }
}
