package org.segno.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.segno.contract.ContractJob.BYTES;

import java.util.ArrayList;
import java.util.List;
import org.segno.context.InjectionFifo;
import org.segno.memory.Closing;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.message.Completion;
import org.segno.message.Completions;
import org.segno.message.Messenger;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/** Contract of completion: what has completed is at its target. */
class CompletionContractTest {
    private static final int ID = 5;

    /** Turns in which everything completes, although the receiver advances only in some of them. */
    private static final int TURNS = 20_000;

    private final List<String> ends = new ArrayList<>();

    private Completion noting(String name) {
        return failure -> ends.add(
                failure == null ? name : name + ": " + failure.getClass().getSimpleName());
    }

    /** Advances the sender, and others only in every fifth turn. */
    private static void turn(ContractJob job, int turn) {
        job.sender.advance();
        if (turn % 5 == 4) {
            job.advanceOthers(job.from);
        }
    }

    @Behaviour(number = 41, value = "After a fence, everything injected before it is in place.")
    void shouldFindEverythingInPlaceAfterAFence(ContractJob job) {
        final InjectionFifo other = job.sender.injectionFifo();
        for (int round = 1; round <= 5; round++) {
            job.source.buffer().setMemory(0, BYTES, (byte) round);
            job.sender.put(job.in, 0, job.source, 0, 5000);
            other.put(job.in, 8192, job.source, 0, 700);
            job.pumping(job.from, job.sender::fence);
            ContractJob.requireAll(job.target, 0, 5000, round);
            ContractJob.requireAll(job.target, 8192, 8892, round);
        }
    }

    @Behaviour(number = 42, value = "A position is carried out, and a FIFO drained, only when its work has landed.")
    void shouldBeCarriedOutWhenLanded(ContractJob job) {
        for (int round = 1; round <= 5; round++) {
            job.source.buffer().setMemory(0, BYTES, (byte) round);
            job.sender.put(job.in, 0, job.source, 0, 3000);
            final long position = job.sender.put(job.in, 3000, job.source, 3000, 900);
            int turn = 0;
            while (!job.sender.isCarriedOut(position) && turn < TURNS) {
                turn(job, turn++);
            }
            assertThat(turn).isLessThan(TURNS);
            ContractJob.requireAll(job.target, 0, 3900, round);
            job.sender.count(job.in, 3900);
            while (!job.sender.isDrained() && turn < TURNS) {
                turn(job, turn++);
            }
            assertThat(job.counter.valueAcquire()).as("drained").isZero();
        }
    }

    @Behaviour(
            number = 43,
            value = "After the remote completion of a short message the loss of its sender does not lose it.")
    void shouldHaveAShortMessageAtItsTargetWhenCompleted(ContractJob job) {
        final Messenger from = Messenger.open(job.sending(), job.sender);
        final Messenger to = Messenger.open(job.receiving(), job.receiver);
        final List<Long> received = new ArrayList<>();
        to.handler(ID, message -> {
            received.add(message.length());
            return 0;
        });
        from.send(new Message().to(job.to, ID).payload(job.source, 0, 600), null, noting("remote"));
        for (int turn = 0; turn < TURNS && ends.isEmpty(); turn++) {
            job.sender.advance();
            if (turn % 50 == 49) {
                job.advanceOthers(job.from);
            }
        }
        assertThat(ends).containsExactly("remote");
        job.loses(job.from, job.to);
        for (int turn = 0; turn < 100; turn++) {
            job.receiver.advance();
        }
        assertThat(received).containsExactly(600L);
    }

