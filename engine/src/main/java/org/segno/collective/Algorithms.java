package org.segno.collective;

import java.util.List;
import java.util.stream.Collectors;

/** The algorithms of the library. */
final class Algorithms {
    /** Name of the algorithms that use the hosts of the members. */
    static final String HOSTS = "hosts";

    private static final long BLOCK = 64 << 10;

    private static final List<Algorithm> BARRIERS =
            List.of(new CounterBarrier(), new DisseminationBarrier(), new HostBarrier());
    private static final List<Algorithm> BROADCASTS = List.of(
            new TreeBroadcast(Tree.STAR, BLOCK),
            new TreeBroadcast(Tree.BINOMIAL, BLOCK),
            new TreeBroadcast(Tree.LINE, BLOCK),
            new PullBroadcast(),
            new TreeBroadcast(Tree.HOSTS, BLOCK));
    private static final List<Algorithm> REDUCTIONS = List.of(new TreeReduce());
    private static final List<Algorithm> ALLREDUCTIONS = List.of(
            new SlotAllreduce(),
            new DoublingAllreduce(),
            new DividedReduction(),
            new PullReduction(),
            new HostAllreduce());
    private static final List<Algorithm> DIVIDED_REDUCTIONS = List.of(new DividedReduction(), new PullReduction());
    private static final List<Algorithm> SCANS = List.of(new DoublingScan());
    private static final List<Algorithm> GATHERS = List.of(new DirectGather());
    private static final List<Algorithm> SCATTERS = List.of(new DirectScatter());
    private static final List<Algorithm> EXCHANGES = List.of(new SlotExchange(), new DirectExchange());

    private Algorithms() {}

    /** Returns the algorithms of a kind. */
    static List<Algorithm> of(CollectiveKind kind) {
        return switch (kind) {
            case BARRIER -> BARRIERS;
            case BROADCAST -> BROADCASTS;
            case REDUCE -> REDUCTIONS;
            case ALLREDUCE -> ALLREDUCTIONS;
            case REDUCE_SCATTER -> DIVIDED_REDUCTIONS;
            case SCAN, EXCLUSIVE_SCAN -> SCANS;
            case GATHER -> GATHERS;
            case SCATTER -> SCATTERS;
            case ALLGATHER, ALL_TO_ALL -> EXCHANGES;
        };
    }

    /**
     * Returns the algorithm of a kind with a name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names
     */
    static Algorithm named(CollectiveKind kind, String name) {
        for (final Algorithm algorithm : of(kind)) {
            if (algorithm.name().equals(name)) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException("there is no algorithm \"" + name + "\" for a " + kind + ": choose one of "
                + of(kind).stream().map(Algorithm::name).collect(Collectors.joining(", ")));
    }
}
