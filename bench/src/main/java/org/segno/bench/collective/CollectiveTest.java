package org.segno.bench.collective;

import java.util.ArrayList;
import java.util.List;
import org.segno.collective.Call;
import org.segno.collective.Reduction;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;

/**
 * A measured collective.
 *
 * @param name of the operation
 * @param bytes of each block
 * @param calls measured ones, after as many to warm up
 */
record CollectiveTest(String name, long bytes, int calls) {
    private static final long[] LENGTHS = {8, 4 << 10, 64 << 10, 1 << 20};
    private static final int CALLS = 20_000;
    private static final long CALLED_BYTES = 192 << 20;
    private static final int FEWEST = 200;

    /** Returns all tests for a number of ranks, of which {@code scale} processes share a core. */
    static List<CollectiveTest> all(int ranks, int scale) {
        final List<CollectiveTest> tests = new ArrayList<>();
        tests.add(new CollectiveTest("barrier", 0, CALLS / scale));
        for (final String name : List.of("broadcast", "allreduce", "all-to-all")) {
            for (final long bytes : LENGTHS) {
                final long moved = bytes * (name.equals("all-to-all") ? ranks : 1) * ranks;
                final long calls = Math.min(CALLS / scale, CALLED_BYTES / moved);
                tests.add(new CollectiveTest(name, bytes, (int) Math.max(FEWEST / scale, calls)));
            }
        }
        return tests;
    }

    /** Returns the call without windows. */
    Call call() {
        return switch (name) {
            case "barrier" -> Call.barrier();
            case "broadcast" -> Call.broadcast(0, bytes);
            case "allreduce" -> Call.allreduce(bytes, Reduction.of(ElementType.DOUBLE, Operator.SUM));
            case "all-to-all" -> Call.allToAll(bytes);
            default -> throw new IllegalArgumentException("no such test: " + name);
        };
    }

    /** Returns it as three words of a command line. */
    List<String> words() {
        return List.of(name, Long.toString(bytes), Integer.toString(calls));
    }

    /** Returns the tests of a command line from its word {@code first} on, of three words each. */
    static List<CollectiveTest> listOf(String[] words, int first) {
        final List<CollectiveTest> tests = new ArrayList<>();
        for (int word = first; word + 2 < words.length; word += 3) {
            tests.add(new CollectiveTest(
                    words[word], Long.parseLong(words[word + 1]), Integer.parseInt(words[word + 2])));
        }
        return tests;
    }
}
