import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Arrays;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/**
 * Two ranks put a number into each other's memory, back and forth. Rank 0 prints the median time of a round trip over
 * several batches: a single round trip is too short for the clock, and a batch may be interrupted. It starts no further
 * batch after two seconds.
 *
 * <pre>
 * tools/bin/segno run -n 2 tools/examples/PingPong.java [BATCHES] [ROUND_TRIPS]
 * </pre>
 */
public final class PingPong {
    // Offsets in the window. They are 128 bytes apart, because two processes write them.
    private static final int SENT = 0;
    private static final int RECEIVED = 128;
    private static final long STOP = -1;

    private final Context context;
    private final Window window;
    private final ReceptionCounter inbox;
    private final Target peerInbox;
    private final long deadlineNs = Deadline.in(30, SECONDS);

    private PingPong(Client client, int peer) {
        context = client.context();
        window = client.window(256);
        inbox = client.receptionCounter(window, RECEIVED, Long.BYTES, peer);
        client.publish("inbox", inbox);
        peerInbox = context.attach(peer, "inbox", deadlineNs);
    }

    public static void main(String[] args) {
        int batches = args.length > 0 ? Integer.parseInt(args[0]) : 101;
        int roundTrips = args.length > 1 ? Integer.parseInt(args[1]) : 100;
        if (batches < 1 || roundTrips < 1) {
            throw new IllegalArgumentException(
                    "BATCHES and ROUND_TRIPS must be 1 or more: BATCHES=" + batches + ", ROUND_TRIPS=" + roundTrips);
        }
        NodeConfig config = NodeConfig.defaults().withWindowBytes(4096);
        try (Node node = Node.join(JobConfig.fromEnvironment(), config)) {
            if (node.size() != 2) {
                throw new IllegalArgumentException("PingPong has two ranks, run it with -n 2: size=" + node.size());
            }
            PingPong program = new PingPong(node.client(), 1 - node.rank());
            if (node.rank() == 0) {
                program.measure(batches, roundTrips);
            } else {
                program.reply();
            }
        }
    }

    private void measure(int batches, int roundTrips) {
        long[] nanos = new long[batches];
        int count = 0;
        long lastBatchNs = Deadline.in(2, SECONDS);
        for (; count < batches && !Deadline.reached(lastBatchNs); count++) {
            long startNs = System.nanoTime();
            for (long value = 0; value < roundTrips; value++) {
                send(value);
                long reply = receive();
                if (reply != value + 1) {
                    throw new IllegalStateException("the reply to " + value + " is " + reply);
                }
            }
            nanos[count] = (System.nanoTime() - startNs) / roundTrips;
        }
        send(STOP);
        Arrays.sort(nanos, 0, count);
        System.out.println("round trip of 8 bytes: median " + nanos[count / 2] + " ns, fastest " + nanos[0] + " ns, "
                + count + " batches of " + roundTrips);
    }

    private void reply() {
        for (long value = receive(); value != STOP; value = receive()) {
            send(value + 1);
        }
    }

    private void send(long value) {
        // The last message was answered, so that its source may be overwritten and the FIFO has room.
        window.buffer().putLong(SENT, value);
        if (context.put(peerInbox, 0, window, SENT, Long.BYTES) < 0) {
            throw new IllegalStateException("the injection FIFO is full");
        }
    }

    private long receive() {
        inbox.expect(Long.BYTES);
        context.await(inbox, deadlineNs);
        return window.buffer().getLong(RECEIVED);
    }
}
