package org.segno.message;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/** Context with a messenger: notes the received messages of one dispatch id, and the completions of the sent ones. */
final class TestMessenger implements MessageHandler {
    static final int DISPATCH = 3;

    /** Messages that may be landing at a time. */
    private static final int PLACES = 4;

    /**
     * Received message.
     *
     * @param origin rank that sent it
     * @param isLong true if it was announced
     * @param metadata in hexadecimal
     * @param payload in hexadecimal
     */
    record Received(int origin, boolean isLong, String metadata, String payload) {}

    final Context context;
    final Messenger messenger;
    final Window source;
    final Message message = new Message();

    /** Numbers of the messages, in the order of the handlers' calls. */
    final List<Long> called = new ArrayList<>();

    /** Messages in the order of their completion. */
    final List<Received> received = new ArrayList<>();

    /** Results that the senders' completions have received. */
    final List<String> ends = new ArrayList<>();

    private final UnsafeBuffer metadata = new UnsafeBuffer(new byte[24]);
    private final Window landing;
    private final int longest;
    private final List<Integer> free = new ArrayList<>();

    /** Creates a messenger for messages of up to {@code longest} bytes. */
    TestMessenger(Client client, Context context, int longest) {
        this.context = context;
        this.longest = longest;
        this.messenger = Messenger.open(client, context);
        this.source = client.window(longest + 64L);
        this.landing = client.window((long) PLACES * longest);
        for (int place = 0; place < PLACES; place++) {
            free.add(place);
        }
        messenger.handler(DISPATCH, this);
    }

    /** Returns the bytes of window memory that one messenger takes. */
    static long windowBytes(int longest) {
        return (PLACES + 1L) * longest + 8192;
    }

    /**
     * Returns the message to {@code endpoint}, with {@code number} as its metadata and {@code length} bytes of the
     * source.
     */
    Message numbered(long endpoint, long number, long length) {
        metadata.putLong(0, number);
        return message.to(endpoint, DISPATCH).metadata(metadata, 0, 8).payload(source, 0, length);
    }

    /** Returns a completion that notes {@code name} and its result. */
    Completion noting(String name) {
        return failure -> ends.add(name + (failure == null ? "" : ": " + describe(failure)));
    }

    private static String describe(SegnoException failure) {
        return failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }

    /** Returns the number of received messages that were announced. */
    long announced() {
        return received.stream().filter(Received::isLong).count();
    }

    @Override
    public long onMessage(ReceivedMessage incoming) {
        final DirectBuffer buffer = incoming.buffer();
        if (incoming.isLong() && free.isEmpty()) {
            return Status.AGAIN;
        }
        called(incoming);
        final int origin = incoming.rank();
        final String ofMessage = copy(buffer, incoming.metadataOffset(), incoming.metadataLength());
        if (!incoming.isLong()) {
            final String payload = copy(buffer, incoming.payloadOffset(), (int) incoming.length());
            received.add(new Received(origin, false, ofMessage, payload));
            return 0;
        }
        final int at = free.remove(0) * longest;
        final int length = (int) incoming.length();
        return incoming.into(landing, at, failure -> landed(origin, ofMessage, at, length, failure));
    }

    private void landed(int origin, String ofMessage, int at, int length, @Nullable SegnoException failure) {
        if (failure != null) {
            throw failure;
        }
        received.add(new Received(origin, true, ofMessage, copy(landing.buffer(), at, length)));
        landing.buffer().setMemory(at, length, (byte) 0);
        free.add(at / longest);
    }

    private void called(ReceivedMessage incoming) {
        if (incoming.metadataLength() >= Long.BYTES) {
            called.add(incoming.metadataLong(0));
        }
    }

    private static String copy(DirectBuffer buffer, int offset, int length) {
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Returns bytes with values that identify their positions. */
    static byte[] bytes(int seed, int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (seed * 31 + i * 7 + (i >> 8));
        }
        return bytes;
    }
}
