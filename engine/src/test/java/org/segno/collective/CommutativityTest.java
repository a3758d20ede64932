package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Collections;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.combine.UserOperator;
import org.segno.node.InProcessJob;

/** Algorithms that combine in another order than that of the members, and the operators that allow it. */
@Timeout(60)
class CommutativityTest {
    private static final int NUMBER = 5;
    private static final long BYTES = 3 * Long.BYTES;
    private static final Reduction BY_USER = Reduction.of(ElementType.LONG, NUMBER);

    @TempDir
    Path directory;

    /** The exclusive or, which is commutative whether or not it says so. */
    private record ExclusiveOr(boolean isCommutative) implements UserOperator {
        @Override
        public void combine(
                ElementType type, DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int count) {
            for (int i = 0; i < count * Long.BYTES; i += Long.BYTES) {
                result.putLong(i, left.getLong(i) ^ right.getLong(i));
            }
        }
    }

    private static Call scatter() {
        return Call.reduceScatter(Lengths.equal(Long.BYTES), BY_USER);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepTheOrderOfTheMembersUnlessTheOperatorDeclaresThatItIsCommutative(boolean declared) throws Exception {
        WorldMember.run(directory, 3, member -> {
            member.client().operator(NUMBER, new ExclusiveOr(declared));
            final Geometry world = member.world();
            assertThat(world.algorithms(scatter()).contains("ring")).isEqualTo(declared);
            world.hosts(Hosts.of(0, 1, 0));
            assertThat(world.algorithms(Call.allreduce(BYTES, BY_USER)).get(0)).isEqualTo(declared ? "hosts" : "slots");
            assertThat(world.algorithms(Call.allreduce(BYTES, Reduction.of(ElementType.LONG, Operator.SUM))))
                    .startsWith("hosts");
            final Call ring = scatter().by("ring");
            if (declared) {
                try (Collective collective = world.prepare(ring, InProcessJob.deadline())) {
                    for (int block = 0; block < 3; block++) {
                        collective.input().putLong(block * Long.BYTES, 1L << (10 * block + member.self()));
                    }
                    collective.run(InProcessJob.deadline());
                    assertThat(collective.output().getLong(0)).isEqualTo(7L << (10 * member.self()));
                }
            } else {
                assertThatThrownBy(() -> world.prepare(ring, InProcessJob.deadline()))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("\"ring\" cannot carry out this reduce-scatter")
                        .hasMessageContaining("whose operator is not registered here or not commutative")
                        .hasMessageContaining("divided");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNumberTheTreeOfAReductionFromItsRootIfTheOperatorIsCommutative(boolean declared) {
        final Member member = new Member(0, Hosts.one(4), number -> declared);
        final Call call = Call.reduce(3, BYTES, BY_USER);
        final Schedule schedule = Preparation.schedule(call, new TreeReduce(), Arguments.shape(call, member, null));
        final long arriving = schedule.inlets().stream()
                .filter(inlet -> inlet.expected() == BYTES)
                .count();
        // Numbered from the root, the first member is a leaf. Otherwise two members send to it.
        assertThat(arriving).isEqualTo(declared ? 0 : 2);
    }

    /** Each second member declares something else. Their trees would not fit together. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldReportMembersWhoseOperatorsDeclareOtherThings(int size) throws Exception {
        WorldMember.run(directory, size, member -> {
            member.client().operator(NUMBER, new ExclusiveOr(member.self() % 2 == 0));
            for (int root = 0; root < size; root++) {
                final Call reduce = Call.reduce(root, BYTES, BY_USER);
                assertThatThrownBy(() -> member.world().prepare(reduce, InProcessJob.deadline()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(
                                "member 1 (rank 1) calls reduce with an operator that is not declared commutative,"
                                        + " not one that is as member 0");
            }
            assertThatThrownBy(() -> member.world().prepare(scatter().by("ring"), InProcessJob.deadline()))
                    .hasMessageContaining("ring");
        });
    }

    @Test
    void shouldAskAnOperatorOnceAndReportItsFailureWhereItIsRegistered() throws Exception {
        WorldMember.run(directory, 2, member -> {
            final UserOperator failing = new UserOperator() {
                @Override
                public void combine(ElementType t, DirectBuffer l, DirectBuffer r, MutableDirectBuffer to, int count) {
                    throw new AssertionError("not registered");
                }

                @Override
                public boolean isCommutative() {
                    throw new UnsupportedOperationException("undecided");
                }
            };
            assertThatThrownBy(() -> member.client().operator(NUMBER, failing)).hasMessageContaining("undecided");
            member.client().operator(NUMBER, new ExclusiveOr(true));
            member.client().operator(NUMBER + 1, new ExclusiveOr(false));
            assertThat(member.world().algorithms(scatter())).contains("ring");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldHaveRoomForEitherWayInTheBytesOfItsWindows(boolean declared) throws Exception {
        final int size = 5;
        final Call reduce = Call.reduce(2, Long.BYTES, BY_USER);
        final Call sum = WorldMember.SUM;
        WorldMember.run(
                directory,
                Collections.nCopies(
                        size, WorldMember.config().withWindowBytes(Geometry.windowBytes(size, reduce, sum))),
                member -> {
                    member.client().operator(NUMBER, new ExclusiveOr(declared));
                    try (Collective collective = member.world().prepare(reduce, InProcessJob.deadline())) {
                        collective.input().putLong(0, 1L << member.self());
                        collective.run(InProcessJob.deadline());
                        if (member.self() == 2) {
                            assertThat(collective.output().getLong(0)).isEqualTo((1 << size) - 1);
                        }
                    }
                });
    }
}
