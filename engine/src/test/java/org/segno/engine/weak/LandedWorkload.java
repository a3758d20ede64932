package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import org.segno.context.Context;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;

/**
 * PUTs of one to three packets over a link. When one is complete at its sender, by its counter or by the head of its
 * FIFO, its bytes are visible to a thread of the target that learns of it in another way.
 */
final class LandedWorkload implements Workload {
    private static final int PUTS = 12;
    private static final int LONGEST = 400;

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifoSlots(4).windowBytes(8192).dimensions();
    }

    @Override
    public boolean isLinked() {
        return true;
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Window in = nodes.client(1).window(PUTS * LONGEST);
        final ReceptionCounter counter = nodes.client(1).receptionCounter(in, 0, PUTS * LONGEST);
        final Target target = new Target(1, counter.id(), counter.incarnation(), PUTS * LONGEST, false);
        final int[] lengths = new int[PUTS];
        for (int i = 0; i < PUTS; i++) {
            lengths[i] = Long.BYTES * (1 + chance.nextInt(LONGEST / Long.BYTES));
        }
        // Not a word of the nodes: the number of PUTs that are complete at their sender.
        final Memory complete = nodes.memory(Long.BYTES);
        final Sender sender = new Sender(nodes, target, lengths, complete, chance.split());
        return List.of(
                nodes.application(sender::run),
                nodes.engine(0),
                nodes.application(() -> read(nodes, in, lengths, complete)),
                nodes.engine(1));
    }

    private static long content(int number, int index) {
        return 1000L * (number + 1) + index;
    }

    private static void read(WeakNodes nodes, Window in, int[] lengths, Memory complete) {
        final Memory arena = nodes.node(1).arena();
        int checked = 0;
        while (checked < PUTS) {
            final long known = complete.getLongAcquire(0);
            for (; checked < known; checked++) {
                for (int i = 0; i < lengths[checked]; i += Long.BYTES) {
                    final long found = arena.getLong(in.base() + (long) checked * LONGEST + i);
                    nodes.require(
                            found == content(checked, i), "put # is complete and holds # at #", checked, found, i);
                }
            }
            nodes.pause();
        }
    }

    private static final class Sender {
        private final WeakNodes nodes;
        private final Target target;
        private final int[] lengths;
        private final Memory complete;
        private final SplittableRandom chance;
        private final Window source;
        private final InjectionCounter counter;

        Sender(WeakNodes nodes, Target target, int[] lengths, Memory complete, SplittableRandom chance) {
            this.nodes = nodes;
            this.target = target;
            this.lengths = lengths;
            this.complete = complete;
            this.chance = chance;
            this.source = nodes.client(0).window(LONGEST);
            this.counter = nodes.client(0).injectionCounter();
        }

        void run() {
            final Context context = nodes.context(0);
            for (int number = 0; number < PUTS; number++) {
                final int length = lengths[number];
                for (int i = 0; i < length; i += Long.BYTES) {
                    nodes.node(0).arena().putLong(source.base() + i, content(number, i));
                }
                counter.expect(length);
                final boolean byHead = chance.nextBoolean();
                final long position = context.put(target, (long) number * LONGEST, source, 0, length, counter);
                while (byHead ? !context.isCarriedOut(position) : counter.valueAcquire() > 0) {
                    nodes.pause();
                }
                nodes.require(counter.valueAcquire() == 0, "put # is carried out and lacks bytes", number);
                complete.putLongRelease(0, number + 1L);
            }
        }
    }
}
