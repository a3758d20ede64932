package org.segno.transport.shm;

import java.util.Map;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;
import org.segno.message.Messenger;
import org.segno.message.ReceivedMessage;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.Multicast;
import org.segno.multisend.Pieces;
import org.segno.operation.Hint;
import org.segno.operation.Message;
import org.segno.transport.shm.AttackedClient.Step;

/** Steps that send messages: short and long ones, to one and to several ranks. */
final class MessageSteps {
    private static final int SHORT = 10;
    private static final int REQUESTED = 11;
    private static final int REPLIED = 12;
    private static final int LONG = 13;
    private static final int MULTICAST = 14;
    private static final int EAGER_BYTES = 1024;
    private static final int LONG_BYTES = 1 << 14;
    private static final int PIECE_BYTES = 256;

    private final AttackedClient own;
    private final Context context;
    private final SplittableRandom random;
    private final Window source;
    private final Window landing;
    private final Messenger messenger;
    private final Message message = new Message();
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private final InjectionCounter injected;
    private final Multicast multicast;
    private final Window pieces;
    private @Nullable ManyToMany exchange;
    private long sum;
    private long ended;

    MessageSteps(AttackedClient own) {
        this.own = own;
        this.context = own.context();
        this.random = own.random();
        final Client client = own.client();
        source = client.window(LONG_BYTES);
        landing = client.window(LONG_BYTES);
        pieces = client.window(8 * PIECE_BYTES);
        injected = client.injectionCounter();
        messenger = Messenger.open(client, context);
        context.handler(SHORT, this::onMessage);
        context.handler(REPLIED, this::onMessage);
        context.handler(MULTICAST, this::onMessage);
        context.replyingHandler(REQUESTED, (sender, buffer, m, ml, p, pl) -> {
            onMessage(sender, buffer, m, ml, p, pl);
            return context.sendImmediate(own.peer(), REPLIED, bytes, 0, 8);
        });
        messenger.handler(LONG, this::onReceived);
        multicast = new Multicast(
                        context,
                        MULTICAST,
                        source,
                        context.endpoint(),
                        client.endpoint(own.peer(), 0, AttackedClient.startDeadline()))
                .payload(source, 0, 100)
                .metadata(source, 128, 16);
        exchange = openExchange(AttackedClient.startDeadline());
    }

    void addTo(Map<String, Step> steps) {
        steps.put("sendImmediate", this::sendImmediate);
        steps.put("send", this::send);
        steps.put("sendMetadataInWindow", this::sendMetadataInWindow);
        steps.put("sendRequest", () -> own.inject(() -> context.sendImmediate(own.peer(), REQUESTED, bytes, 0, 16)));
        steps.put("multicast", this::multicast);
        steps.put("messenger", this::messenger);
        steps.put("messengerLong", this::messengerLong);
        steps.put("multicastStart", this::multicastStart);
        steps.put("manyToMany", this::manyToMany);
        steps.put("manyToManyReopen", this::manyToManyReopen);
        steps.put("awaitNothing", () -> context.await(() -> false, own.shortDeadline()));
    }

    private void onMessage(long sender, DirectBuffer buffer, int m, int ml, int p, int pl) {
        for (int i = 0; i < ml; i++) {
            sum += buffer.getByte(m + i);
        }
        for (int i = 0; i < pl; i++) {
            sum += buffer.getByte(p + i);
        }
    }

    private void sendImmediate() {
        bytes.putLong(0, sum);
        for (int i = 0; i < 10; i++) {
            final int length = random.nextInt(33);
            final int rank = random.nextInt(2);
            own.inject(() -> context.sendImmediate(rank, SHORT, bytes, 0, length));
        }
    }

    private Message payload(int dispatchId, int most) {
        final int length = own.length(most);
        injected.reset();
        injected.expect(length);
        message.to(random.nextInt(8) == 0 ? own.rank() : own.peer(), dispatchId)
                .payload(source, own.offset(LONG_BYTES, length), length)
                .completes(injected);
        return message.metadata(bytes, 0, random.nextInt(25));
    }

    private void send() {
        payload(SHORT, EAGER_BYTES);
        if (own.inject(() -> context.send(message))) {
            context.await(injected, own.shortDeadline());
        }
    }

    private void sendMetadataInWindow() {
        payload(SHORT, EAGER_BYTES).metadata(landing, random.nextInt(1000), random.nextInt(129));
        if (own.inject(() -> context.send(message))) {
            context.await(injected, own.shortDeadline());
        }
    }

    private void multicast() {
        payload(MULTICAST, EAGER_BYTES).metadata(source, random.nextInt(1000), random.nextInt(25));
        injected.expect(message.length());
        final long[] endpoints = {own.rank(), own.peer()};
        if (own.inject(() -> context.multicast(message, endpoints, 0, 2))) {
            context.await(injected, own.shortDeadline());
        }
    }

    private void messenger() {
        final Message plain = new Message();
        plain.to(own.peer(), LONG).payload(source, 0, own.length(EAGER_BYTES)).metadata(bytes, 0, 8);
        own.inject(() -> messenger.send(plain, failure -> ended++, failure -> ended++));
    }

    private void messengerLong() {
        final Message plain = new Message();
        final int length = own.length(LONG_BYTES);
        plain.to(random.nextInt(8) == 0 ? own.rank() : own.peer(), LONG)
                .payload(source, LONG_BYTES - length, length)
                .metadata(bytes, 0, random.nextInt(25))
                .hint(random.nextBoolean() ? Hint.NO_COPY : Hint.NONE);
        final long before = ended;
        if (own.inject(() -> messenger.send(plain, null, failure -> ended++))) {
            context.await(() -> ended > before, own.shortDeadline());
        }
    }

    private void multicastStart() {
        if (random.nextInt(8) == 0) {
            multicast.payload(source, random.nextInt(1000), random.nextInt(EAGER_BYTES));
        }
        if (multicast.start() >= 0) {
            multicast.await(own.shortDeadline());
        }
    }

    private ManyToMany openExchange(long deadlineNs) {
        final Pieces sent = new Pieces().add(own.rank(), 0, PIECE_BYTES).add(own.peer(), PIECE_BYTES, PIECE_BYTES);
        final Pieces received = new Pieces().add(own.rank(), 0, PIECE_BYTES).add(own.peer(), PIECE_BYTES, PIECE_BYTES);
        final ManyToMany.Places places =
                new ManyToMany.Places(pieces, 2 * PIECE_BYTES, 4 * PIECE_BYTES, 2 * PIECE_BYTES);
        return ManyToMany.open(
                own.client(), context, 1, new ManyToMany.Sides(pieces, sent, places, received), deadlineNs);
    }

    private void manyToMany() {
        final ManyToMany some = exchange;
        if (some != null) {
            some.start();
            some.await(own.shortDeadline());
        }
    }

    private void manyToManyReopen() {
        final ManyToMany some = exchange;
        if (some != null && (random.nextInt(16) != 0 || !some.isComplete())) {
            return;
        }
        exchange = null;
        if (some != null) {
            some.close();
        }
        exchange = openExchange(own.shortDeadline());
    }

    /** Lets most long messages land and declines the others. */
    private long onReceived(ReceivedMessage received) {
        final int metadata = received.metadataOffset();
        final boolean isLong = received.isLong();
        onMessage(
                received.origin(),
                received.buffer(),
                metadata,
                received.metadataLength(),
                isLong ? 0 : received.payloadOffset(),
                isLong ? 0 : (int) received.length());
        return !isLong || random.nextInt(8) == 0
                ? 0
                : received.into(landing, LONG_BYTES - received.length(), failure -> ended++);
    }
}
