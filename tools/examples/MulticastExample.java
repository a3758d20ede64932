import static java.util.concurrent.TimeUnit.SECONDS;

import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.multisend.Multicast;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/**
 * Rank 0 sends 512 bytes to every rank, itself among them, in each of many rounds. The multicast records its messages
 * at the first start, and every start replays them by one entry in a ring, however many ranks there are. The engine
 * reads the window in every round, so that each round has another payload. Every rank checks all of them.
 *
 * <pre>
 * tools/bin/segno run -n 4 tools/examples/MulticastExample.java [ROUNDS]
 * </pre>
 */
public final class MulticastExample {
    private static final int UPDATE = 1; // the dispatch id: which handler the messages are for
    private static final int METADATA = 0; // offset of the number of the round in the window
    private static final int PAYLOAD = 128; // offset of the payload
    private static final int PAYLOAD_LENGTH = 512;

    private static long received;

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 500;
        try (Node node =
                Node.join(JobConfig.fromEnvironment(), NodeConfig.defaults().withWindowBytes(4096))) {
            Client client = node.client();
            Context context = client.context();
            long deadlineNs = Deadline.in(30, SECONDS);

            context.handler(UPDATE, (origin, buffer, metadata, metadataLength, payload, payloadLength) -> {
                long round = buffer.getLong(metadata);
                if (round != ++received || payloadLength != PAYLOAD_LENGTH) {
                    throw new IllegalStateException("round " + received + " brought round " + round);
                }
                for (int at = 0; at < PAYLOAD_LENGTH; at += Long.BYTES) {
                    if (buffer.getLong(payload + at) != value(round, at)) {
                        throw new IllegalStateException("round " + round + " has a wrong value at " + at);
                    }
                }
            });
            // A message for which there is no handler yet would be dropped.
            context.barrier(deadlineNs);

            if (node.rank() == 0) {
                long[] endpoints = new long[node.size()];
                for (int rank = 0; rank < endpoints.length; rank++) {
                    endpoints[rank] = client.endpoint(rank, 0, deadlineNs);
                }
                Window window = client.window(PAYLOAD + PAYLOAD_LENGTH);
                try (Multicast update = new Multicast(context, UPDATE, window, endpoints)
                        .metadata(window, METADATA, Long.BYTES)
                        .payload(window, PAYLOAD, PAYLOAD_LENGTH)) {
                    for (int round = 1; round <= rounds; round++) {
                        window.buffer().putLong(METADATA, round);
                        for (int at = 0; at < PAYLOAD_LENGTH; at += Long.BYTES) {
                            window.buffer().putLong(PAYLOAD + at, value(round, at));
                        }
                        context.await(() -> update.start() >= 0, deadlineNs);
                        // Sent to all: the window may be overwritten.
                        update.await(deadlineNs);
                    }
                }
                System.out.println("rank 0 sent " + rounds + " rounds to " + node.size() + " ranks by "
                        + node.metrics().replays() + " replays");
            }
            context.await(() -> received == rounds, deadlineNs);
            System.out.println("rank " + node.rank() + " received " + received + " rounds");
        }
    }

    private static long value(long round, int at) {
        return round * 1_000_003 + at;
    }
}
