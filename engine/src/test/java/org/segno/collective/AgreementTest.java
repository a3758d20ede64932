package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Calls that differ among the members, or that one member cannot carry out: all are told. */
@OverMemoryAndLinks
@Timeout(120)
class AgreementTest {
    private static final int MEMBERS = 3;

    /** The member whose call differs, or is invalid. */
    private static final int ODD = 2;

    private static final int ATTEMPTS = 300;

    @TempDir
    Path directory;

    /**
     * Two calls that do not fit together.
     *
     * @param most the call of all members but one
     * @param odd that of the other one
     * @param difference as the members report it
     */
    private record Mismatch(Call most, Call odd, String difference) {}

    private static long deadline() {
        return InProcessJob.deadline();
    }

    private static Reduction reduction(ElementType type, Operator operator) {
        return Reduction.of(type, operator);
    }

    private static List<Mismatch> mismatches() {
        final Reduction sum = reduction(ElementType.LONG, Operator.SUM);
        return List.of(
                new Mismatch(Call.broadcast(0, 64), Call.broadcast(1, 64), "calls broadcast with root 1, not 0"),
                new Mismatch(
                        Call.allreduce(64, sum), Call.allreduce(128, sum), "calls allreduce with 128 bytes, not 64"),
                new Mismatch(
                        Call.gather(0, Lengths.of(8, 16, 24)),
                        Call.gather(0, Lengths.of(8, 24, 16)),
                        "calls gather with other lengths of the blocks"),
                // The ends of the blocks, 0, 8, 264 and 0, 16, 16, have one hash in a sum of powers of 31.
                new Mismatch(
                        Call.gather(0, Lengths.of(0, 8, 256)),
                        Call.gather(0, Lengths.of(0, 16, 0)),
                        "calls gather with other lengths of the blocks"),
                new Mismatch(
                        Call.allreduce(64, sum),
                        Call.allreduce(64, reduction(ElementType.DOUBLE, Operator.SUM)),
                        "calls allreduce with DOUBLE SUM, not LONG SUM"),
                new Mismatch(
                        Call.scan(64, sum),
                        Call.scan(64, reduction(ElementType.LONG, Operator.MAXIMUM)),
                        "calls scan with LONG MAXIMUM, not LONG SUM"),
                new Mismatch(
                        Call.scan(64, sum),
                        Call.scan(64, Reduction.of(ElementType.LONG, 5)),
                        "calls scan with LONG user operator 5, not LONG SUM"),
                new Mismatch(Call.barrier(), Call.broadcast(0, 8), "calls broadcast, not barrier"),
                // As the exchange of offsets that precedes an all-to-all with lengths.
                new Mismatch(
                        Call.allToAll(Lengths.of(16, 16, 16), Lengths.of(16, 16, 16)),
                        Call.allToAll(16),
                        "calls all-to-all, not all-to-all with lengths"),
                new Mismatch(
                        Call.barrier().by("counters"),
                        Call.barrier().by("dissemination"),
                        "calls barrier with algorithm dissemination, not counters"));
    }

