package org.segno.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.segno.collective.Call;
import org.segno.collective.Collective;
import org.segno.collective.CollectiveKind;
import org.segno.collective.Geometry;
import org.segno.collective.KnownRounds;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.node.Node;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;

/**
 * Program of one rank of a {@link DyingJob}: two rounds of a collective, in which one member may die, and then the same
 * collective in the geometry of the survivors. It pauses after each pass of a round.
 */
final class DyingMember {
    static final int ROUNDS = 2;
    private static final int FURTHER_ROUNDS = 2;

    private final Client client;
    private final Context context;
    private final DyingJob job;
    private final int rank;

    /** Last round that this member has entered. */
    private int entered;

    /** Last round that was reported as complete here. */
    private int reported;

    /** Last round that was known to be complete when the survivors agreed on one. */
    private long known = -1;

    /** Round on which the survivors have agreed. */
    private long agreed = -1;

    private List<String> algorithms = List.of();
    private boolean isReady;
    private boolean isOver;

    DyingMember(Node node, DyingJob job) {
        this.client = node.client();
        this.context = client.context();
        this.job = job;
        this.rank = node.rank();
        client.operator(ReferenceOperator.AFFINE_NUMBER, ReferenceOperator.AFFINE);
    }

    /** Returns true once the collective is prepared here. */
    boolean isReady() {
        return isReady;
    }

    /** Returns true once no round is in progress here: all are complete, or one has failed. */
    boolean isOver() {
        return isOver;
    }

    /** Returns the names of the algorithms that can carry out the call. */
    List<String> algorithms() {
        return algorithms;
    }

    int entered() {
        return entered;
    }

    int reported() {
        return reported;
    }

    long known() {
        return known;
    }

    long agreed() {
        return agreed;
    }

    private static long deadlineNs() {
        return Deadline.in(4, TimeUnit.SECONDS);
    }

    private static void pause() {
        final WaitingProgram program = WaitingProgram.current();
        if (program == null) {
            throw new IllegalStateException("not a thread of a program");
        }
        program.pause();
    }

    void run() {
        final Geometry world = Geometry.world(client, context, "all", deadlineNs());
        final Collective collective = world.prepare(job.scenario().placed(rank), deadlineNs());
        algorithms = world.algorithms(job.scenario().call().call(rank));
        isReady = true;
        while (!job.isReady()) {
            pause();
        }
        rounds(collective);
        isOver = true;
        while (context.failure(job.victim()) == null) {
            // The engine of this member serves others that are still in a round. The victim goes on until it dies.
            context.advance();
            pause();
        }
        final Geometry left = world.survivors(deadlineNs());
        for (int member = 0; member < left.size(); member++) {
            assertThat(left.rank(member)).isEqualTo(member < job.victim() ? member : member + 1);
        }
        assertThat(left.size()).isEqualTo(world.size() - 1);
        agreed = collective.completeAtAll(left, deadlineNs());
        known = KnownRounds.complete(collective);
        final DrawnCall call = job.scenario().call();
        // A queued round has the same result as the one before, but may be combining it when it fails.
        final boolean isLast = known == collective.round();
        if (known > 0 && (isLast || (job.scenario().isQueued() && call.elements() == null))) {
            require(call, collective, job.scenario().isQueued() ? 1 : known, rank);
        }
        goOn(left);
        collective.close();
        world.close();
        left.barrier(deadlineNs());
        left.close();
    }

    private void rounds(Collective collective) {
        try {
            if (job.scenario().isQueued()) {
                queued(collective);
            } else {
                started(collective);
            }
        } catch (final PeerFailedException e) {
            assertThat(e.rank()).as("%s", e).isEqualTo(job.victim());
            assertThat(e).hasMessageContaining("rank " + job.victim() + " has died");
            assertThat(job.isDead()).isTrue();
            // It may have failed in a round, or at the start of the next one.
            assertThat(collective.isComplete()).isEqualTo(collective.round() == reported);
        }
    }

    private void started(Collective collective) {
        for (int round = 1; round <= ROUNDS; round++) {
            write(collective, job.scenario().call(), round, rank);
            entered = round;
            begin(collective::start);
            await(collective, round);
        }
    }

    /** Carries out rounds with equal contributions, which the engine begins one after the other. */
    private void queued(Collective collective) {
        write(collective, job.scenario().call(), 1, rank);
        for (int round = 1; round <= ROUNDS; round++) {
            entered = round;
            begin(collective::queue);
        }
        await(collective, 1);
    }

    private void begin(LongSupplier start) {
        long status = start.getAsLong();
        while (status < 0) {
            context.advance();
            pause();
            status = start.getAsLong();
        }
        assertThat(status).isEqualTo(entered);
        pause();
    }

    /** Waits for the last round, which has the contributions of round {@code content}. */
    private void await(Collective collective, long content) {
        while (!collective.test()) {
            pause();
        }
        reported = entered;
        require(job.scenario().call(), collective, content, rank);
    }

    private static void write(Collective collective, DrawnCall call, long content, int self) {
        final byte[] contribution = CollectiveReference.contribution(call, content, self);
        if (contribution.length > 0) {
            collective.input().putBytes(0, contribution);
        }
    }

    /** Requires that the result of the last round is right at this member, that of contributions {@code content}. */
    private void require(DrawnCall call, Collective collective, long content, int self) {
        if (call.kind() == CollectiveKind.BARRIER) {
            job.requireEntered(collective.round());
            return;
        }
        final byte[] due = CollectiveReference.result(call, content, self);
        if (due.length > 0) {
            final String difference = OpenCollective.difference(collective.output(), due);
            assertThat(difference).as("%s at rank %d", collective, rank).isEmpty();
        }
    }

    /** Carries out the same collective, by the same algorithm if it can, in the geometry of the survivors. */
    private void goOn(Geometry left) {
        final DrawnCall call = job.scenario().among(left.size());
        final Call unplaced = call.call(left.self());
        final String algorithm = job.scenario().algorithm();
        final boolean isPossible = left.algorithms(unplaced).contains(algorithm);
        final Collective collective = left.prepare(isPossible ? unplaced.by(algorithm) : unplaced, deadlineNs());
        for (int round = 1; round <= FURTHER_ROUNDS; round++) {
            write(collective, call, round, left.self());
            collective.run(deadlineNs());
            if (call.kind() != CollectiveKind.BARRIER) {
                require(call, collective, round, left.self());
            }
        }
        collective.close();
    }
}
