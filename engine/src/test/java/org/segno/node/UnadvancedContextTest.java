package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.Closing;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ThreadLevel;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Closes that wait for a context that no thread advances: the message names it. */
@Timeout(120)
@OverMemoryAndLinks
class UnadvancedContextTest {
    private static final int PASSES = 1000;

    @TempDir
    Path parent;

    private InProcessJob job;

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                parent,
                2,
                SmallNodes.config(Threading.INVOKER, 2)
                        .withContexts(3)
                        .withFifos(4)
                        .withThreadLevel(ThreadLevel.SERIALIZED)
                        .withLaneBudgetBytes(1 << 20));
    }

    @AfterEach
    void close() {
        job.close();
    }

    private static long soon() {
        return Deadline.in(20, TimeUnit.MILLISECONDS);
    }

    /** Returns the message with which a fence ends at its deadline, or an empty one if it succeeds. */
    private static String failureOfAFence(Context context) {
        try {
            context.fence(soon());
            return "";
        } catch (final DeadlineException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @MappedOnly(MappedOnly.NAMES_MAPPED)
    void shouldNameTheContextForWhoseEngineTheCloseOfAClientWaits(int rank) {
        final Context unadvanced = job.node(rank).client().context(1);
        unadvanced.advance();
        final Client own = job.node(0).client();
        final Closing closing = job.node(0)
                .openClient(ClientConfig.named("library").withCounters(2, 2))
                .close();
        for (int pass = 0; pass < PASSES; pass++) {
            closing.isDone();
            job.context(0).advance();
            job.context(1).advance();
        }
        final String named =
                "the engine of context 1 of rank " + rank + " to be quiet (under INVOKER, advance that context)";
        assertThat(closing.awaited()).isEqualTo(named);
        assertThatThrownBy(() -> own.await(closing, job.context(0), soon()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("client \"library\", which is being closed")
                .hasMessageContaining(named);
        for (int pass = 0; pass < PASSES && !closing.isDone(); pass++) {
            unadvanced.advance();
        }
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldNameTheContextWhoseLaneIsFullAmongWhatACloseOfTheNodeLoses() {
        final Client peer = job.node(1).client();
        final Context unadvanced = peer.context(1);
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
        String pending;
        String failure;
        do {
            InProcessJob.fill(
                    job.context(0), () -> job.context(0).sendImmediate(unadvanced.endpoint(), 1, bytes, 0, 8));
            pending = ContextAccess.pending(job.node(0).client());
            failure = failureOfAFence(job.context(0));
            // An engine that was not scheduled for a while may have made room since.
        } while (failure.isEmpty());
        final String named = "; the next descriptor of the context's own FIFO is a SEND for context 1 of rank 1"
                + " (if a lane is full, advance its context there)";
        assertThat(pending).isEqualTo("; context 0" + named);
        assertThat(failure).endsWith(named);
        while (!job.context(0).isDrained()) {
            unadvanced.advance();
            job.context(0).advance();
        }
    }
}
