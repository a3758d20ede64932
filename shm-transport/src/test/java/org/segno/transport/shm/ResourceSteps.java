package org.segno.transport.shm;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.ClientConfig;
import org.segno.node.Node;
import org.segno.transport.shm.AttackedClient.Step;

/** Steps that open, publish, find and close windows and counters, use a second client, and read the node's state. */
final class ResourceSteps {
    private static final int LIBRARY = 30;
    private static final int OPEN_LIMIT = 6;

    private final AttackedClient own;
    private final Client client;
    private final Context context;
    private final SplittableRandom random;
    private final Client library;
    private final Context libraryContext;
    private final long libraryEndpoint;
    private final Window libraryWindow;
    private final Target libraryTarget;
    private final Deque<Window> windows = new ArrayDeque<>();
    private final Deque<Closing> closings = new ArrayDeque<>();
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private long sum;
    private int published;

    ResourceSteps(AttackedClient own) {
        this.own = own;
        this.client = own.client();
        this.context = own.context();
        this.random = own.random();
        library = own.node()
                .openClient(ClientConfig.named("library").withCounters(4, 4).withWindowBytes(4096));
        libraryContext = library.context();
        libraryContext.handler(LIBRARY, (source, buffer, m, ml, p, pl) -> {});
        libraryWindow = library.window(2048);
        library.publish("library", library.receptionCounter(libraryWindow, 0, 2048));
        libraryEndpoint = library.endpoint(own.peer(), 0, AttackedClient.startDeadline());
        libraryTarget = libraryContext.attach(own.peer(), "library", AttackedClient.startDeadline());
    }

    void addTo(Map<String, Step> steps) {
        steps.put("openWindow", this::openWindow);
        steps.put("closeWindow", this::closeWindow);
        steps.put("counters", this::counters);
        steps.put("publish", this::publish);
        steps.put("attach", this::attach);
        steps.put("attachMissing", () -> context.attach(own.peer(), "missing", own.shortDeadline()));
        steps.put("awaitClosing", this::awaitClosing);
        steps.put("barrier", () -> context.barrier(own.shortDeadline()));
        steps.put("libraryBarrier", () -> libraryContext.barrier(own.shortDeadline()));
        steps.put("librarySend", this::librarySend);
        steps.put("libraryAwait", () -> libraryContext.fence(own.shortDeadline()));
        steps.put("nodeState", this::nodeState);
        steps.put("endpoint", () -> client.endpoint(own.peer(), 0, own.shortDeadline()));
        steps.put("advance", this::advance);
    }

    private void openWindow() {
        if (windows.size() < OPEN_LIMIT) {
            windows.add(client.window(1 + random.nextInt(8192)));
        }
        final Window some = windows.peek();
        if (some != null) {
            some.buffer().setMemory(0, (int) some.length(), (byte) random.nextInt());
            final ReceptionCounter counter = client.receptionCounter(some, 0, some.length());
            closings.add(client.close(counter));
        }
    }

    private void closeWindow() {
        final Window some = windows.poll();
        if (some != null) {
            own.inject(() -> context.copy(some, 0, some, 0, 0));
            closings.add(client.close(some));
        }
    }

    private void counters() {
        final InjectionCounter injected = client.injectionCounter();
        injected.expect(16);
        own.inject(() -> libraryContext.put(libraryTarget, 0, libraryWindow, 0, 16));
        closings.add(client.close(injected));
    }

    private void publish() {
        final Window some = windows.peek();
        if (some != null) {
            final ReceptionCounter counter = client.receptionCounter(some, 0, some.length());
            try {
                final String name = "passing" + published++ % 4;
                client.publish(name, counter);
                context.attach(own.rank(), name, own.shortDeadline());
                context.attach(own.peer(), name, own.shortDeadline());
                client.withdraw(name);
            } finally {
                closings.add(client.close(counter));
            }
        }
    }

    private void attach() {
        final Target there = context.attach(own.peer(), random.nextBoolean() ? "open" : "pair0", own.shortDeadline());
        sum += there.length();
    }

    private void awaitClosing() {
        final Closing closing = closings.poll();
        if (closing != null) {
            sum += closing.toString().length();
            client.await(closing, context, own.shortDeadline());
        }
        closings.removeIf(Closing::isDone);
    }

    private void librarySend() {
        bytes.putLong(0, sum);
        own.inject(() -> libraryContext.sendImmediate(libraryEndpoint, LIBRARY, bytes, 0, 24));
        own.inject(() -> libraryContext.put(libraryTarget, 0, libraryWindow, 0, 2048));
        libraryContext.advance();
    }

    private void nodeState() {
        final Node node = own.node();
        sum += (node.peerState(own.peer()) + " " + node.peerState(own.rank())).length();
        sum += node.metrics().replays();
        sum += client.toString().length() + library.toString().length();
        sum += context.failure(own.peer()) == null ? 0 : 1;
        client.isDrained();
        library.isDrained();
    }

    private void advance() {
        for (int i = 0; i < 100; i++) {
            sum += context.advance() + libraryContext.advance();
        }
    }
}
