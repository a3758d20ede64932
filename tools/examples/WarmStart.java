import static java.util.concurrent.TimeUnit.SECONDS;

import java.nio.file.Files;
import java.nio.file.Path;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.saved.SavedPatterns;
import org.segno.status.Deadline;

/**
 * Every rank puts 64 values to its right neighbour, one message each, 100 times. In the first run each rank records the
 * messages and saves the pattern in a file. A second run with the same directory loads the files and replays from the
 * first round on. Without an argument the files are in the directory for temporary files, and stay there.
 *
 * <pre>
 * tools/bin/segno run -n 2 tools/examples/WarmStart.java [DIRECTORY]
 * </pre>
 */
public final class WarmStart {
    private static final int SHIFT = 1;
    private static final int ROUNDS = 100;
    private static final int COUNT = 64;
    private static final int BYTES = COUNT * Long.BYTES;

    public static void main(String[] args) {
        Path directory = Path.of(args.length > 0 ? args[0] : System.getProperty("java.io.tmpdir"));
        try (Node node =
                Node.join(JobConfig.fromEnvironment(), NodeConfig.defaults().withWindowBytes(4096))) {
            Client client = node.client();
            Context context = client.context();
            int left = (node.rank() + node.size() - 1) % node.size();
            int right = (node.rank() + 1) % node.size();
            long deadlineNs = Deadline.in(30, SECONDS);

            // Each run makes the same windows, counters and names in the same order. A pattern is loaded after that.
            Window window = client.window(2 * BYTES);
            ReceptionCounter inbox = client.receptionCounter(window, BYTES, BYTES, left);
            client.publish("inbox", inbox);
            Path file = directory.resolve("warm-start-" + node.rank() + "-of-" + node.size() + ".patterns");
            if (Files.exists(file)) {
                SavedPatterns.load(client, file, deadlineNs);
            }

            fill(window, node.rank(), 1);
            Pattern shift = context.pattern(SHIFT);
            if (shift != null) {
                System.out.println("rank " + node.rank() + " loaded " + shift.descriptors() + " descriptors");
                start(context, shift, 1);
            } else {
                Target rightInbox = context.attach(right, "inbox", deadlineNs);
                // What is recorded is also sent: this is round 1.
                shift = context.record(SHIFT, Rounds.ORDERED_BY_CALLER, () -> {
                    context.expect(inbox, BYTES);
                    for (int at = 0; at < BYTES; at += Long.BYTES) {
                        context.put(rightInbox, at, window, at, Long.BYTES);
                    }
                });
                SavedPatterns.save(client, file);
                System.out.println("rank " + node.rank() + " saved " + shift.descriptors() + " descriptors");
            }
            for (int round = 1; round <= ROUNDS; round++) {
                if (round > 1) {
                    fill(window, node.rank(), round);
                    // All ranks have read the last round: this one may overwrite it.
                    context.barrier(deadlineNs);
                    start(context, shift, round);
                }
                context.await(shift, round, deadlineNs);
                for (int i = 0; i < COUNT; i++) {
                    long value = window.buffer().getLong(BYTES + i * Long.BYTES);
                    if (value != value(left, round, i)) {
                        throw new IllegalStateException("round " + round + " brought " + value + " at " + i);
                    }
                }
            }
            System.out.println("rank " + node.rank() + " received " + ROUNDS + " rounds");
        }
    }

    private static void start(Context context, Pattern pattern, long round) {
        long started = context.replay(pattern);
        if (started != round) {
            throw new IllegalStateException("round " + round + " was not started: " + started);
        }
    }

    private static void fill(Window window, int rank, long round) {
        for (int i = 0; i < COUNT; i++) {
            window.buffer().putLong(i * Long.BYTES, value(rank, round, i));
        }
    }

    private static long value(int rank, long round, int index) {
        return rank * 1_000_000L + round * 1000 + index;
    }
}
