package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.saved.SavedPatterns;
import org.segno.status.Deadline;
import org.segno.status.RefusedException;
import org.segno.status.Status;

/** Patterns after recordings, and before loads, that are refused. */
class KeptPatternTest {
    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Context context;
    private Window window;
    private ReceptionCounter inbox;
    private Target target;

    @BeforeEach
    void make() throws IOException {
        engines = EngineFixture.open(
                Files.createTempDirectory(directory, "job"),
                NodeSize.small().ranks(1).dimensions());
        client = engines.client(0);
        context = engines.context(0);
        window = client.window(1024);
        inbox = client.receptionCounter(window, 512, 64);
        client.publish("inbox", inbox);
        target = context.attach(0, "inbox", deadline());
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldKeepTheRefusalOfItsLastRoundWhenItIsNotReplaced() {
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(target, 0, window, 0, 8));
        context.await(pattern, 1, deadline());
        inbox.disable();
        context.replay(pattern);
        engines.settle();
        assertThatThrownBy(() -> context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                    throw new IllegalArgumentException("of the body");
                }))
                .hasMessage("of the body");
        engines.settle();
        assertThatThrownBy(() -> context.await(pattern, 2, deadline())).isInstanceOf(RefusedException.class);
    }

    @Test
    void shouldRecordNoExpectationThatIsRefused() {
        final InjectionCounter read = client.injectionCounter();
        assertThatThrownBy(() -> context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.expect(read, -8)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.expect(inbox, 1L << 60)))
                .isInstanceOf(IllegalArgumentException.class);
        context.recordBegin(1, Rounds.ORDERED_BY_CALLER);
        assertThatThrownBy(() -> context.expect(inbox, -8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytes=-8");
        context.expect(inbox, 8);
        context.put(target, 0, window, 0, 8);
        final Pattern pattern = context.recordEnd();
        for (int round = 1; round < 5; round++) {
            context.await(pattern, round, deadline());
            assertThat(inbox.valueAcquire()).isZero();
            assertThat(context.replay(pattern)).isEqualTo(round + 1);
        }
    }

    @Test
    void shouldStayWhenItIsMadeWhileALoadOfItsIdWaits() throws IOException {
        final Path file = directory.resolve("patterns");
        context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.put(target, 0, window, 0, 8));
        SavedPatterns.save(client, file);
        engines.close();
        make();
        client.withdraw("inbox");
        final Pattern[] made = new Pattern[1];
        context.post(() -> {
            // Within the wait for the name. The first id that is assigned is the one of the file.
            made[0] = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.copy(window, 0, window, 64, 8));
            client.publish("inbox", inbox);
            return Status.BUSY;
        });
        try {
            SavedPatterns.load(client, file, deadline());
        } catch (final IllegalStateException e) {
            assertThat(e).hasMessageContaining("is already recorded");
        }
        assertThat(made[0].isClosed()).isFalse();
        context.await(made[0], context.replay(made[0]), deadline());
    }

    @Test
    void shouldExpectNothingAfterALoadWhereNothingWasMissing() {
        final Path file = directory.resolve("patterns");
        final InjectionCounter read = client.injectionCounter();
        try (Pattern pattern = context.record(
                7, Rounds.ORDERED_BY_CALLER, () -> context.get(Target.nowhere(), 0, inbox, 0, 0, read))) {
            context.await(pattern, 1, deadline());
            SavedPatterns.save(client, file);
        }
        SavedPatterns.load(client, file, deadline());
        context.await(inbox, deadline());
    }
}
