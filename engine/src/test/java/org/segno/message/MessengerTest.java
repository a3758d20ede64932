package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.engine.dispatch.Announcement;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.operation.Message;
import org.segno.operation.OperationAccess;
import org.segno.pattern.Rounds;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

@OverMemoryAndLinks
class MessengerTest {
    private static final int DISPATCH = 3;
    private static final int LONGEST = 100_000;
    private static final int PLACES = 4;

    @TempDir
    Path directory;

    private InProcessJob job;
    private End[] ends;

    /** One rank: sends messages with the contents of {@link #value}, and checks the received ones. */
    private final class End implements MessageHandler {
        private final Context context;
        private final Messenger messenger;
        private final Window source;
        private final Window landing;
        private final Message message = new Message();
        private final UnsafeBuffer metadata = new UnsafeBuffer(new byte[24]);
        private final List<Integer> free = new ArrayList<>();
        private final List<Long> received = new ArrayList<>();
        private final List<@Nullable SegnoException> sent = new ArrayList<>();
        private final List<@Nullable SegnoException> landed = new ArrayList<>();
        private final boolean[] busy = new boolean[4];
        private boolean declines;
        private int requested;

        End(int rank) {
            context = job.context(rank);
            messenger = Messenger.open(job.node(rank).client(), context);
            source = job.node(rank).client().window(4 * LONGEST);
            landing = job.node(rank).client().window(PLACES * LONGEST);
            for (int i = 0; i < PLACES; i++) {
                free.add(i);
            }
            messenger.handler(DISPATCH, this);
        }

        private static byte value(long number, int at) {
            return (byte) (number * 31 + at * 7L + (at >> 8));
        }

        /** Sends message {@code number} from one of four places of the source. */
        long send(int rank, long number, int length) {
            final int at = (int) (number & 3) * LONGEST;
            for (int i = 0; i < length; i++) {
                source.buffer().putByte(at + i, value(number, i));
            }
            metadata.putLong(0, number);
            metadata.putLong(16, -number);
            message.to(rank, DISPATCH).metadata(metadata, 0, 24).payload(source, at, length);
            busy[(int) number & 3] = true;
            final long reply = messenger.send(message, null, failure -> {
                sent.add(failure);
                busy[(int) number & 3] = false;
            });
            busy[(int) number & 3] = reply >= 0;
            return reply;
        }

        private long onShort(ReceivedMessage incoming) {
            assertThat(incoming.metadataLength()).isEqualTo(24);
            final long number = incoming.metadataLong(0);
            assertThat(incoming.metadataLong(16)).isEqualTo(-number);
            checkBytes(number, incoming.buffer(), incoming.payloadOffset(), (int) incoming.length());
            return 0;
        }

        private void checkBytes(long number, DirectBuffer bytes, int p, int pl) {
            for (int i = 0; i < pl; i++) {
                if (bytes.getByte(p + i) != value(number, i)) {
                    throw new AssertionError("byte " + i + " of " + pl + " of message " + number);
                }
            }
            received.add(number);
        }

