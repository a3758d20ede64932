import static java.util.concurrent.TimeUnit.SECONDS;

import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.RankMain;
import org.segno.operation.Rmw;
import org.segno.status.Deadline;

/**
 * The ranks count prime numbers, each in its part of a range, and add their counts to a word of rank 0 by an atomic
 * operation. The class implements {@link RankMain}, so that all ranks can be threads of one JVM: an object and a thread
 * for each. Without {@code --as threads} the same program runs as one process for each rank.
 *
 * <pre>
 * tools/bin/segno run --as threads -n 4 tools/examples/RanksAsThreads.java [LIMIT]
 * </pre>
 */
public final class RanksAsThreads implements RankMain {
    public static void main(String[] args) throws Exception {
        new RanksAsThreads().run(JobConfig.fromEnvironment(), args);
    }

    @Override
    public void run(JobConfig job, String[] args) {
        int limit = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
        try (Node node = Node.join(job, NodeConfig.defaults().withWindowBytes(4096))) {
            Client client = node.client();
            Context context = client.context();
            long deadlineNs = Deadline.in(30, SECONDS);
            Window window = client.window(Long.BYTES);
            if (node.rank() == 0) {
                // The right to change words is all that the others get.
                ReceptionCounter sum =
                        client.receptionCounter(window, 0, Long.BYTES, ReceptionCounter.ANYBODY, Right.ATOMIC);
                client.publish("sum", sum);
            }
            Target sum = context.attach(0, "sum", deadlineNs);

            long part = (limit + node.size() - 1) / node.size();
            long first = node.rank() * part;
            int count = primes(first, Math.min(first + part, limit));
            System.out.println("rank " + node.rank() + " found " + count + " primes, in thread "
                    + Thread.currentThread().getName() + " of process "
                    + ProcessHandle.current().pid());
            Rmw add = new Rmw().fetchAdd(count);
            context.await(() -> context.rmw(sum, 0, add) >= 0, deadlineNs);
            // After the fence the own count is added, after the barrier those of all ranks.
            context.fence(deadlineNs);
            context.barrier(deadlineNs);

            if (node.rank() == 0) {
                long total = window.buffer().getLongVolatile(0);
                if (total != primes(0, limit)) {
                    throw new IllegalStateException("the ranks found " + total + " primes");
                }
                System.out.println("there are " + total + " primes below " + limit);
            }
        }
    }

    private static int primes(long first, long end) {
        int count = 0;
        for (long number = Math.max(2, first); number < end; number++) {
            long divisor = 2;
            while (divisor * divisor <= number && number % divisor != 0) {
                divisor++;
            }
            count += divisor * divisor > number ? 1 : 0;
        }
        return count;
    }
}
