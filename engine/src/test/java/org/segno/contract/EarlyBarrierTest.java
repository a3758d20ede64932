package org.segno.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.ContextAccess;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/**
 * Barriers of nodes' own clients that are entered while another client has one of their contexts, or before a linked
 * rank has told of its contexts. Each count must arrive exactly once, and never at the other client.
 */
class EarlyBarrierTest {
    private static final int THIRD = 3;
    private static final int BARRIERS = 4;
    private static final String DONE = "done";

    private static Client open(Client own, int... tasks) {
        final Client client =
                ContextAccess.openClient(own, new ContextAccess.ClientRequest("other", 1, 1, 1, 512, tasks));
        assertThat(Endpoint.context(client.context().endpoint())).isEqualTo(2);
        return client;
    }

    private static void turns(ContractJob job, int... ranks) {
        for (int turn = 0; turn < 100; turn++) {
            for (final int rank : ranks) {
                job.context(rank).advance();
            }
        }
    }

    /** Enters the barrier of a context, or continues it, for a short time. Returns how that ended. */
    private static String enter(Client client, int context) {
        try {
            client.context(context).barrier(Deadline.in(1, MILLISECONDS));
            return DONE;
        } catch (final RuntimeException e) {
            return e.getClass().getSimpleName();
        }
    }

    /** Enters the barrier of a rank until it is refused: what other ranks tell may arrive after a deadline. */
    private static void requireRefused(ContractJob job, int rank) {
        String end = "";
        for (int i = 0; i < 2_000 && !"IllegalStateException".equals(end); i++) {
            end = enter(job.client(rank), 2);
            assertThat(end).isIn("IllegalStateException", "DeadlineException");
            turns(job, 0, 1, 2, 3);
        }
        assertThat(end).isEqualTo("IllegalStateException");
    }

    /** Lets a message of context 2 to a rank that does not advance wait in the FIFO, so that no count is injected. */
    private static void block(ContractJob job) {
        final int silent = job.from == 0 ? 2 : 3;
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
        assertThat(job.sending().context(2).sendImmediate(silent, 5, bytes, 0, 8))
                .isNotNegative();
    }

    /** Lets a rank tell the sender of its contexts. The others do not advance. */
    private static void introduce(ContractJob job, int rank) {
        for (int waits = 1; ; waits++) {
            try {
                job.sending().endpoint(rank, 2, Deadline.in(1, MILLISECONDS));
                return;
            } catch (final DeadlineException e) {
                assertThat(waits).isLessThan(5_000);
                job.context(rank).advance();
            }
        }
    }

    private static void close(ContractJob job, Client client) {
        final Closing closing = client.close();
        for (int turn = 0; turn < 20_000 && !closing.isDone(); turn++) {
            for (int rank = 0; rank < ContractJob.RANKS; rank++) {
                job.context(rank).advance();
                job.engines.pass(rank);
            }
        }
        assertThat(closing.isDone()).isTrue();
    }

    private static boolean areAll(boolean[] done) {
        boolean all = true;
        for (final boolean one : done) {
            all &= one;
        }
        return all;
    }

