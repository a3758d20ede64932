package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.segno.node.InProcessJob.deadline;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.combine.ElementType;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/** A round that fails at one member: the others need not wait for their deadlines. */
@OverMemoryAndLinks
@Timeout(120)
class FailedRoundsTest {
    private static final int MEMBERS = 3;
    private static final int FAILING = 1;
    private static final Call SUM = Call.allreduce(Long.BYTES, Reduction.of(ElementType.LONG, FailingOperator.NUMBER))
            .by("slots");
    private static final String FAILURE =
            "member 1 \\(rank 1\\) has failed: the user operator has thrown an exception, which the error log of the"
                    + " node has; in allreduce of 8 bytes, .* by slots of geometry all of 3 members, round 2";

    @TempDir
    Path directory;

    /** A way to learn that a round has ended. */
    private enum Wait {
        AWAIT {
            @Override
            void until(Collective sum, Context context) {
                sum.await(deadline());
            }
        },
        TEST {
            @Override
            void until(Collective sum, Context context) {
                while (!sum.test()) {
                    WorldMember.yieldCore();
                }
            }
        },
        RUN {
            @Override
            void until(Collective sum, Context context) {
                sum.run(deadline());
            }
        },
        HANDLER {
            @Override
            void until(Collective sum, Context context) {
                while (true) {
                    context.advance();
                    WorldMember.yieldCore();
                }
            }
        };

        abstract void until(Collective sum, Context context);
    }

    /** Runs a test at the members of a geometry of two contexts each; the operator fails at one of them. */
    private void run(WorldMember.Body body) throws Exception {
        try (InProcessJob job = InProcessJob.join(
                directory, MEMBERS, WorldMember.config().withContexts(2).withWindowBytes(4 << 20))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                client.operator(FailingOperator.NUMBER, new FailingOperator(rank == FAILING));
                try (Geometry world = Geometry.world(client, client.context(), "all", deadline())) {
                    body.run(new WorldMember(client, world));
                    WorldMember.requireUsable(world);
                    world.barrier(deadline());
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheWaitsOfAllMembers(Wait wait) throws Exception {
        run(member -> {
            try (Collective sum = member.world().prepare(SUM, deadline())) {
                if (member.self() == FAILING) {
                    requireOwnFailure(() -> sum.run(deadline()));
                } else {
                    sum.run(deadline());
                    if (wait == Wait.HANDLER) {
                        sum.onRound(FailedRoundsTest::rethrow);
                    }
                    assertThat(sum.start()).isEqualTo(2);
                    requireFailure(() -> wait.until(sum, member.client().context()));
                    // And of each later call.
                    requireFailure(sum::start);
                    assertThat(sum.isComplete()).isFalse();
                    // The engine has given the round up.
                    final Context context = member.client().context();
                    context.await(context::isDrained, deadline());
                }
            }
        });
    }

    private static void rethrow(long round, @Nullable SegnoException failure) {
        if (failure != null) {
            throw failure;
        }
    }

    private static void requireOwnFailure(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("rank 1 refused: the user operator has thrown an exception");
    }

    private static void requireFailure(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(RefusedException.class)
                .hasMessageMatching(FAILURE)
                .extracting(e -> ((RefusedException) e).rank())
                .isEqualTo(FAILING);
    }

    @Test
    void shouldNameTheFailureAtADeadlineThatComesFirst() throws Exception {
        run(member -> {
            try (Collective sum = member.world().prepare(SUM, deadline())) {
                if (member.self() == FAILING) {
                    requireOwnFailure(() -> sum.run(deadline()));
                } else {
                    sum.run(deadline());
                    assertThat(sum.start()).isEqualTo(2);
                    while (member.world().agreement().failures().failure(1, sum, true) == null) {
                        member.client().context().advance();
                        WorldMember.yieldCore();
                    }
                    requireFailure(() -> sum.await(Deadline.in(0, TimeUnit.NANOSECONDS)));
                }
            }
        });
    }

    /** A failure is one of its collective alone. */
    @Test
    void shouldCarryOutOtherCollectivesAfterAFailure() throws Exception {
        run(member -> {
            final Geometry world = member.world();
            final List<Collective> sums = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                sums.add(world.prepare(i == 1 ? SUM : WorldMember.SUM, deadline()));
            }
            final Collective failing = sums.get(1);
            if (member.self() == FAILING) {
                requireOwnFailure(() -> failing.run(deadline()));
            } else {
                failing.run(deadline());
                failing.start();
                requireFailure(() -> failing.await(deadline()));
            }
            for (int round = 1; round <= 10; round++) {
                for (int i = 0; i < 3; i += 2) {
                    requireSum(sums.get(i), round);
                }
            }
            // Recorded again, and with an operator that does not fail: the number of the collective is another one.
            failing.close();
            member.client().operator(FailingOperator.NUMBER + 1, new FailingOperator(false));
            final Reduction works = Reduction.of(ElementType.LONG, FailingOperator.NUMBER + 1);
            try (Collective again = world.prepare(Call.allreduce(Long.BYTES, works), deadline())) {
                requireSum(again, 7);
            }
            sums.get(0).close();
            sums.get(2).close();
        });
    }

    private static void requireSum(Collective sum, long value) {
        sum.input().putLong(0, value);
        sum.run(deadline());
        assertThat(sum.output().getLong(0)).isEqualTo(MEMBERS * value);
    }

    /** A part of a geometry has notices of its own, and a collective of several contexts fails as a whole. */
    @Test
    void shouldEndTheWaitsOfACollectiveWithSeveralContexts() throws Exception {
        run(member -> {
            final Client client = member.client();
            final Context[] contexts = {client.context(0), client.context(1)};
            final Call call = Call.allreduce(256 << 10, Reduction.of(ElementType.LONG, FailingOperator.NUMBER));
            try (Geometry world = Geometry.world(client, contexts, "two", deadline());
                    Geometry left = Objects.requireNonNull(world.split(0, member.self(), deadline()));
                    Collective sum = left.prepare(call, deadline())) {
                assertThat(sum.parts()).isEqualTo(2);
                if (member.self() == FAILING) {
                    requireOwnFailure(() -> sum.run(deadline()));
                } else {
                    assertThatThrownBy(() -> {
                                sum.run(deadline());
                                sum.run(deadline());
                            })
                            .isInstanceOf(RefusedException.class)
                            .hasMessageContaining("member 1 (rank 1) has failed: the user operator");
                }
            }
        });
    }
}
