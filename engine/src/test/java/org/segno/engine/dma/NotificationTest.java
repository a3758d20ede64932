package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.InjectionFifo;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Notification;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.RefusedException;
import org.segno.status.Status;

/** PUTs that notify a handler at the target. Rank 1 is the target. */
class NotificationTest {
    private static final int ID = 300;
    private static final int BYTES = 1 << 16;

    @TempDir
    Path directory;

    private final List<String> notified = new ArrayList<>();
    private final Notification notification = new Notification().at(ID);
    private EngineFixture engines;
    private Window source;
    private Window target;
    private ReceptionCounter counter;
    private InjectionCounter injected;
    private Target in;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small().contexts(2).fifos(3).windowBytes(4 * BYTES).dimensions());
        source = engines.client(0).window(BYTES);
        target = engines.client(1).window(BYTES);
        counter = engines.client(1).receptionCounter(target, 0, BYTES);
        injected = engines.client(0).injectionCounter();
        engines.client(1).publish("in", counter);
        in = engines.context(0).attach(1, "in", Deadline.in(10, SECONDS));
        for (int context = 0; context < 2; context++) {
            final int at = context;
            engines.client(1).context(context).notified(ID, (from, id, offset, length) -> {
                final byte last = length == 0 ? 0 : target.buffer().getByte((int) (offset + length) - 1);
                notified.add(at + ": " + from + " " + id + " " + offset + "+" + length + " last=" + last + " value="
                        + counter.valueAcquire());
            });
        }
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private String notice(int context, long offset, long length, int last, long value) {
        return context + ": 0 " + counter.id() + " " + offset + "+" + length + " last=" + last + " value=" + value;
    }

    @Test
    void shouldNotifyTheHandlerOfLandedAndCountedBytes() {
        source.buffer().setMemory(0, BYTES, (byte) 7);
        injected.expect(100);
        notification.completes(injected);

        engines.context(0).putNotifying(in, 16, source, 0, 100, notification);
        engines.context(0).putNotifying(in, 0, source, 0, 0, new Notification().at(1, ID));
        engines.settle();
        engines.client(1).context(1).advance();

        assertThat(notified).containsExactlyInAnyOrder(notice(0, 16, 100, 7, -100), notice(1, 0, 0, 0, -100));
        assertThat(injected.valueAcquire()).isZero();
    }

    @Test
    void shouldKeepTheOrderOfPutsThatNotifyAndOthers() {
        for (int i = 0; i < 15; i++) {
            source.buffer().putByte(i, (byte) i);
            if (i % 3 == 0) {
                engines.context(0).putNotifying(in, i, source, i, 1, notification);
            } else {
                engines.context(0).put(in, i, source, i, 1);
            }
        }
        engines.settle();

        assertThat(notified).hasSize(5);
        for (int i = 0; i < 5; i++) {
            assertThat(notified.get(i)).startsWith("0: 0 " + counter.id() + " " + 3 * i + "+1 last=" + 3 * i);
        }
        assertThat(counter.valueAcquire()).isEqualTo(-15);
    }

    /** Sends a message that takes several visits; the notice comes after the last. */
    @Test
    void shouldNotifyOfALongMessageOnceAfterItsLastByte() {
        source.buffer().setMemory(0, BYTES, (byte) 9);
        final InjectionFifo fifo = engines.context(0).injectionFifo();
        fifo.quantum(1000, 10);

        fifo.putNotifying(in, 0, source, 0, BYTES, notification);
        engines.pass(0);
        engines.context(1).advance();
        assertThat(notified).isEmpty();
        engines.settle();

        assertThat(notified).containsExactly(notice(0, 0, BYTES, 9, -BYTES));
    }

    @Test
    void shouldLandNothingBeforeItsNoticeFits() {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
        engines.context(1).handler(ID + 1, (from, buffer, m, ml, p, pl) -> {});
        // Rank 1 does not read: its lane fills up.
        int sent = 0;
        while (engines.pass(0) > 0 || sent == 0) {
            while (engines.context(0).sendImmediate(1, ID + 1, bytes, 0, 32) != Status.BACK_PRESSURED) {
                sent++;
            }
        }
        source.buffer().setMemory(0, 8, (byte) 5);
        final InjectionFifo fifo = engines.context(0).injectionFifo();
        fifo.putNotifying(in, 0, source, 0, 8, notification);
        for (int i = 0; i < 100; i++) {
            engines.pass(0);
        }
        assertThat(fifo.fill()).isEqualTo(1);
        assertThat(target.buffer().getLong(0)).isZero();
        assertThat(counter.valueAcquire()).isZero();

        engines.settle();

        assertThat(notified).containsExactly(notice(0, 0, 8, 5, -8));
    }

    /** Places the event of the counter and the notice in the same lane. */
    @Test
    void shouldNotifyOfTheHitAndOfEachPut() {
        final List<Integer> hits = new ArrayList<>();
        final ReceptionCounter hit = engines.client(1).receptionCounter(target, 0, 1024);
        engines.context(1).onHit(hit, hits::add);
        engines.client(1).publish("hit", hit);
        final Target to = engines.context(0).attach(1, "hit", Deadline.in(10, SECONDS));
        for (int i = 0; i < 1000; i++) {
            hit.expect(8);
            while (engines.context(0).putNotifying(to, 0, source, 0, 8, notification) == Status.BACK_PRESSURED) {
                engines.settle();
            }
            if (i % 100 == 0) {
                engines.settle();
            }
        }
        engines.settle();

        assertThat(notified).hasSize(1000);
        assertThat(hits).isNotEmpty().allMatch(id -> id == hit.id());
        assertThat(hit.valueAcquire()).isZero();
    }

    @Test
    void shouldNotifyOfEveryRoundOfAPattern() {
        final CounterPair pair = engines.client(1).counterPair(target, 0, 64, 8);
        engines.client(1).publish("pair", pair);
        final Target to = engines.context(0).attach(1, "pair", Deadline.in(10, SECONDS));
        final Pattern pattern = engines.context(0)
                .record(1, Rounds.ALTERNATE, () -> engines.context(0).putNotifying(to, 0, source, 0, 8, notification));
        engines.settle();
        for (long round = 2; round <= 5; round++) {
            assertThat(engines.context(0).replay(pattern)).isEqualTo(round);
            engines.settle();
        }

        assertThat(notified).hasSize(5);
        for (int round = 1; round <= 5; round++) {
            assertThat(notified.get(round - 1))
                    .startsWith("0: 0 " + pair.counter(round).id() + " 0+8");
        }
    }

    @Test
    void shouldNotifyARankThatPutsToItself() {
        final Target self = engines.context(1).attach(1, "in", Deadline.in(10, SECONDS));

        engines.context(1).putNotifying(self, 0, target, 64, 8, notification);
        engines.settle();

        assertThat(notified).containsExactly("0: 1 " + counter.id() + " 0+8 last=0 value=-8");
    }

    @Test
    void shouldNotNotifyOfARefusedPut() {
        final ReceptionCounter closed = engines.client(1).receptionCounter(target, 0, 64, 1);
        engines.client(1).publish("not for you", closed);
        final Target to = engines.context(0).attach(1, "not for you", Deadline.in(10, SECONDS));
        injected.expect(8);

        engines.context(0).putNotifying(to, 0, source, 0, 8, notification.completes(injected));
        engines.settle();

        assertThat(notified).isEmpty();
        assertThatThrownBy(() -> engines.context(0).await(injected, Deadline.in(10, SECONDS)))
                .isInstanceOf(RefusedException.class);
        assertThatThrownBy(() -> engines.context(0).putNotifying(in, 0, source, 0, 8, new Notification().at(2, ID)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no such context")
                .hasMessageContaining("context=2");
        assertThatThrownBy(() -> new Notification().at(65_536)).hasMessageContaining("dispatchId=65536");
        assertThatThrownBy(() -> new Notification().at(65_535)).hasMessageContaining("dispatch id 65535 is reserved");
    }

    @Test
    void shouldDropAMessageThatIsNoNotice() {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
        engines.context(0).sendImmediate(1, ID, bytes, 0, 8);
        engines.pass(0);

        assertThat(engines.context(1).advance()).isOne();
        assertThat(notified).isEmpty();
        // Its sender is notified of the refusal.
        engines.settle();
        assertThat(engines.context(1).advance()).isZero();
    }
}
