import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Arrays;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.counter.ReceptionCounter;
import org.segno.job.JobConfig;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.operation.Target;
import org.segno.status.Deadline;

/**
 * Two ranks put a number into each other's memory, back and forth. Rank 0 prints the median time of a round trip over
 * several batches: a single round trip is too short for the clock, and a batch may be interrupted.
 *
 * <pre>
 * tools/bin/segno run -n 2 tools/examples/PingPong.java [BATCHES] [ROUND_TRIPS]
 * </pre>
 */
public final class PingPong {
    /** Offsets in the window. They lie 128 bytes apart, because two threads write them. */
    private static final int SENT = 0;

    private static final int RECEIVED = 128;

    public static void main(String[] args) {
        int batches = args.length > 0 ? Integer.parseInt(args[0]) : 21;
        int roundTrips = args.length > 1 ? Integer.parseInt(args[1]) : 500;
        try (Node node =
                Node.join(JobConfig.fromEnvironment(), NodeConfig.defaults().withWindowBytes(4096))) {
            if (node.size() != 2) {
                throw new IllegalArgumentException("PingPong has two ranks, run it with -n 2: size=" + node.size());
            }
            Client client = node.client();
            Context context = client.context();
            int peer = 1 - node.rank();
            long deadlineNs = Deadline.in(30, SECONDS);

            Window window = client.window(256);
            ReceptionCounter inbox = client.receptionCounter(window, RECEIVED, Long.BYTES, peer);
            client.publish("inbox", inbox);
            Target peerInbox = context.attach(peer, "inbox", deadlineNs);

            long value = 0;
            long[] nanos = new long[batches];
            for (int batch = 0; batch < batches; batch++) {
                long startNs = System.nanoTime();
                for (int i = 0; i < roundTrips; i++) {
                    if (node.rank() == 0) {
                        send(context, peerInbox, window, value + 1);
                        value = receive(context, inbox, window, deadlineNs);
                    } else {
                        value = receive(context, inbox, window, deadlineNs);
                        send(context, peerInbox, window, value + 1);
                    }
                }
                nanos[batch] = (System.nanoTime() - startNs) / roundTrips;
            }
            long expected = 2L * batches * roundTrips - node.rank();
            if (value != expected) {
                throw new IllegalStateException(
                        "rank " + node.rank() + " received " + value + ", expected " + expected);
            }
            if (node.rank() == 0) {
                Arrays.sort(nanos);
                System.out.println("round trip of 8 bytes: median " + nanos[batches / 2] + " ns, fastest " + nanos[0]
                        + " ns, " + batches + " batches of " + roundTrips);
            }
        }
    }

    private static void send(Context context, Target target, Window window, long value) {
        // The answer to the last message has arrived, so that its source may be overwritten and the FIFO has room.
        window.buffer().putLong(SENT, value);
        if (context.put(target, 0, window, SENT, Long.BYTES) < 0) {
            throw new IllegalStateException("the injection FIFO is full");
        }
    }

    private static long receive(Context context, ReceptionCounter inbox, Window window, long deadlineNs) {
        inbox.expect(Long.BYTES);
        context.await(inbox, deadlineNs);
        return window.buffer().getLong(RECEIVED);
    }
}
