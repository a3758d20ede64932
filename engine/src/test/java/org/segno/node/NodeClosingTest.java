package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;

/** Nodes that close while what they have injected is on its way. */
@Timeout(60)
@OverMemoryAndLinks
class NodeClosingTest {
    private static final int ID = 7;
    private static final int BYTES = 1 << 15;
    private static final int MESSAGES = 500;

    @TempDir
    Path parent;

    /** More than the lanes and the links hold; the receiver advances meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldSendEverythingBeforeItLeaves(String modes) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(2, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                if (rank == 0) {
                    sendAndClose(job);
                } else {
                    receive(job);
                }
            });
        }
    }

    private static void sendAndClose(InProcessJob job) {
        final Context context = job.context(0);
        final Window source = job.node(0).client().window(BYTES);
        source.buffer().setMemory(0, BYTES, (byte) 3);
        final Target in = context.attach(1, "in", InProcessJob.deadline());
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
        for (int i = 0; i < MESSAGES; i++) {
            bytes.putLong(0, i);
            context.await(() -> context.sendImmediate(1, ID, bytes, 0, 8) >= 0, InProcessJob.deadline());
        }
        context.await(() -> context.put(in, 0, source, 0, BYTES) >= 0, InProcessJob.deadline());
        job.node(0).close();
    }

    private static void receive(InProcessJob job) {
        final Client client = job.node(1).client();
        final Context context = job.context(1);
        final List<Long> received = new ArrayList<>();
        context.handler(
                ID,
                (origin, buffer, metadata, metadataLength, payload, length) -> received.add(buffer.getLong(payload)));
        final Window window = client.window(BYTES);
        final ReceptionCounter counter = client.receptionCounter(window, 0, BYTES, 0);
        counter.expect(BYTES);
        client.publish("in", counter);
        context.await(counter, InProcessJob.deadline());
        context.await(() -> received.size() == MESSAGES, InProcessJob.deadline());
        assertThat(received).isSorted();
        assertThat(window.buffer().getByte(0)).isEqualTo((byte) 3);
        assertThat(window.buffer().getByte(BYTES - 1)).isEqualTo((byte) 3);
    }
}
