package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Client;
import org.segno.geometry.Endpoint;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.ClientConfig;
import org.segno.node.Node;

/** Synchronization that the requester reaches first and the responder later. */
abstract class SynchronizationProtocol extends Protocol {
    SynchronizationProtocol(Node node) {
        super(node);
    }

    /** A condition that a handler establishes. */
    static final class Condition extends SynchronizationProtocol {
        private static final int RELEASED = 3;

        private boolean isReleased;

        Condition(Node node) {
            super(node);
        }

        @Override
        void open() {
            context.handler(RELEASED, (source, buffer, m, ml, p, pl) -> isReleased = true);
        }

        @Override
        void await(long deadlineNs) {
            context.await(() -> isReleased, deadlineNs);
        }

        @Override
        void respond() {
            context.sendImmediate(peer, RELEASED, new UnsafeBuffer(new byte[Integer.BYTES]), 0, Integer.BYTES);
        }

        @Override
        void check() {
            assertThat(isReleased).isTrue();
        }
    }

    static final class Barrier extends SynchronizationProtocol {
        Barrier(Node node) {
            super(node);
        }

        @Override
        void await(long deadlineNs) {
            context.barrier(deadlineNs);
        }

        @Override
        void respond() {
            context.barrier(ScenarioRun.deadline());
        }
    }

    /** Name that the responder publishes late. */
    static final class Attach extends SynchronizationProtocol {
        private final Window window;
        private Target found = new Target(0, 0, 0, 0, false);

        Attach(Node node) {
            super(node);
            window = client.window(24);
        }

        @Override
        void await(long deadlineNs) {
            found = context.attach(peer, "late", deadlineNs);
        }

        @Override
        void respond() {
            client.publish("late", client.receptionCounter(window, 0, 24));
        }

        @Override
        void check() {
            assertThat(found.rank()).isEqualTo(peer);
            assertThat(found.length()).isEqualTo(24);
        }
    }

    /** Client that the responder opens late. */
    static final class Opening extends SynchronizationProtocol {
        private long found = -1;

        @SuppressWarnings("NullAway.Init") // by begin
        private Client late;

        Opening(Node node) {
            super(node);
        }

        @Override
        void begin() {
            late = node.openClient(ClientConfig.named("late"));
        }

        @Override
        void await(long deadlineNs) {
            found = late.endpoint(peer, 0, deadlineNs);
        }

        @Override
        void respond() {
            begin();
        }

        @Override
        void check() {
            assertThat(Endpoint.task(found)).isEqualTo(peer);
        }
    }
}
