package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.Closing;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;

/**
 * Owner that closes counters and windows and reuses their memory and ids, against a borrower that writes there in
 * place, with loans that overlap. Published bytes are visible when they are counted. Once a closing is done, no loan
 * changes the memory or the counter.
 */
final class LoanWorkload implements Workload {
    private static final int ROUNDS = 6;
    private static final int LENGTH = 16;
    private static final int CHECKS = 12;
    private static final int CLAIMS = 4;

    /** Value of published words; the owner's own are its rounds. */
    private static final long PUBLISHED = -1;

    /** Value of the words of abandoned loans. */
    private static final long ABANDONED = -2;

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public boolean keepsFences() {
        return true;
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Borrower borrower = new Borrower(nodes, chance.split());
        final Owner owner = new Owner(nodes, chance.split(), borrower);
        // The engine of rank 1 never runs: it rests from its creation.
        return List.of(nodes.application(borrower::run), () -> runEngine(nodes), nodes.application(owner::run));
    }

    /** Runs the borrower's engine, which rests whenever it is idle: closings wait for loans alone. */
    private static void runEngine(WeakNodes nodes) {
        final DmaEngine engine = nodes.dmaEngine(0);
        while (nodes.isBusy()) {
            if (engine.doWork() == 0) {
                engine.rest();
                nodes.pause();
            }
        }
    }

    /** Writer in the range that the owner has published last, whether its counter is still open or not. */
    private static final class Borrower {
        private final WeakNodes nodes;
        private final SplittableRandom chance;
        private final Loan[] loans = new Loan[2];
        private final long[] places = new long[loans.length];
        private final Target steady;
        private final long steadyBase;
        private @Nullable Target target;
        private long base;
        private int claims;
        private boolean isOver;

        Borrower(WeakNodes nodes, SplittableRandom chance) {
            this.nodes = nodes;
            this.chance = chance;
            final Window window = nodes.client(1).window(LENGTH);
            final ReceptionCounter counter = nodes.client(1).receptionCounter(window, 0, LENGTH);
            this.steady = new Target(1, counter.id(), counter.incarnation(), LENGTH, false);
            this.steadyBase = window.base();
            final Context context = nodes.context(0);
            for (int i = 0; i < loans.length; i++) {
                loans[i] = context.loan();
            }
        }

        void run() {
            final boolean overlaps = chance.nextBoolean();
            for (int turn = 0; !isOver; turn++) {
                final int i = overlaps ? turn % loans.length : 0;
                final int other = overlaps ? (turn + 1) % loans.length : 0;
                if (!loans[i].isOpen()) {
                    // With loans of a counter that stays open, some loan is always open.
                    claim(i, overlaps && chance.nextBoolean());
                    nodes.pause();
                }
                if (loans[other].isOpen()) {
                    end(loans[other], places[other]);
                    nodes.pause();
                }
            }
            for (final Loan loan : loans) {
                loan.abandon();
            }
        }

        private void claim(int i, boolean isSteady) {
            final Target to = isSteady ? steady : target;
            if (to == null) {
                return;
            }
            places[i] = isSteady ? steadyBase : base;
            claims++;
            loans[i].claim(to, 0, LENGTH);
            if (!WeakMemory.isViewOfSimulated(loans[i].buffer())) {
                // The owner has closed the counter: the loan lies in memory of its own.
                loans[i].abandon();
                return;
            }
            write(places[i], ABANDONED);
        }

        /** Writes again, and ends the loan: its last store may be late. */
        private void end(Loan loan, long place) {
            if (chance.nextBoolean()) {
                write(place, ABANDONED);
                loan.abandon();
                return;
            }
            write(place, PUBLISHED);
            while (loan.publish() < 0 && !isOver) {
                nodes.pause();
            }
        }

        private void write(long place, long value) {
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                nodes.node(1).arena().putLong(place + i, value);
            }
        }
    }

    /** Owner that opens and closes counters, and some of the windows below them. */
    private static final class Owner {
        private final WeakNodes nodes;
        private final SplittableRandom chance;
        private final Borrower borrower;
        private final Client client;
        private final Memory arena;

        Owner(WeakNodes nodes, SplittableRandom chance, Borrower borrower) {
            this.nodes = nodes;
            this.chance = chance;
            this.borrower = borrower;
            this.client = nodes.client(1);
            this.arena = nodes.node(1).arena();
        }

        void run() {
            Window window = client.window(LENGTH);
            for (int round = 1; round <= ROUNDS; round++) {
                final ReceptionCounter counter = reuse(round, window);
                awaitClaims(chance.nextInt(CLAIMS), counter, window);
                await(client.close(counter));
                requireUnchanged(window);
                if (chance.nextBoolean()) {
                    window = closeAndOpen(window);
                }
            }
            borrower.isOver = true;
        }

        /** Writes to the memory and opens a counter over it. Neither may change before the borrower gets the target. */
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
            borrower.base = window.base();
            borrower.target = new Target(1, counter.id(), counter.incarnation(), LENGTH, false);
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

        /** Waits for some claims. What is counted meanwhile was written before. */
        private void awaitClaims(int count, ReceptionCounter counter, Window window) {
            final int sum = borrower.claims + count;
            while (!borrower.isOver && borrower.claims < sum) {
                if (counter.valueAcquire() < 0) {
                    for (int i = 0; i < LENGTH; i += Long.BYTES) {
                        final long found = arena.getLong(window.base() + i);
                        nodes.require(found < 0, "counted, but the memory holds #", found);
                    }
                }
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
