package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.CounterPair;
import org.segno.node.ClientConfig;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Pairs of the members of a new geometry: how many names are looked up for them, and what ends the search. */
@OverMemoryAndLinks
@Timeout(120)
class CreationTableTest {
    private static final int MEMBERS = 4;
    private static final long PATIENCE_MS = 1_000;

    @TempDir
    Path directory;

    private static long deadline() {
        return InProcessJob.deadline();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 9})
    void shouldLookUpOneNameAtEachMemberButTheOneOfTheLowestRank(int members) throws Exception {
        requireLookUps(members);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {4, 5, 6, 7, 8, 17, 64})
    void shouldLookUpOneNameAtEachOfMoreMembersButTheOneOfTheLowestRank(int members) throws Exception {
        requireLookUps(members);
    }

    /** Returns the largest number of ranks that the transport allows in one process. */
    int mostRanks() {
        return Integer.MAX_VALUE;
    }

    private void requireLookUps(int members) throws Exception {
        assumeTrue(members <= mostRanks(), "too many ranks in one process for the transport");
        final AtomicReferenceArray<CounterPair> pairs = new AtomicReferenceArray<>(members);
        WorldMember.run(directory, members, member -> {
            pairs.set(member.self(), member.world().agreement().pair());
            member.client().context().barrier(deadline());
            for (int other = 0; other < members; other++) {
                assertThat(isFoundByName(member.client(), other, pairs.get(other)))
                        .as("rank %d at rank %d", other, member.self())
                        .isEqualTo(other == 0 && member.self() != 0);
            }
            member.client().context().barrier(deadline());
        });
    }

    private static boolean isFoundByName(Client client, int rank, CounterPair pair) {
        return ContextAccess.patternResources(client).buffers().values().stream()
                .anyMatch(buffer -> buffer.foundNames().find(rank, pair.id(), pair.incarnation()) != null);
    }

    @Test
    void shouldFindTheMembersInAnyOrderOfTheirRanks() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                for (final int[] ranks : new int[][] {{3, 1, 2}, {2, 3, 0, 1}, {1}, {3, 0}}) {
                    if (contains(ranks, rank)) {
                        final Geometry some = Geometry.of(client, client.context(), "some", ranks, deadline());
                        assertThat(some.rank(some.self())).isEqualTo(rank);
                        WorldMember.requireUsable(some);
                        some.close();
                    }
                }
                client.context().barrier(deadline());
            });
        }
    }

    private static boolean contains(int[] ranks, int rank) {
        for (final int each : ranks) {
            if (each == rank) {
                return true;
            }
        }
        return false;
    }

    /** At the common deadline, a member that is late may already miss others that have given up. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void shouldNameTheMemberThatHasNotComeAtTheDeadline(int missing) throws Exception {
        final CyclicBarrier allHaveWaited = new CyclicBarrier(MEMBERS);
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, WorldMember.config())) {
            final long lateNs = Deadline.in(PATIENCE_MS, TimeUnit.MILLISECONDS);
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                if (rank != missing) {
                    assertThatThrownBy(() -> Geometry.world(client, client.context(), "all", lateNs))
                            .isInstanceOf(DeadlineException.class)
                            .hasMessageStartingWith("the deadline passed during the creation of geometry all of 4"
                                    + " members; no proposal yet from")
                            .hasMessageContaining(" member " + missing + " (rank " + missing + ")")
                            .hasMessageEndingWith(": not called, or unable to take part");
                }
                allHaveWaited.await(60, TimeUnit.SECONDS);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void shouldEndWhenAMemberHasLeft(int leaving) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                if (rank == leaving) {
                    job.node(rank).close();
                    return;
                }
                assertThatThrownBy(() -> Geometry.world(client, client.context(), "all", deadline()))
                        .isInstanceOf(ClosedException.class);
            });
        }
    }

    @Test
    void shouldReportAnotherListOfRanksToThoseThatHaveTheSame() throws Exception {
        final CyclicBarrier allHaveFailed = new CyclicBarrier(MEMBERS);
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                if (rank == 3) {
                    assertThatThrownBy(() -> create(client, PATIENCE_MS, 0, 2, 3))
                            .isInstanceOf(DeadlineException.class);
                } else if (rank != 2) {
                    assertThatThrownBy(() -> create(client, 30_000, 1, 0, 3))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessage("rank 3 was given another list of members than rank " + rank
                                    + ": give the same members to all; members=[1, 0, 3]");
                }
                allHaveFailed.await(60, TimeUnit.SECONDS);
            });
        }
    }

    @Test
    void shouldReportAListOfAnotherLength() throws Exception {
        final CyclicBarrier allHaveFailed = new CyclicBarrier(MEMBERS);
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                if (rank == 0) {
                    assertThatThrownBy(() -> create(client, PATIENCE_MS, 0, 1)).isInstanceOf(DeadlineException.class);
                } else if (rank != 3) {
                    assertThatThrownBy(() -> create(client, 30_000, 0, 1, 2))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageStartingWith("rank 0 was given another list of members than rank " + rank);
                }
                allHaveFailed.await(60, TimeUnit.SECONDS);
            });
        }
    }

    /** A member whose deadline has passed calls again, while the others still wait for one that has not come. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldCreateItWithAMemberThatHasGivenUpAndCallsAgain(int repeating) throws Exception {
        final CountDownLatch hasGivenUp = new CountDownLatch(1);
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = client.context();
                if (rank == repeating) {
                    for (int i = 0; i < 3; i++) {
                        assertThatThrownBy(() -> create(client, 50, 0, 1, 2, 3)).isInstanceOf(DeadlineException.class);
                    }
                    hasGivenUp.countDown();
                } else if (rank == MEMBERS - 1) {
                    context.await(() -> hasGivenUp.getCount() == 0, deadline());
                }
                final Geometry some = create(client, 60_000, 0, 1, 2, 3);
                WorldMember.requireUsable(some);
                some.barrier(deadline());
                some.close();
            });
        }
    }

    /**
     * The others wait for it: its proposal does not count any more. At their common deadline, those that are late may
     * already miss others, too.
     */
    @Test
    void shouldNotCreateItWithAMemberThatHasGivenUp() throws Exception {
        final CountDownLatch hasGivenUp = new CountDownLatch(1);
        final CyclicBarrier allHaveFailed = new CyclicBarrier(MEMBERS);
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, WorldMember.config())) {
            final long deadlineNs = Deadline.in(3 * PATIENCE_MS, TimeUnit.MILLISECONDS);
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                if (rank == 1) {
                    assertThatThrownBy(() -> create(client, 50, 0, 1, 2, 3)).isInstanceOf(DeadlineException.class);
                    hasGivenUp.countDown();
                } else {
                    if (rank == 2) {
                        client.context().await(() -> hasGivenUp.getCount() == 0, deadline());
                    }
                    assertThatThrownBy(() -> createBy(client, deadlineNs, 0, 1, 2, 3))
                            .isInstanceOf(DeadlineException.class)
                            .hasMessageFindingMatch("no proposal yet from.* member 1 \\(rank 1\\)");
                }
                allHaveFailed.await(60, TimeUnit.SECONDS);
            });
        }
    }

    @Test
    void shouldFindMembersByTheLongestNames() throws Exception {
        final String clientName = "c".repeat(31);
        final NodeConfig config = WorldMember.config().withContexts(3).withCounters(32, 96);
        try (InProcessJob job = InProcessJob.join(directory, 2, config)) {
            job.onThreads(2, rank -> {
                final Client client = job.node(rank)
                        .openClient(ClientConfig.named(clientName)
                                .withContexts(1)
                                .withWindowBytes(1 << 18)
                                .withCounters(8, 40));
                final String name = "n".repeat(Geometry.MAX_NAME_BYTES - 1);
                for (final String each : List.of(name + 1, name + 2)) {
                    final Geometry ranks = Geometry.world(client, client.context(), each, deadline());
                    final Geometry contexts = Geometry.endpoints(client, client.context(), 1, each, deadline());
                    WorldMember.requireUsable(ranks);
                    WorldMember.requireUsable(contexts);
                    contexts.barrier(deadline());
                    contexts.close();
                    ranks.close();
                }
            });
        }
    }

    private static Geometry create(Client client, long patienceMs, int... ranks) {
        return createBy(client, Deadline.in(patienceMs, TimeUnit.MILLISECONDS), ranks);
    }

    private static Geometry createBy(Client client, long deadlineNs, int... ranks) {
        return Geometry.of(client, client.context(), "some", ranks, deadlineNs);
    }
}
