package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Refusal;

/** Remote gets of rank 0 from the window of rank 1, which exports all but its edges. */
class GetTest {
    private static final byte CANARY = 0x3C;
    private static final int QUANTUM = (int) FifoMetadata.DEFAULT_QUANTUM_BYTES;
    private static final int WINDOW = 3 * QUANTUM + 4096;
    private static final int EDGE = 512;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context reader;
    private Window own;
    private Window theirs;
    private ReceptionCounter export;
    private InjectionCounter done;
    private Target out;
    private byte[] content;
    private byte[] expected;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small().fifoSlots(2048).windowBytes(4L * WINDOW).dimensions());
        reader = engines.context(0);
        own = engines.client(0).window(WINDOW);
        theirs = engines.client(1).window(WINDOW);
        export = engines.client(1).receptionCounter(theirs, EDGE, WINDOW - 2 * EDGE, 0, Right.GET);
        engines.client(1).publish("out", export);
        out = reader.attach(1, "out", Deadline.in(10, SECONDS));
        done = engines.client(0).injectionCounter();
        content = new byte[WINDOW];
        new Random(1).nextBytes(content);
        theirs.buffer().putBytes(0, content);
        expected = new byte[WINDOW];
        Arrays.fill(expected, CANARY);
        own.buffer().setMemory(0, WINDOW, CANARY);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldFetchEveryShortLengthAndNothingBesideIt() {
        for (int length = 0; length <= 300; length++) {
            get(length % 13, length % 7, length);
            engines.settle();
            assertThat(fetched()).as("length " + length).isTrue();
        }
        assertThat(done.valueAcquire()).isZero();
        assertThat(export.valueAcquire()).as("the owner's counter").isZero();
    }

    @Test
    void shouldFetchALongOneByTheQuantum() {
        final int length = 2 * QUANTUM + 1000;
        get(0, 0, length);
        get(3, length, 500);
        assertThat(engines.pass(0)).as("a part is work").isEqualTo(1);
        assertThat(done.valueAcquire()).isEqualTo(length + 500 - QUANTUM);
        assertThat(own.buffer().getByte(QUANTUM)).isEqualTo(CANARY);
        engines.settle();
        assertThat(done.valueAcquire()).isZero();
        assertThat(fetched()).isTrue();
    }

    @Test
    void shouldLandAtACounterThatAdmitsOnlyTheOwnerAndHitIt() {
        final int[] hits = new int[1];
        final ReceptionCounter into = engines.client(0).receptionCounter(own, 64, 1024, 1);
        reader.onHit(into, id -> hits[0]++);
        into.expect(600);
        for (int i = 0; i < 6; i++) {
            assertThat(reader.get(out, 100L * i, into, 100L * i, 100, null)).isNotNegative();
        }
        System.arraycopy(content, EDGE, expected, 64, 600);
        engines.settle();
        assertThat(into.valueAcquire()).isZero();
        assertThat(hits[0]).isEqualTo(1);
        assertThat(fetched()).isTrue();
    }

    @Test
    void shouldFetchTheOwnersRoundInEveryReplay() {
        final CounterPair slots =
                engines.client(1).counterPair(theirs, 0, 256, 256, ReceptionCounter.ANYBODY, Right.GET);
        engines.client(1).publish("slots", slots);
        final Target from = reader.attach(1, "slots", Deadline.in(10, SECONDS));
        final CounterPair into = engines.client(0).counterPair(own, 512, 1024, 256, ReceptionCounter.NOBODY);
        final Pattern pattern = reader.record(1, Rounds.ALTERNATE, () -> {
            reader.expect(into, 8);
            reader.get(from, 16, into, 24, 8, null);
        });
        for (long round = 1; round <= 10; round++) {
            if (round > 1) {
                theirs.buffer().putLong((int) slots.offset(round) + 16, round);
                assertThat(reader.replay(pattern)).isEqualTo(round);
            }
            reader.await(pattern, round, Deadline.in(10, SECONDS));
            final long read = own.buffer().getLong((int) into.offset(round) + 24);
            assertThat(read)
                    .isEqualTo(theirs.buffer().getLong((int) slots.offset(round) + 16))
                    .isEqualTo(round == 1 ? read : round);
        }
        assertThatThrownBy(() -> reader.get(from, 0, into, 0, 8, null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("inside record only");
        assertThatThrownBy(() -> reader.record(2, Rounds.ALTERNATE, () -> reader.get(out, 0, own, 0, 8, done)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("reads from a single counter");
    }

    @Test
    void shouldReadNothingThatWasNotAllowed() {
        final ReceptionCounter inbox = engines.client(1).receptionCounter(theirs, 0, 64, 0, Right.PUT, Right.ATOMIC);
        final ReceptionCounter foreign = engines.client(1).receptionCounter(theirs, 0, 64, 1, Right.GET);
        refuse(target(inbox, 64), Refusal.NOT_READABLE);
        refuse(target(foreign, 64), Refusal.SOURCE_NOT_ADMITTED);
        refuse(new Target(1, export.id(), export.incarnation() + 1, 64, false), Refusal.STALE_COUNTER);
        refuse(new Target(1, 15, 1, 64, false), Refusal.COUNTER_DISABLED);
        refuse(new Target(1, 99, 1, 64, false), Refusal.NO_SUCH_COUNTER);
        refuse(new Target(1, inbox.id() - 1, 1, WINDOW, false), WINDOW - 2L * EDGE - 63, Refusal.TARGET_OUT_OF_BOUNDS);
        export.disable();
        refuse(out, Refusal.COUNTER_DISABLED);
    }

    @Test
    void shouldNeitherPutNorCountWhereOnlyReadingIsAllowed() {
        done.expect(8);
        reader.put(out, 0, own, 0, 8, done);
        reader.count(out, 5);
        engines.settle();
        assertThat(engines.metrics(0).get(Refusal.NOT_WRITABLE)).isEqualTo(2);
        assertThat(export.valueAcquire()).isZero();
        assertThat(InjectionCounter.code(done.errorAcquire())).isEqualTo(Refusal.NOT_WRITABLE.code());
    }

    @Test
    void shouldNameTheErrorAtTheInjection() {
        final ReceptionCounter into = engines.client(0).receptionCounter(own, 0, 64, 1);
        final Window foreign = engines.client(1).window(64);
        assertThatThrownBy(() -> reader.get(out, 0, own, WINDOW - 7, 8, done)).hasMessageContaining("window range");
        assertThatThrownBy(() -> reader.get(out, WINDOW, own, 0, 8, done)).hasMessageContaining("target range");
        assertThatThrownBy(() -> reader.get(out, 0, foreign, 0, 8, done)).hasMessageContaining("another node");
        assertThatThrownBy(() -> reader.get(out, 0, export, 0, 8, null)).hasMessageContaining("another node");
        assertThatThrownBy(() -> reader.get(out, 0, into, 60, 8, null)).hasMessageContaining("landing range");
        assertThatThrownBy(() -> reader.get(out, -1, into, 0, 8, null)).hasMessageContaining("target range");
        assertThatThrownBy(() -> reader.get(new Target(2, 0, 1, 64, false), 0, into, 0, 8, null))
                .hasMessageContaining("rank must be 0 to 1");
        assertThat(reader.fifo().fill()).isZero();
    }

    private void refuse(Target from, Refusal refusal) {
        refuse(from, 0, refusal);
    }

    private void refuse(Target from, long offset, Refusal refusal) {
        final long before = engines.metrics(0).get(refusal);
        done.expect(64);
        reader.get(from, offset, own, 0, 64, done);
        assertThatThrownBy(() -> reader.await(done, Deadline.in(10, SECONDS)))
                .hasMessageContaining("rank 1 refused: " + refusal.reason());
        done.reset();
        assertThat(engines.metrics(0).get(refusal)).isEqualTo(before + 1);
        assertThat(fetched()).as("nothing was fetched").isTrue();
    }

    private static Target target(ReceptionCounter counter, long length) {
        return new Target(1, counter.id(), counter.incarnation(), length, false);
    }

    private void get(int from, int to, int length) {
        done.expect(length);
        assertThat(reader.get(out, from, own, to, length, done)).isNotNegative();
        System.arraycopy(content, EDGE + from, expected, to, length);
    }

    private boolean fetched() {
        final byte[] found = new byte[WINDOW];
        own.buffer().getBytes(0, found);
        return Arrays.equals(found, expected);
    }
}
