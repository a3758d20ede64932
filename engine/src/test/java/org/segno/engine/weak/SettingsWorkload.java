package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import org.segno.context.InjectionFifo;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.Window;

/**
 * Injection FIFO with settings that change while it is used: it is deactivated, pointed at other slots and activated
 * again, and its quantum and its thresholds change. The effects of a descriptor are visible to every thread that sees
 * it carried out.
 */
final class SettingsWorkload implements Workload {
    private static final int COPIES = 30;
    private static final int LENGTH = 24;
    private static final int SLOTS = 4;

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifos(3).fifoSlots(SLOTS).windowBytes(4096).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final SplittableRandom choices = chance.split();
        final Window source = nodes.client(0).window(COPIES * LENGTH);
        final Window target = nodes.client(0).window(COPIES * LENGTH);
        // The FIFO is opened by the thread that uses it, while the engine runs.
        return List.of(nodes.application(() -> new Application(nodes, choices, source, target).run()), nodes.engine(0));
    }

    private static long content(int number, int index) {
        return 100L * number + index + 1;
    }

    private static final class Application {
        private final WeakNodes nodes;
        private final SplittableRandom chance;
        private final Window source;
        private final Window target;
        private final InjectionFifo fifo;
        private int injected;
        private int checked;
        private int events;
        private int firstSlot = SLOTS;

        Application(WeakNodes nodes, SplittableRandom chance, Window source, Window target) {
            this.nodes = nodes;
            this.chance = chance;
            this.source = source;
            this.target = target;
            this.fifo = nodes.context(0).injectionFifo();
        }

        void run() {
            while (checked < COPIES) {
                switch (chance.nextInt(12)) {
                    case 0 -> restart();
                    case 1 -> fifo.quantum(1 + chance.nextInt(100), 1 + chance.nextInt(3));
                    case 2 -> fifo.priority(chance.nextInt(3));
                    case 3 -> threshold();
                    case 4 -> crossings();
                    case 5 -> awaitActive();
                    default -> copy();
                }
                check();
                nodes.context(0).advance();
            }
        }

        private void copy() {
            if (injected == COPIES || fifo.isFull()) {
                nodes.pause();
                return;
            }
            final long at = (long) injected * LENGTH;
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                nodes.node(0).arena().putLong(source.base() + at + i, content(injected, i));
            }
            final long position = fifo.copy(source, at, target, at, LENGTH);
            nodes.require(position == injected, "position # of copy #", position, injected);
            injected++;
        }

        /** Checks that the effects of descriptors that are carried out, by position and by count, are visible. */
        private void check() {
            final boolean byCount = chance.nextBoolean();
            while (checked < injected && (byCount ? fifo.descriptors() > checked : fifo.isCarriedOut(checked))) {
                final Memory arena = nodes.node(0).arena();
                for (int i = 0; i < LENGTH; i += Long.BYTES) {
                    final long found = arena.getLong(target.base() + (long) checked * LENGTH + i);
                    nodes.require(found == content(checked, i), "copy # holds #", checked, found);
                }
                checked++;
            }
        }

        private void awaitActive() {
            while (!fifo.isActive()) {
                nodes.pause();
            }
        }

        private void threshold() {
            if (chance.nextBoolean()) {
                fifo.threshold(1 + chance.nextInt(3), () -> events++);
            } else {
                fifo.freeThreshold(1 + chance.nextInt(SLOTS), () -> events++);
            }
        }

        private void crossings() {
            if (fifo.wasThresholdCrossed()) {
                fifo.clearThreshold();
            }
            if (fifo.wasFreeThresholdCrossed()) {
                fifo.clearFreeThreshold();
            }
        }

        /** Points it at other slots if it is empty; sometimes before the engine has served it at the old ones. */
        private void restart() {
            do {
                fifo.deactivate();
                while (fifo.isActive()) {
                    nodes.pause();
                }
                if (fifo.isEmpty()) {
                    firstSlot = firstSlot == SLOTS ? 2 * SLOTS : SLOTS;
                    fifo.pointAt(firstSlot, SLOTS);
                }
                fifo.activate();
            } while (chance.nextInt(3) == 0);
        }
    }
}
