package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/** Operations in places that do not allow them: each is refused by name, or has no effect on others. */
@Timeout(120)
@OverMemoryAndLinks
class OutOfPlaceTest {
    private static final int RECEIVED = 3;
    private static final int REPLYING = 4;
    private static final int NOTICES = 5;

    @TempDir
    Path directory;

    private final UnsafeBuffer word = new UnsafeBuffer(new byte[Long.BYTES]);
    private final AtomicInteger received = new AtomicInteger();
    private InProcessJob job;
    private Context context;
    private Context peer;
    private Window window;

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                directory,
                2,
                NodeConfig.defaults().withThreading(Threading.INVOKER).withWindowBytes(1 << 12));
        context = job.context(0);
        peer = job.context(1);
        window = job.node(0).client().window(64);
        peer.handler(RECEIVED, (source, buffer, m, ml, p, pl) -> received.incrementAndGet());
    }

    @AfterEach
    void close() {
        job.close();
    }

    private void pass() {
        context.advance();
        peer.advance();
    }

    private long send() {
        return context.sendImmediate(1, RECEIVED, word, 0, Long.BYTES);
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldRefuseToSendToAPairOutsideARecording() {
        final Window far = job.node(1).client().window(64);
        final CounterPair pair = job.node(1)
                .client()
                .counterPair(far, 0, 32, 32, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        job.node(1).client().publish("pair", pair);
        final Target target = context.attach(1, "pair", InProcessJob.deadline());

        final String which = "a pair selects its counter by round, inside record only";
        assertThatThrownBy(() -> context.put(target, 0, window, 0, 8)).hasMessageContaining(which);
        assertThatThrownBy(() -> context.count(target, -1)).hasMessageContaining(which);
        assertThatThrownBy(() -> context.get(
                        target, 0, window, 0, 8, job.node(0).client().injectionCounter()))
                .hasMessageContaining(which);
        assertThatThrownBy(() -> context.rmw(target, 0, new Rmw().fetchAdd(1))).hasMessageContaining(which);

        assertThat(context.put(target.ofRound(1), 0, window, 0, 8)).isNotNegative();
        pass();
        assertThat(pair.counter(1).valueAcquire()).isEqualTo(-8);
        assertThat(pair.counter(0).valueAcquire()).isZero();
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldRecordTheSendsOfTheBodyAndNotThoseOfAnAdvanceWithinIt() {
        context.replyingHandler(
                REPLYING, (source, buffer, m, ml, p, pl) -> context.sendImmediate(1, RECEIVED, word, 0, 8));
        final AtomicInteger worked = new AtomicInteger();
        assertThat(peer.sendImmediate(0, REPLYING, word, 0, Long.BYTES)).isNotNegative();
        peer.advance();
        assertThat(context.post(() -> send() + worked.incrementAndGet() - worked.get()))
                .isNotNegative();

        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            send();
            context.advance();
            send();
        });

        assertThat(worked).as("posted work waits").hasValue(0);
        assertThat(pattern.descriptors())
                .as("the handler's reply is none of it")
                .isEqualTo(2);
        pass();
        pass();
        assertThat(worked).hasValue(1);
        assertThat(received).as("two recorded, the reply, the posted one").hasValue(4);
        assertThat(context.replay(pattern)).isEqualTo(2);
        pass();
        assertThat(received).hasValue(6);
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldKeepIdsBelowZeroForPreparedPatterns() {
        final Pattern prepared = context.prepare(Rounds.ORDERED_BY_CALLER, this::send);

        assertThatThrownBy(() -> context.record(prepared.id(), Rounds.ORDERED_BY_CALLER, this::send))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ids below zero are reserved for prepared patterns")
                .hasMessageContaining("id=" + prepared.id());
        assertThat(context.replay(prepared)).isEqualTo(1);
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldCountAStrayMessageToAnIdThatReceivesOnlyNotices() {
        peer.notified(NOTICES, (source, counter, offset, length) -> received.incrementAndGet());
        assertThat(context.sendImmediate(1, NOTICES, word, 0, Long.BYTES)).isNotNegative();
        send();

        pass();

        assertThat(received).as("the message after it").hasValue(1);
        assertThat(job.node(1).metrics().unknownDispatch()).isEqualTo(1);
    }

    @Test
    void shouldRefuseAnEndpointWithAClientByteThatMakesItNegative() {
        assertThatThrownBy(() -> context.sendImmediate(0x8000_003F_0000_0001L, RECEIVED, word, 0, Long.BYTES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("context=63");
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldKeepAFurtherFifoBehindTheContextsRulesAfterItHasInjectedTogether() {
        final InjectionFifo further = context.injectionFifo();
        assertThat(further.batch(1, () -> further.sendImmediate(1, RECEIVED, word, 0, Long.BYTES)))
                .isNotNegative();

        assertThatThrownBy(() -> context.record(
                        1, Rounds.ORDERED_BY_CALLER, () -> further.sendImmediate(1, RECEIVED, word, 0, Long.BYTES)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldRefuseABatchOnAFurtherFifoInsideAHandlerBeforeItsBodyRuns() {
        final InjectionFifo further = context.injectionFifo();
        final AtomicInteger bodies = new AtomicInteger();
        context.replyingHandler(REPLYING, (source, buffer, m, ml, p, pl) -> further.batch(1, bodies::incrementAndGet));
        assertThat(peer.sendImmediate(0, REPLYING, word, 0, Long.BYTES)).isNotNegative();
        peer.advance();

        assertThatThrownBy(context::advance)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a handler cannot send through " + further);

        assertThat(bodies).hasValue(0);
        assertThat(further.batch(1, () -> further.sendImmediate(1, RECEIVED, word, 0, Long.BYTES)))
                .as("outside the handler, afterwards")
                .isNotNegative();
        pass();
        assertThat(received).hasValue(1);
    }
}