        @Override
        public long onMessage(ReceivedMessage incoming) {
            if (!incoming.isLong()) {
                return onShort(incoming);
            }
            requested++;
            final long length = incoming.length();
            if (declines || length > LONGEST) {
                return 0;
            }
            if (free.isEmpty()) {
                return Status.AGAIN;
            }
            final int at = free.remove(0);
            final long number = incoming.metadataLong(0);
            return incoming.into(landing, (long) at * LONGEST, failure -> {
                landed.add(failure);
                if (failure == null) {
                    checkBytes(number, landing.buffer(), at * LONGEST, (int) length);
                }
                free.add(at);
            });
        }
    }

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                directory,
                2,
                NodeConfig.defaults()
                        .withThreading(NodeConfig.Threading.INVOKER)
                        .withWindowBytes(2_000_000)
                        .withFifoSlots(16)
                        .withLaneBudgetBytes(2 * 4096));
        ends = new End[] {new End(0), new End(1)};
    }

    @AfterEach
    void close() {
        job.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 900, 992, 993, 4096, 65_536, LONGEST})
    void shouldBringMessagesOfAnyLengthToOtherAndToItself(int length) {
        for (int rank = 0; rank < 2; rank++) {
            assertThat(ends[0].send(rank, 5 + rank, length)).isNotNegative();
            job.settle();
            assertThat(ends[rank].received).containsExactly(5L + rank);
            assertThat(ends[0].sent).hasSize(1 + rank).containsOnlyNulls();
        }
    }

    @Test
    void shouldInterleaveShortAndLongMessages() throws Exception {
        job.onThreads(rank -> {
            final SplittableRandom random = new SplittableRandom(42 + rank);
            final End end = ends[rank];
            for (long number = 0; number < 2_000; number++) {
                final int length = random.nextInt(3) == 0 ? random.nextInt(20_000) : random.nextInt(900);
                final long last = number;
                // A place of the source is used again when its last message has ended.
                end.context.await(() -> !end.busy[(int) last & 3], InProcessJob.deadline());
                while (end.send(1 - rank, number, length) < 0) {
                    end.context.advance();
                }
            }
            end.context.await(() -> end.sent.size() == 2_000 && end.received.size() == 2_000, InProcessJob.deadline());
            assertThat(end.sent).containsOnlyNulls();
            assertThat(end.received).doesNotHaveDuplicates();
            end.context.barrier(InProcessJob.deadline());
        });
    }

    @Test
    void shouldHoldBackAFloodOfLongMessagesBothWays() throws Exception {
        job.onThreads(rank -> {
            final End end = ends[rank];
            end.metadata.putLong(0, 0);
            end.metadata.putLong(16, 0);
            for (int i = 0; i < LONGEST; i++) {
                end.source.buffer().putByte(i, End.value(0, i));
            }
            end.message.to(1 - rank, DISPATCH).metadata(end.metadata, 0, 24).payload(end.source, 0, 5_000);
            int refused = 0;
            for (int number = 0; number < 3_000; number++) {
                while (end.messenger.send(end.message, null, end.sent::add) == Status.BACK_PRESSURED) {
                    refused++;
                    end.context.advance();
                }
            }
            end.context.await(() -> end.sent.size() == 3_000 && end.received.size() == 3_000, InProcessJob.deadline());
            assertThat(refused).isPositive();
            end.context.barrier(InProcessJob.deadline());
        });
    }

    @Test
    void shouldRetryWhileThereIsNoPlaceAndHoldTheLaneOfThatSender() {
        ends[1].free.clear();
        ends[0].send(1, 1, 3_000);
        ends[0].send(1, 2, 8);
        for (int i = 0; i < 100; i++) {
            ends[0].context.advance();
            ends[1].context.advance();
        }
        assertThat(ends[1].requested).isGreaterThan(2);
        assertThat(ends[1].received).isEmpty();

        ends[1].free.add(0);
        job.settle();
        assertThat(ends[1].received).containsExactlyInAnyOrder(1L, 2L);
        assertThat(ends[0].sent).hasSize(2).containsOnlyNulls();
    }

    @Test
    void shouldNotifyTheSenderOfAnUnwantedMessage() {
        ends[1].declines = true;
        ends[0].send(1, 1, 3_000);
        job.settle();
        assertThat(ends[0].sent).singleElement().isInstanceOf(RefusedException.class);
        assertThat(ends[0].sent.get(0)).hasMessageContaining("rank 1").hasMessageContaining("no landing place");

        ends[0].message.to(1, DISPATCH + 1);
        ends[0].messenger.send(ends[0].message, null, ends[0].sent::add);
        job.settle();
        assertThat(ends[0].sent).hasSize(2);
        assertThat(ends[0].sent.get(1)).hasMessageContaining("no handler of long messages");
    }

    @Test
    void shouldLetAWindowBeClosedOnceItIsReleased() {
        ends[0].send(1, 1, 3_000);
        job.settle();
        assertThatThrownBy(() -> job.node(0).client().close(ends[0].source))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Messenger.release");
        ends[0].messenger.release(ends[0].source);
        job.node(0).client().close(ends[0].source);
    }

    @Test
    void shouldThrowTheExceptionOfACompletionAndContinue() {
        ends[0].send(1, 1, 3_000);
        ends[0].send(1, 2, 2_000);
        ends[0].message.payload(ends[0].source, 2 * LONGEST, 2_000);
        ends[0].messenger.send(ends[0].message, null, failure -> {
            throw new IllegalStateException("mine");
        });
        assertThatThrownBy(job::settle).hasMessage("mine");
        job.settle();
        assertThat(ends[0].sent).hasSize(2).containsOnlyNulls();
    }

    @Test
    void shouldRefuseMessagesThatCannotBeReplayed() {
        for (final int length : new int[] {8, 2_000}) {
            assertThatThrownBy(
                            () -> ends[0].context.record(1, Rounds.ORDERED_BY_CALLER, () -> ends[0].send(1, 1, length)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("cannot be replayed");
        }
        job.settle();
        ends[0].send(1, 2, 2_000);
        job.settle();
        assertThat(ends[1].received).containsExactly(2L);
    }

    @Test
    void shouldRefuseASecondMessengerOfAContextAndLeaveTheFirstAsItIs() {
        assertThatThrownBy(() -> Messenger.open(job.node(1).client(), ends[1].context))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has a messenger already");
        ends[0].send(1, 1, 3_000);
        job.settle();
        assertThat(ends[1].received).containsExactly(1L);
    }

    @Test
    void shouldStandForgedAnnouncements() {
        final SplittableRandom random = new SplittableRandom(7);
        final AtomicBuffer forged = ends[0].source.buffer();
        final Message message = new Message();
        for (int i = 0; i < 5_000; i++) {
            for (int at = 0; at < Announcement.LENGTH; at += Integer.BYTES) {
                forged.putInt(at, random.nextBoolean() ? random.nextInt(8) : random.nextInt());
            }
            if (random.nextBoolean()) {
                forged.putInt(0, DISPATCH);
                forged.putLong(Announcement.LENGTH - Long.BYTES, random.nextInt(3_000));
            }
            OperationAccess.like(message, new Message().to(1, DISPATCH), Announcement.DISPATCH_ID)
                    .metadata(ends[0].metadata, 0, 24)
                    .payload(ends[0].source, 0, random.nextInt(10) == 0 ? random.nextInt(60) : Announcement.LENGTH);
            ends[0].context.send(message);
            job.settle();
        }
        ends[1].received.clear();
        ends[0].sent.clear();
        ends[0].send(1, 9, 2_000);
        job.settle();
        assertThat(ends[1].received).containsExactly(9L);
        assertThat(ends[0].sent).hasSize(1).containsOnlyNulls();
    }
}
