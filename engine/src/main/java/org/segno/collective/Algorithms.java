package org.segno.collective;

import java.util.List;
import java.util.stream.Collectors;

/** The algorithms of the library. */
final class Algorithms {
    /** Name of the algorithms that use the hosts of the members. */
    static final String HOSTS = "hosts";

    /** Name of the algorithms around a ring. */
    static final String RING = "ring";

    /** Name of the algorithms of Bruck and others. */
    static final String BRUCK = "bruck";

    /** Name of the algorithms by recursive halving. */
    static final String HALVING = "recursive-halving";

    private static final long BLOCK = 64 << 10;

    private static final List<Algorithm> BARRIERS =
            List.of(new CounterBarrier(), new DisseminationBarrier(), new HostBarrier());
    private static final List<Algorithm> BROADCASTS = List.of(
            new TreeBroadcast(Tree.STAR, BLOCK),
            new TreeBroadcast(Tree.BINOMIAL, BLOCK),
            new TreeBroadcast(Tree.LINE, BLOCK),
            new PullBroadcast(),
            new TreeBroadcast(Tree.HOSTS, BLOCK),
            new TreeBroadcast(Tree.K_NOMIAL, BLOCK));
    private static final List<Algorithm> REDUCTIONS =
            List.of(new TreeReduce(), new PullReduction(), new DividedReduction());
    private static final List<Algorithm> ALLREDUCTIONS = List.of(
            new SlotAllreduce(),
            new DoublingAllreduce(),
            new DividedReduction(),
            new PullReduction(),
            new HostAllreduce(),
            new HalvingAllreduce(),
            new RingAllreduce(),
            new GridAllreduce());
    private static final List<Algorithm> DIVIDED_REDUCTIONS =
            List.of(new DividedReduction(), new PullReduction(), new HalvingReduceScatter(), new RingReduceScatter());
    private static final List<Algorithm> SCANS = List.of(new DoublingScan());
    private static final List<Algorithm> GATHERS = List.of(new DirectGather());
    private static final List<Algorithm> SCATTERS = List.of(new DirectScatter());
    private static final List<Algorithm> ALLGATHERS =
            List.of(new SlotExchange(), new DirectExchange(), new RingAllgather(), new BruckAllgather());
    private static final List<Algorithm> ALL_TO_ALLS =
            List.of(new SlotExchange(), new DirectExchange(), new PairwiseExchange(), new BruckExchange());

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
            case ALLGATHER -> ALLGATHERS;
            case ALL_TO_ALL -> ALL_TO_ALLS;
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
        throw new IllegalArgumentException(kind + " has no algorithm \"" + name + "\": choose one of "
                + of(kind).stream().map(Algorithm::name).collect(Collectors.joining(", ")));
    }
}
