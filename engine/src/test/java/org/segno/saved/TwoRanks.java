package org.segno.saved;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * Job of two ranks on this thread, with windows and counters as a program opens them at its start, and two patterns.
 */
final class TwoRanks implements AutoCloseable {
    static final int EXCHANGE = 7;
    static final int EVERYTHING = 8;
    /** Bytes of each landing place, and where those of the window lie. */
    static final int BYTES = 64;

    static final int SINGLE = 2 * BYTES;
    static final int SOURCE = 1024;
    static final int PLACE = 2048;

    final InProcessJob job;
    final Window[] windows = new Window[2];
    final CounterPair[] pairs = new CounterPair[2];
    final ReceptionCounter[] singles = new ReceptionCounter[2];
    final InjectionCounter[] injected = new InjectionCounter[2];
    final InjectionCounter[] got = new InjectionCounter[2];
    final List<String> received = new ArrayList<>();

    private TwoRanks(InProcessJob job) {
        this.job = job;
    }

    /** Returns a configuration with the transport of the present run. */
    static NodeConfig config() {
        return NodeConfig.defaults()
                .withThreading(Threading.INVOKER)
                .withFifoSlots(64)
                .withPatterns(16)
                .withPatternBufferBytes(4096)
                .withContexts(2)
                .withWindowBytes(1 << 16);
    }

    /** Opens all objects; rank 1 first opens some other counters, so that its ids differ. */
    static TwoRanks open(Path parent, int otherCounters) {
        final TwoRanks ranks = new TwoRanks(InProcessJob.join(parent, 2, config()));
        for (int i = 0; i < otherCounters; i++) {
            ranks.client(1).receptionCounter(ranks.client(1).window(8), 0, 8);
        }
        for (int rank = 0; rank < 2; rank++) {
            final Client client = ranks.client(rank);
            ranks.windows[rank] = client.window(4096);
            ranks.pairs[rank] = client.counterPair(ranks.windows[rank], 0, BYTES, BYTES);
            ranks.singles[rank] = client.receptionCounter(
                    ranks.windows[rank], SINGLE, BYTES, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
            ranks.injected[rank] = client.injectionCounter();
            ranks.got[rank] = client.injectionCounter();
            client.publish("pair", ranks.pairs[rank]);
            client.publish("single", ranks.singles[rank]);
        }
        ranks.listen();
        return ranks;
    }

    private void listen() {
        final Context context = context(1);
        context.handler(3, (source, buffer, m, ml, p, pl) -> received.add("immediate " + buffer.getLong(p) + " " + pl));
        context.handler(
                4,
                (source, buffer, m, ml, p, pl) -> received.add("sent " + buffer.getLong(m) + " " + buffer.getLong(p)));
        context.notified(5, (source, counter, offset, length) -> received.add("landed " + offset + " " + length));
    }

    Client client(int rank) {
        return job.node(rank).client();
    }

    Context context(int rank) {
        return job.context(rank);
    }

    Target attach(int rank, int peer, String name) {
        return job.whileAdvancing(peer, () -> context(rank).attach(peer, name, InProcessJob.deadline()));
    }

    /** Loads the patterns of a file at a rank, while the other one advances. */
    List<Pattern> load(int rank, Path file, long deadlineNs) {
        return job.whileAdvancing(1 - rank, () -> SavedPatterns.load(client(rank), file, deadlineNs));
    }

    /** Records on each rank 8 bytes and a count to the other, and a copy that waits for the other's bytes and count. */
    Pattern recordExchange(int rank) {
        final Context context = context(rank);
        final Window window = windows[rank];
        final Target peer = attach(rank, 1 - rank, "pair");
        return context.record(EXCHANGE, Rounds.ALTERNATE, () -> {
            context.expect(pairs[rank], 16);
            context.expect(injected[rank], 8);
            context.put(peer, 8, window, SOURCE, 8, injected[rank]);
            context.count(peer, -8);
            context.waitUntil(pairs[rank], 0);
            context.copy(window, SOURCE, window, PLACE, 8);
        });
    }

    /** Records on rank 0 all other kinds of descriptors. */
    Pattern recordEverything() {
        return context(0).record(EVERYTHING, Rounds.ORDERED_BY_CALLER, everything());
    }

    /** Returns the body that {@link #recordEverything} records. */
    Runnable everything() {
        final Context context = context(0);
        final Window window = windows[0];
        final Target single = attach(0, 1, "single");
        final Target odd = attach(0, 1, "pair").ofRound(1);
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
        bytes.putLong(0, 31);
        final Message byWindow = new Message()
                .to(1, 4)
                .metadata(window, SOURCE + 8, 8)
                .payload(window, SOURCE + 16, 8)
                .completes(injected[0]);
        final Message byValue = new Message().to(1, 4).metadata(bytes, 0, 8).payload(window, SOURCE + 16, 8);
        return () -> {
            context.expect(injected[0], 8);
            context.expect(got[0], 8);
            context.expect(singles[0], 8);
            context.put(single, 0, window, SOURCE, 8);
            context.put(odd, 16, window, SOURCE, 8);
            context.get(single, 0, window, PLACE + 8, 8, got[0]);
            context.get(single, 0, singles[0], 8, 8, null);
            context.rmw(single, 24, new Rmw().fetchAdd(5).result(window, PLACE + 16));
            context.sendImmediate(1, 3, bytes, 0, 20);
            context.send(byWindow);
            context.send(byValue);
            context.putNotifying(single, 32, window, SOURCE, 8, new Notification().at(0, 5));
            context.waitUntil(got[0], 0);
            context.waitUntil(singles[0], 0);
        };
    }

    /** Records the patterns, and carries them out once. */
    void record() {
        final List<Pattern> patterns = new ArrayList<>();
        patterns.add(recordExchange(0));
        final Pattern back = recordExchange(1);
        patterns.add(recordEverything());
        job.settle();
        patterns.forEach(pattern -> context(0).await(pattern, 1, InProcessJob.deadline()));
        context(1).await(back, 1, InProcessJob.deadline());
    }

    @Override
    public void close() {
        job.close();
    }
}
