package org.segno.tools.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader.Identity;
import org.segno.engine.memory.NodeLayout;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.tools.command.ExitCode;

/** Node files of jobs that have ended as they should: their inspection finds nothing. */
final class SoundFilesTest {
    private static final int REQUEST = 1;
    private static final int RESPONSE = 2;

    @TempDir
    private Path directory = Path.of("");

    private final StringWriter out = new StringWriter();

    @Test
    void shouldFindNothingBrokenInANodeWhoseHandlerHasReplied() throws IOException {
        final JobConfig job = JobConfig.of(JobConfig.uniqueName("replies"), 0, 1)
                .withDirectory(directory)
                .withKeep(true);
        try (Node node = Node.join(job, NodeConfig.defaults().withThreading(Threading.INVOKER))) {
            final Context context = node.client().context();
            final AtomicInteger responses = new AtomicInteger();
            context.handler(
                    RESPONSE,
                    (origin, buffer, metadata, metadataLength, payload, payloadLength) -> responses.incrementAndGet());
            context.replyingHandler(
                    REQUEST,
                    (origin, buffer, metadata, metadataLength, payload, payloadLength) ->
                            context.sendImmediate(origin, RESPONSE, buffer, payload, payloadLength));
            context.sendImmediate(context.endpoint(), REQUEST, new UnsafeBuffer(new byte[8]), 0, 8);
            context.await(() -> responses.get() == 1, Deadline.in(60, TimeUnit.SECONDS));
        }

        assertThat(Inspection.run(kept(), out)).as(out.toString()).isZero();
        assertThat(out.toString()).contains("nothing broken");
    }

    @Test
    void shouldMissOnlyRanksOfTheOwnHostInTheDirectoryOfAJobOfSeveralHosts() throws IOException {
        for (int rank = 1; rank <= 2; rank++) {
            writeNode(rank);
        }
        assertThat(Inspection.run(directory, out)).as(out.toString()).isZero();
        assertThat(out.toString()).contains("4 ranks · ended").contains("nothing broken");

        Files.delete(directory.resolve("node-2"));
        assertThat(Inspection.run(directory, out)).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(out.toString())
                .contains("node-2 is missing")
                .doesNotContain("node-0 is missing", "node-3 is missing");
    }

    /** Writes the file of a node that ranks 1 and 2 of four map, and whose process is gone. */
    private void writeNode(int rank) {
        final NodeDimensions dimensions =
                new NodeDimensions(4, 2, 1, 1, 2, 64, 64, 8, 16, 16, 16, 4, 8, NodeDimensions.MIN_LANE_BYTES, 0);
        // The start time is not that of the process with this id.
        final Identity identity =
                new Identity(1, 2, rank, ProcessHandle.current().pid(), 1);
        final Path file = directory.resolve("node-" + rank);
        NodeFile.create(file, NodeLayout.of(dimensions), identity, new int[] {1, 2})
                .close();
    }

    private Path kept() throws IOException {
        try (Stream<Path> left = Files.list(directory)) {
            return left.findFirst().orElseThrow();
        }
    }
}
