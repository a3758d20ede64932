package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.combine.ElementType;
import org.segno.combine.UserOperator;
import org.segno.context.Client;
import org.segno.node.InProcessJob;
import org.segno.status.ClosedException;
import org.segno.status.SegnoException;

/** Geometries of those that are left after a death, whatever the name of the geometry that they leave. */
@Timeout(120)
class SurvivorsTest {
    private static final int DYING = 2;

    /** Geometries of which each is made from the last one. */
    private static final int DEPTH = 60;

    @TempDir
    Path directory;

    /** An operator that ends the node of one rank. */
    private record Fatal(boolean isFatal) implements UserOperator {
        @Override
        public void combine(
                ElementType type, DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int count) {
            if (isFatal) {
                throw new AssertionError("ends this node");
            }
        }

        @Override
        public boolean isCommutative() {
            return true;
        }
    }

    private static long deadline() {
        return InProcessJob.deadline();
    }

    @Test
    void shouldCreateTheGeometryOfTheSurvivorsOfOneNestedDeeply() throws Exception {
        requireSurvivors("all", DEPTH);
    }

    @Test
    void shouldCreateTheGeometryOfTheSurvivorsOfOneWithALongName() throws Exception {
        requireSurvivors("n".repeat(Geometry.MAX_NAME_BYTES), DEPTH);
    }

    private void requireSurvivors(String name, int depth) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, DYING + 1, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                client.operator(3, new Fatal(rank == DYING));
                Geometry nested = Geometry.world(client, client.context(), name, deadline());
                for (int i = 0; i < depth; i++) {
                    final Geometry parent = nested;
                    nested = Objects.requireNonNull(parent.split(0, 0, deadline()));
                    parent.close();
                }
                final Call call = Call.allreduce(Long.BYTES, Reduction.of(ElementType.LONG, 3));
                final Collective sum = nested.prepare(call.by("slots"), deadline());
                assertThatThrownBy(() -> runUntilAFailure(sum))
                        .isInstanceOf(rank == DYING ? Throwable.class : SegnoException.class);
                if (rank == DYING) {
                    assertThatThrownBy(sum::close)
                            .isInstanceOf(ClosedException.class)
                            .hasMessageContaining("ended with java.lang.AssertionError: ends this node");
                } else {
                    final Geometry left = nested.survivors(deadline());
                    assertThat(WorldMember.ranks(left)).isEqualTo(List.of(0, 1));
                    WorldMember.requireUsable(left);
                }
            });
        }
    }

    private static void runUntilAFailure(Collective sum) {
        for (int round = 0; round < 2; round++) {
            sum.run(deadline());
        }
    }
}
