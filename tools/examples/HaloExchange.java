import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Arrays;
import org.agrona.concurrent.AtomicBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * Heat spreads along a ring of cells that the ranks share. In every step each rank puts its first and its last cell to
 * its neighbours. The exchange is recorded in the first step and replayed in all others, without barriers: the values
 * land in two places in turn, and a neighbour is at most one step ahead. Every rank compares its cells with a serial
 * computation.
 *
 * <pre>
 * tools/bin/segno run -n 4 tools/examples/HaloExchange.java [STEPS] [CELLS_OF_A_RANK]
 * </pre>
 */
public final class HaloExchange {
    public static void main(String[] args) {
        int steps = args.length > 0 ? Integer.parseInt(args[0]) : 500;
        int count = args.length > 1 ? Integer.parseInt(args[1]) : 100;
        int bytes = count * Double.BYTES;
        try (Node node =
                Node.join(JobConfig.fromEnvironment(), NodeConfig.defaults().withWindowBytes(bytes + 4096))) {
            Client client = node.client();
            Context context = client.context();
            int left = (node.rank() + node.size() - 1) % node.size();
            int right = (node.rank() + 1) % node.size();
            long deadlineNs = Deadline.in(30, SECONDS);

            // The cells are sent in place. The halo has two places on each side, for even and odd rounds.
            Window cells = client.window(bytes);
            Window halo = client.window(4 * Double.BYTES);
            CounterPair fromLeft = client.counterPair(halo, 0, 8, Double.BYTES, left);
            CounterPair fromRight = client.counterPair(halo, 16, 24, Double.BYTES, right);
            client.publish("from-left", fromLeft);
            client.publish("from-right", fromRight);
            Target toLeft = context.attach(left, "from-right", deadlineNs);
            Target toRight = context.attach(right, "from-left", deadlineNs);

            AtomicBuffer heat = cells.buffer();
            for (int i = 0; i < count; i++) {
                heat.putDouble(i * Double.BYTES, initial(node.rank() * count + i));
            }
            // What is recorded is also sent: this is round 1.
            Pattern exchange = context.record(1, Rounds.ALTERNATE, () -> {
                context.expect(fromLeft, Double.BYTES);
                context.expect(fromRight, Double.BYTES);
                context.put(toLeft, 0, cells, 0, Double.BYTES);
                context.put(toRight, 0, cells, bytes - Double.BYTES, Double.BYTES);
            });
            for (long round = 1; round <= steps; round++) {
                if (round > 1) {
                    context.await(() -> context.replay(exchange) >= 0, deadlineNs);
                }
                // The neighbours' cells have arrived, and the own ones are sent and may be overwritten.
                context.await(exchange, round, deadlineNs);
                double before = halo.buffer().getDouble((int) fromLeft.offset(round));
                double behind = halo.buffer().getDouble((int) fromRight.offset(round));
                for (int i = 0; i < count; i++) {
                    double old = heat.getDouble(i * Double.BYTES);
                    double next = i + 1 < count ? heat.getDouble((i + 1) * Double.BYTES) : behind;
                    heat.putDouble(i * Double.BYTES, step(before, old, next));
                    before = old;
                }
            }

            double[] expected = serial(node.size() * count, steps);
            for (int i = 0; i < count; i++) {
                double value = heat.getDouble(i * Double.BYTES);
                if (value != expected[node.rank() * count + i]) {
                    throw new IllegalStateException("cell " + i + " of rank " + node.rank() + " has " + value);
                }
            }
            System.out.println("rank " + node.rank() + ": " + count + " cells are right after " + steps + " steps");
        }
    }

    private static double[] serial(int cells, int steps) {
        double[] heat = new double[cells];
        Arrays.setAll(heat, HaloExchange::initial);
        for (int step = 0; step < steps; step++) {
            double[] old = heat.clone();
            Arrays.setAll(heat, i -> step(old[(i + cells - 1) % cells], old[i], old[(i + 1) % cells]));
        }
        return heat;
    }

    private static double initial(int cell) {
        return cell % 10 == 0 ? 100 : cell % 7;
    }

    private static double step(double before, double cell, double next) {
        return cell + 0.25 * (before - 2 * cell + next);
    }
}
