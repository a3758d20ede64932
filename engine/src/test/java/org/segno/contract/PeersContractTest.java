package org.segno.contract;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.metrics.Metric;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.Target;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;

/**
 * Contract of the states of peers, which links can deliver late: contexts of other clients, clients that are opened
 * again, ranks that do not answer, and refusals of a part of a packet.
 */
class PeersContractTest {
    private static Client open(Client own, String name) {
        return ContextAccess.openClient(own, new ContextAccess.ClientRequest(name, 1, 1, 1, 512, new int[0]));
    }

    private static long soon() {
        return Deadline.in(1, MILLISECONDS);
    }

    private static void close(ContractJob job, Client client, int... still) {
        final Closing closing = client.close();
        for (int turn = 0; turn < 20_000 && !closing.isDone(); turn++) {
            job.receiver.advance();
            for (int rank = 0; rank < ContractJob.RANKS; rank++) {
                if (still.length == 0 || rank != still[0]) {
                    job.engines.pass(rank);
                }
            }
        }
        assertThat(closing.isDone()).isTrue();
    }

    private static void requireLast(Client client) {
        assertThat(Endpoint.context(client.context().endpoint())).isEqualTo(2);
    }

    @Behaviour(number = 140, value = "A barrier with a context that another client has is refused.")
    void shouldRefuseABarrierWithALentContext(ContractJob job) {
        requireLast(open(job.receiving(), "other"));
        assertThatThrownBy(() -> job.pumping(job.from, job.sending().context(2)::barrier))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("belongs to another client");
    }

