package org.segno.collective;

import java.util.List;
import java.util.Locale;

/** The algorithms of the library, and the choice among them. */
final class Algorithms {
    private static final int ANY = Integer.MAX_VALUE;
    private static final long ANY_LENGTH = Long.MAX_VALUE;
    private static final long BLOCK = 64 << 10;

    /**
     * An algorithm with the calls for which it is the first choice.
     *
     * @param kind of the collectives that it carries out
     * @param members limit of the number of members
     * @param bytes limit of {@link Shape#total}
     */
    record Choice(CollectiveKind kind, Algorithm algorithm, int members, long bytes) {}

    /** In the order of preference for each kind. */
    private static final List<Choice> CHOICES = List.of(
            new Choice(CollectiveKind.BARRIER, new CounterBarrier(), 16, ANY_LENGTH),
            new Choice(CollectiveKind.BARRIER, new DisseminationBarrier(), ANY, ANY_LENGTH),
            new Choice(CollectiveKind.BROADCAST, new TreeBroadcast(Tree.STAR, BLOCK), 16, 128 << 10),
            new Choice(CollectiveKind.BROADCAST, new TreeBroadcast(Tree.BINOMIAL, BLOCK), ANY, ANY_LENGTH),
            new Choice(CollectiveKind.BROADCAST, new TreeBroadcast(Tree.LINE, BLOCK), 0, 0),
            new Choice(CollectiveKind.REDUCE, new TreeReduce(), ANY, ANY_LENGTH),
            new Choice(CollectiveKind.ALLREDUCE, new SlotAllreduce(), ANY, 2 << 10),
            new Choice(CollectiveKind.ALLREDUCE, new DoublingAllreduce(), 2, 128 << 10),
            new Choice(CollectiveKind.ALLREDUCE, new DividedReduction(), 64, ANY_LENGTH),
            new Choice(CollectiveKind.ALLREDUCE, new DoublingAllreduce(), ANY, ANY_LENGTH),
            new Choice(CollectiveKind.REDUCE_SCATTER, new DividedReduction(), ANY, ANY_LENGTH),
            new Choice(CollectiveKind.SCAN, new DoublingScan(), ANY, ANY_LENGTH),
            new Choice(CollectiveKind.EXCLUSIVE_SCAN, new DoublingScan(), ANY, ANY_LENGTH),
            new Choice(CollectiveKind.GATHER, new DirectGather(), ANY, ANY_LENGTH),
            new Choice(CollectiveKind.SCATTER, new DirectScatter(), ANY, ANY_LENGTH),
            new Choice(CollectiveKind.ALLGATHER, new SlotExchange(), ANY, 8 << 10),
            new Choice(CollectiveKind.ALLGATHER, new DirectExchange(), ANY, ANY_LENGTH),
            new Choice(CollectiveKind.ALL_TO_ALL, new SlotExchange(), ANY, 8 << 10),
            new Choice(CollectiveKind.ALL_TO_ALL, new DirectExchange(), ANY, ANY_LENGTH));

    private Algorithms() {}

    /** Returns all choices. */
    static List<Choice> choices() {
        return CHOICES;
    }

    /**
     * Returns the algorithm of a name, or the first choice for a shape if the name is empty.
     *
     * @throws IllegalArgumentException if the shape has no such algorithm; the message lists those that it has
     */
    static Algorithm of(String name, Shape shape) {
        for (final Choice choice : CHOICES) {
            final boolean fits = name.isEmpty()
                    ? shape.members() <= choice.members() && shape.total() <= choice.bytes()
                    : choice.algorithm().name().equals(name);
            if (choice.kind() == shape.kind() && fits && choice.algorithm().isValid(shape)) {
                return choice.algorithm();
            }
        }
        throw new IllegalArgumentException(String.format(
                Locale.ROOT,
                "\"%s\" cannot carry out this %s of %d bytes among %d members: choose one of %s",
                name,
                shape.kind(),
                shape.total(),
                shape.members(),
                names(shape)));
    }

    /** Returns the names of the algorithms that can carry out a shape, the preferred ones first. */
    static List<String> names(Shape shape) {
        return CHOICES.stream()
                .filter(choice ->
                        choice.kind() == shape.kind() && choice.algorithm().isValid(shape))
                .map(choice -> choice.algorithm().name())
                .distinct()
                .toList();
    }
}
