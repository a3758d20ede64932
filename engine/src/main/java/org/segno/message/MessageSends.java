package org.segno.message;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.memory.Window;
import org.segno.operation.Hint;
import org.segno.operation.Message;
import org.segno.operation.MessageLimits;
import org.segno.operation.OperationAccess;
import org.segno.status.Status;

/**
 * Messages sent through one FIFO: those of the application through the context's own, or those of handlers through the
 * FIFO for replies. Selects the protocol of each. Used by one thread.
 *
 * <p>Requests and replies have separate objects, and thus separate room. A reply that waited for room of requests could
 * wait for a rank whose own replies wait for this one.
 */
final class MessageSends {
    private final Context context;
    private final MessageLimits limits;
    private final EagerSends eager;
    private final RendezvousSends announced;
    private final PendingCompletions pending;
    private final BooleanSupplier works;

    /**
     * Creates the sends through {@code fifo}.
     *
     * @param works ensures that completions run within the next advance; returns false if it cannot
     */
    MessageSends(
            Client client,
            Context context,
            FifoMetadata fifo,
            RendezvousSends announced,
            PendingCompletions pending,
            BooleanSupplier works) {
        this.context = context;
        this.limits = ContextAccess.limits(client);
        this.eager = new EagerSends(context, fifo);
        this.announced = announced;
        this.pending = pending;
        this.works = works;
    }

    /** Sends a message of any length; results and completions are those of {@link Messenger#send}. */
    long send(Message message, @Nullable Completion local, @Nullable Completion remote) {
        final Window payload = OperationAccess.window(message);
        if (payload == null || !goesByRendezvous(message)) {
            return isImmediate(message) ? sendImmediately(message, local, remote) : sendEagerly(message, local, remote);
        }
        requireNotRecorded();
        return works.getAsBoolean() ? announced.announce(message, payload, local, remote) : Status.BACK_PRESSURED;
    }

    private boolean goesByRendezvous(Message message) {
        final long length = message.length();
        if (length == 0 || OperationAccess.hint(message) == Hint.NO_COPY) {
            return length != 0;
        }
        final long longest = context.longestFor(message);
        if (OperationAccess.hint(message) == Hint.NO_RENDEZVOUS) {
            if (length > longest) {
                throw new IllegalArgumentException(
                        "without rendezvous the target's lane holds " + longest + " bytes in addition to the metadata:"
                                + " payload=" + length + "; omit Hint.NO_RENDEZVOUS"
                                + (ContextAccess.isReplying(context)
                                        ? ", or send the reply in parts"
                                        : ", send the message in parts, or raise NodeConfig.withLaneBudgetBytes at the"
                                                + " target"));
            }
            return false;
        }
        return length > longest
                || (length > limits.eagerBytes() - OperationAccess.metadataLength(message) && !isImmediate(message));
    }

    private boolean isImmediate(Message message) {
        return message.length() <= limits.immediateBytes() - OperationAccess.metadataLength(message)
                && OperationAccess.isFromWindows(message)
                && OperationAccess.injectionCounter(message) == null
                && !isRecorded();
    }

    private long sendImmediately(Message message, @Nullable Completion local, @Nullable Completion remote) {
        if (local == null && remote == null) {
            return context.sendImmediate(message);
        }
        if (!pending.hasRoom() || !eager.hasRoom() || !works.getAsBoolean()) {
            return Status.BACK_PRESSURED;
        }
        final long position = context.sendImmediate(message);
        if (position >= 0 && local != null) {
            pending.add(local, null);
        }
        if (position >= 0 && remote != null) {
            eager.add(position, message, null, remote);
        }
        return position;
    }

    private long sendEagerly(Message message, @Nullable Completion local, @Nullable Completion remote) {
        if (local == null && remote == null) {
            return context.send(message);
        }
        requireNotRecorded();
        if (!eager.hasRoom() || !works.getAsBoolean()) {
            return Status.BACK_PRESSURED;
        }
        final long position = context.send(message);
        if (position >= 0) {
            eager.add(position, message, local, remote);
        }
        return position;
    }

    /** Returns true if what is sent now is recorded. Sends of handlers never are. */
    private boolean isRecorded() {
        return context.isRecording() && !ContextAccess.isReplying(context);
    }

    private void requireNotRecorded() {
        if (isRecorded()) {
            throw Messenger.notReplayable();
        }
    }

    boolean isEmpty() {
        return eager.isEmpty() && announced.isEmpty();
    }

    /** Returns the number of messages sent so far that one record holds. */
    long sent() {
        return eager.added();
    }

    /** Completes the messages that have ended, and returns their number: without those sent after {@code sent}. */
    int poll(long sent) {
        final int ended = eager.isEmpty() ? 0 : eager.poll(sent);
        return announced.isEmpty() ? ended : ended + announced.poll();
    }
}
