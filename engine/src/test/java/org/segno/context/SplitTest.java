package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/** Long message that uses several FIFOs of its context at once. */
final class SplitTest {
    private static final int LENGTH = 300_001;

    @TempDir
    private Path parent = Path.of("");

    private static NodeConfig config(Threading threading, int engines) {
        return NodeConfig.defaults()
                .withThreading(threading)
                .withEngines(engines)
                .withFifoSlots(4)
                .withWindowBytes(1 << 20);
    }

    @Test
    void shouldRefuseFifosWithSlotsInCommon() {
        try (InProcessJob job = InProcessJob.join(parent, 1, config(Threading.INVOKER, 1))) {
            final Context context = job.context(0);
            final Window window = job.node(0).client().window(LENGTH);
            final ReceptionCounter inbox = job.node(0).client().receptionCounter(window, 0, LENGTH);
            job.node(0).client().publish("inbox", inbox);
            final Target to = context.attach(0, "inbox", InProcessJob.deadline());
            final InjectionFifo one = context.injectionFifo();
            final InjectionFifo other = context.injectionFifo();
            one.deactivate();
            other.deactivate();
            context.await(() -> !one.isActive() && !other.isActive(), InProcessJob.deadline());
            other.pointAt(4, 4);
            context.split(4097, one, other);
            assertThatThrownBy(() -> context.put(to, 0, window, 0, LENGTH))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("have slots in common");
            assertThat(one.fill() + other.fill()).isZero();
            other.pointAt(8, 4);
            assertThat(context.put(to, 0, window, 0, LENGTH)).isNotNegative();
            one.activate();
            other.activate();
            inbox.expect(LENGTH);
            context.await(inbox, InProcessJob.deadline());
        }
    }