    @Behaviour(number = 44, value = "Completions of PUT, RMW and GET come in order, each with its own failure.")
    void shouldCompleteInOrder(ContractJob job) {
        final Messenger messenger = Messenger.open(job.sending(), job.sender);
        final ReceptionCounter narrow = job.receiving().receptionCounter(job.target, 0, 64, job.to);
        final Target closed = ContractJob.target(job.to, narrow);
        job.source.buffer().putLong(0, 40);
        messenger.put(job.in, 8, job.source, 0, 8, new Completions().remote(noting("put")));
        messenger.rmw(job.in, 8, new Rmw().fetchAdd(2).result(job.source, 64), new Completions().remote(noting("rmw")));
        messenger.put(closed, 0, job.source, 0, 8, new Completions().remote(noting("refused")));
        messenger.get(job.in, 8, job.source, 128, 8, new Completions().remote(noting("get")));
        messenger.put(job.in, 0, job.source, 0, 0, new Completions().remote(noting("empty")));
        job.settle();

        assertThat(ends).containsExactly("put", "rmw", "refused: RefusedException", "get", "empty");
        assertThat(job.target.buffer().getLong(8)).isEqualTo(42);
        assertThat(job.source.buffer().getLong(64)).isEqualTo(40);
    }

    @Behaviour(number = 45, value = "A round is executed only when its bytes have landed.")
    void shouldBeExecutedWhenLanded(ContractJob job) {
        final Pattern pattern =
                job.sender.prepare(Rounds.ORDERED_BY_CALLER, () -> job.sender.put(job.in, 0, job.source, 0, 3000));
        for (int round = 1; round <= 5; round++) {
            job.source.buffer().setMemory(0, BYTES, (byte) round);
            assertThat(job.sender.replay(pattern)).isEqualTo(round);
            int turn = 0;
            while (pattern.executedAcquire() < round && turn < TURNS) {
                turn(job, turn++);
            }
            assertThat(turn).isLessThan(TURNS);
            ContractJob.requireAll(job.target, 0, 3000, round);
        }
    }

    @Behaviour(number = 46, value = "A source that is overwritten when its counter has completed does no harm.")
    void shouldReleaseTheSource(ContractJob job) {
        for (int round = 1; round <= 5; round++) {
            job.source.buffer().setMemory(0, BYTES, (byte) round);
            job.done.expect(3000);
            job.sender.put(job.in, 0, job.source, 0, 3000, job.done);
            int turn = 0;
            while (job.done.valueAcquire() > 0 && turn < TURNS) {
                turn(job, turn++);
            }
            job.source.buffer().setMemory(0, BYTES, (byte) 99);
            job.settle();
            ContractJob.requireAll(job.target, 0, 3000, round);
        }
    }

    @Behaviour(number = 48, value = "A window that is closed with work in flight stays until the work is carried out.")
    void shouldCloseAWindowBehindItsWork(ContractJob job) {
        final Window own = job.sending().window(4096);
        own.buffer().setMemory(0, 4096, (byte) 7);
        job.sender.put(job.in, 0, own, 0, 4096);
        final Closing closing = job.sending().close(own);
        assertThat(closing.isDone()).isFalse();
        assertThatThrownBy(() -> job.sender.put(job.in, 0, own, 0, 8)).isInstanceOf(IllegalStateException.class);
        for (int turn = 0; turn < TURNS && !closing.isDone(); turn++) {
            turn(job, turn);
        }
        assertThat(closing.isDone()).isTrue();
        job.settle();
        ContractJob.requireAll(job.target, 0, 4096, 7);
    }

