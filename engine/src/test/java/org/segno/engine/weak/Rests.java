package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;

/**
 * Closing of windows and counters by one node, which reuses their memory and ids. The other node puts to counters that
 * may be closed, and its engine rests between passes, or ends. Once a closing is done, no put changes the memory or the
 * counter.
 */
final class Rests implements Workload {
    private static final int ROUNDS = 8;
    private static final int LENGTH = 16;
    private static final int CHECKS = 12;
    private static final int PUTS = 3;
    private static final int BUSY_PASSES = 25;
    private static final int[] REST_PERCENT = {0, 10, 40, 90};

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifos(3).fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public boolean keepsFences() {
        return true;
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Putter putter = new Putter(nodes, chance.split());
        final Owner owner = new Owner(nodes, chance.split(), putter);
        final Engine engine = new Engine(nodes, chance.split(), putter);
        // The engine of rank 1 never runs: it rests from its creation.
        return List.of(nodes.application(putter::run), engine::run, nodes.application(owner::run));
    }

    /** Thread of the putter's engine. It rests by chance after a pass, and ends early by chance. */
    private static final class Engine {
        private final WeakNodes nodes;
        private final SplittableRandom chance;
        private final Putter putter;
        private final int restPercent;
        private int busyPasses;

        Engine(WeakNodes nodes, SplittableRandom chance, Putter putter) {
            this.nodes = nodes;
            this.chance = chance;
            this.putter = putter;
            this.restPercent = REST_PERCENT[chance.nextInt(REST_PERCENT.length)];
            this.busyPasses = chance.nextBoolean() ? chance.nextInt(BUSY_PASSES) : Integer.MAX_VALUE;
        }

        void run() {
            final DmaEngine engine = nodes.dmaEngine(0);
            while (nodes.isBusy() && busyPasses > 0) {
                final boolean worked = engine.doWork() != 0;
                busyPasses -= worked ? 1 : 0;
                if (chance.nextInt(100) < restPercent) {
                    engine.rest();
                }
                if (!worked) {
                    nodes.pause();
                }
            }
            engine.ended();
            putter.isOver = true;
        }
    }

    /** Sender that puts to the last target that the owner has published, whether its counter is still open or not. */
    private static final class Putter {
        private final WeakNodes nodes;
        private final SplittableRandom chance;
        private final InjectionFifo copies;
        private final Window source;
        private final Window copied;
        private final InjectionCounter read;
        private @Nullable Target target;
        private int puts;
        private boolean isOver;

        Putter(WeakNodes nodes, SplittableRandom chance) {
            this.nodes = nodes;
            this.chance = chance;
            this.copies = nodes.context(0).injectionFifo();
            this.source = nodes.client(0).window(LENGTH);
            this.copied = nodes.client(0).window(LENGTH);
            this.read = nodes.client(0).injectionCounter();
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                nodes.node(0).arena().putLong(source.base() + i, -1);
            }
        }

        void run() {
            final Context context = nodes.context(0);
            while (!isOver) {
                final Target to = target;
                if (chance.nextBoolean()) {
                    copy();
                } else if (to != null) {
                    read.expect(LENGTH);
                    context.put(to, 0, source, 0, LENGTH, read);
                    puts++;
                    awaitRead();
                }
                nodes.pause();
            }
        }

        /** Injects work without atomic access: between two copies, only quiet points execute fences. */
        private void copy() {
            final long position = copies.copy(source, 0, copied, 0, LENGTH);
            while (!isOver && !copies.isCarriedOut(position)) {
                nodes.pause();
            }
        }

        private void awaitRead() {
            while (!isOver && read.valueAcquire() > 0 && read.errorAcquire() == 0) {
                nodes.pause();
            }
            if (read.errorAcquire() != 0) {
                read.reset();
            }
        }
    }

    /** Owner that opens and closes counters, and some of the windows below them. */
    private static final class Owner {
        private final WeakNodes nodes;
        private final SplittableRandom chance;
        private final Putter putter;
        private final Client client;
        private final Memory arena;

        Owner(WeakNodes nodes, SplittableRandom chance, Putter putter) {
            this.nodes = nodes;
            this.chance = chance;
            this.putter = putter;
            this.client = nodes.client(1);
            this.arena = nodes.node(1).arena();
        }

        void run() {
            Window window = client.window(LENGTH);
            for (int round = 1; round <= ROUNDS; round++) {
                final ReceptionCounter counter = reuse(round, window);
                awaitPuts(chance.nextInt(PUTS));
                await(client.close(counter));
                requireUnchanged(window);
                if (chance.nextBoolean()) {
                    window = closeAndOpen(window);
                }
            }
            putter.isOver = true;
        }

        /** Writes to the memory and opens a counter over it. Neither may change before the putter gets the target. */
        private ReceptionCounter reuse(int round, Window window) {
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                arena.putLong(window.base() + i, round);
            }
            final ReceptionCounter counter = client.receptionCounter(window, 0, LENGTH);
            for (int check = chance.nextInt(CHECKS); check >= 0; check--) {
                for (int i = 0; i < LENGTH; i += Long.BYTES) {
                    final long found = arena.getLong(window.base() + i);
                    nodes.require(found == round, "memory of round # holds #", round, found);
                }
                final long value = counter.valueAcquire();
                nodes.require(value == 0, "the counter of round # counts #", round, value);
                pauses();
            }
            putter.target = new Target(1, counter.id(), counter.incarnation(), LENGTH, false);
            return counter;
        }

        private Window closeAndOpen(Window closed) {
            await(client.close(closed));
            final Window opened = client.window(LENGTH);
            nodes.require(
                    opened.base() == closed.base(),
                    "memory at # is not reused, but # is",
                    closed.base(),
                    opened.base());
            return opened;
        }

        private void requireUnchanged(Window window) {
            final long first = arena.getLong(window.base());
            pauses();
            final long second = arena.getLong(window.base());
            nodes.require(first == second, "memory without a counter changed from # to #", first, second);
        }

        private void awaitPuts(int count) {
            final int sum = putter.puts + count;
            while (!putter.isOver && putter.puts < sum) {
                nodes.pause();
            }
        }

        private void await(Closing closing) {
            while (!closing.isDone()) {
                nodes.pause();
            }
        }

        private void pauses() {
            for (int i = chance.nextInt(4); i > 0; i--) {
                nodes.pause();
            }
        }
    }
}
