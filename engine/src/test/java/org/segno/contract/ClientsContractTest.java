package org.segno.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.context.Loan;
import org.segno.memory.InjectionCounter;
import org.segno.operation.Message;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/** Contract of clients that are opened by name: messages reach them once a wait has found them. */
class ClientsContractTest {
    private static final int ID = 5;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);

    private static Client open(Client own, String name) {
        return open(own, name, 1);
    }

    private static Client open(Client own, String name, int contexts) {
        return ContextAccess.openClient(own, new ContextAccess.ClientRequest(name, contexts, 1, 1, 512, new int[0]));
    }

    private static void advance(ContractJob job, Context... contexts) {
        for (int turn = 0; turn < 100; turn++) {
            job.sender.advance();
            job.receiver.advance();
            for (final Context context : contexts) {
                context.advance();
            }
        }
    }

    private static long find(ContractJob job, Client from, Context to) {
        for (int turn = 0; turn < 100; turn++) {
            try {
                return from.endpoint(job.to, 0, Deadline.in(1, MILLISECONDS));
            } catch (final DeadlineException e) {
                advance(job, to);
            }
        }
        throw new AssertionError("the client was not found");
    }

    private void requireNotFound(ContractJob job, Client from) {
        final Message message = new Message().to(job.to, ID).payload(from.window(8), 0, 8);
        final Context context = from.context();
        for (final Runnable send : List.<Runnable>of(
                () -> context.send(message),
                () -> context.sendImmediate(message),
                () -> context.sendImmediate(job.to, ID, bytes, 0, 8),
                () -> context.loan().claim(message, 8))) {
            assertThatThrownBy(send::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("client \"alpha\" has not been found at rank " + job.to);
        }
    }

    @Behaviour(number = 125, value = "A message to a client is refused until a wait has found the client at the rank.")
    void shouldRefuseMessagesToAClientThatWasNotFound(ContractJob job) {
        final Client sending = open(job.sending(), "alpha");
        requireNotFound(job, sending);
        final Client receiving = open(job.receiving(), "alpha");
        final List<Long> received = ContractJob.noting(receiving.context(), ID);
        advance(job, sending.context(), receiving.context());
        requireNotFound(job, sending);

        find(job, sending, receiving.context());
        bytes.putLong(0, 7);
        sending.context().sendImmediate(job.to, ID, bytes, 0, 8);
        // Its own rank needs no wait.
        final List<Long> own = ContractJob.noting(sending.context(), ID);
        sending.context().sendImmediate(job.from, ID, bytes, 0, 8);
        advance(job, sending.context(), receiving.context());
        assertThat(received).containsExactly(7L);
        assertThat(own).containsExactly(7L);
    }

    @Behaviour(number = 131, value = "What any context sends to a client that was found, and closed since, is refused.")
    void shouldRefuseWhatAnyContextSendsToAClosedClient(ContractJob job) {
        final Client sending = open(job.sending(), "alpha", 2);
        final Client receiving = open(job.receiving(), "alpha");
        final Context other = sending.context(1);
        find(job, sending, receiving.context());
        receiving.close();
        advance(job, sending.context(), other);

        final InjectionCounter done = sending.injectionCounter();
        final Message message =
                new Message().to(job.to, ID).payload(sending.window(8), 0, 8).completes(done);
        final Loan loan = other.loan();
        done.expect(8);
        other.sendImmediate(job.to, ID, bytes, 0, 8);
        other.send(message);
        advance(job, sending.context(), other);
        requireStale(other, done);
        loan.claim(new Message().to(job.to, ID), 8);
        done.expect(8);
        loan.publish(done);
        advance(job, sending.context(), other);
        requireStale(other, done);
        assertThat(job.refusals(job.from, Refusal.STALE_CONTEXT)).isEqualTo(3);
    }

    private static void requireStale(Context context, InjectionCounter done) {
        assertThatThrownBy(() -> context.await(done, Deadline.in(1, MILLISECONDS)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(Refusal.STALE_CONTEXT.reason());
        done.reset();
    }
}
