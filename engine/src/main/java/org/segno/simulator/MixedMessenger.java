package org.segno.simulator;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.memory.Target;
import org.segno.message.Completion;
import org.segno.message.Completions;
import org.segno.message.Messenger;
import org.segno.message.ReceivedMessage;
import org.segno.operation.Message;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/**
 * Messages and PUTs through a messenger in the mixed workload: immediate, eager and by rendezvous. Each completion runs
 * exactly once.
 */
final class MixedMessenger implements MixedPart {
    private static final int MESSAGE = 8;
    private static final int DECLINED = 9;
    private static final String DECLINED_TEXT = "a message that is declined";
    private static final int LONGEST = MixedLayout.SOURCE_BYTES;

    private final MixedParts parts;
    private final int rank;
    private final Messenger messenger;
    private final List<Target> targets;
    private final Message message = new Message();
    private final Completions completions = new Completions();

    private final MixedLandings landings;

    /** True for sources in use. */
    private final boolean[] sources = new boolean[MixedLayout.MESSENGER_SOURCES];

    private int open;

    MixedMessenger(MixedParts parts, List<Target> targets) {
        this.parts = parts;
        this.rank = parts.rank();
        this.targets = targets;
        this.messenger = Messenger.open(parts.node().client(), parts.context());
        this.landings = new MixedLandings(parts, messenger);
        messenger.handler(MESSAGE, this::onMessage);
        messenger.handler(DECLINED, this::onDeclined);
    }

    /** Returns true if nothing is in progress, neither from here nor to here. */
    @Override
    public boolean isIdle() {
        acceptDeferred();
        return landings.isIdle() && open == 0;
    }

    /** Accepts messages that were deferred: their senders may wait for that. */
    void acceptDeferred() {
        landings.acceptDeferred();
    }

    /** Draws a message to a peer. It is attempted until it is accepted. */
    BooleanSupplier send(int peer) {
        final int length = parts.random().nextInt(4) == 0
                ? parts.random().nextInt(Math.min(MixedLayout.FIELD_BYTES, parts.longest() + 1))
                : parts.random().nextInt(parts.atMost(LONGEST) + 1);
        return () -> {
            final int source = MixedLayout.free(sources);
            if (source < 0) {
                return false;
            }
            final long number = parts.writeFields(peer, Ledger.MESSENGER, length);
            final long from = parts.layout().messengerSource(source);
            ExpectedBytes.write(parts.window(), from, ExpectedBytes.ofMessage(rank, number), length);
            message.to(peer, MESSAGE)
                    .metadata(parts.fields(), 0, MixedLayout.FIELD_BYTES)
                    .payload(parts.window(), from, length);
            final Ending local = new Ending(peer, "a message", source, -1);
            if (messenger.send(message, local, new Ending(peer, "a message", -1, number)) < 0) {
                return false;
            }
            parts.ledger().sent(rank, peer, Ledger.MESSENGER);
            sources[source] = true;
            open += 2;
            return true;
        };
    }

    /**
     * Draws a long message that its receiver declines, unless all must be shorter. It is attempted until it is
     * accepted.
     */
    BooleanSupplier sendDeclined(int peer) {
        final int length = LONGEST;
        if (parts.longest() < length) {
            return () -> true;
        }
        return () -> {
            final int source = MixedLayout.free(sources);
            if (source < 0) {
                return false;
            }
            parts.writeFields(peer, Ledger.DECLINED, length);
            message.to(peer, DECLINED)
                    .metadata(parts.fields(), 0, MixedLayout.FIELD_BYTES)
                    .payload(parts.window(), parts.layout().messengerSource(source), length);
            final Ending local = new Ending(peer, DECLINED_TEXT, source, -1);
            if (messenger.send(message, local, new Ending(peer, DECLINED_TEXT, -1, -1)) < 0) {
                return false;
            }
            parts.ledger().sent(rank, peer, Ledger.DECLINED);
            sources[source] = true;
            open += 2;
            return true;
        };
    }

