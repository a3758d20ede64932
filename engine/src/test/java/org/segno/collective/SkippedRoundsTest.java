package org.segno.collective;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.RefusedException;

/** One member calls something new, while the others wait for it in a round of a recorded call. */
@OverMemoryAndLinks
@Timeout(120)
class SkippedRoundsTest {
    private static final int MEMBERS = 3;

    /** Longer than the time after which a skipped round is reported. */
    private static final long PATIENCE_MS = 2_000;

    @TempDir
    Path directory;

    /** What the first member calls in place of a recorded allreduce of 8 bytes. */
    enum Other {
        LONGER("calls allreduce with 16 bytes, not 8") {
            @Override
            void call(Geometry world) {
                final Reduction sum = Reduction.of(ElementType.LONG, Operator.SUM);
                world.run(Call.allreduce(16, sum), InProcessJob.deadline());
            }
        },
        OPERATOR("calls allreduce with LONG MAXIMUM, not LONG SUM") {
            @Override
            void call(Geometry world) {
                final Reduction maximum = Reduction.of(ElementType.LONG, Operator.MAXIMUM);
                world.run(Call.allreduce(Long.BYTES, maximum), InProcessJob.deadline());
            }
        },
        KIND("calls barrier, not allreduce") {
            @Override
            void call(Geometry world) {
                world.barrier(InProcessJob.deadline());
            }
        },
        ANEW("calls allreduce anew") {
            @Override
            void call(Geometry world) {
                world.prepare(WorldMember.SUM, InProcessJob.deadline());
            }
        },
        LENGTHS("calls all-to-all with lengths") {
            @Override
            void call(Geometry world) {
                world.run(Call.allToAll(Lengths.equal(8), Lengths.equal(8)), InProcessJob.deadline());
            }
        },
        SPLIT("calls split, not allreduce") {
            @Override
            void call(Geometry world) {
                world.split(0, 0, InProcessJob.deadline());
            }
        },
        INVALID("calls something in which it cannot take part") {
            @Override
            void call(Geometry world) {
                world.prepare(Call.broadcast(-1, 8), InProcessJob.deadline());
            }
        };

        private final String described;

        Other(String described) {
            this.described = described;
        }

        abstract void call(Geometry world);
    }

    @ParameterizedTest
    @EnumSource(names = {"LONGER", "ANEW"})
    void shouldNameTheMemberAndTheArgumentAtAllMembers(Other other) throws Exception {
        skip(other);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void shouldNameTheMemberAndAnyOtherArgumentAtAllMembers(Other other) throws Exception {
        skip(other);
    }

    private void skip(Other other) throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            final Geometry world = member.world();
            WorldMember.requireUsable(world);
            if (member.self() == 0) {
                assertThatThrownBy(() -> other.call(world)).satisfies(thrown -> {
                    if (other != Other.INVALID) {
                        assertThat(thrown)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageMatching(
                                        "member [12] \\(rank [12]\\) could not take part: it waits in round 2,"
                                                + " a recorded allreduce; member 0 \\(rank 0\\) " + other.described);
                    }
                });
            } else {
                assertThatThrownBy(() -> WorldMember.sum(world, 1))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("member 0 (rank 0) " + other.described
                                + "; this member waits in round 2, a recorded "
                                + WorldMember.SUM + ": all members call the same collectives in the same order, and a"
                                + " call is new at all of them or at none");
            }
            // The round is still in progress where it was started. A call of the other member lets it become complete.
            assertThat(WorldMember.sum(world, 1)).isEqualTo(MEMBERS);
        });
    }

    @Test
    void shouldWaitForASlowMemberWhileAnotherOneCallsTheNextCollective() throws Exception {
        final CountDownLatch waited = new CountDownLatch(1);
        WorldMember.run(directory, MEMBERS, member -> {
            final Geometry world = member.world();
            final Collective sum = world.prepare(WorldMember.SUM, InProcessJob.deadline());
            switch (member.self()) {
                case 0 -> sum.start();
                case 1 -> {
                    sum.start();
                    requireDeadline(() -> sum.await(Deadline.in(PATIENCE_MS, MILLISECONDS)));
                    waited.countDown();
                }
                default -> {
                    assertThat(waited.await(60, SECONDS)).isTrue();
                    sum.start();
                }
            }
            // The first member calls this at once.
            world.prepare(Call.barrier(), InProcessJob.deadline()).run(InProcessJob.deadline());
            sum.await(InProcessJob.deadline());
            sum.close();
        });
    }

    /** Members that know of a failure refuse to start rounds which others have started. */
    @Test
    void shouldCompareNoRoundsOnceOneHasFailed() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            final Geometry world = member.world();
            WorldMember.requireUsable(world);
            member.client().operator(FailingOperator.NUMBER, new FailingOperator(true));
            final Reduction fails = Reduction.of(ElementType.LONG, FailingOperator.NUMBER);
            final Collective failing = world.prepare(Call.allreduce(Long.BYTES, fails), InProcessJob.deadline());
            assertThatThrownBy(() -> failing.run(InProcessJob.deadline())).isInstanceOf(RefusedException.class);
            failing.close();
            if (member.self() != 0) {
                final UnsafeBuffer value = new UnsafeBuffer(new byte[Long.BYTES]);
                value.putLong(0, member.self() + 1);
                requireDeadline(
                        () -> world.run(WorldMember.SUM, value, 0, value, 0, Deadline.in(PATIENCE_MS, MILLISECONDS)));
            }
            // The first member calls this at once. The others continue the round behind it.
            world.barrier(InProcessJob.deadline());
        });
    }

    /** Handlers start rounds of one collective before or after a round of another one, as their members come. */
    @Test
    void shouldCompareNoRoundsThatHandlersMayHaveStarted() throws Exception {
        final CountDownLatch waited = new CountDownLatch(1);
        WorldMember.run(directory, MEMBERS, member -> {
            final Geometry world = member.world();
            final Collective sum = world.prepare(WorldMember.SUM, InProcessJob.deadline());
            final Collective gather = world.prepare(Call.gather(0, Lengths.equal(8)), InProcessJob.deadline());
            final AtomicInteger left = new AtomicInteger(3);
            sum.onRound((round, failure) -> {
                if (left.decrementAndGet() > 0) {
                    sum.start();
                }
            });
            sum.start();
            if (member.self() == 0) {
                member.client().context().await(() -> left.get() == 0, InProcessJob.deadline());
                gather.start();
                requireDeadline(() -> gather.await(Deadline.in(PATIENCE_MS, MILLISECONDS)));
                waited.countDown();
            } else if (member.self() == 1) {
                member.client().context().await(() -> left.get() == 0, InProcessJob.deadline());
                assertThat(waited.await(60, SECONDS)).isTrue();
                gather.start();
            } else {
                gather.start();
            }
            world.prepare(Call.barrier(), InProcessJob.deadline()).run(InProcessJob.deadline());
            gather.await(InProcessJob.deadline());
            member.client().context().await(() -> left.get() == 0, InProcessJob.deadline());
            sum.onRound(null);
        });
    }

    private static void requireDeadline(ThrowingCallable wait) {
        assertThatThrownBy(wait).isInstanceOf(DeadlineException.class);
    }
}
