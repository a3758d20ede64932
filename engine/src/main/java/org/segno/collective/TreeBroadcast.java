package org.segno.collective;

import java.util.List;
import java.util.Locale;

/**
 * Broadcast along a tree, directly into the results. Long ones are divided into blocks, which a member forwards as soon
 * as they have arrived. A member counts at its parent when it begins a round, because nothing else flows that way.
 */
final class TreeBroadcast implements Algorithm {
    private final Tree tree;
    private final long block;

    /** Creates the broadcast in blocks of a length. */
    TreeBroadcast(Tree tree, long block) {
        this.tree = tree;
        this.block = block;
    }

    @Override
    public String name() {
        return tree.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String description() {
        final String blocks = ", in blocks of " + (block >> 10) + " KiB as they arrive";
        return switch (tree) {
            case STAR -> "the root writes to all";
            case BINOMIAL -> "along a binomial tree" + blocks;
            case K_NOMIAL -> "along a k-nomial tree of k = 4" + blocks;
            case LINE -> "from each to the next" + blocks;
            case HOSTS ->
                "on several hosts, one with several members: to one of each, and from it to the others" + blocks;
        };
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.BROADCAST
                && (tree != Tree.HOSTS || shape.hosts().areMixed());
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final boolean isRoot = shape.self() == shape.root();
        final List<Integer> children = tree.children(shape);
        final long bytes = shape.bytes();
        final Inlet data = schedule.result(bytes, isRoot ? 0 : bytes);
        final Inlet ready = schedule.counts(bytes == 0 ? 0 : children.size());
        if (!isRoot && bytes != 0) {
            schedule.count(tree.parent(shape), ready);
        }
        final Place from = isRoot ? schedule.source() : data.place();
        final long step = children.isEmpty() ? Math.max(bytes, 1) : block;
        for (long offset = 0; offset < bytes; offset += step) {
            final long length = Math.min(step, bytes - offset);
            schedule.await(data, bytes - offset - length);
            schedule.await(ready);
            for (final int child : children) {
                schedule.put(child, data, offset, from.at(offset), length);
            }
        }
    }
}
