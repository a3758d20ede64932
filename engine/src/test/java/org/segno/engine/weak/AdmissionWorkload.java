package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import org.segno.context.Context;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternEntry;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;

/**
 * Counter that is opened while a sender with a guessed id already sends to it. Puts are refused until then, land at its
 * base from then on, and are refused again once it is disabled. Every refusal reaches the sender. The sender starts
 * again, and counts from before the refusal have no effect. At the end a FIFO gets an impossible tail, and its owner is
 * notified of the quarantine.
 */
final class AdmissionWorkload implements Workload {
    private static final int LENGTH = 16;
    private static final int BASE = 64;
    private static final int LANDINGS = 4;

    /** Next id after the counters of the barriers of both contexts. */
    private static final Target GUESSED = new Target(1, 1, 1, LENGTH, false);

    /** Id that is never opened. */
    private static final Target NEVER = new Target(1, 15, 1, LENGTH, false);

    private static final int REFUSALS = 4;

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Sender sender = new Sender(nodes, chance.nextBoolean());
        final Owner owner = new Owner(nodes, sender);
        return List.of(nodes.application(sender::run), nodes.engine(0), nodes.application(owner::run));
    }

    private static final class Sender {
        private final WeakNodes nodes;
        private final Window source;
        private final InjectionCounter read;
        private final Target always;
        private final boolean records;
        private int landings;

        Sender(WeakNodes nodes, boolean records) {
            this.nodes = nodes;
            this.records = records;
            this.source = nodes.client(0).window(LENGTH);
            this.read = nodes.client(0).injectionCounter();
            final ReceptionCounter own = nodes.client(0)
                    .receptionCounter(nodes.client(0).window(LENGTH), 0, LENGTH, ReceptionCounter.ANYBODY);
            this.always = new Target(0, own.id(), own.incarnation(), LENGTH, false);
            final Memory arena = nodes.node(0).arena();
            arena.putLong(source.base(), 77);
            arena.putLong(source.base() + Long.BYTES, 78);
        }

        void run() {
            for (int i = 0; i < REFUSALS; i++) {
                restart();
            }
            while (landings < LANDINGS) {
                landings += put() ? 1 : 0;
            }
            while (put()) {
                nodes.pause();
            }
            breakFifo();
        }

        /**
         * Sends two messages with one counter, the second of which is refused: the count of the first has no effect
         * after the reset.
         */
        private void restart() {
            read.expect(2 * LENGTH);
            put(always);
            put(NEVER);
            while (read.errorAcquire() == 0) {
                nodes.pause();
            }
            read.reset();
            final long left = read.valueAcquire();
            nodes.require(left == 0, "# is left after a reset", left);
        }

        private void put(Target target) {
            while (nodes.context(0).put(target, 0, source, 0, LENGTH, read) < 0) {
                nodes.pause();
            }
        }

        /** Puts once. Returns true if it landed, false if it was refused for the only possible reason. */
        private boolean put() {
            final Context context = nodes.context(0);
            read.expect(LENGTH);
            if (records) {
                putRecorded(context);
            } else {
                context.put(GUESSED, 0, source, 0, LENGTH, read);
            }
            while (read.valueAcquire() > 0 && read.errorAcquire() == 0) {
                nodes.pause();
            }
            final long error = read.errorAcquire();
            if (error == 0) {
                return true;
            }
            nodes.require(error == MemoryAccess.error(Refusal.COUNTER_DISABLED.code(), 1), "refused with #", error);
            read.reset();
            return false;
        }

        private void putRecorded(Context context) {
            final Pattern pattern =
                    context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(GUESSED, 0, source, 0, LENGTH, read));
            final long entry = PatternEntry.offset(nodes.node(0), 0, 0);
            final int slots =
                    PatternEntry.slots(PatternEntry.extent(nodes.node(0).owner(), entry));
            nodes.require(slots == 1, "the pattern's entry names # slots", slots);
            while (!pattern.isComplete()) {
                nodes.pause();
            }
            final boolean isLanded = read.valueAcquire() <= 0;
            nodes.require(
                    isLanded == (pattern.errorAcquire() == 0),
                    "a round that landed has an error, or one that did not has none");
            pattern.close();
        }

        private void breakFifo() {
            final long tail = nodes.node(0).layout().offset(Part.TAILS);
            nodes.node(0).owner().putLongRelease(tail, Long.MAX_VALUE);
            while (nodes.context(0).fifo().quarantineAcquire() != Refusal.BAD_FIFO.code()) {
                nodes.pause();
            }
        }
    }

    private static final class Owner {
        private final WeakNodes nodes;
        private final Sender sender;
        private final Window in;

        Owner(WeakNodes nodes, Sender sender) {
            this.nodes = nodes;
            this.sender = sender;
            this.in = nodes.client(1).window(2 * BASE);
        }

        void run() {
            final ReceptionCounter counter =
                    nodes.client(1).receptionCounter(in, BASE, LENGTH, ReceptionCounter.ANYBODY);
            nodes.require(counter.id() == GUESSED.counter(), "the counter got id #", counter.id());
            final Memory arena = nodes.node(1).arena();
            while (sender.landings < LANDINGS) {
                if (counter.valueAcquire() < 0) {
                    nodes.require(arena.getLong(in.base() + BASE) == 77, "nothing at the base of the counter");
                    nodes.require(arena.getLong(in.base() + BASE + 8) == 78, "half at the base of the counter");
                }
                nodes.pause();
            }
            counter.disable();
        }
    }
}
