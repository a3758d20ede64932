package org.segno.bench.death;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.segno.context.Client;
import org.segno.memory.ReceptionCounter;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/**
 * Main class of the processes that are killed, and of those that wait for them.
 *
 * <p>Each line of standard input is a job to join: the words of {@link JobLayout#orders}, and the rank that will be
 * killed. The process ends with its standard input.
 */
final class KillableRankMain {
    static final String READY = "ready";
    /** Start of the line of a process that waits. The threading of its node follows. */
    static final String WAITING = "waiting ";

    static final String FAILED = "failed ";

    /** Limit of a wait, long enough for any kill. A survivor that reaches it was not notified. */
    private static final int PATIENCE_S = 20;

    private static final int BYTES = 8;

    private KillableRankMain() {}

    /** Runs one job after the other, with the threading as argument. */
    public static void main(String[] arguments) throws InterruptedException {
        final BlockingQueue<String> orders = new LinkedBlockingQueue<>();
        final Thread input = new Thread(() -> listen(orders), "bench-death-orders");
        input.setDaemon(true);
        input.start();
        final NodeConfig config =
                NodeConfig.defaults().withWindowBytes(1 << 12).withThreading(Threading.valueOf(arguments[0]));
        System.out.println(READY);
        while (true) {
            final String[] order = orders.take().split(" ", -1);
            System.out.println(awaitFailure(JobLayout.job(order), config, Integer.parseInt(order[order.length - 1])));
        }
    }

    /** Reads orders from standard input. Ends the process at the end of the input. */
    private static void listen(BlockingQueue<String> orders) {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                orders.add(line);
            }
        } catch (IOException e) {
            System.out.println(e);
        }
        Runtime.getRuntime().halt(0);
    }

    /** Joins and waits for bytes of the victim that never arrive. Returns the time at which the wait threw. */
    private static String awaitFailure(JobConfig job, NodeConfig config, int victim) {
        try (Node node = Node.join(job, config)) {
            final Client client = node.client();
            final ReceptionCounter counter = client.receptionCounter(client.window(BYTES), 0, BYTES, victim);
            counter.expect(BYTES);
            client.context().barrier(Deadline.in(PATIENCE_S, TimeUnit.SECONDS));
            System.out.println(WAITING + node.threading());
            return await(client, counter, victim);
        } catch (SegnoException e) {
            return e.toString();
        }
    }

    private static String await(Client client, ReceptionCounter counter, int victim) {
        try {
            client.context().await(counter, Deadline.in(PATIENCE_S, TimeUnit.SECONDS));
            return "the wait ended without a failure";
        } catch (PeerFailedException e) {
            final long nowNs = System.nanoTime();
            return e.rank() == victim ? FAILED + nowNs : e.toString();
        }
    }
}
