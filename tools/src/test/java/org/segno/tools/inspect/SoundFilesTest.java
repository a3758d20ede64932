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
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;

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

    private Path kept() throws IOException {
        try (Stream<Path> left = Files.list(directory)) {
            return left.findFirst().orElseThrow();
        }
    }
}
