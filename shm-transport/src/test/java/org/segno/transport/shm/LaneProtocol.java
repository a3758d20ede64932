package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.concurrent.UnsafeBuffer;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.Multicast;
import org.segno.node.Node;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.status.Status;

/**
 * More records than the responder's lane holds: the responder does not read them, and they block the requester's FIFO.
 */
abstract class LaneProtocol extends Protocol {
    static final int DISPATCH = 7;
    private static final int TOTAL = 8;

    /** Consecutive passes without room after which lane and FIFO are full. */
    private static final int PATIENCE = 4;

    /**
     * Number of records: those that the requester has sent; those that the responder has received, each the next of its
     * kind.
     */
    long records;

    private final UnsafeBuffer word = new UnsafeBuffer(new byte[Long.BYTES]);
    private long total = -1;

    LaneProtocol(Node node) {
        super(node);
    }

    @Override
    void open() {
        context.handler(
                DISPATCH,
                (source, buffer, metadata, metadataLength, payload, payloadLength) ->
                        taken(buffer.getLong(metadataLength == 0 ? payload : metadata)));
        context.handler(TOTAL, (source, buffer, metadata, ml, payload, pl) -> total = buffer.getLong(payload));
    }

    final void taken(long number) {
        assertThat(number).isEqualTo(records);
        records++;
    }

    /** Sends one more record, with this number; returns a negative status if it could not. */
    abstract long sendNext(long number);

    /** Sends until lane and FIFO are full. */
    @Override
    void begin() {
        int full = 0;
        while (full < PATIENCE) {
            if (sendNext(records) < 0) {
                full++;
                context.advance();
            } else {
                full = 0;
                records++;
            }
        }
        assertThat(context.isDrained()).isFalse();
    }

    /** Sends the number of records to the responder. */
    @Override
    void check() {
        word.putLong(0, records);
        assertThat(context.sendImmediate(peer, TOTAL, word, 0, Long.BYTES)).isNotNegative();
    }

    @Override
    void respond() {
        context.await(() -> total >= 0, ScenarioRun.deadline());
        assertThat(records).isEqualTo(total).isGreaterThan(LANE_BYTES / 1024);
    }

    final long sendImmediate(long number) {
        word.putLong(0, number);
        return context.sendImmediate(peer, DISPATCH, word, 0, Long.BYTES);
    }

    /** Messages from a window; the wait is for their injection counter. */
    static final class EagerSends extends LaneProtocol {
        private static final int LENGTH = 900;

        private final Message message = new Message();
        private final UnsafeBuffer metadata = new UnsafeBuffer(new byte[Long.BYTES]);
        private final Window source;
        private final InjectionCounter injected;

        EagerSends(Node node) {
            super(node);
            source = client.window(LENGTH);
            injected = client.injectionCounter();
        }

        @Override
        long sendNext(long number) {
            metadata.putLong(0, number);
            message.to(peer, DISPATCH)
                    .metadata(metadata, 0, Long.BYTES)
                    .payload(source, 0, LENGTH)
                    .completes(injected);
            final long status = context.send(message);
            if (status >= 0) {
                injected.expect(LENGTH);
            }
            return status;
        }

        @Override
        void await(long deadlineNs) {
            context.await(injected, deadlineNs);
        }
    }

    /** PUTs that notify the responder. */
    static final class Notices extends LaneProtocol {
        private static final int PUTS = 512;

        private final Window window;
        private final InjectionCounter injected;
        private final Notification notification;

        @SuppressWarnings("NullAway.Init") // by open
        private Target inbox;

        Notices(Node node) {
            super(node);
            window = client.window((long) PUTS * Long.BYTES);
            injected = client.injectionCounter();
            notification = new Notification().at(DISPATCH + 2).completes(injected);
        }

        @Override
        void open() {
            super.open();
            final ReceptionCounter counter = client.receptionCounter(window, 0, window.length());
            client.publish("inbox", counter);
            context.notified(
                    DISPATCH + 2,
                    (source, id, offset, length) -> taken(window.buffer().getLong((int) offset)));
            inbox = context.attach(peer, "inbox", ScenarioRun.deadline());
        }

        @Override
        long sendNext(long number) {
            final int at = (int) number * Long.BYTES;
            window.buffer().putLong(at, number);
            final long status = context.putNotifying(inbox, at, window, at, Long.BYTES, notification);
            if (status >= 0) {
                injected.expect(Long.BYTES);
            }
            return status;
        }

        @Override
        void await(long deadlineNs) {
            context.await(injected, deadlineNs);
        }
    }

    /** Fence for the records that were sent to the responder. */
    static final class FenceOfEndpoint extends LaneProtocol {
        FenceOfEndpoint(Node node) {
            super(node);
        }

        @Override
        long sendNext(long number) {
            return sendImmediate(number);
        }

        @Override
        void await(long deadlineNs) {
            context.fence(Endpoint.of(peer, 0, 0, 0), deadlineNs);
        }
    }

    /** Fence for all injected descriptors. */
    static final class FenceOfAll extends LaneProtocol {
        FenceOfAll(Node node) {
            super(node);
        }

        @Override
        long sendNext(long number) {
            return sendImmediate(number);
        }

        @Override
        void await(long deadlineNs) {
            context.fence(deadlineNs);
        }
    }

    /** Starts of a multicast of metadata alone. */
    static final class Multicasts extends LaneProtocol {
        private final Window numbers;
        private final Multicast multicast;

        Multicasts(Node node) {
            super(node);
            numbers = client.window(Long.BYTES);
            multicast = new Multicast(context, DISPATCH, numbers, Endpoint.of(peer, 0, 0, 0))
                    .metadata(numbers, 0, Long.BYTES);
        }

        @Override
        long sendNext(long number) {
            if (!multicast.isComplete()) {
                return Status.BUSY;
            }
            numbers.buffer().putLong(0, number);
            return multicast.start();
        }

        @Override
        void await(long deadlineNs) {
            multicast.await(deadlineNs);
        }
    }
}
