package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Operand;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * A ring of three ranks, in every threading mode, whose puts, sends and copies name ranges of counters. Rank 0 puts its
 * value of each round, the others forward what has landed in this round, and all send and copy it.
 */
@Timeout(120)
@OverMemoryAndLinks
class OperandThreadingTest {
    private static final int SIZE = 3;
    private static final int ROUNDS = 20;
    private static final int DISPATCH = 5;

    /** Place of a value in the ranges of the counters. */
    private static final int AT = 8;

    /** Place of what has landed in the range into which values are copied. */
    private static final int COPIED_AT = 16;

    private static final int LENGTH = 24;

    @TempDir
    Path parent;

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldUseTheRangeOfAPairForTheRound(String modes) throws Exception {
        onEachRank(modes, (client, member) -> {
            final CounterPair inbox = client.counterPair(member.window, 32, 64, LENGTH);
            final CounterPair copies = client.counterPair(member.window, 96, 128, LENGTH);
            client.publish("inbox", inbox);
            final Target next = member.attachToNext();
            final Pattern pattern = member.context.prepare(Rounds.ALTERNATE, () -> {
                member.context.expect(inbox, 8);
                member.context.copy(member.window, 0, copies, AT, 8);
                if (member.rank == 0) {
                    member.context.put(next, AT, copies, AT, 8);
                    member.context.waitUntil(inbox, 0);
                } else {
                    member.context.waitUntil(inbox, 0);
                    member.context.put(next, AT, inbox, AT, 8);
                }
                member.context.copy(inbox, AT, copies, COPIED_AT, 8);
                member.send(inbox, copies);
            });
            for (long round = 1; round <= ROUNDS; round++) {
                member.write(round);
                assertThat(member.context.replay(pattern)).isEqualTo(round);
                member.context.await(pattern, round, InProcessJob.deadline());
                member.check(round, inbox.offset(round), copies.offset(round));
            }
            member.end();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldUseTheRangeOfACounter(String modes) throws Exception {
        onEachRank(modes, (client, member) -> {
            final ReceptionCounter inbox = client.receptionCounter(member.window, 32, LENGTH);
            final ReceptionCounter copies = client.receptionCounter(member.window, 96, LENGTH);
            client.publish("inbox", inbox);
            final Target next = member.attachToNext();
            for (long round = 1; round <= ROUNDS; round++) {
                member.write(round);
                inbox.expect(8);
                member.context.barrier(InProcessJob.deadline());
                member.context.copy(member.window, 0, copies, AT, 8);
                if (member.rank == 0) {
                    member.context.put(next, AT, copies, AT, 8);
                }
                member.context.await(inbox, InProcessJob.deadline());
                if (member.rank != 0) {
                    member.context.put(next, AT, inbox, AT, 8);
                }
                member.context.copy(inbox, AT, copies, COPIED_AT, 8);
                member.send(inbox, copies);
                member.context.await(member.context::isDrained, InProcessJob.deadline());
                member.check(round, 32, 96);
            }
            member.end();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldUseTheBytesInTheLineOfACounter(String modes) throws Exception {
        onEachRank(modes, (client, member) -> {
            final ReceptionCounter inbox =
                    client.receptionCounter(LENGTH, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
            final AtomicBuffer landed = inbox.buffer();
            final InjectionCounter done = client.injectionCounter();
            final Rmw add =
                    new Rmw().fetchAdd(1).result(member.window, COPIED_AT).completes(done);
            client.publish("inbox", inbox);
            final Target next = member.attachToNext();
            for (long round = 1; round <= ROUNDS; round++) {
                member.write(round);
                inbox.expect(8);
                member.context.barrier(InProcessJob.deadline());
                if (member.rank == 0) {
                    member.context.put(next, AT, member.window, 0, 8);
                }
                member.context.await(inbox, InProcessJob.deadline());
                assertThat(landed.getLong(AT)).isEqualTo(1000 * round);
                if (member.rank != 0) {
                    member.context.put(next, AT, inbox, AT, 8);
                }
                member.context.barrier(InProcessJob.deadline());
                done.expect(8 + Rmw.LENGTH);
                member.context.get(next, AT, member.window, AT, 8, done);
                member.context.rmw(next, COPIED_AT, add);
                member.context.await(done, InProcessJob.deadline());
                assertThat(member.window.getLong(AT))
                        .as("landed at the next rank")
                        .isEqualTo(1000 * round);
                assertThat(member.window.getLong(COPIED_AT)).as("rounds before").isEqualTo(round - 1);
            }
            assertThat(inbox.valueAcquire()).isZero();
            member.context.barrier(InProcessJob.deadline());
            assertThat(landed.getLong(COPIED_AT)).isEqualTo(ROUNDS);
            member.context.barrier(InProcessJob.deadline());
        });
    }

    /** Steps of a rank, which has a client of its own. */
    @FunctionalInterface
    private interface Steps {
        void run(Client client, Member member) throws Exception;
    }

    private void onEachRank(String modes, Steps steps) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                steps.run(client, new Member(client, client.window(256), rank));
            });
        }
    }

    /** Rank of the ring, with its own value at the beginning of its window. */
    private static final class Member {
        private final Context context;
        private final Window window;
        private final int rank;
        private final Message message;
        private long received;

        Member(Client client, Window window, int rank) {
            this.context = client.context();
            this.window = window;
            this.rank = rank;
            this.message = new Message().to((rank + 1) % SIZE, DISPATCH);
            final int previous = (rank + SIZE - 1) % SIZE;
            context.handler(DISPATCH, (origin, buffer, metadata, metadataLength, payload, length) -> {
                received++;
                assertThat(buffer.getLong(metadata)).as("forwarded by metadata").isEqualTo(1000 * received);
                assertThat(buffer.getLong(payload)).as("value of the sender").isEqualTo(1000 * received + previous);
            });
        }

        Target attachToNext() {
            final Target next = context.attach((rank + 1) % SIZE, "inbox", InProcessJob.deadline());
            context.barrier(InProcessJob.deadline());
            return next;
        }

        /** Sends what has landed as metadata, and the copy of its own value as payload. */
        void send(Operand landed, Operand copies) {
            context.send(message.metadata(landed, AT, 8).payload(copies, AT, 8));
        }

        void write(long round) {
            window.putLong(0, 1000 * round + rank);
        }

        void check(long round, long inbox, long copies) {
            assertThat(window.getLong(inbox + AT))
                    .as("landed in round %d", round)
                    .isEqualTo(1000 * round);
            assertThat(window.getLong(copies + AT)).as("own value").isEqualTo(1000 * round + rank);
            assertThat(window.getLong(copies + COPIED_AT)).as("copy of it").isEqualTo(1000 * round);
        }

        /** Waits for the messages of all rounds. */
        void end() {
            context.await(() -> received == ROUNDS, InProcessJob.deadline());
            context.barrier(InProcessJob.deadline());
        }
    }
}