    @Test
    void shouldPrepareNothingWithinARecordingAndRemainInStep() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            final Call call = Call.allreduce(64, reduction(ElementType.LONG, Operator.SUM));
            assertThatThrownBy(() -> member.client()
                            .context()
                            .record(
                                    1,
                                    Rounds.ORDERED_BY_CALLER,
                                    () -> member.world().prepare(call, deadline())))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("a call of a geometry cannot be replayed: keep it outside record");
            member.world().prepare(call, deadline()).close();
        });
    }

    @Test
    void shouldReportDifferentArgumentsAtEveryMember() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            for (final Mismatch mismatch : mismatches()) {
                final Call call = member.self() == ODD ? mismatch.odd() : mismatch.most();
                assertThatThrownBy(() -> member.world().prepare(call, deadline()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("member 2 (rank 2) " + mismatch.difference()
                                + " as member 0 (rank 0): all members of geometry all of 3 members call the same"
                                + " collectives in the same order");
                WorldMember.requireUsable(member.world());
            }
        });
    }

    @Test
    void shouldReportDifferentListsOfMembersAtEveryMember() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            final int[] chosen = member.self() == ODD ? new int[] {0, 2} : new int[] {0, 1};
            assertThatThrownBy(() -> member.world().of(chosen, deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("member 2 (rank 2) chooses other members, not the same as member 0 (rank 0)");
            WorldMember.requireUsable(member.world());
        });
    }

    @Test
    void shouldReportAnotherOrderOfRanksAtEveryMember() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, WorldMember.config())) {
            job.onThreads(rank -> {
                final int[] members = rank == 0 ? new int[] {0, 1} : new int[] {1, 0};
                final Client client = job.node(rank).client();
                assertThatThrownBy(() -> Geometry.of(client, client.context(), "pair", members, deadline()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("member 1 (rank " + (1 - rank)
                                + ") gives the members in another order, not the same as member 0 (rank " + rank
                                + "): all members of geometry pair of 2 members are given the same arguments");
            });
        }
    }

    @Test
    void shouldTellListsApartThatHaveTheSameHash() {
        final long[] one = {0, 31};
        final long[] other = {1, 0};
        assertThat(Arrays.hashCode(one)).isEqualTo(Arrays.hashCode(other));
        assertThat(Digest.of(one)).isNotEqualTo(Digest.of(other));
    }

    @Test
    void shouldNameThoseThatHaveNotCalledAtTheDeadline() throws Exception {
        final CyclicBarrier allHaveWaited = new CyclicBarrier(MEMBERS);
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Geometry world = Geometry.world(client, client.context(), "all", deadline());
                if (rank != ODD) {
                    assertThatThrownBy(() -> world.prepare(Call.barrier(), Deadline.in(1, TimeUnit.SECONDS)))
                            .isInstanceOf(DeadlineException.class)
                            .hasMessageEndingWith("; not called yet by member 2 (rank 2)");
                }
                allHaveWaited.await(60, TimeUnit.SECONDS);
            });
        }
    }

    @Test
    @Tag("long")
    void shouldTellAtTheDeadlineWhatOthersCallMeanwhile() throws Exception {
        final CyclicBarrier allHaveWaited = new CyclicBarrier(MEMBERS);
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Geometry world = Geometry.world(client, client.context(), "all", deadline());
                world.barrier(deadline());
                final Call call = rank == ODD ? Call.broadcast(0, 8) : Call.barrier();
                assertThatThrownBy(() -> world.run(call, Deadline.in(1, TimeUnit.SECONDS)))
                        .isInstanceOf(DeadlineException.class)
                        .hasMessageContaining(
                                rank == ODD
                                        ? "; not called yet by member 0 (rank 0), member 1 (rank 1)"
                                        : "; meanwhile member 2 (rank 2) calls broadcast: all members call the same");
                allHaveWaited.await(60, TimeUnit.SECONDS);
            });
        }
    }

    @Test
    void shouldReportDifferentCallsOfAnyRoundIfRoundsAreChecked() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            final Geometry world = member.world();
            world.checksRounds(true);
            final Collective sum = world.prepare(WorldMember.SUM, deadline());
            final Collective equal = world.prepare(WorldMember.SUM, deadline());
            for (int round = 1; round <= 10; round++) {
                world.barrier(deadline());
                sum.run(deadline());
                assertThat(equal.start()).isEqualTo(round);
                equal.await(deadline());
            }
            final boolean isOdd = member.self() == ODD;
            final String where = " as member 0 (rank 0)";
            assertThatThrownBy(() -> (isOdd ? equal : sum).start())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("member 2 (rank 2) calls another round of a recorded allreduce that was"
                            + " recorded as number 2, not 1" + where);
            assertThatThrownBy(() -> world.run(isOdd ? Call.barrier() : Call.broadcast(0, 8), deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(
                            "member 2 (rank 2) calls another round of a recorded barrier, not broadcast" + where);
            sum.input().putLong(0, member.self());
            assertThat(sum.queue()).isEqualTo(11);
            sum.await(deadline());
            assertThat(sum.output().getLong(0)).isEqualTo(3);
            equal.close();
            sum.close();
        });
    }

    @Test
    void shouldCheckRoundsIfTheSettingOfTheNodesSaysSo() throws Exception {
        final NodeConfig config = WorldMember.config().withRoundChecks(true);
        WorldMember.run(directory, List.of(config, config), member -> {
            final Geometry world = member.world();
            final Geometry part = Objects.requireNonNull(world.split(0, member.self(), deadline()));
            for (final Geometry checked : List.of(world, part)) {
                WorldMember.requireUsable(checked);
                checked.barrier(deadline());
                final Call call = member.self() == 0 ? WorldMember.SUM : Call.barrier();
                assertThatThrownBy(() -> checked.run(call, deadline()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("member 1 (rank 1) calls another round of a recorded barrier, not another"
                                + " round of a recorded allreduce");
            }
            part.close();
        });
    }

    @Test
    void shouldSendNothingIfABufferOfTheCallerIsTooShort() throws Exception {
        WorldMember.run(directory, 2, member -> {
            final Geometry world = member.world();
            final UnsafeBuffer whole = new UnsafeBuffer(new byte[8]);
            final UnsafeBuffer tooShort = new UnsafeBuffer(new byte[4]);
            WorldMember.requireUsable(world);
            if (member.self() == 1) {
                requireRefused(
                        "the source of this member needs 8 bytes: index=0 capacity=4",
                        () -> world.run(WorldMember.SUM, tooShort, 0, whole, 0, deadline()));
                requireRefused(
                        "the target of this member needs 8 bytes: index=1 capacity=8",
                        () -> world.run(WorldMember.SUM, whole, 0, whole, 1, deadline()));
                requireRefused(
                        "the target of this member needs 8 bytes: index=-1 capacity=8",
                        () -> world.run(WorldMember.SUM, whole, 0, whole, -1, deadline()));
            }
            for (int value = 100; value < 110; value++) {
                assertThat(WorldMember.sum(world, (long) member.self() * value)).isEqualTo(value);
            }
        });
    }

    private static void requireRefused(String reason, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(reason);
    }

    @Test
    @SuppressWarnings("NullAway") // A null buffer is the mistake.
    void shouldTellAllOfABufferThatIsNullOrTooShortAtOneMember() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[16]);
            final boolean isOdd = member.self() == ODD;
            requireFailure(
                    member,
                    IllegalArgumentException.class,
                    "the source of this member needs 16 bytes: the buffer is null",
                    () -> member.world()
                            .run(Call.allreduce(16, sumOfLongs()), isOdd ? null : buffer, 0, buffer, 0, deadline()));
            WorldMember.requireUsable(member.world());
            requireFailure(
                    member,
                    IllegalArgumentException.class,
                    "the target of this member needs 16 bytes: index=8 capacity=16",
                    () -> member.world()
                            .run(Call.allreduce(16, sumOfLongs()), buffer, 0, buffer, isOdd ? 8 : 0, deadline()));
            WorldMember.requireUsable(member.world());
        });
    }

    @Test
    void shouldReportASplitAmongOtherCalls() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            final Geometry world = member.world();
            for (int odd = 0; odd < MEMBERS; odd++) {
                final int splitting = odd;
                assertThatThrownBy(() -> {
                            if (member.self() == splitting) {
                                world.split(0, 0, deadline());
                            } else {
                                world.prepare(Call.barrier(), deadline());
                            }
                        })
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(
                                splitting == 0
                                        ? "member 1 (rank 1) calls barrier, not split"
                                        : "member " + splitting + " (rank " + splitting + ") calls split, not barrier");
                WorldMember.requireUsable(world);
            }
        });
    }

    /**
     * Call that is invalid at one member.
     *
     * @param reason part of the message
     * @param call made at that member
     */
    private record Invalid(String reason, Function<WorldMember, Call> call) {
        static Invalid of(String reason, Call call) {
            return new Invalid(reason, member -> call);
        }
    }

    private static List<Invalid> invalid() {
        return List.of(
                Invalid.of("the root must be a member, 0 to 2: root=3", Call.broadcast(3, 64)),
                Invalid.of("the root must be a member, 0 to 2: root=-1", Call.broadcast(-1, 64)),
                Invalid.of("a reduction needs whole elements of 8 bytes: bytes=60", Call.allreduce(60, sumOfLongs())),
                Invalid.of("needs a length for each, not 2", Call.gather(0, Lengths.of(8, 8))),
                Invalid.of("barrier has no algorithm \"fast\"", Call.barrier().by("fast")),
                new Invalid(
                        "the target must lie inside its window of 64 bytes: offset=8 bytes=64",
                        member -> Call.allreduce(64, sumOfLongs())
                                .from(member.client().window(64), 0)
                                .into(member.client().window(64), 8)),
                new Invalid(
                        "the source must lie inside its window of 64 bytes: offset=-8 bytes=64",
                        member -> Call.allreduce(64, sumOfLongs())
                                .in(member.client().window(64), -8)),
                new Invalid(
                        "this member needs a target of 64 bytes",
                        member -> Call.allreduce(64, sumOfLongs())
                                .from(member.client().window(64), 0)),
                new Invalid("overlap: sourceOffset=0 targetOffset=8", member -> {
                    final Window window = member.client().window(128);
                    return Call.allreduce(64, sumOfLongs()).from(window, 0).into(window, 8);
                }),
                new Invalid("overlap: sourceOffset=0 targetOffset=64", member -> {
                    final Window window = member.client().window(256);
                    return Call.allToAll(64).from(window, 0).into(window, 64);
                }));
    }

    private static Reduction sumOfLongs() {
        return reduction(ElementType.LONG, Operator.SUM);
    }

    private static void requireFailure(
            WorldMember member, Class<? extends Exception> kind, String reason, Runnable call) {
        final Throwable thrown = catchThrowable(call::run);
        if (member.self() == ODD) {
            assertThat(thrown).isInstanceOf(kind).hasMessageContaining(reason);
        } else {
            // The reason of another member is cut off behind 192 bytes.
            assertThat(thrown)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("member 2 (rank 2) could not take part: ")
                    .hasMessageContaining(reason);
        }
    }

    @Test
    void shouldTellAllOfArgumentsThatAreInvalidAtOneMember() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            for (final Invalid invalid : invalid()) {
                final Call call = member.self() == ODD ? invalid.call().apply(member) : Call.barrier();
                requireFailure(
                        member,
                        IllegalArgumentException.class,
                        invalid.reason(),
                        () -> member.world().run(call, deadline()));
                WorldMember.requireUsable(member.world());
            }
        });
    }

    @Test
    void shouldTellAllOfMembersThatAreInvalidAtOneMember() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            final int[] members = member.self() == ODD ? new int[] {0, 0} : new int[] {0, 1};
            requireFailure(
                    member,
                    IllegalArgumentException.class,
                    "members must be different, from 0 to 2: members=[0, 0]",
                    () -> member.world().of(members, deadline()));
            WorldMember.requireUsable(member.world());
        });
    }

    /** Takes free counters until {@code count} are taken. Those that are being closed become free meanwhile. */
    private static void takeCounters(WorldMember member, Window window, List<ReceptionCounter> taken, int count) {
        final long deadlineNs = deadline();
        while (taken.size() < count && !Deadline.reached(deadlineNs)) {
            try {
                taken.add(member.client().receptionCounter(window, 0, 64));
            } catch (final IllegalStateException e) {
                if (count == Integer.MAX_VALUE) {
                    break;
                }
                member.client().context().advance();
            }
        }
    }

    @Test
    void shouldTellAllOfExhaustedCountersAndReleaseEverything() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            // Held here, so that it is not closed to make room.
            member.world().collective(WorldMember.SUM, deadline());
            WorldMember.requireUsable(member.world());
            final Window window = member.client().window(64);
            final List<ReceptionCounter> taken = new ArrayList<>();
            int free = 0;
            if (member.self() == ODD) {
                takeCounters(member, window, taken, Integer.MAX_VALUE);
                free = taken.size();
                // One of the two pairs that an exchange needs is left.
                member.client().close(taken.remove(free - 1));
                member.client().close(taken.remove(free - 2));
            }
            // More often than there are windows, or memory for so many collectives.
            for (int times = 0; times < ATTEMPTS; times++) {
                requireFailure(
                        member,
                        IllegalStateException.class,
                        "all-to-all by direct needs 2 counter pairs and 1 window; free: 1 and ",
                        () -> member.world().prepare(Call.allToAll(1 << 12).by("direct"), deadline()));
            }
            takeCounters(member, window, taken, free);
            for (int times = 0; times < ATTEMPTS; times++) {
                requireFailure(
                        member,
                        IllegalStateException.class,
                        "reception counters are in use",
                        () -> member.world().split(0, 0, deadline()));
            }
            taken.forEach(member.client()::close);
            requireRoom(member);
        });
    }

    /** Prepares a collective and divides the world as soon as what was closed before is free. */
    private static void requireRoom(WorldMember member) {
        boolean hasRoom = false;
        final long deadlineNs = deadline();
        while (!hasRoom) {
            assertThat(Deadline.reached(deadlineNs)).isFalse();
            try {
                member.world()
                        .prepare(Call.allToAll(1 << 12).by("direct"), deadline())
                        .close();
                Objects.requireNonNull(member.world().split(0, 0, deadline())).close();
                hasRoom = true;
            } catch (final IllegalStateException e) {
                assertThat(e).hasMessageFindingMatch("in use|needs 2 counter pairs");
            }
        }
    }

    @Test
    void shouldTellAllOfExhaustedWindowMemoryAndReleaseEverything() throws Exception {
        final NodeConfig small = WorldMember.config().withWindowBytes(1 << 13);
        final List<NodeConfig> configs = List.of(WorldMember.config(), WorldMember.config(), small);
        WorldMember.run(directory, configs, member -> {
            final Geometry world = member.world();
            for (int times = 0; times < ATTEMPTS; times++) {
                requireFailure(
                        member,
                        IllegalArgumentException.class,
                        "a window must have at least 1 byte and fit into the arena",
                        () -> world.prepare(Call.allToAll(1 << 13), deadline()));
            }
            final Window rest = member.client().window(member.self() == ODD ? 5 << 10 : 64);
            for (int times = 0; times < ATTEMPTS; times++) {
                requireFailure(
                        member,
                        IllegalArgumentException.class,
                        "a window must have at least 1 byte and fit into the arena",
                        () -> world.split(0, 0, deadline()));
            }
            member.client().close(rest);
        });
    }

    @Test
    @Tag("long")
    void shouldTellAllOfExhaustedPatternsAndReleaseEverything() throws Exception {
        final NodeConfig small = WorldMember.config().withPatterns(4);
        final List<NodeConfig> configs = List.of(WorldMember.config(), WorldMember.config(), small);
        WorldMember.run(directory, configs, member -> {
            final Geometry world = member.world();
            final Collective first = world.prepare(Call.barrier(), deadline());
            final Collective second = world.prepare(Call.barrier(), deadline());
            final Collective third = world.prepare(Call.barrier(), deadline());
            for (int times = 0; times < ATTEMPTS; times++) {
                requireFailure(
                        member,
                        IllegalStateException.class,
                        "all 4 patterns are in use",
                        () -> world.prepare(Call.allToAll(1 << 12), deadline()));
                requireFailure(
                        member,
                        IllegalStateException.class,
                        "all 4 patterns are in use",
                        () -> world.split(0, 0, deadline()));
            }
            first.run(deadline());
            second.close();
            Objects.requireNonNull(world.split(0, 0, deadline())).close();
            first.close();
            third.close();
        });
    }

    /** The exchange of a geometry that was made without another one is recorded when it is first needed. */
    @Test
    void shouldNotifyAllIfTheFirstExchangeCannotBeRecorded() throws Exception {
        final NodeConfig small = WorldMember.config().withPatterns(4);
        final CyclicBarrier allHaveFailed = new CyclicBarrier(MEMBERS);
        try (InProcessJob job = InProcessJob.join(directory, List.of(WorldMember.config(), small, small))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = client.context();
                final Geometry world = Geometry.world(client, context, "all", deadline());
                final List<Pattern> taken = new ArrayList<>();
                for (int i = 0; i < 4 && rank == 1; i++) {
                    taken.add(context.prepare(Rounds.ALTERNATE, () -> {}));
                }
                assertThatThrownBy(() -> world.prepare(Call.barrier(), deadline()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageStartingWith(rank == 1 ? "" : "member 1 (rank 1) could not take part: ")
                        .hasMessageContaining("all 4 patterns are in use");
                taken.forEach(Pattern::close);
                if (rank == 1) {
                    assertThatThrownBy(() -> world.prepare(Call.barrier(), deadline()))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("are out of step since: all 4 patterns are in use");
                }
                allHaveFailed.await(60, TimeUnit.SECONDS);
                world.close();
                final Geometry again = Geometry.world(client, context, "all", deadline());
                WorldMember.requireUsable(again);
                again.barrier(deadline());
            });
        }
    }

    @Test
    void shouldTellAllOfWhatOneMemberCannotRecord() throws Exception {
        WorldMember.run(directory, MEMBERS, member -> {
            final Geometry world = member.world();
            final Window window = member.client().window(64);
            if (member.self() == ODD) {
                member.client().close(window);
            }
            requireFailure(
                    member,
                    RuntimeException.class,
                    "the window of the source is closed",
                    () -> world.prepare(Call.allreduce(64, sumOfLongs()).in(window, 0), deadline()));
            WorldMember.requireUsable(world);
            if (member.self() != ODD) {
                member.client().operator(5, new ReferenceMember.Affine());
            }
            requireFailure(
                    member,
                    RuntimeException.class,
                    "operator",
                    () -> world.prepare(Call.allreduce(64, Reduction.of(ElementType.LONG_PAIR, 5)), deadline()));
        });
    }

    @Test
    void shouldBeOutOfStepAfterADeadlineAndCloseable() throws Exception {
        final CyclicBarrier together = new CyclicBarrier(MEMBERS);
        WorldMember.run(directory, MEMBERS, member -> {
            final Geometry part = Objects.requireNonNull(member.world().split(0, 0, deadline()));
            if (member.self() != ODD) {
                assertThatThrownBy(() -> part.prepare(Call.barrier(), Deadline.in(20, TimeUnit.MILLISECONDS)))
                        .isInstanceOf(DeadlineException.class)
                        .hasMessageContaining("geometry all.1 of 3 members")
                        .hasMessageContaining("rank");
                for (int times = 0; times < 2; times++) {
                    assertThatThrownBy(() -> part.barrier(deadline()))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageStartingWith(
                                    "the members of geometry all.1 of 3 members are out of step since: ")
                            .hasMessageEndingWith("; close it, and create another one");
                    assertThatThrownBy(() -> part.split(0, 0, deadline())).hasMessageContaining("are out of step");
                    assertThatThrownBy(() -> part.of(new int[] {9}, deadline()))
                            .hasMessageContaining("are out of step");
                }
            }
            together.await();
            part.close();
            WorldMember.requireUsable(Objects.requireNonNull(member.world().split(0, 0, deadline())));
        });
    }
}
