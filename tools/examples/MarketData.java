import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/**
 * Rank 0 publishes prices to all other ranks, the last of which is slow. Every consumer has a lane and a FIFO of its
 * own, so that a full one holds up no other. The publisher decides what back pressure means. It waits for consumers
 * that want every update. For the slow one it conflates: it keeps the latest update of each symbol until there is room.
 *
 * <pre>
 * tools/bin/segno run -n 4 tools/examples/MarketData.java [UPDATES]
 * </pre>
 */
public final class MarketData {
    private static final int UPDATE = 1; // the dispatch id: which handler the messages are for
    private static final int LENGTH = 2 * Long.BYTES; // number of the update, and the price
    private static final int SYMBOLS = 16;
    private static final long NONE = -1; // no update of a symbol yet

    private final Context context;
    private final int slow;
    private final long deadlineNs = Deadline.in(30, SECONDS);
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private final InjectionFifo[] fifos; // by consumer
    private final long[] latest = new long[SYMBOLS]; // number of the latest update of each symbol
    private final Queue<Integer> conflated = new ArrayDeque<>(); // symbols that wait for room
    private long taken;

    private MarketData(Context context) {
        this.context = context;
        this.slow = context.ranks() - 1;
        this.fifos = new InjectionFifo[context.ranks()];
        Arrays.fill(latest, NONE);
    }

    public static void main(String[] args) {
        int updates = args.length > 0 ? Math.max(SYMBOLS, Integer.parseInt(args[0])) : 20_000;
        JobConfig job = JobConfig.fromEnvironment();
        if (job.size() < 3) {
            throw new IllegalArgumentException("a publisher and two consumers are needed: run it with -n 3 or more");
        }
        // What is in a FIFO or a lane cannot be conflated any more: short ones keep the slow consumer's prices fresh.
        NodeConfig config = NodeConfig.defaults()
                .withFifos(job.size() + 1)
                .withFifoSlots(16)
                .withLaneBudgetBytes(4096L * job.size());
        try (Node node = Node.join(job, config)) {
            MarketData program = new MarketData(node.client().context());
            if (node.rank() == 0) {
                program.publish(updates);
            } else {
                program.consume(updates);
            }
            program.context.barrier(program.deadlineNs);
        }
    }

    private void publish(int updates) {
        for (int consumer = 1; consumer <= slow; consumer++) {
            fifos[consumer] = context.injectionFifo();
        }
        context.barrier(deadlineNs);
        for (int update = 0; update < updates; update++) {
            for (int consumer = 1; consumer < slow; consumer++) {
                sendWhenThereIsRoom(consumer, update);
            }
            int symbol = update % SYMBOLS;
            latest[symbol] = update;
            if (!conflated.contains(symbol)) {
                conflated.add(symbol);
            }
            sendConflated();
        }
        context.await(this::sendConflated, deadlineNs);
        System.out.println("rank 0 published " + updates + " updates and sent " + taken + " of them to rank " + slow);
    }

    private void sendWhenThereIsRoom(int consumer, long update) {
        context.await(() -> send(consumer, update), deadlineNs);
    }

    /** Sends what the slow consumer's FIFO has room for, and never waits. Returns true if nothing is left. */
    private boolean sendConflated() {
        while (!conflated.isEmpty() && send(slow, latest[conflated.peek()])) {
            conflated.remove();
            taken++;
        }
        return conflated.isEmpty();
    }

    private boolean send(int consumer, long update) {
        message.putLong(0, update);
        message.putLong(Long.BYTES, price(update));
        return fifos[consumer].sendImmediate(consumer, UPDATE, message, 0, LENGTH) >= 0;
    }

    private void consume(int updates) {
        boolean isSlow = context.rank() == slow;
        context.handler(UPDATE, (origin, buffer, metadata, metadataLength, payload, payloadLength) -> {
            long update = buffer.getLong(payload);
            boolean isExpected = isSlow ? update >= taken : update == taken;
            if (!isExpected || buffer.getLong(payload + Long.BYTES) != price(update)) {
                throw new IllegalStateException("update " + update + " after " + taken + " updates, or its price");
            }
            latest[(int) (update % SYMBOLS)] = update;
            taken++;
        });
        // The publisher sends from here on.
        context.barrier(deadlineNs);
        while (isSlow && !hasLatest(updates) && !Deadline.reached(deadlineNs)) {
            context.advance(1);
            LockSupport.parkNanos(MICROSECONDS.toNanos(200));
        }
        context.await(() -> hasLatest(updates), deadlineNs);
        System.out.println(
                "rank " + context.rank() + " took " + taken + " updates, the last of each symbol among them");
    }

    private boolean hasLatest(int updates) {
        return Arrays.stream(latest).allMatch(update -> update >= updates - SYMBOLS);
    }

    private static long price(long update) {
        return 10_000 + update * 7919 % 101;
    }
}
