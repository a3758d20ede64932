package org.segno.tools.journal;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.segno.context.Context;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/** Program of a rank with a pattern that finds no room in a pattern buffer of the default length. */
public final class LongPatternRank {
    /** Descriptors of the pattern. */
    static final int DESCRIPTORS = (int) (NodeConfig.DEFAULT_PATTERN_BUFFER_BYTES / 64) + 1000;

    private LongPatternRank() {}

    public static void main(String[] arguments) {
        final NodeConfig config = NodeConfig.defaults()
                .withWindowBytes(4096)
                .withPatternBufferBytes(2 * NodeConfig.DEFAULT_PATTERN_BUFFER_BYTES);
        try (Node node = Node.join(JobConfig.fromEnvironment(), config)) {
            final Context context = node.client().context();
            final Window window = node.client().window(64);
            node.client().publish("box", node.client().receptionCounter(window, 0, 64));
            final Target target = context.attach(0, "box", deadline());
            final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                for (int i = 0; i < DESCRIPTORS; i++) {
                    context.count(target, 1);
                }
            });
            context.replay(pattern);
            context.await(pattern, pattern.generation(), deadline());
        }
    }

    private static long deadline() {
        return Deadline.in(60, SECONDS);
    }
}