    @ParameterizedTest
    @CsvSource({"INVOKER, 1, 1", "INVOKER, 1, 2", "DEDICATED, 2, 1", "DEDICATED, 3, 2"})
    void shouldLandEveryByteOnceThroughAnyFifo(Threading threading, int engines, int others) {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(threading, engines))) {
            final Context context = job.context(0);
            final Window source = job.node(0).client().window(LENGTH);
            final Window target = job.node(1).client().window(LENGTH);
            for (int at = 0; at < LENGTH; at++) {
                source.buffer().putByte(at, (byte) (at * 31 + 7));
            }
            final ReceptionCounter inbox = job.node(1).client().receptionCounter(target, 0, LENGTH);
            job.node(1).client().publish("inbox", inbox);
            final Target to = context.attach(1, "inbox", InProcessJob.deadline());
            final InjectionCounter read = job.node(0).client().injectionCounter();
            final InjectionFifo[] fifos = new InjectionFifo[others];
            for (int i = 0; i < others; i++) {
                fifos[i] = context.injectionFifo();
            }
            context.split(4097, fifos);
            for (final int length : new int[] {LENGTH, 4097, 4096, 8192, 8193, 100_000}) {
                target.buffer().setMemory(0, LENGTH, (byte) 0);
                inbox.expect(length);
                read.expect(length);
                assertThat(context.put(to, 0, source, 0, length, read)).isNotNegative();
                context.await(read, InProcessJob.deadline());
                job.context(1).await(inbox, InProcessJob.deadline());

                assertThat(inbox.valueAcquire()).isZero();
                for (int at = 0; at < LENGTH; at++) {
                    final byte expected = at < length ? source.buffer().getByte(at) : 0;
                    if (target.buffer().getByte(at) != expected) {
                        throw new AssertionError("byte " + at + " of " + length);
                    }
                }
            }
            assertThat(fifos[0].descriptors()).as("all but the shortest").isEqualTo(5);
        }
    }

    @Test
    void shouldUseTheTwoFurtherFifosThatAreNamedAndNotThatOfTheContext() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER, 1))) {
            final Context context = job.context(0);
            final Window source = job.node(0).client().window(LENGTH);
            final Window target = job.node(1).client().window(LENGTH);
            for (int at = 0; at < LENGTH; at++) {
                source.buffer().putByte(at, (byte) (at * 31 + 7));
            }
            final ReceptionCounter inbox = job.node(1).client().receptionCounter(target, 0, LENGTH);
            job.node(1).client().publish("inbox", inbox);
            final Target to = context.attach(1, "inbox", InProcessJob.deadline());
            final InjectionFifo first = context.injectionFifo();
            final InjectionFifo second = context.injectionFifo();
            first.split(10_000, second);
            final long before = context.fifo().descriptorsAcquire();
            inbox.expect(LENGTH);

            assertThat(first.put(to, 0, source, 0, LENGTH)).isNotNegative();
            job.settle();

            assertThat(inbox.valueAcquire()).isZero();
            assertThat(target.buffer()).isEqualTo(source.buffer());
            assertThat(first.descriptors()).isEqualTo(1);
            assertThat(second.descriptors()).isEqualTo(1);
            assertThat(context.fifo().descriptorsAcquire()).isEqualTo(before);
        }
    }

    @Test
    void shouldNotHappenAtAllWhereOneOfItsFifosIsFull() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER, 1))) {
            final Context context = job.context(0);
            final Window source = job.node(0).client().window(LENGTH);
            final ReceptionCounter inbox = inbox(job, 1);
            final Target to = context.attach(1, "inbox", InProcessJob.deadline());
            final InjectionFifo other = context.injectionFifo();
            context.split(10_000, other);
            while (other.count(to, 0) >= 0) {
                assertThat(other.fill()).isLessThanOrEqualTo(4);
            }

            assertThat(context.put(to, 0, source, 0, LENGTH)).isEqualTo(Status.BACK_PRESSURED);
            job.settle();
            assertThat(inbox.valueAcquire()).isZero();
            assertThat(context.put(to, 0, source, 0, LENGTH)).isNotNegative();
            job.settle();
            assertThat(inbox.valueAcquire()).isEqualTo(-LENGTH);
        }
    }

    @Test
    void shouldLeaveARecordingWholeAndEndWhenNoOthersAreNamed() {
        try (InProcessJob job = InProcessJob.join(parent, 1, config(Threading.INVOKER, 1))) {
            final Context context = job.context(0);
            final Window source = job.node(0).client().window(LENGTH);
            final ReceptionCounter inbox = inbox(job, 0);
            final Target to = context.attach(0, "inbox", InProcessJob.deadline());
            final InjectionFifo other = context.injectionFifo();
            context.split(10_000, other);
            final Pattern pattern =
                    context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(to, 0, source, 0, LENGTH));
            assertThat(pattern.descriptors()).isEqualTo(1);
            context.split(10_000);
            context.put(to, 0, source, 0, LENGTH);
            job.settle();
            assertThat(other.descriptors()).isZero();
            assertThat(inbox.valueAcquire()).isEqualTo(-2L * LENGTH);
        }
    }

    @Test
    void shouldRefuseAFifoThatIsNamedTwiceAndKeepTheSplitBefore() {
        try (InProcessJob job = InProcessJob.join(parent, 1, config(Threading.INVOKER, 1))) {
            final Context context = job.context(0);
            final Window source = job.node(0).client().window(LENGTH);
            final ReceptionCounter inbox = inbox(job, 0);
            final Target to = context.attach(0, "inbox", InProcessJob.deadline());
            final InjectionFifo one = context.injectionFifo();
            final InjectionFifo other = context.injectionFifo();
            context.split(10_000, one);

            assertThatThrownBy(() -> context.split(1, one, other, one))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("injection FIFO 1 is named twice");

            assertThat(context.put(to, 0, source, 0, LENGTH)).isNotNegative();
            job.settle();
            assertThat(one.descriptors()).isEqualTo(1);
            assertThat(other.descriptors()).isZero();
            assertThat(inbox.valueAcquire()).isEqualTo(-LENGTH);
        }
    }

    @Test
    void shouldRefuseFifosOfOthers() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER, 1))) {
            final InjectionFifo foreign = job.context(1).injectionFifo();
            final InjectionFifo own = job.context(0).injectionFifo();
            assertThatThrownBy(() -> job.context(0).split(10, foreign))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must be another FIFO of the same context");
            assertThatThrownBy(() -> own.split(10, own)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> own.split(0)).hasMessageContaining("fromBytes=0");
        }
    }

    /** Opens a counter over a window of a rank, and publishes it. */
    private static ReceptionCounter inbox(InProcessJob job, int rank) {
        final Client client = job.node(rank).client();
        final ReceptionCounter inbox = client.receptionCounter(client.window(LENGTH), 0, LENGTH);
        client.publish("inbox", inbox);
        return inbox;
    }
}
