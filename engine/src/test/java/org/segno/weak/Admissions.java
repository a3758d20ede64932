package org.segno.weak;

import java.util.List;
import java.util.SplittableRandom;
import org.segno.context.Context;
import org.segno.counter.CounterSettings;
import org.segno.counter.InjectionCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.memory.Memory;
import org.segno.memory.NodeDimensions;
import org.segno.memory.NodeLayout.Part;
import org.segno.memory.NodeSize;
import org.segno.memory.Window;
import org.segno.operation.Target;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternEntry;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;

/**
 * A counter that is opened while somebody who knows its id from elsewhere already sends to it: refused until then, landed where it
 * stands from then on, and refused again once it is disabled. Every refusal reaches the sender, who starts anew, with nothing left of
 * what was counted before the refusal. At the end a FIFO gets an impossible tail, and its owner hears of that too.
 */
final class Admissions implements Workload {
    private static final int LENGTH = 16;
    private static final int BASE = 64;
    private static final int LANDINGS = 4;

    /** The next after those of the barriers of both contexts. */
    private static final Target KNOWN = new Target(1, 1, 1, LENGTH, false);

    /** One that nobody opens. */
    private static final Target NEVER = new Target(1, 15, 1, LENGTH, false);

    private static final int REFUSALS = 4;

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakRoom room, SplittableRandom chance) {
        final Sender sender = new Sender(room, chance.nextBoolean());
        final Owner owner = new Owner(room, sender);
        return List.of(room.application(sender::run), room.engine(0), room.application(owner::run));
    }

    private static final class Sender {
        private final WeakRoom room;
        private final Window source;
        private final InjectionCounter read;
        private final Target always;
        private final boolean records;
        private int landings;

        Sender(WeakRoom room, boolean records) {
            this.room = room;
            this.records = records;
            this.source = room.client(0).window(LENGTH);
            this.read = room.client(0).injectionCounter();
            final ReceptionCounter own =
                    room.client(0).receptionCounter(room.client(0).window(LENGTH), 0, LENGTH, CounterSettings.ANYBODY);
            this.always = new Target(0, own.id(), own.incarnation(), LENGTH, false);
            final Memory arena = room.node(0).arena();
            arena.putLong(source.base(), 77);
            arena.putLong(source.base() + Long.BYTES, 78);
        }

        void run() {
            for (int i = 0; i < REFUSALS; i++) {
                startAnew();
            }
            while (landings < LANDINGS) {
                landings += put() ? 1 : 0;
            }
            while (put()) {
                room.pause();
            }
            breakFifo();
        }

        /** Of two messages with one counter the second is refused: what the first counted down is not counted after the reset. */
        private void startAnew() {
            read.expect(2 * LENGTH);
            put(always);
            put(NEVER);
            while (read.errorAcquire() == 0) {
                room.pause();
            }
            read.reset();
            final long left = read.valueAcquire();
            room.require(left == 0, "# is left after a reset", left);
        }

        private void put(Target target) {
            while (room.context(0).put(target, 0, source, 0, LENGTH, read) < 0) {
                room.pause();
            }
        }

        /** True if it landed, false if it was refused for the one reason that there may be. */
        private boolean put() {
            final Context context = room.context(0);
            read.expect(LENGTH);
            if (records) {
                putRecorded(context);
            } else {
                context.put(KNOWN, 0, source, 0, LENGTH, read);
            }
            while (read.valueAcquire() > 0 && read.errorAcquire() == 0) {
                room.pause();
            }
            final long error = read.errorAcquire();
            if (error == 0) {
                return true;
            }
            room.require(error == InjectionCounter.error(Refusal.COUNTER_DISABLED.code(), 1), "refused with #", error);
            read.reset();
            return false;
        }

        private void putRecorded(Context context) {
            final Pattern pattern =
                    context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(KNOWN, 0, source, 0, LENGTH, read));
            final long entry = PatternEntry.offset(room.node(0), 0, 0);
            final int slots =
                    PatternEntry.slots(PatternEntry.extent(room.node(0).owner(), entry));
            room.require(slots == 1, "the pattern's entry names # slots", slots);
            while (!pattern.isComplete()) {
                room.pause();
            }
            final boolean isLanded = read.valueAcquire() <= 0;
            room.require(
                    isLanded == (pattern.errorAcquire() == 0),
                    "a round that landed has an error, or one that did not has none");
            pattern.close();
        }

        private void breakFifo() {
            final long tail = room.node(0).layout().offset(Part.TAILS);
            room.node(0).owner().putLongRelease(tail, Long.MAX_VALUE);
            while (room.context(0).fifo().quarantineAcquire() != Refusal.BAD_FIFO.code()) {
                room.pause();
            }
        }
    }

    private static final class Owner {
        private final WeakRoom room;
        private final Sender sender;
        private final Window in;

        Owner(WeakRoom room, Sender sender) {
            this.room = room;
            this.sender = sender;
            this.in = room.client(1).window(2 * BASE);
        }

        void run() {
            final ReceptionCounter counter = room.client(1).receptionCounter(in, BASE, LENGTH, CounterSettings.ANYBODY);
            room.require(counter.id() == KNOWN.counter(), "the counter got id #", counter.id());
            final Memory arena = room.node(1).arena();
            while (sender.landings < LANDINGS) {
                if (counter.valueAcquire() < 0) {
                    room.require(arena.getLong(in.base() + BASE) == 77, "nothing at the base of the counter");
                    room.require(arena.getLong(in.base() + BASE + 8) == 78, "half at the base of the counter");
                }
                room.pause();
            }
            counter.disable();
        }
    }
}
