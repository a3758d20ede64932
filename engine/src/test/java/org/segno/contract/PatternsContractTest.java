package org.segno.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.segno.context.Context;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.JointPattern;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/** Contract of patterns: recording, replay, WAIT, rounds, and what is made of them. */
class PatternsContractTest {
    private static final int ID = 5;

    @Behaviour(number = 49, value = "A recorded PUT and SEND arrive in each of 50 rounds, with the bytes of the round.")
    void shouldReplayFiftyRounds(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiver, ID);
        final Pattern pattern = job.sender.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            job.sender.put(job.in, 0, job.source, 0, 2000);
            job.sender.send(new Message().to(job.to, ID).payload(job.source, 0, 16));
        });
        for (long round = 1; round <= 50; round++) {
            job.source.buffer().putLong(0, round);
            job.counter.expect(2000);
            assertThat(job.sender.replay(pattern)).isEqualTo(round);
            job.settle();
            job.sender.await(pattern, round, job.deadline());
            assertThat(job.counter.valueAcquire()).isZero();
            assertThat(job.target.buffer().getLong(0)).isEqualTo(round);
            assertThat(received).hasSize((int) round).last().isEqualTo(round);
        }
    }

    /** Closes a counter of the receiver, and awaits that it is quiet. */
    private static void close(ContractJob job, ReceptionCounter counter) {
        final Closing closing = job.receiving().close(counter);
        for (int turn = 0; turn < 100 && !closing.isDone(); turn++) {
            job.settle();
        }
        assertThat(closing.isDone()).isTrue();
    }

    @Behaviour(number = 50, value = "A round whose PUT is refused as stale fails its wait, and later replays throw.")
    void shouldFailARoundWithAStalePut(ContractJob job) {
        final ReceptionCounter inbox = job.inbox(0, 64);
        final Target to = ContractJob.target(job.to, inbox);
        final Pattern pattern =
                job.sender.prepare(Rounds.ORDERED_BY_CALLER, () -> job.sender.put(to, 0, job.source, 0, 8));
        job.sender.replay(pattern);
        job.settle();
        job.sender.await(pattern, 1, job.deadline());
        close(job, inbox);
        job.sender.replay(pattern);
        job.settle();

        assertThatThrownBy(() -> job.sender.await(pattern, 2, job.deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("rank " + job.to);
        assertThatThrownBy(() -> job.sender.replay(pattern)).isInstanceOf(SegnoException.class);
    }

    @Behaviour(number = 52, value = "A WAIT holds its run until its counter is hit, and later runs pass it.")
    void shouldLetLaterRunsPassAWait(ContractJob job) {
        final ReceptionCounter gate = job.sending().receptionCounter(job.source, 0, 0);
        final Target open = ContractJob.target(job.from, gate);
        final Pattern waiting = job.sender.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            job.sender.put(job.in, 0, job.source, 0, 8);
            job.sender.waitUntil(gate, 0);
            job.sender.put(job.in, 8, job.source, 8, 8);
        });
        final Pattern passing =
                job.sender.prepare(Rounds.ORDERED_BY_CALLER, () -> job.sender.put(job.in, 16, job.source, 16, 8));
        gate.expect(1);
        job.sender.replay(waiting);
        job.settle();
        assertThat(job.counter.valueAcquire()).as("before the wait").isEqualTo(-8);
        assertThat(job.sender.replay(waiting)).isEqualTo(Status.BUSY);
        job.sender.replay(passing);
        job.settle();
        assertThat(job.counter.valueAcquire()).as("the later run").isEqualTo(-16);
        job.receiver.count(open, -1);
        job.settle();
        job.sender.await(waiting, 1, job.deadline());
        assertThat(job.counter.valueAcquire()).isEqualTo(-24);
        ContractJob.requireCopied(job.target, 0, 0, 24);
    }

    @Behaviour(number = 53, value = "Two ranks that replay patterns with WAITs in opposite orders do not lock up.")
    void shouldReplayInOppositeOrders(ContractJob job) {
        final int count = 12;
        final int[] ranks = {job.from, job.to};
        final List<List<Pattern>> patterns = List.of(new ArrayList<>(), new ArrayList<>());
        final List<List<CounterPair>> came = List.of(new ArrayList<>(), new ArrayList<>());
        for (int side = 0; side < 2; side++) {
            final Window window = job.client(ranks[side]).window(64);
            for (int id = 0; id < count; id++) {
                came.get(side).add(job.client(ranks[side]).counterPair(window, 0, 8, 0));
            }
        }
        for (int id = 0; id < count; id++) {
            for (int side = 0; side < 2; side++) {
                final Context context = job.context(ranks[side]);
                final CounterPair own = came.get(side).get(id);
                final Target peer =
                        ContractJob.target(ranks[1 - side], came.get(1 - side).get(id));
                final boolean replies = side == 0;
                patterns.get(side).add(context.prepare(Rounds.ALTERNATE, () -> {
                    context.expect(own, 1);
                    if (replies) {
                        context.waitUntil(own, 0);
                    }
                    context.count(peer, -1);
                    if (!replies) {
                        context.waitUntil(own, 0);
                    }
                }));
            }
        }
        for (long round = 1; round <= 20; round++) {
            for (int id = 0; id < count; id++) {
                assertThat(job.context(ranks[0]).replay(patterns.get(0).get(id)))
                        .isEqualTo(round);
                assertThat(job.context(ranks[1]).replay(patterns.get(1).get(count - 1 - id)))
                        .isEqualTo(round);
                job.context(ranks[0]).advance();
                job.context(ranks[1]).advance();
            }
            job.settle();
            for (int id = 0; id < count; id++) {
                assertThat(patterns.get(0).get(id).isComplete()).isTrue();
                assertThat(patterns.get(1).get(id).isComplete()).isTrue();
            }
        }
    }

    @Behaviour(
            number = 54,
            value = "64 runs may be held at WAITs; the next that waits is back-pressured, and continues.")
    void shouldHoldSixtyFourRuns(ContractJob job) {
        final ReceptionCounter gate = job.sending().receptionCounter(job.source, 0, 0);
        final List<Pattern> patterns = new ArrayList<>();
        for (int id = 0; id <= FifoMetadata.MAX_HELD_RUNS; id++) {
            final int at = 8 * id;
            patterns.add(job.sender.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                job.sender.waitUntil(gate, 0);
                job.sender.put(job.in, at, job.source, at, 8);
            }));
        }
        gate.expect(1);
        for (int id = 0; id < FifoMetadata.MAX_HELD_RUNS; id++) {
            assertThat(job.sender.replay(patterns.get(id))).isEqualTo(1);
            job.settle();
        }
        final Pattern last = patterns.get(FifoMetadata.MAX_HELD_RUNS);
        assertThat(job.sender.replay(last)).isEqualTo(Status.BACK_PRESSURED);
        job.receiver.count(ContractJob.target(job.from, gate), -1);
        job.settle();
        assertThat(job.sender.replay(last)).isEqualTo(1);
        job.settle();
        ContractJob.requireCopied(job.target, 0, 0, 8 * FifoMetadata.MAX_HELD_RUNS + 8);
    }

    @Behaviour(
            number = 152,
            value = "64 runs that have sent may be held at WAITs; one that sends passes them, and all go on.")
    void shouldPassSixtyFourRunsThatHaveSent(ContractJob job) {
        final ReceptionCounter gate = job.sending().receptionCounter(job.source, 0, 0);
        final List<Pattern> held = new ArrayList<>();
        for (int id = 0; id < FifoMetadata.MAX_HELD_RUNS; id++) {
            final int at = 8 * id;
            held.add(job.sender.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                job.sender.put(job.in, at, job.source, at, 8);
                job.sender.waitUntil(gate, 0);
                job.sender.put(job.in, at, job.source, at, 8);
            }));
        }
        final int behind = 8 * FifoMetadata.MAX_HELD_RUNS;
        final Pattern passing = job.sender.prepare(
                Rounds.ORDERED_BY_CALLER, () -> job.sender.put(job.in, behind, job.source, behind, 8));
        gate.expect(1);
        for (final Pattern pattern : held) {
            assertThat(job.sender.replay(pattern)).isEqualTo(1);
            job.settle();
        }
        assertThat(job.sender.replay(passing)).isEqualTo(1);
        job.settle();
        assertThat(passing.isComplete()).isTrue();
        job.receiver.count(ContractJob.target(job.from, gate), -1);
        job.settle();
        assertThat(held).allMatch(Pattern::isComplete);
    }

    @Behaviour(number = 55, value = "Credits by COUNT keep a one-way flow at most one round ahead of its receiver.")
    void shouldKeepAFlowBehindItsReceiver(ContractJob job) {
        final CounterPair credits = job.sending().counterPair(job.source, 0, 0, 0);
        final CounterPair slots = job.receiving().counterPair(job.target, 0, 8, 8);
        final Target toCredits = ContractJob.target(job.from, credits);
        final Target toSlots = ContractJob.target(job.to, slots);
        final Pattern flow = job.sender.prepare(Rounds.ALTERNATE, () -> {
            job.sender.expect(credits, 1);
            job.sender.waitUntil(credits, 0);
            job.sender.put(toSlots, 0, job.source, 0, 8);
        });
        final Pattern opening = job.receiver.prepare(Rounds.ALTERNATE, () -> {
            job.receiver.expect(slots, 8);
            job.receiver.count(toCredits, -1);
        });
        long sent = 0;
        for (long round = 1; round <= 100; round++) {
            job.receiver.replay(opening);
            for (int turn = 0; turn < 20; turn++) {
                if (sent < round && (sent == 0 || flow.isComplete())) {
                    job.source.buffer().putLong(0, ++sent);
                    assertThat(job.sender.replay(flow)).isEqualTo(sent);
                }
                job.sender.advance();
                job.receiver.advance();
            }
            job.settle();
            job.receiver.await(opening, round, job.deadline());
            assertThat(job.target.buffer().getLong((int) slots.offset(round))).isEqualTo(round);
        }
    }

    @Behaviour(number = 56, value = "A queued round begins when its predecessor is carried out, not before.")
    void shouldBeginAQueuedRoundBehindItsPredecessor(ContractJob job) {
        final CounterPair gate = job.sending().counterPair(job.source, 0, 8, 0);
        final Target toGate = ContractJob.target(job.from, gate);
        final CounterPair inbox = job.receiving().counterPair(job.target, 0, 8, 8);
        final Target to = ContractJob.target(job.to, inbox);
        final Pattern pattern = job.sender.prepare(Rounds.ALTERNATE, () -> {
            job.sender.expect(gate, 1);
            job.sender.waitUntil(gate, 0);
            job.sender.put(to, 0, job.source, 0, 8);
        });
        assertThat(job.sender.queue(pattern)).isEqualTo(1);
        assertThat(job.sender.queue(pattern)).isEqualTo(2);
        assertThat(job.sender.queue(pattern)).isEqualTo(Status.BUSY);
        job.settle();
        // The count for round 2 arrives first: it must not let round 1 pass.
        job.receiver.count(toGate.ofRound(2), -1);
        job.settle();
        assertThat(inbox.counter(2).valueAcquire()).isZero();
        job.receiver.count(toGate.ofRound(1), -1);
        job.settle();
        assertThat(inbox.counter(1).valueAcquire()).isEqualTo(-8);
        assertThat(inbox.counter(2).valueAcquire()).isEqualTo(-8);
        assertThat(pattern.isComplete()).isTrue();
    }

    @Behaviour(number = 57, value = "A joint pattern of two contexts completes when the sections of both have.")
    void shouldReplayAJointPattern(ContractJob job) {
        final CounterPair there = job.receiving().counterPair(job.target, 0, 16, 16);
        final Target to = ContractJob.target(job.to, there);
        final Context second = job.sending().context(1);
        final JointPattern joint = JointPattern.record(
                7,
                Rounds.ALTERNATE,
                () -> {
                    job.sender.put(to, 0, job.source, 0, 8);
                    second.put(to, 8, job.source, 8, 8);
                },
                job.sender,
                second);
        for (long round = 2; round <= 10; round++) {
            job.settle();
            assertThat(joint.isComplete()).isTrue();
            assertThat(joint.replay()).isEqualTo(round);
        }
        job.settle();
        assertThat(there.counter(0).valueAcquire()).isEqualTo(-80);
        assertThat(there.counter(1).valueAcquire()).isEqualTo(-80);
        ContractJob.requireCopied(job.target, 0, 0, 32 - 16);
    }

    @Behaviour(number = 58, value = "Rounds of an all-to-all exchange whose ranks drift never mix.", all = true)
    void shouldNotMixDriftingRounds(ContractJob job) {
        final int ranks = ContractJob.RANKS;
        final List<CounterPair> inboxes = new ArrayList<>();
        final List<Window> windows = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            windows.add(job.client(rank).window(1024));
            inboxes.add(job.client(rank).counterPair(windows.get(rank), 0, 64, 64));
        }
        final List<Pattern> patterns = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            final int own = rank;
            final Context context = job.context(rank);
            patterns.add(context.prepare(Rounds.ALTERNATE, () -> {
                context.expect(inboxes.get(own), 8L * (ranks - 1));
                for (int peer = 0; peer < ranks; peer++) {
                    if (peer != own) {
                        context.put(ContractJob.target(peer, inboxes.get(peer)), 8L * own, windows.get(own), 512, 8);
                    }
                }
            }));
        }
        final Random chance = new Random(5);
        final long[] rounds = new long[ranks];
        for (int turn = 0; turn < 20_000; turn++) {
            final int rank = chance.nextInt(ranks);
            final Pattern pattern = patterns.get(rank);
            if (rounds[rank] < 60 && (rounds[rank] == 0 || pattern.isComplete())) {
                requireRound(windows.get(rank), inboxes.get(rank), rank, rounds[rank]);
                windows.get(rank).buffer().putLong(512, ++rounds[rank] * 10 + rank);
                assertThat(job.context(rank).replay(pattern)).isEqualTo(rounds[rank]);
            }
            job.context(rank).advance();
        }
        job.settle();
        assertThat(rounds).containsOnly(60);
        for (int rank = 0; rank < ranks; rank++) {
            assertThat(patterns.get(rank).isComplete()).isTrue();
            requireRound(windows.get(rank), inboxes.get(rank), rank, 60);
        }
    }

    private static void requireRound(Window window, CounterPair inbox, int own, long round) {
        for (int peer = 0; round > 0 && peer < ContractJob.RANKS; peer++) {
            if (peer != own) {
                assertThat(window.buffer().getLong((int) inbox.offset(round) + 8 * peer))
                        .as("round %d of rank %d from %d", round, own, peer)
                        .isEqualTo(round * 10 + peer);
            }
        }
    }

    @Behaviour(
            number = 59,
            value = "A pattern forwards what has landed in the same round, over several ranks.",
            all = true)
    void shouldForwardWhatHasLanded(ContractJob job) {
        final List<CounterPair> inboxes = new ArrayList<>();
        final List<Window> windows = new ArrayList<>();
        for (int rank = 0; rank < ContractJob.RANKS; rank++) {
            windows.add(job.client(rank).window(256));
            inboxes.add(job.client(rank).counterPair(windows.get(rank), 0, 64, 64));
        }
        final List<Pattern> patterns = new ArrayList<>();
        for (int rank = 1; rank < ContractJob.RANKS; rank++) {
            final Context context = job.context(rank);
            final CounterPair inbox = inboxes.get(rank);
            final int next = (rank + 1) % ContractJob.RANKS;
            final Target to = ContractJob.target(next, inboxes.get(next));
            patterns.add(context.prepare(Rounds.ALTERNATE, () -> {
                context.expect(inbox, 8);
                context.waitUntil(inbox, 0);
                context.put(to, 0, inbox, 0, 8);
            }));
        }
        final Target first = ContractJob.target(1, inboxes.get(1));
        for (long round = 1; round <= 30; round++) {
            inboxes.get(0).counter(round).expect(8);
            for (int rank = 1; rank < ContractJob.RANKS; rank++) {
                assertThat(job.context(rank).replay(patterns.get(rank - 1))).isEqualTo(round);
            }
            job.settle();
            windows.get(0).buffer().putLong(200, round);
            job.context(0).put(first.ofRound(round), 0, windows.get(0), 200, 8);
            job.settle();
            assertThat(inboxes.get(0).counter(round).valueAcquire()).isZero();
            assertThat(windows.get(0).buffer().getLong((int) inboxes.get(0).offset(round)))
                    .isEqualTo(round);
        }
    }
}
