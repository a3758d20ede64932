package org.segno.transport.shm;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.node.Node;
import org.segno.status.Deadline;

/**
 * Node, client and context of a rank under attack, with bounded injection and short waits for the steps that use them.
 */
final class AttackedClient {
    private static final int START_S = 60;
    private static final int SHORT_WAIT_US = 2000;
    private static final int LONG_WAIT_US = 30_000;
    private static final int LONG_WAIT_PERIOD = 8;
    private static final int ATTEMPT_LIMIT = 20;

    private final Node node;
    private final Client client;
    private final Context context;
    private final SplittableRandom random;

    AttackedClient(Node node, SplittableRandom random) {
        this.node = node;
        this.client = node.client();
        this.context = client.context();
        this.random = random;
    }

    /** One piece of the workload. Every wait in it has a deadline. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    Node node() {
        return node;
    }

    Client client() {
        return client;
    }

    Context context() {
        return context;
    }

    SplittableRandom random() {
        return random;
    }

    int rank() {
        return node.rank();
    }

    int peer() {
        return 1 - node.rank();
    }

    /** Returns the deadline of waits before the attack. */
    static long startDeadline() {
        return Deadline.in(START_S, TimeUnit.SECONDS);
    }

    /** Returns a deadline at most two milliseconds ahead, and thirty now and then. */
    long shortDeadline() {
        final int longestUs = random.nextInt(LONG_WAIT_PERIOD) == 0 ? LONG_WAIT_US : SHORT_WAIT_US;
        return Deadline.in(1 + random.nextInt(longestUs), TimeUnit.MICROSECONDS);
    }

    /** Injects, and advances while there is no room, a limited number of times; returns false if there was no room. */
    boolean inject(LongSupplier injection) {
        for (int i = 0; i < ATTEMPT_LIMIT; i++) {
            if (injection.getAsLong() >= 0) {
                return true;
            }
            context.advance();
        }
        return false;
    }

    /** Returns a length up to {@code most}: short ones, zero and the whole more often than others. */
    int length(long most) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt((int) Math.min(most, 64) + 1);
            case 1 -> (int) most;
            default -> random.nextInt((int) most + 1);
        };
    }

    /** Returns an offset at which {@code length} bytes of {@code whole} lie. */
    int offset(long whole, int length) {
        return random.nextInt((int) whole - length + 1);
    }
}
