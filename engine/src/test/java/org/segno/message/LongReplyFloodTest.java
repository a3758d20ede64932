package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Flood of requests from each rank to both, short and long ones, whose handlers reply by short and long messages. Lanes
 * have the least length, FIFOs 16 slots, and each rank has few buffers: every request and every reply must end.
 */
@Timeout(120)
class LongReplyFloodTest {
    private static final int REQUEST = 1;
    private static final int REPLY = 2;
    private static final int BUFFERS = 3;

    /** Requests in progress: more than a messenger has slots for. */
    private static final int REQUESTS = 2 * RendezvousSends.SLOTS;

    private static final int LONGEST = 3_000;

    /** Lengths of requests and of replies, which differ for the same number. */
    private static final int[] LENGTHS = {8, LONGEST, 200, 1_500, 2_000};

    /** Number of a long request with a long reply. */
    private static final int LONG = 3;

    @TempDir
    Path directory;

    @ParameterizedTest
    @Tag("long")
    @EnumSource(Threading.class)
    void shouldEndEveryRequestAndEveryReply(Threading threading) throws Exception {
        flood(threading, 1);
    }

    @Tag("stress")
    @Timeout(600)
    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldEndEveryRequestAndEveryReplyOfALongFlood(Threading threading) throws Exception {
        flood(threading, 10);
    }

    private void flood(Threading threading, int times) throws Exception {
        final int count = times * (threading == Threading.INVOKER ? 1_000 : 150);
        final NodeConfig config = NodeConfig.defaults()
                .withThreading(threading)
                .withFifoSlots(16)
                .withLaneBudgetBytes(2 * 4096)
                .withWindowBytes(1 << 19);
        try (InProcessJob job = InProcessJob.join(directory, 2, config)) {
            final CyclicBarrier full = new CyclicBarrier(2);
            job.onThreads(rank -> new Rank(job, rank).flood(count, full));
        }
    }

    /** Buffers of a window that are taken and given back. Used by one thread. */
    private static final class Buffers {
        private final Window window;
        private final int[] free;
        private int freeCount;

        Buffers(Client client, int count) {
            window = client.window((long) count * LONGEST);
            free = new int[count];
            for (int buffer = 0; buffer < count; buffer++) {
                giveBack(buffer * LONGEST);
            }
        }

        boolean hasRoom() {
            return freeCount > 0;
        }

        /** Returns the offset of a free buffer, or -1. */
        int take() {
            return freeCount == 0 ? -1 : free[--freeCount];
        }

        void giveBack(int offset) {
            free[freeCount++] = offset;
        }

        void fill(int offset, long number, int length) {
            for (int at = 0; at < length; at++) {
                window.putByte(offset + at, value(number, at));
            }
        }

        void check(int offset, long number, int length) {
            for (int at = 0; at < length; at++) {
                if (window.getByte(offset + at) != value(number, at)) {
                    throw new AssertionError("byte " + at + " of " + length + " of message " + number);
                }
            }
        }

        private static byte value(long number, int at) {
            return (byte) (number * 31 + at * 7L);
        }
    }

    private static final class Rank {
        private final Context context;
        private final Messenger messenger;
        private final Buffers requests;
        private final Buffers received;
        private final Buffers replies;
        private final Buffers replied;
        private final Message request = new Message();
        private final Message reply = new Message();
        private final UnsafeBuffer metadata = new UnsafeBuffer(new byte[8]);
        private int repliesSent;
        private int requestsLanded;
        private int repliesLanded;
        private int again;
        private int inProgress;

        Rank(InProcessJob job, int rank) {
            final Client client = job.node(rank).client();
            context = client.context();
            messenger = Messenger.open(client, context);
            requests = new Buffers(client, REQUESTS);
            received = new Buffers(client, BUFFERS);
            replies = new Buffers(client, BUFFERS);
            replied = new Buffers(client, BUFFERS);
            messenger.handler(REQUEST, this::onRequest);
            messenger.handler(REPLY, this::onReply);
        }

        private static int length(long number) {
            return LENGTHS[(int) (number % LENGTHS.length)];
        }

        void flood(int count, CyclicBarrier full) throws Exception {
            context.barrier(InProcessJob.deadline());
            full.await(30, TimeUnit.SECONDS);
            // Requests take all slots of both ranks before the first handler runs.
            while (inProgress < RendezvousSends.SLOTS) {
                if (request(1 - context.rank(), (long) LENGTHS.length * inProgress + LONG) >= 0) {
                    inProgress++;
                }
                context.advance(0);
            }
            full.await(30, TimeUnit.SECONDS);
            final int all = 2 * count + inProgress;
            for (long number = 0; number < count; number++) {
                for (int to = 0; to < 2; to++) {
                    context.await(requests::hasRoom, InProcessJob.deadline());
                    while (request(to, number) < 0) {
                        context.advance();
                    }
                }
            }
            context.await(
                    () -> requestsLanded == all && repliesLanded == all && repliesSent == all, InProcessJob.deadline());
            assertThat(again).isPositive();
            context.barrier(InProcessJob.deadline());
        }

        private long request(int to, long number) {
            final int offset = requests.take();
            final int length = length(number);
            requests.fill(offset, number, length);
            metadata.putLong(0, number);
            request.to(to, REQUEST).metadata(metadata, 0, 8).payload(requests.window, offset, length);
            final long sent = send(request, () -> requests.giveBack(offset));
            if (sent < 0) {
                requests.giveBack(offset);
            }
            return sent;
        }

        private long send(Message message, Runnable ended) {
            return messenger.send(
                    message,
                    failure -> {
                        requireNone(failure);
                        ended.run();
                    },
                    null);
        }

        private long onRequest(ReceivedMessage message) {
            final long number = message.metadataLong(0);
            assertThat(message.length()).isEqualTo(length(number));
            final int place = received.take();
            if (place < 0) {
                return again();
            }
            final int source = replies.take();
            if (source < 0) {
                received.giveBack(place);
                return again();
            }
            final int length = length(number + 1);
            replies.fill(source, -number, length);
            metadata.putLong(0, number);
            reply.to(message.origin(), REPLY).metadata(metadata, 0, 8).payload(replies.window, source, length);
            final long sent = send(reply, () -> {
                replies.giveBack(source);
                repliesSent++;
            });
            if (sent < 0) {
                received.giveBack(place);
                replies.giveBack(source);
                return again();
            }
            // There is always room for the completion: fewer than PendingCompletions.CAPACITY are pending.
            return message.into(received.window, place, failure -> {
                requireNone(failure);
                received.check(place, number, length(number));
                received.giveBack(place);
                requestsLanded++;
            });
        }

        private long onReply(ReceivedMessage message) {
            final long number = message.metadataLong(0);
            final int place = replied.take();
            if (place < 0) {
                return again();
            }
            return message.into(replied.window, place, failure -> {
                requireNone(failure);
                replied.check(place, -number, length(number + 1));
                replied.giveBack(place);
                repliesLanded++;
            });
        }

        private long again() {
            again++;
            return Status.AGAIN;
        }

        private static void requireNone(@Nullable SegnoException failure) {
            if (failure != null) {
                throw failure;
            }
        }
    }
}
