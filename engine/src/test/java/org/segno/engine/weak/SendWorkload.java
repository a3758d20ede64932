package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Message;

/**
 * Messages of all lengths from one node to another, through an injection FIFO and a lane that are full most of the
 * time, from sources that are written again as soon as the engine has read them.
 */
final class SendWorkload implements Workload {
    private static final int MESSAGES = 28;
    private static final int ID = 3;
    private static final int SOURCES = 2;
    private static final int SOURCE_LENGTH = 1024;
    private static final int SEQUENCE_LENGTH = 8;

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final int[] lengths = new int[MESSAGES];
        for (int i = 0; i < MESSAGES; i++) {
            lengths[i] = Long.BYTES * (chance.nextInt(3) == 0 ? chance.nextInt(4) : chance.nextInt(100));
        }
        final Window source = nodes.client(0).window(SOURCES * SOURCE_LENGTH);
        final InjectionCounter[] read = new InjectionCounter[SOURCES];
        for (int i = 0; i < SOURCES; i++) {
            read[i] = nodes.client(0).injectionCounter();
        }
        final Reader reader = new Reader(nodes, lengths);
        nodes.context(1).handler(ID, reader::onMessage);
        return List.of(
                nodes.application(() -> new Sender(nodes, source, read).send(lengths)),
                nodes.engine(0),
                nodes.application(reader::read));
    }

    private static long content(int message, int index) {
        return 1000L * message + index + 1;
    }

    private static final class Sender {
        private final WeakNodes nodes;
        private final Window source;
        private final InjectionCounter[] read;
        private final Message message = new Message();
        private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);

        Sender(WeakNodes nodes, Window source, InjectionCounter[] read) {
            this.nodes = nodes;
            this.source = source;
            this.read = read;
        }

        void send(int[] lengths) {
            for (int i = 0; i < lengths.length; i++) {
                bytes.putLong(0, i);
                if (lengths[i] <= 32 - SEQUENCE_LENGTH) {
                    sendShort(i, lengths[i]);
                } else {
                    sendLong(i, lengths[i]);
                }
            }
        }

        private void sendShort(int number, int length) {
            for (int j = 0; j < length; j += Long.BYTES) {
                bytes.putLong(SEQUENCE_LENGTH + j, content(number, j));
            }
            while (nodes.context(0).sendImmediate(1, ID, bytes, 0, SEQUENCE_LENGTH + length) < 0) {
                nodes.pause();
            }
        }

        private void sendLong(int number, int length) {
            final InjectionCounter counter = read[number % SOURCES];
            while (counter.valueAcquire() > 0) {
                nodes.pause();
            }
            final Memory arena = nodes.node(0).arena();
            final long at = source.base() + (long) (number % SOURCES) * SOURCE_LENGTH;
            for (int j = 0; j < length; j += Long.BYTES) {
                arena.putLong(at + j, content(number, j));
            }
            counter.expect(length);
            message.to(1, ID)
                    .metadata(bytes, 0, SEQUENCE_LENGTH)
                    .payload(source, at - source.base(), length)
                    .completes(counter);
            while (nodes.context(0).send(message) < 0) {
                nodes.pause();
            }
        }
    }

    private static final class Reader {
        private final WeakNodes nodes;
        private final int[] lengths;
        private int received;

        Reader(WeakNodes nodes, int[] lengths) {
            this.nodes = nodes;
            this.lengths = lengths;
        }

        void read() {
            final Context context = nodes.context(1);
            while (received < lengths.length) {
                if (context.advance(2) == 0) {
                    nodes.pause();
                }
            }
        }

        void onMessage(
                long origin,
                Object buffer,
                int metadataOffset,
                int metadataLength,
                int payloadOffset,
                int payloadLength) {
            final NodeMemory node = nodes.node(1);
            final long lane = node.laneOffset(0, Endpoint.task(origin));
            final int number = received++;
            final long sequence = node.peers().getLong(lane + metadataOffset);
            nodes.require(sequence == number, "message # where # is next", sequence, number);
            final int body = metadataLength == 0 ? SEQUENCE_LENGTH : 0;
            nodes.require(payloadLength - body == lengths[number], "# bytes of message #", payloadLength, number);
            for (int j = 0; j < Math.min(payloadLength - body, lengths[number]); j += Long.BYTES) {
                final long found = node.peers().getLong(lane + payloadOffset + body + j);
                nodes.require(found == content(number, j), "message # holds # at #", number, found, j);
            }
        }
    }
}
