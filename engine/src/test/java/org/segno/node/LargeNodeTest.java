package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.job.FarHost;
import org.segno.engine.job.Statement;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.link.FarTransport;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;

/** A node that joins a job of 32,768 ranks, all others of which are on another host, keeps little about them. */
@Tag("long")
@Timeout(120)
class LargeNodeTest {
    private static final int LARGE = 32_768;
    private static final int SMALL = 64;
    private static final int ACTIVE = 8;

    /** A line of a histogram: number, objects, bytes and class. */
    private static final Pattern LINE = Pattern.compile(" *[0-9]+: +[0-9]+ +([0-9]+) +(\\S+).*");

    @TempDir
    Path parent;

    /**
     * Returns the bytes of all objects that are in use in this process. Arrays of {@code int} are not counted, nor are
     * other fillers: the collectors fill gaps with them.
     */
    private static long usedBytes() throws JMException {
        final Object histogram = ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        return String.valueOf(histogram)
                .lines()
                .map(LINE::matcher)
                .filter(line -> line.matches()
                        && !line.group(2).equals("[I")
                        && !line.group(2).contains("Filler"))
                .mapToLong(line -> Long.parseLong(line.group(1)))
                .sum();
    }

    private static NodeConfig config(int size) {
        return SmallNodes.config(Threading.INVOKER, size).withTransport(FarTransport.NAME);
    }

    private static List<Statement> statements(NodeDimensions node) {
        final List<Statement> made = new ArrayList<>();
        made.add(new Statement(Statements.BUILD, NodeLayout.hash(), 0));
        made.addAll(Statements.shape(node));
        made.addAll(Statements.address(new long[] {7}));
        return made;
    }

    /** Returns the bytes that a node's process has more than before its join, after messages over its links. */
    private long joinedBytes(int size) throws Exception {
        final Path directory = Files.createTempDirectory(parent, "job");
        final JobConfig job = JobConfig.of("large", 0, size)
                .withDirectory(Files.createDirectory(directory.resolve("near")))
                .withLocal(0, 1)
                .withLaunched(true)
                .withJoinTimeout(Duration.ofMinutes(1));
        try (FarHost others = FarHost.start(directory, job.settings())) {
            others.make(statements(config(size).dimensions(size, 1, 1)));
            final long deadlineNs = Deadline.in(1, TimeUnit.MINUTES);
            while (others.made() < size - 1) {
                assertThat(Deadline.reached(deadlineNs)).isFalse();
                Thread.onSpinWait();
            }
            others.map();
            final long before = usedBytes();
            try (Node node = Node.join(job, config(size))) {
                final FarTransport.Part far = FarTransport.part(size);
                far.ranks().exchange(node.client().context(), size, ACTIVE, far::call);
                assertThat(far.connected()).isEqualTo(ACTIVE);
                return usedBytes() - before;
            }
        } finally {
            FarTransport.end(size);
        }
    }

    /**
     * The roster of its process takes two bytes a rank, whichever number of nodes the process has. The node's tables by
     * rank, and their pages for the links in use, are the rest.
     */
    @Test
    void shouldKeepLessThanFourBytesOfHeapForEachRankOfItsJob() throws Exception {
        // The first node loads classes.
        joinedBytes(SMALL);
        final long small = joinedBytes(SMALL);
        assertThat(joinedBytes(LARGE) - small).isLessThan(4 * LARGE);
    }
}
