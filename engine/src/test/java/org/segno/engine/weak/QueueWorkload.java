package org.segno.engine.weak;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.List;
import java.util.SplittableRandom;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * Rounds that two ranks queue while the last one is in progress. Each round sends the rank's value, and the one that
 * the round before has left, waits for the other rank's values and copies them to its result. One engine of a rank
 * carries out recordings, the other one replays: the first queued round continues the work of another engine. A second
 * pattern only copies, so that nothing but the executed word orders its rounds.
 */
final class QueueWorkload implements Workload {
    private static final int PATTERNS = 3;
    private static final int ROUNDS = 4;
    private static final int LENGTH = 16;
    private static final int ALL = LENGTH + Long.BYTES;
    private static final int ID = 5;
    private static final int COPIES = 6;
    private static final int SET = 64;

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().engines(2).windowBytes(4096).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Exchange[] exchanges = {new Exchange(nodes, 0), new Exchange(nodes, 1)};
        exchanges[0].attach();
        exchanges[1].attach();
        return List.of(
                nodes.application(exchanges[0]::run),
                nodes.engine(0, 0),
                nodes.engine(0, 1),
                nodes.application(exchanges[1]::run),
                nodes.engine(1, 0),
                nodes.engine(1, 1));
    }

    private static long content(int rank, long round, int index) {
        return round == 0 ? 0 : 1000L * rank + 10L * round + index + 1;
    }

    private static final class Exchange {
        private final WeakNodes nodes;
        private final int rank;
        private final Context context;
        private final Window window;
        private final Window staging;
        private final Window copies;
        private final CounterPair values;
        private final CounterPair slots;
        private final CounterPair results;
        private final InjectionCounter read;
        private Target ownValues = Target.nowhere();
        private Target ownSlots = Target.nowhere();
        private Target peerSlots = Target.nowhere();

        Exchange(WeakNodes nodes, int rank) {
            final Client client = nodes.client(rank);
            this.nodes = nodes;
            this.rank = rank;
            this.context = nodes.context(rank);
            this.window = client.window(6 * SET);
            this.staging = client.window(3 * SET);
            this.copies = client.window(3 * SET);
            this.values = client.counterPair(window, 0, SET, LENGTH, ReceptionCounter.ANYBODY, Right.GET);
            this.slots =
                    client.counterPair(window, 2 * SET, 3 * SET, ALL, ReceptionCounter.ANYBODY, Right.PUT, Right.GET);
            this.results = client.counterPair(window, 4 * SET, 5 * SET, ALL);
            this.read = client.injectionCounter();
            client.publish("values", values);
            client.publish("slots", slots);
        }

        void attach() {
            ownValues = context.attach(rank, "values", Deadline.in(30, SECONDS));
            ownSlots = context.attach(rank, "slots", Deadline.in(30, SECONDS));
            peerSlots = context.attach(1 - rank, "slots", Deadline.in(30, SECONDS));
        }

        /** The section: staging has the value of this round, of the round before, and a copy of the latter. */
        private void exchange() {
            context.expect(slots, ALL);
            context.expect(results, ALL);
            context.expect(read, LENGTH);
            context.copy(staging, SET, staging, 2 * SET, Long.BYTES);
            context.get(ownValues, 0, staging, 0, LENGTH, read);
            context.waitUntil(read, 0);
            context.copy(staging, 0, staging, SET, Long.BYTES);
            context.put(peerSlots, 0, staging, 0, LENGTH);
            context.put(peerSlots, LENGTH, staging, 2 * SET, Long.BYTES);
            context.waitUntil(slots, 0);
            context.get(ownSlots, 0, results, 0, ALL, null);
            context.waitUntil(results, 0);
        }

        /** Moves each word of the copies to the next place. */
        private void copy() {
            context.copy(copies, SET, copies, 2 * SET, Long.BYTES);
            context.copy(copies, 0, copies, SET, Long.BYTES);
        }

        private void copyTwice(long value) {
            final Memory arena = nodes.node(rank).arena();
            arena.putLong(copies.base(), value);
            final Pattern pattern = context.record(COPIES, Rounds.ALTERNATE, this::copy);
            while (context.queue(pattern) < 0) {
                nodes.pause();
            }
            while (!pattern.isComplete()) {
                nodes.pause();
            }
            final long found = arena.getLong(copies.base() + 2 * SET);
            nodes.require(found == value, "copied # instead of #", found, value);
        }

        void run() {
            long round = 0;
            for (int recorded = 0; recorded < PATTERNS; recorded++) {
                copyTwice(recorded + 1);
                write(++round);
                final Pattern pattern = context.record(ID, Rounds.ALTERNATE, this::exchange);
                nodes.require(pattern.generation() == round, "# instead of #", pattern.generation(), round);
                for (int queued = 1; queued < ROUNDS; queued++) {
                    write(++round);
                    while (context.queue(pattern) < 0) {
                        nodes.pause();
                    }
                    check(pattern, round - 1);
                }
                check(pattern, round);
                while (!pattern.isComplete()) {
                    nodes.pause();
                }
                nodes.require(pattern.errorAcquire() == 0, "a round was refused");
            }
        }

        private void write(long round) {
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                nodes.node(rank).arena().putLong(window.base() + values.offset(round) + i, content(rank, round, i));
            }
        }

        private void check(Pattern pattern, long round) {
            while (pattern.executedAcquire() < round) {
                nodes.pause();
            }
            final Memory arena = nodes.node(rank).arena();
            for (int i = 0; i < ALL; i += Long.BYTES) {
                final long found = arena.getLong(window.base() + results.offset(round) + i);
                final long wanted = i < LENGTH ? content(1 - rank, round, i) : content(1 - rank, round - 1, 0);
                nodes.require(found == wanted, "round # has # at # instead of #", round, found, i, wanted);
            }
        }
    }
}
