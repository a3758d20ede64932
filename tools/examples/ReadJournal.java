import static java.util.concurrent.TimeUnit.SECONDS;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalEnd;
import org.segno.tools.journal.JournalRecord;

/**
 * Every rank puts 100 values to its right neighbour. Then it leaves the job, reads its own journal, and counts the
 * operations in it.
 *
 * <pre>
 * tools/bin/segno run -n 2 --record all=/tmp/journal tools/examples/ReadJournal.java /tmp/journal
 * </pre>
 */
public final class ReadJournal {
    private static final int PUTS = 100;

    public static void main(String[] args) {
        int rank;
        try (Node node =
                Node.join(JobConfig.fromEnvironment(), NodeConfig.defaults().withWindowBytes(4096))) {
            rank = node.rank();
            exchange(node);
        }
        // The journal of this rank is complete once its node is closed.
        Map<String, Integer> counts = new TreeMap<>();
        try (Journal journal = Journal.open(Path.of(args[0]), number -> number == rank)) {
            for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
                for (int i = 0; i < record.descriptors(); i++) {
                    counts.merge(record.operation(i), 1, Integer::sum);
                }
            }
            JournalEnd end = journal.ends().get(0);
            System.out.println("rank " + rank + ": " + counts + ", " + end.state());
        }
    }

    private static void exchange(Node node) {
        Context context = node.client().context();
        long deadlineNs = Deadline.in(30, SECONDS);
        Window window = node.client().window(16);
        ReceptionCounter inbox = node.client().receptionCounter(window, 8, 8);
        node.client().publish("inbox", inbox);
        Target right = context.attach((node.rank() + 1) % node.size(), "inbox", deadlineNs);
        inbox.expect(PUTS * 8L);
        for (int i = 0; i < PUTS; i++) {
            window.buffer().putLong(0, i);
            while (context.put(right, 0, window, 0, 8) < 0) {
                context.advance();
            }
        }
        context.await(inbox, deadlineNs);
        context.barrier(deadlineNs);
    }
}
