package org.segno.transport.shm;

import java.util.Map;
import java.util.SplittableRandom;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.transport.shm.AttackedClient.Step;

/** Steps that read, write and count in the peer's memory, and wait for the completion. */
final class OneSidedSteps {
    private static final int NOTIFIED = 1;
    private static final int WINDOW_BYTES = 1 << 14;
    private static final int SMALL_BYTES = 512;

    private final AttackedClient own;
    private final Context context;
    private final SplittableRandom random;
    private final Window open;
    private final Window[] sources;
    private final Window small;
    private final ReceptionCounter opened;
    private final ReceptionCounter fetched;
    private final InjectionCounter[] injected;
    private final Target there;
    private final Target here;
    private final Target narrow;
    private final Rmw rmw = new Rmw();
    private final Notification notification = new Notification();

    OneSidedSteps(AttackedClient own) {
        this.own = own;
        this.context = own.context();
        this.random = own.random();
        final Client client = own.client();
        open = client.window(WINDOW_BYTES);
        sources = new Window[] {client.window(WINDOW_BYTES), client.window(SMALL_BYTES), client.window(4096)};
        small = client.window(SMALL_BYTES);
        opened = client.receptionCounter(
                open, 0, open.length(), ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        fetched = client.receptionCounter(sources[0], 0, SMALL_BYTES, own.rank());
        final ReceptionCounter narrowed =
                client.receptionCounter(small, 128, 256, own.peer(), Right.PUT, Right.GET, Right.ATOMIC);
        injected = new InjectionCounter[] {client.injectionCounter(), client.injectionCounter()};
        context.onHit(opened, counter -> {});
        context.notified(NOTIFIED, (source, counter, offset, length) -> {});
        client.publish("open", opened);
        client.publish("narrow", narrowed);
        there = context.attach(own.peer(), "open", AttackedClient.startDeadline());
        here = context.attach(own.rank(), "open", AttackedClient.startDeadline());
        narrow = context.attach(own.peer(), "narrow", AttackedClient.startDeadline());
    }

    void addTo(Map<String, Step> steps) {
        steps.put("put", this::put);
        steps.put("putBurst", this::putBurst);
        steps.put("putUncounted", this::putUncounted);
        steps.put("putNarrow", this::putNarrow);
        steps.put("putNotifying", this::putNotifying);
        steps.put("get", this::get);
        steps.put("getIntoCounter", this::getIntoCounter);
        steps.put("rmw", this::rmw);
        steps.put("count", this::count);
        steps.put("copy", this::copy);
        steps.put("awaitReception", this::awaitReception);
        steps.put("awaitOverdue", this::awaitOverdue);
        steps.put("together", this::putBatch);
        steps.put("fence", () -> context.fence(own.shortDeadline()));
        steps.put("fencePeer", () -> context.fence(own.peer(), own.shortDeadline()));
    }

    private Window source() {
        return sources[random.nextInt(sources.length)];
    }

    private InjectionCounter counter(long bytes) {
        final InjectionCounter counter = injected[random.nextInt(injected.length)];
        counter.reset();
        counter.expect(bytes);
        return counter;
    }

    private Target target() {
        return random.nextInt(4) == 0 ? here : there;
    }

    private void put() {
        final Window from = source();
        final Target to = target();
        final int length = own.length(Math.min(from.length(), to.length()));
        final InjectionCounter counter = counter(length);
        final int at = own.offset(to.length(), length);
        final int offset = own.offset(from.length(), length);
        if (own.inject(() -> context.put(to, at, from, offset, length, counter))) {
            context.await(counter, own.shortDeadline());
        }
    }

    private void putBurst() {
        final InjectionCounter counter = counter(0);
        for (int i = 0; i < 50; i++) {
            final Window from = source();
            final int length = random.nextInt(64);
            final int at = own.offset(there.length(), length);
            final int offset = own.offset(from.length(), length);
            if (own.inject(() -> context.put(there, at, from, offset, length, counter))) {
                counter.expect(length);
            }
        }
        context.await(counter, own.shortDeadline());
    }

    private void putUncounted() {
        final Window from = source();
        final int length = own.length(from.length());
        own.inject(() -> context.put(there, own.offset(there.length(), length), from, 0, length));
    }

    private void putNarrow() {
        final int length = own.length(narrow.length());
        final InjectionCounter counter = counter(length);
        if (own.inject(
                () -> context.put(narrow, own.offset(narrow.length(), length), sources[1], 0, length, counter))) {
            context.await(counter, own.shortDeadline());
        }
    }

    private void putNotifying() {
        final int length = own.length(there.length());
        notification.at(NOTIFIED).completes(counter(length));
        final InjectionCounter counter = notification.injectionCounter();
        if (own.inject(() -> context.putNotifying(
                        there, own.offset(there.length(), length), sources[0], 0, length, notification))
                && counter != null) {
            context.await(counter, own.shortDeadline());
        }
    }

    private void get() {
        final Window into = source();
        final int length = own.length(into.length());
        final InjectionCounter counter = counter(length);
        final int at = own.offset(there.length(), length);
        if (own.inject(() -> context.get(target(), at, into, into.length() - length, length, counter))) {
            context.await(counter, own.shortDeadline());
        }
    }

    private void getIntoCounter() {
        final int length = own.length(fetched.length());
        context.expect(fetched, length);
        if (own.inject(() -> context.get(there, 0, fetched, fetched.length() - length, length, null))) {
            context.await(fetched, own.shortDeadline());
        }
        settle(fetched);
    }

    private void rmw() {
        final long operand = random.nextLong();
        switch (random.nextInt(6)) {
            case 0 -> rmw.fetchAdd(operand);
            case 1 -> rmw.compareAndSet(random.nextInt(4), operand);
            case 2 -> rmw.and(operand);
            case 3 -> rmw.or(operand);
            case 4 -> rmw.xor(operand);
            default -> rmw.swap(operand);
        }
        final InjectionCounter counter = counter(Rmw.LENGTH);
        rmw.result(small, random.nextInt(SMALL_BYTES / Long.BYTES) * (long) Long.BYTES)
                .completes(counter);
        final Target to = random.nextBoolean() ? narrow : target();
        final long at = random.nextInt((int) to.length() / Long.BYTES) * (long) Long.BYTES;
        if (own.inject(() -> context.rmw(to, at, rmw))) {
            context.await(counter, own.shortDeadline());
        }
    }

    private void count() {
        own.inject(() -> context.count(target(), random.nextInt(-64, 64)));
    }

    private void copy() {
        final Window from = source();
        final int length = own.length(SMALL_BYTES / 2);
        own.inject(() -> context.copy(from, own.offset(SMALL_BYTES / 2, length), small, SMALL_BYTES / 2, length));
    }

    private void awaitReception() {
        settle(opened);
        opened.expect(random.nextInt(256));
        context.await(opened, own.shortDeadline());
    }

    /** Waits until the deadline, so that the message of the exception is built. */
    private void awaitOverdue() {
        final ReceptionCounter counter = random.nextBoolean() ? opened : fetched;
        counter.expect(1L << 40);
        try {
            context.await(counter, own.shortDeadline());
        } finally {
            settle(counter);
        }
    }

    /** Returns a negative counter to zero. */
    private void settle(ReceptionCounter counter) {
        final long value = counter.valueAcquire();
        if (value < 0) {
            counter.expect(-value);
        } else if (value > 0) {
            own.inject(() -> context.count(here, 0));
            counter.expect(0);
        }
    }

    private void putBatch() {
        context.batch(4, () -> {
            for (int i = 0; i < 4; i++) {
                context.put(there, 64L * i, sources[i % 3], 0, 64);
            }
        });
    }
}