    /** Checks that the other client misses its second task in its barrier: nothing else was counted there. */
    private static void requireWaiting(ContractJob job, Client other, Client second) {
        for (int i = 0; i < 50; i++) {
            assertThat(enter(other, 0)).isEqualTo("DeadlineException");
            turns(job, 0, 1, 2, 3);
            second.context().advance();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Pairing.class,
            names = {"LINKED", "LINKED_TWO"})
    void shouldNotCountAtAClientThatGotTheContextBeforeTheCountWasInjected(Pairing pairing) {
        try (ContractJob job = ContractJob.open(pairing)) {
            block(job);
            assertThat(enter(job.sending(), 2)).isEqualTo("DeadlineException");
            introduce(job, job.to);
            introduce(job, THIRD);
            final Client other = open(job.receiving(), job.to, THIRD);
            final Client second = open(job.client(THIRD), job.to, THIRD);
            turns(job, 0, 1, 2, 3);
            requireRefused(job, job.from);
            requireWaiting(job, other, second);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Pairing.class,
            names = {"LINKED", "LINKED_TWO"})
    void shouldNotCountAtAClientThatGotTheContextWhileTheCountWaited(Pairing pairing) {
        try (ContractJob job = ContractJob.open(pairing)) {
            // The count for the third rank waits behind that for the receiver.
            assertThat(enter(job.sending(), 2)).isEqualTo("DeadlineException");
            introduce(job, THIRD);
            final Client other = open(job.client(THIRD), THIRD, 2);
            final Client second = open(job.client(2), THIRD, 2);
            turns(job, 0, 2, 3);
            turns(job, 0, 1, 2, 3);
            requireWaiting(job, other, second);
            requireRefused(job, job.from);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Pairing.class,
            names = {"LINKED", "ACROSS", "LINKED_TWO", "ACROSS_TWO"})
    void shouldEnterAfterAContextWasLentAndReturnedBeforeTheCountWasInjected(Pairing pairing) {
        try (ContractJob job = ContractJob.open(pairing)) {
            block(job);
            assertThat(enter(job.sending(), 2)).isEqualTo("DeadlineException");
            turns(job, job.from, job.to);
            close(job, open(job.receiving(), job.to));
            turns(job, 0, 1, 2, 3);
            final boolean[] done = new boolean[ContractJob.RANKS];
            for (int turn = 0; turn < 5_000 && !areAll(done); turn++) {
                for (int rank = 0; rank < ContractJob.RANKS; rank++) {
                    if (!done[rank]) {
                        done[rank] = DONE.equals(enter(job.client(rank), 2));
                        job.advanceOthers(rank);
                    }
                }
            }
            assertThat(done).containsOnly(true);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(Pairing.class)
    void shouldLeaveEachBarrierOnceAllHaveEnteredItInAnyOrderOfEvents(Pairing pairing) {
        for (int seed = 0; seed < 4; seed++) {
            try (ContractJob job = ContractJob.open(pairing)) {
                final RandomTurns turns = new RandomTurns(job, new Random(seed));
                for (int turn = 0; turn < 100_000 && !turns.haveAllLeft(); turn++) {
                    turns.next();
                }
                assertThat(turns.left)
                        .as("barriers of each rank, seed %d", seed)
                        .containsOnly(BARRIERS);
            }
        }
    }

    /** Ranks that enter barriers, make passes, and give back contexts that other clients had from the start. */
    private static final class RandomTurns {
        final int[] left = new int[ContractJob.RANKS];
        private final int[] entered = new int[ContractJob.RANKS];
        private final @Nullable Client[] others = new Client[ContractJob.RANKS];
        private final @Nullable Closing[] closings = new Closing[ContractJob.RANKS];
        private final ContractJob job;
        private final Random random;

        RandomTurns(ContractJob job, Random random) {
            this.job = job;
            this.random = random;
            for (int rank = 0; rank < ContractJob.RANKS; rank++) {
                if (random.nextInt(3) != 0) {
                    others[rank] = open(job.client(rank), rank);
                }
            }
        }

        boolean haveAllLeft() {
            boolean all = true;
            for (final int barriers : left) {
                all &= barriers == BARRIERS;
            }
            return all;
        }

        void next() {
            final int rank = random.nextInt(ContractJob.RANKS);
            final int drawn = random.nextInt(10);
            final Client other = others[rank];
            if (drawn < 2 && left[rank] < BARRIERS && hasContext(rank)) {
                enterNext(rank);
            } else if (drawn == 2 && other != null && closings[rank] == null && random.nextInt(6) == 0) {
                closings[rank] = other.close();
            } else if (drawn < 5) {
                job.engines.pass(rank);
            } else {
                for (int i = random.nextInt(20); i > 0; i--) {
                    job.context(rank).advance();
                }
            }
        }

        private boolean hasContext(int rank) {
            final Closing closing = closings[rank];
            return others[rank] == null || (closing != null && closing.isDone());
        }

        private void enterNext(int rank) {
            entered[rank] = left[rank] + 1;
            if (DONE.equals(enter(job.client(rank), 2))) {
                left[rank]++;
                for (final int barriers : entered) {
                    assertThat(barriers).as("barriers that were entered").isGreaterThanOrEqualTo(left[rank]);
                }
            }
        }
    }
}
