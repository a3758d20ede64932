package org.segno.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.operation.Message;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Contract of clients that are opened by name: messages reach them once a wait has found them. */
final class ClientsContractTest {
    private static final int ID = 5;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);

    private static Client open(Client own, String name) {
        return ContextAccess.openClient(own, new ContextAccess.ClientRequest(name, 1, 1, 1, 512, new int[0]));
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
}
