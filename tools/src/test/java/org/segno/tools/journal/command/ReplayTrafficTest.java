package org.segno.tools.journal.command;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;
import org.segno.tools.journal.PatternSections.Section;

/** The traffic of a replay of one rank, and its check, while another PUT destroys what has landed. */
class ReplayTrafficTest {
    private static final ReplaySizes SIZES = new ReplaySizes(64, 1024, true, 0, 1, 2);
    private static final long LIMIT_NS = SECONDS.toNanos(60);

    /** More than fit into a part of a window. */
    private static final int MANY = 5_000;

    private static Node join() {
        return Node.join(
                JobConfig.fromEnvironment(),
                NodeConfig.defaults().withWindowBytes(ReplayTraffic.windowBytes(1, SIZES) + 4096));
    }

    private static long[] put(long length) {
        final long[] words = new long[Descriptor.LENGTH / Long.BYTES];
        words[0] = Descriptor.head(Operation.PUT, 0, 0);
        words[Descriptor.LENGTH_OFFSET / Long.BYTES] = length;
        return words;
    }

    private static RecordedContent content(int number) {
        final byte[] payload = new byte[40];
        payload[number % payload.length] = (byte) number;
        return new RecordedContent(payload, null);
    }

    /** Destroys bytes of what has landed, without a count that the check would notice. */
    private static void destroy(Node node, ReplayTraffic traffic, long offset) {
        final Target data = traffic.context().attach(0, "journal-data", traffic.deadline());
        final Window wrong = node.client().window(8);
        wrong.putLong(0, 0x5A5A5A5A5A5A5A5AL);
        traffic.context().await(traffic.context()::isDrained, traffic.deadline());
        traffic.context().put(data, offset, wrong, 0, 8);
        traffic.context().await(traffic.context()::isDrained, Deadline.in(60, SECONDS));
        traffic.context().count(data, 8);
        traffic.context().await(traffic.context()::isDrained, Deadline.in(60, SECONDS));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNoticeAWrongPutAlsoIfManyOthersFollow(boolean isDestroyed) {
        try (Node node = join()) {
            final ReplayTraffic traffic = new ReplayTraffic(node, SIZES, true, LIMIT_NS);
            for (int i = 0; i < MANY; i++) {
                traffic.inject(new RecordedOperation(put(40)), content(i));
                if (i == 10 && isDestroyed) {
                    destroy(node, traffic, 64);
                }
            }
            assertThat(traffic.verify() > 0).isEqualTo(isDestroyed);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNoticeAWrongRoundAlsoIfOthersFollow(boolean isDestroyed) {
        try (Node node = join()) {
            final ReplayTraffic traffic = new ReplayTraffic(node, SIZES, true, LIMIT_NS);
            final ReplayedPattern pattern = traffic.prepare(new Section(7, 0, 0, 0, List.of(put(40), put(24)), 64));
            for (int round = 1; round <= 5; round++) {
                final List<RecordedContent> contents = new ArrayList<>();
                contents.add(content(round));
                contents.add(RecordedContent.UNKNOWN);
                traffic.round(pattern, contents);
                if (round == 3 && isDestroyed) {
                    destroy(node, traffic, pattern.places().get(0).targetOffset());
                }
            }
            assertThat(traffic.verify() > 0).isEqualTo(isDestroyed);
        }
    }

    @Test
    void shouldCountWhatItOmits() {
        try (Node node = join()) {
            final ReplayTraffic traffic = new ReplayTraffic(node, SIZES, true, LIMIT_NS);
            final long[] words = put(0);
            words[0] = Descriptor.head(Operation.WAIT, 0, 0);
            traffic.inject(new RecordedOperation(words), RecordedContent.UNKNOWN);

            assertThat(traffic.omitted()).isEqualTo(1);
            assertThat(traffic.verify()).isZero();
        }
    }
}