    @Behaviour(number = 69, value = "A messenger carries messages of every length whole and in order, both ways.")
    void shouldCarryMessagesOfEveryLength(ContractJob job) {
        final Messenger[] both = {
            Messenger.open(job.sending(), job.sender), Messenger.open(job.receiving(), job.receiver)
        };
        final Window[] places = {job.sending().window(5000), job.receiving().window(5000)};
        final Window second = job.receiving().window(5000);
        second.buffer().putBytes(0, job.source.buffer(), 0, 5000);
        final Window[] sources = {job.source, second};
        final int[] ranks = {job.from, job.to};
        final List<List<Long>> received = List.of(new ArrayList<>(), new ArrayList<>());
        for (int side = 0; side < 2; side++) {
            final int at = side;
            both[side].handler(ID, message -> {
                final long length = message.length();
                if (message.isLong()) {
                    return message.into(places[at], 0, failure -> {
                        assertThat(failure).isNull();
                        ContractJob.requireCopied(places[at], 0, 0, (int) length);
                        received.get(at).add(length);
                    });
                }
                received.get(at).add(length);
                return 0;
            });
        }
        final List<Long> sent = List.of(0L, 8L, 24L, 25L, 900L, 1016L, 1017L, 2000L, 5000L);
        for (final long length : sent) {
            for (int side = 0; side < 2; side++) {
                both[side].send(
                        new Message().to(ranks[1 - side], ID).payload(sources[side], 0, length),
                        noting("local"),
                        noting("remote"));
            }
            job.settle();
        }
        assertThat(received.get(0)).isEqualTo(sent);
        assertThat(received.get(1)).isEqualTo(sent);
        assertThat(ends).filteredOn("local"::equals).hasSize(2 * sent.size());
        assertThat(ends).filteredOn("remote"::equals).hasSize(2 * sent.size());
    }

    @Behaviour(number = 70, value = "Floods of long messages in both directions end, each message received once.")
    void shouldEndFloodsOfLongMessages(ContractJob job) {
        final int count = 60;
        final Messenger[] both = {
            Messenger.open(job.sending(), job.sender), Messenger.open(job.receiving(), job.receiver)
        };
        final Window[] places = {job.sending().window(2000), job.receiving().window(2000)};
        final Window[] sources = {job.source, job.receiving().window(2000)};
        final int[] ranks = {job.from, job.to};
        final int[] landed = {0, 0};
        for (int side = 0; side < 2; side++) {
            final int at = side;
            both[side].handler(ID, message -> message.into(places[at], 0, failure -> landed[at]++));
        }
        final int[] sent = {0, 0};
        for (int turn = 0; turn < TURNS && landed[0] + landed[1] < 2 * count; turn++) {
            final int side = turn & 1;
            while (sent[side] < count
                    && both[side].send(new Message().to(ranks[1 - side], ID).payload(sources[side], 0, 2000)) >= 0) {
                sent[side]++;
            }
            job.context(ranks[side]).advance();
        }
        job.settle();
        assertThat(landed).containsExactly(count, count);
    }

    @Behaviour(number = 71, value = "A declined message, and one to a rank without messenger, fail at their sender.")
    void shouldFailAMessageThatIsNotTaken(ContractJob job) {
        final Messenger from = Messenger.open(job.sending(), job.sender);
        final Messenger to = Messenger.open(job.receiving(), job.receiver);
        final List<Long> tokens = new ArrayList<>();
        to.handler(ID, message -> {
            tokens.add(message.defer());
            return 0;
        });
        from.send(new Message().to(job.to, ID).payload(job.source, 0, 5000), null, noting("declined"));
        job.settle();
        assertThat(ends).isEmpty();
        to.decline(tokens.get(0));
        job.settle();
        assertThat(ends).containsExactly("declined: RefusedException");
        from.send(new Message().to(3, ID).payload(job.source, 0, 5000), null, noting("nobody"));
        job.settle();
        assertThat(ends).hasSize(2).last().asString().startsWith("nobody: ");
    }

    @Behaviour(number = 92, value = "A context receives although the other context of its node does not advance.")
    void shouldReceiveBesideAContextThatDoesNotAdvance(ContractJob job) {
        final List<Long> received = ContractJob.noting(job.receiving().context(1), ID);
        final long endpoint = job.receiving().context(1).endpoint();
        for (int i = 0; i < 100; i++) {
            while (job.sender.sendImmediate(endpoint, ID, job.source.buffer(), 0, 8) == Status.BACK_PRESSURED) {
                job.sender.advance();
                job.receiving().context(1).advance();
            }
        }
        for (int turn = 0; turn < 1000; turn++) {
            job.sender.advance();
            job.receiving().context(1).advance();
        }
        assertThat(received).hasSize(100);
    }
}