    @Behaviour(number = 141, value = "A barrier ends with an exception if another client had the context since.")
    void shouldEndABarrierWhoseContextWasLent(ContractJob job) {
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> job.sending().context(2).barrier(soon())).isInstanceOf(DeadlineException.class);
            job.advanceOthers(job.from);
        }
        final Client other = open(job.receiving(), "other");
        requireLast(other);
        close(job, other);
        assertThatThrownBy(() -> job.pumping(job.from, job.sending().context(2)::barrier))
                .isInstanceOf(ClosedException.class);
    }

    @Behaviour(number = 142, value = "A wait for a client does not take the answer to the question of an earlier wait.")
    void shouldAskAfresh(ContractJob job) {
        final Client sending = open(job.sending(), "alpha");
        assertThatThrownBy(() -> sending.endpoint(job.to, 0, soon())).isInstanceOf(DeadlineException.class);
        final Client first = open(job.receiving(), "alpha");
        for (int turn = 0; turn < 200; turn++) {
            job.receiver.advance();
            job.sender.advance();
            sending.context().advance();
        }
        // Over a link, the state must not arrive at the sender. Over mapped memory, closing needs passes of the sender.
        close(job, first, job.isLinked() ? new int[] {job.from} : new int[0]);
        final Client second = open(job.receiving(), "alpha");
        final int use = Endpoint.use(second.context().endpoint());
        assertThat(use).isEqualTo(1);
        final long[] found = new long[1];
        job.pumping(job.from, deadline -> found[0] = sending.endpoint(job.to, 0, deadline));
        assertThat(Endpoint.use(found[0])).isEqualTo(use);
    }

    @Behaviour(
            number = 143,
            value = "A rank that does not advance does not keep a context from finding others.",
            all = true)
    void shouldFindOthers(ContractJob job) {
        try {
            job.sending().endpoint(job.to, 0, soon());
        } catch (final DeadlineException e) {
            // It does not advance.
        }
        final int third = 3;
        for (int waits = 1; ; waits++) {
            try {
                job.sending().endpoint(third, 0, soon());
                return;
            } catch (final DeadlineException e) {
                if (waits == 300) {
                    throw e;
                }
                job.context(third).advance();
            }
        }
    }

    @Behaviour(
            number = 144,
            value = "A rank that does not advance does not keep a context from attaching to others.",
            all = true)
    void shouldAttachToOthers(ContractJob job) {
        assertThatThrownBy(() -> job.sender.attach(job.to, "absent", soon())).isInstanceOf(DeadlineException.class);
        final int third = 3;
        job.client(third)
                .publish(
                        "in",
                        job.client(third).receptionCounter(job.client(third).window(64), 0, 64));
        for (int waits = 1; ; waits++) {
            try {
                job.sender.attach(third, "in", soon());
                return;
            } catch (final DeadlineException e) {
                if (waits == 300) {
                    throw e;
                }
                job.context(third).advance();
            }
        }
    }

    @Behaviour(number = 145, value = "The metric of bytes counts what landed of PUTs of which one is refused.")
    void shouldCountLandedBytes(ContractJob job) {
        final Target wide = new Target(job.to, job.counter.id(), job.counter.incarnation(), 1L << 20, false);
        job.settle();
        final long before = job.engines.metrics(job.from).get(Metric.BYTES);
        for (int i = 0; i < 4; i++) {
            final int at = i == 1 ? ContractJob.BYTES - 4 : 8 * i;
            job.sender.put(wide, at, job.source, 8L * i, 8, job.done);
        }
        job.settle();
        assertThat(job.refusals(job.from, Refusal.TARGET_OUT_OF_BOUNDS)).isEqualTo(1);
        assertThat(job.engines.metrics(job.from).get(Metric.BYTES) - before).isEqualTo(24);
    }

    @Behaviour(
            number = 146,
            value = "A barrier entered too early for a lent context works once the context is back.",
            all = true)
    void shouldEnterOnceTheContextIsBack(ContractJob job) {
        final Client other = open(job.receiving(), "other");
        requireLast(other);
        for (int i = 0; i < 20; i++) {
            try {
                job.sending().context(2).barrier(soon());
            } catch (final DeadlineException | IllegalStateException e) {
                job.advanceOthers(job.from);
            }
        }
        close(job, other);
        enterAll(job);
    }

    @Behaviour(
            number = 148,
            value = "A barrier entered too early for a lent context works if it continues once the context is back.",
            all = true)
    void shouldContinueOnceTheContextIsBack(ContractJob job) {
        final Client other = open(job.receiving(), "other");
        requireLast(other);
        try {
            job.sending().context(2).barrier(soon());
        } catch (final DeadlineException | IllegalStateException e) {
            // Over a link, the count waits for the introduction of the receiver.
        }
        for (int turn = 0; turn < 200; turn++) {
            for (int rank = 0; rank < ContractJob.RANKS; rank++) {
                job.context(rank).advance();
            }
        }
        close(job, other);
        enterAll(job);
    }

    @Behaviour(
            number = 149,
            value = "A barrier ends with an exception if a client that had the context since entered barriers itself.")
    void shouldEndABarrierWhoseContextEnteredOthers(ContractJob job) {
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> job.sending().context(2).barrier(soon())).isInstanceOf(DeadlineException.class);
            job.advanceOthers(job.from);
        }
        final Client other = ContextAccess.openClient(
                job.receiving(), new ContextAccess.ClientRequest("other", 1, 1, 1, 512, new int[] {job.to}));
        requireLast(other);
        for (int i = 0; i < 3; i++) {
            other.context().barrier(Deadline.in(10_000, MILLISECONDS));
        }
        close(job, other);
        assertThatThrownBy(() -> job.pumping(job.from, job.sending().context(2)::barrier))
                .isInstanceOf(ClosedException.class);
    }

    @Behaviour(number = 150, value = "A barrier with a dead rank fails by it, whichever client had its context.")
    void shouldFailByADeadRankThatHadLentItsContext(ContractJob job) {
        requireLast(open(job.receiving(), "other"));
        assertThatThrownBy(() -> job.pumping(job.from, job.sending().context(2)::barrier))
                .isInstanceOf(IllegalStateException.class);
        job.dies(job.to);
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> job.pumping(job.from, job.sending().context(2)::barrier))
                    .isInstanceOf(PeerFailedException.class);
        }
    }

    private static void enterAll(ContractJob job) {
        final boolean[] done = new boolean[ContractJob.RANKS];
        for (int turn = 0; turn < 200; turn++) {
            for (int rank = 0; rank < ContractJob.RANKS; rank++) {
                try {
                    if (!done[rank]) {
                        job.client(rank).context(2).barrier(soon());
                        done[rank] = true;
                    }
                } catch (final DeadlineException | IllegalStateException e) {
                    // The state of a linked rank may not have arrived yet.
                    job.advanceOthers(rank);
                }
            }
        }
        assertThat(done).containsOnly(true);
    }

    @Behaviour(number = 147, value = "Refused short messages leak no credit and count as over mapped memory.")
    void shouldRefuseManyShortMessages(ContractJob job) {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
        final Client sending = open(job.sending(), "alpha");
        final Client first = open(job.receiving(), "alpha");
        final List<Long> old = ContractJob.noting(first.context(), 5);
        final long[] at = new long[1];
        job.pumping(job.from, deadline -> at[0] = sending.endpoint(job.to, 0, deadline));
        for (int i = 0; i < 600; i++) {
            final long end = at[0];
            job.inject(() -> sending.context().sendImmediate(end, 5, bytes, 0, 8));
            if (i % 7 == 0) {
                sending.context().advance();
                job.receiver.advance();
                if (i < 300) {
                    first.context().advance();
                }
            }
            if (i == 300) {
                first.close();
            }
        }
        for (int i = 0; i < 3000; i++) {
            final long end = at[0];
            final int n = i;
            job.inject(() -> {
                final long sent = sending.context().sendImmediate(end, 5, bytes, 0, 1 + n % 8);
                if (sent < 0) {
                    sending.context().advance();
                }
                return sent;
            });
        }
        for (int i = 0; i < 400; i++) {
            job.settle();
            sending.context().advance();
        }
        final long stale = job.refusals(job.from, Refusal.STALE_CONTEXT);
        assertThat(stale).isBetween(3000L, 3600L);
        assertThat(old.size() + stale).isLessThanOrEqualTo(3600);
        @Nullable Client second = null;
        for (int turn = 0; turn < 1000 && second == null; turn++) {
            try {
                second = open(job.receiving(), "alpha");
            } catch (final RuntimeException e) {
                job.settle();
                for (int rank = 0; rank < ContractJob.RANKS; rank++) {
                    job.engines.pass(rank);
                }
            }
        }
        final Client again = requireNonNull(second);
        final List<Long> noted = ContractJob.noting(again.context(), 5);
        job.pumping(job.from, deadline -> at[0] = sending.endpoint(job.to, 0, deadline));
        requireAllInOrder(job, sending.context(), again.context(), at[0], noted);
    }

    /** Sends more than the lane holds, and checks that all of it arrives: no credit is lost. */
    private static void requireAllInOrder(ContractJob job, Context from, Context to, long endpoint, List<Long> noted) {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
        final List<Long> expected = new ArrayList<>();
        for (long number = 0; number < 1500; number++) {
            bytes.putLong(0, number);
            expected.add(number);
            job.inject(() -> {
                final long sent = from.sendImmediate(endpoint, 5, bytes, 0, 8);
                if (sent < 0) {
                    from.advance();
                    to.advance();
                }
                return sent;
            });
        }
        for (int turn = 0; turn < 1000; turn++) {
            from.advance();
            job.receiver.advance();
            to.advance();
        }
        assertThat(noted).isEqualTo(expected);
    }
}
