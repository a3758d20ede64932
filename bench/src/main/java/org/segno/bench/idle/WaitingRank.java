package org.segno.bench.idle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.segno.context.Client;
import org.segno.memory.ReceptionCounter;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/**
 * Main class of the waiting processes. It joins with a node's defaults, but for the threading, and waits for bytes that
 * never arrive.
 */
final class WaitingRank {
    /** Start of the line that a waiting process prints. The threading of its node follows. */
    static final String WAITING = "waiting ";

    private static final int PATIENCE_S = 300;
    private static final int BYTES = 8;

    private WaitingRank() {}

    /**
     * Runs one rank with the job's name, the own rank, the size and the parent of the job's directory as arguments. The
     * process ends with its standard input.
     */
    public static void main(String[] arguments) {
        final Thread lifeline = new Thread(WaitingRank::endWithInput, "bench-lifeline");
        lifeline.setDaemon(true);
        lifeline.start();
        final JobConfig job = JobConfig.of(arguments[0], Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]))
                .withDirectory(Path.of(arguments[3]));
        try (Node node = Node.join(job, NodeConfig.defaults().withWindowBytes(1 << 12))) {
            final Client client = node.client();
            final ReceptionCounter counter = client.receptionCounter(client.window(BYTES), 0, BYTES);
            counter.expect(BYTES);
            client.context().barrier(deadline());
            System.out.println(WAITING + node.threading());
            client.context().await(counter, deadline());
        } catch (SegnoException e) {
            System.out.println(e);
        }
    }

    private static long deadline() {
        return Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
    }

    private static void endWithInput() {
        try {
            while (System.in.read() >= 0) {
                // The parent never writes.
            }
        } catch (IOException e) {
            System.out.println(e);
        }
        Runtime.getRuntime().halt(0);
    }
}