    /** Draws a PUT to a peer. It is attempted until it is accepted. */
    BooleanSupplier put(int peer, int slot) {
        final int length = parts.random().nextInt(1, Math.min(MixedLayout.SLOT_BYTES, parts.longest() + 1));
        final int first = parts.random().nextInt(256);
        return () -> {
            final int source = MixedLayout.free(sources);
            if (source < 0) {
                return false;
            }
            final long from = parts.layout().messengerSource(source);
            ExpectedBytes.write(parts.window(), from, first, length);
            final PutEnding remote = new PutEnding(peer, slot, length);
            completions.local(new Ending(peer, "a put", source, -1)).remote(remote);
            if (messenger.put(targets.get(peer), parts.slot(slot), parts.window(), from, length, completions) < 0) {
                return false;
            }
            remote.put = parts.put(peer, slot, parts.window(), from, length);
            sources[source] = true;
            open += 2;
            return true;
        };
    }

    /** Completion of an operation, local with the source that is free then, or remote with the number of a message. */
    private class Ending implements Completion {
        private final int peer;
        private final String what;
        private final int source;
        private final long number;
        private boolean hasRun;

        Ending(int peer, String what, int source, long number) {
            this.peer = peer;
            this.what = what;
            this.source = source;
            this.number = number;
        }

        @Override
        public void onComplete(@Nullable SegnoException failure) {
            parts.ledger().checked();
            if (hasRun) {
                parts.ledger().defect("rank " + rank + " completed " + what + " at rank " + peer + " twice");
                return;
            }
            hasRun = true;
            open--;
            if (source >= 0) {
                sources[source] = false;
            }
            if (what.equals(DECLINED_TEXT)) {
                checkDeclined(failure);
            } else if (failure != null) {
                parts.ledger().failed(rank, peer, what + ": " + failure.getMessage());
            } else {
                succeeded();
            }
        }

        void succeeded() {
            if (number >= 0) {
                parts.ledger().confirmed(rank, peer, Ledger.MESSENGER, number + 1);
            }
        }

        private void checkDeclined(@Nullable SegnoException failure) {
            final boolean isRefusal = failure instanceof RefusedException refused
                    && refused.rank() == peer
                    && failure.toString().contains(Refusal.DECLINED.reason());
            if (!isRefusal) {
                parts.ledger().failed(rank, peer, what + ": " + failure);
            }
        }
    }

    /** Remote completion of a PUT to a slot. */
    private final class PutEnding extends Ending {
        private final int peer;
        private final int slot;
        private final int length;

        /** Number of the PUT, which is known once it is accepted. */
        private long put;

        PutEnding(int peer, int slot, int length) {
            super(peer, "a put", -1, -1);
            this.peer = peer;
            this.slot = slot;
            this.length = length;
        }

        @Override
        void succeeded() {
            parts.ledger().checkPut(rank, peer, slot, put, length);
        }
    }

    private long onMessage(ReceivedMessage received) {
        final int from = received.rank();
        final long number = received.metadataLong(0);
        final int length = (int) received.metadataLong(Long.BYTES);
        if (received.length() != length) {
            parts.ledger()
                    .defect("rank " + rank + " received " + received.length() + " of " + length + " bytes of message "
                            + number + " of rank " + from);
            return 0;
        }
        if (received.isLong()) {
            final long status = landings.receive(received, number, length);
            if (status < 0) {
                return status;
            }
        } else if (parts.payload()
                        .mismatch(
                                received.buffer(),
                                received.payloadOffset(),
                                ExpectedBytes.ofMessage(from, number),
                                length)
                >= 0) {
            parts.ledger().defect("rank " + rank + " received message " + number + " of rank " + from + " damaged");
        }
        parts.ledger().received(from, rank, Ledger.MESSENGER, number);
        return 0;
    }

    /** Declines a long message before any of its bytes are fetched. */
    private long onDeclined(ReceivedMessage received) {
        parts.ledger().received(received.rank(), rank, Ledger.DECLINED, received.metadataLong(0));
        return 0;
    }
}
