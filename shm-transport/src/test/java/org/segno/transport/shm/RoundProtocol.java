package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.JointPattern;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.Pieces;
import org.segno.node.Node;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/** Round in which the requester has done its part and the responder has not. */
abstract class RoundProtocol extends Protocol {
    private static final int WORD = Long.BYTES;

    RoundProtocol(Node node) {
        super(node);
    }

    /** Returns the value that a rank sends in a round. */
    static long value(int rank, long round) {
        return 1000L * rank + round;
    }

    /** Exchange of one word, after some complete rounds. */
    static class Exchange extends RoundProtocol {
        private static final int GOOD_ROUNDS = 3;

        private final Window window;

        @SuppressWarnings("NullAway.Init") // by open
        ManyToMany exchange;

        Exchange(Node node) {
            super(node);
            this.window = client.window(3 * WORD);
        }

        final ManyToMany make(long deadlineNs) {
            final Pieces pieces = new Pieces().add(peer, 0, WORD);
            return ManyToMany.open(
                    client,
                    context,
                    1,
                    new ManyToMany.Sides(window, pieces, new ManyToMany.Places(window, WORD, 2 * WORD, WORD), pieces),
                    deadlineNs);
        }

        @Override
        void open() {
            exchange = make(ScenarioRun.deadline());
            for (int round = 1; round <= GOOD_ROUNDS; round++) {
                begin();
                exchange.await(ScenarioRun.deadline());
                check();
            }
        }

        @Override
        void begin() {
            window.buffer().putLong(0, value(node.rank(), exchange.round() + 1));
            assertThat(exchange.start()).isPositive();
        }

        @Override
        void await(long deadlineNs) {
            exchange.await(deadlineNs);
        }

        @Override
        void respond() {
            begin();
            exchange.await(ScenarioRun.deadline());
            check();
        }

        @Override
        void check() {
            final long round = exchange.round();
            assertThat(window.buffer().getLong((int) exchange.landingOffset(round)))
                    .isEqualTo(value(peer, round));
        }
    }

    /** Opening of such an exchange. */
    static final class Opening extends Exchange {
        Opening(Node node) {
            super(node);
        }

        @Override
        void open() {}

        @Override
        void begin() {}

        @Override
        void await(long deadlineNs) {
            exchange = make(deadlineNs);
        }

        @Override
        void check() {
            super.begin();
            exchange.await(ScenarioRun.deadline());
            super.check();
        }

        @Override
        void respond() {
            await(ScenarioRun.deadline());
            check();
        }
    }

    /** Pattern that both ranks have recorded and replayed. */
    static final class Replay extends RoundProtocol {
        private final Window window;
        private final CounterPair inbox;

        @SuppressWarnings("NullAway.Init") // by open
        private Pattern pattern;

        Replay(Node node) {
            super(node);
            window = client.window(3 * WORD);
            inbox = client.counterPair(window, WORD, 2 * WORD, WORD, peer);
        }

        @Override
        void open() {
            client.publish("inbox", inbox);
            final Target to = context.attach(peer, "inbox", ScenarioRun.deadline());
            window.buffer().putLong(0, value(node.rank(), 1));
            pattern = context.record(1, Rounds.ALTERNATE, () -> {
                context.expect(inbox, WORD);
                context.put(to, 0, window, 0, WORD);
            });
            await(ScenarioRun.deadline());
            check();
            respond();
        }

        @Override
        void begin() {
            final long round = pattern.generation() + 1;
            window.buffer().putLong(0, value(node.rank(), round));
            assertThat(context.replay(pattern)).isEqualTo(round);
        }

        @Override
        void await(long deadlineNs) {
            if (context.failure(peer) != null) {
                // The next round is refused at once.
                context.replay(pattern);
            }
            context.await(pattern, pattern.generation(), deadlineNs);
        }

        @Override
        void respond() {
            begin();
            await(ScenarioRun.deadline());
            check();
        }

