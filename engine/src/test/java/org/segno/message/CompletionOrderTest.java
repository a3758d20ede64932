package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.LangUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Rounds;

/** The local completion of a message runs before its remote one. */
class CompletionOrderTest {
    private static final int ID = 3;
    private static final int LONG = 20_000;

    @TempDir
    Path directory;

    private final List<String> ends = new ArrayList<>();
    private EngineFixture engines;
    private Messenger messenger;
    private Window window;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .ranks(1)
                        .fifos(5)
                        .fifoSlots(64)
                        .counters(64)
                        .windowBytes(1 << 18)
                        .dimensions());
        messenger = Messenger.open(engines.client(0), engines.context(0));
        messenger.handler(ID, message -> 0);
        window = engines.client(0).window(64);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private void send(int number, Completion local) {
        messenger.send(new Message().to(0, ID).payload(window, 0, 8), local, failure -> ends.add(number + " remote"));
    }

    @Test
    void shouldBeAlsoThatOfAMessageThatACompletionSendsToABusyEngine() {
        send(1, failure -> {
            ends.add("1 local");
            send(2, late -> ends.add("2 local"));
            // An engine with a thread of its own may have carried it out already.
            engines.pass(0);
        });
        for (int i = 0; i < 20; i++) {
            engines.context(0).advance();
        }
        assertThat(ends).containsExactlyInAnyOrder("1 local", "1 remote", "2 local", "2 remote");
        assertThat(ends.indexOf("2 local")).isLessThan(ends.indexOf("2 remote"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void shouldLeaveFetchesToTheTimeAfterARecordingThatACompletionBegins(int passes) {
        final Window landing = engines.client(0).window(LONG);
        final Window source = engines.client(0).window(LONG);
        messenger.handler(ID + 1, message -> message.into(landing, 0, failure -> ends.add("landed")));
        messenger.send(new Message().to(0, ID + 1).payload(source, 0, LONG));
        for (int i = 0; i < passes; i++) {
            engines.context(0).advance();
        }
        messenger.send(
                new Message().to(0, ID).payload(window, 0, 8),
                failure -> engines.context(0).recordBegin(1, Rounds.ORDERED_BY_CALLER),
                null);
        for (int i = 0; i < 20; i++) {
            engines.context(0).advance();
        }
        assertThat(engines.context(0).recordEnd().descriptors()).isZero();
        engines.settle();
        assertThat(ends).containsExactly("landed");
    }

    @Test
    void shouldNotKeepTheOtherFromRunningWhateverItThrows() {
        messenger.send(
                new Message().to(0, ID).payload(window, 0, 64),
                failure -> LangUtil.rethrowUnchecked(new IOException("thrown")),
                failure -> ends.add("remote"));
        assertThatThrownBy(() -> engines.settle()).isInstanceOf(IOException.class);
        assertThat(ends).containsExactly("remote");
    }

    /** Work that throws is posted again. If the queue has no room for it, it keeps its place, and throws later. */
    @Test
    void shouldRunTheOthersWhenOneThrowsWhileTheWorkQueueIsFull() {
        final Context context = engines.context(0);
        send(1, failure -> {
            while (context.post(() -> 0) >= 0) {
                // Fills the queue.
            }
            throw new IllegalStateException("thrown");
        });
        send(2, failure -> ends.add("2 local"));
        assertThatThrownBy(() -> engines.settle())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("thrown");
        engines.settle();
        assertThat(ends).containsExactlyInAnyOrder("1 remote", "2 local", "2 remote");
        send(3, failure -> ends.add("3 local"));
        engines.settle();
        assertThat(ends).endsWith("3 local", "3 remote");
    }
}