        @Override
        void check() {
            assertThat(window.buffer().getLong((int) inbox.offset(pattern.generation())))
                    .isEqualTo(value(peer, pattern.generation()));
        }
    }

    /** Pattern with a section in each of two contexts. */
    static final class Joint extends RoundProtocol {
        private final Window window;
        private final CounterPair[] inboxes = new CounterPair[2];

        @SuppressWarnings("NullAway.Init") // by open
        private JointPattern pattern;

        Joint(Node node) {
            super(node);
            window = client.window(6 * WORD);
            for (int i = 0; i < 2; i++) {
                inboxes[i] = client.counterPair(window, (3L * i + 1) * WORD, (3L * i + 2) * WORD, WORD, peer);
            }
        }

        @Override
        void open() {
            final Context[] contexts = {client.context(0), client.context(1)};
            final Target[] to = new Target[2];
            for (int i = 0; i < 2; i++) {
                client.publish("inbox " + i, inboxes[i]);
            }
            for (int i = 0; i < 2; i++) {
                to[i] = context.attach(peer, "inbox " + i, ScenarioRun.deadline());
            }
            fill(1);
            pattern = JointPattern.record(
                    1,
                    Rounds.ALTERNATE,
                    () -> {
                        for (int i = 0; i < 2; i++) {
                            contexts[i].expect(inboxes[i], WORD);
                            contexts[i].put(to[i], 0, window, 3L * i * WORD, WORD);
                        }
                    },
                    contexts);
            await(ScenarioRun.deadline());
            check();
            respond();
        }

        private void fill(long round) {
            for (int i = 0; i < 2; i++) {
                window.buffer().putLong(3 * i * WORD, value(node.rank(), round) + 100L * i);
            }
        }

        @Override
        void begin() {
            fill(pattern.generation() + 1);
            assertThat(pattern.replay()).isPositive();
        }

        @Override
        void await(long deadlineNs) {
            pattern.await(pattern.generation(), deadlineNs);
        }

        @Override
        void respond() {
            begin();
            await(ScenarioRun.deadline());
            check();
        }

        @Override
        void check() {
            for (int i = 0; i < 2; i++) {
                assertThat(window.buffer().getLong((int) inboxes[i].offset(pattern.generation())))
                        .isEqualTo(value(peer, pattern.generation()) + 100L * i);
            }
        }
    }

    /** Prepared operation that the engine holds until the responder releases it. */
    static final class Held extends RoundProtocol {
        private final Window window;
        private final ReceptionCounter gate;
        private final ReceptionCounter inbox;

        @SuppressWarnings("NullAway.Init") // by open
        private Target peersGate;

        @SuppressWarnings("NullAway.Init") // by open
        private Pattern pattern;

        Held(Node node) {
            super(node);
            window = client.window(2 * WORD);
            gate = client.receptionCounter(window, 0, WORD, peer);
            inbox = client.receptionCounter(window, WORD, WORD, peer);
        }

        @Override
        void open() {
            client.publish("gate", gate);
            client.publish("inbox", inbox);
            peersGate = context.attach(peer, "gate", ScenarioRun.deadline());
            final Target to = context.attach(peer, "inbox", ScenarioRun.deadline());
            pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                context.waitUntil(gate, 0);
                context.put(to, 0, window, 0, WORD);
            });
        }

        @Override
        void begin() {
            window.buffer().putLong(0, value(node.rank(), 1));
            gate.expect(1);
            assertThat(context.replay(pattern)).isEqualTo(1);
        }

        @Override
        void await(long deadlineNs) {
            context.await(pattern, 1, deadlineNs);
        }

        @Override
        void respond() {
            inbox.expect(WORD);
            assertThat(context.count(peersGate, -1)).isNotNegative();
            context.await(inbox, ScenarioRun.deadline());
            assertThat(window.buffer().getLong(WORD)).isEqualTo(value(peer, 1));
        }
    }
}
