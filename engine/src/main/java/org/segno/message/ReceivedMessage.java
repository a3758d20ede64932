package org.segno.message;

import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.status.Status;

/**
 * Message that a {@link MessageHandler} receives. One object serves all messages of a messenger: it is valid until the
 * handler returns, and every call after that throws an {@link IllegalStateException}.
 *
 * <p>The payload of a <em>short</em> message is here, behind the metadata in {@link #buffer}. Of a <em>long</em>
 * message only the metadata and the length are here; the payload is still at the sender, and {@link #into} has it
 * fetched. The buffer is the reception lane itself. Its contents, which a peer writes, must not be trusted.
 */
public final class ReceivedMessage {
    private final LandingPlace place;
    private final DeferredMessages deferred;
    private final BooleanSupplier canComplete;
    private @Nullable DirectBuffer lane;
    private long origin;
    private int dispatchId;
    private int metadataOffset;
    private int metadataLength;
    private long length;
    private boolean isLong;
    private long token;

    /**
     * Creates the message of a messenger of {@code client}.
     *
     * @param canComplete returns true if a completion can be added that the next advance runs
     */
    ReceivedMessage(Client client, DeferredMessages deferred, BooleanSupplier canComplete) {
        this.place = new LandingPlace(client);
        this.deferred = deferred;
        this.canComplete = canComplete;
    }

    /** Sets the message to a short one, whose payload follows its metadata. */
    void beginShort(long from, int id, DirectBuffer buffer, int metadata, int metadataBytes, int payloadBytes) {
        begin(from, id, buffer, metadata, metadataBytes);
        length = payloadBytes;
        isLong = false;
    }

    /** Sets the message to an announced one. */
    void beginLong(long from, int id, DirectBuffer buffer, int metadata, int metadataBytes, long payloadBytes) {
        begin(from, id, buffer, metadata, metadataBytes);
        length = payloadBytes;
        isLong = true;
    }

    private void begin(long from, int id, DirectBuffer buffer, int metadata, int metadataBytes) {
        origin = from;
        dispatchId = id;
        lane = buffer;
        metadataOffset = metadata;
        metadataLength = metadataBytes;
        token = 0;
        place.clear();
    }

    /** Ends the validity of the message. */
    void end() {
        lane = null;
    }

    /** Returns true while a handler processes a message. */
    boolean isOpen() {
        return lane != null;
    }

    /** Returns the location that the handler has set. */
    LandingPlace place() {
        return place;
    }

    /** Returns the token under which the handler has deferred the message, or zero. */
    long token() {
        return token;
    }

    /** Returns the endpoint of the context that sent the message, see {@link Endpoint}. */
    public long origin() {
        requireOpen();
        return origin;
    }

    /** Returns the rank that sent the message. */
    public int rank() {
        requireOpen();
        return Endpoint.task(origin);
    }

    /** Returns the dispatch id to which the message was sent. */
    public int dispatchId() {
        requireOpen();
        return dispatchId;
    }

    /** Returns true if the message is long: its payload is still at the sender. */
    public boolean isLong() {
        requireOpen();
        return isLong;
    }

    /** Returns the length of the payload in bytes, of short and long messages. */
    public long length() {
        requireOpen();
        return length;
    }

    /** Returns the buffer with the metadata and, of a short message, the payload, in the machine's byte order. */
    public DirectBuffer buffer() {
        return requireOpen();
    }

    /** Returns the offset of the metadata in {@link #buffer}. */
    public int metadataOffset() {
        requireOpen();
        return metadataOffset;
    }

    /** Returns the length of the metadata, 0 to 128 bytes. */
    public int metadataLength() {
        requireOpen();
        return metadataLength;
    }

    /**
     * Returns the 32-bit number at {@code offset} of the metadata.
     *
     * @throws IllegalArgumentException if the metadata end before
     */
    public int metadataInt(int offset) {
        return requireOpen().getInt(metadataAt(offset, Integer.BYTES));
    }

    /**
     * Returns the 64-bit number at {@code offset} of the metadata.
     *
     * @throws IllegalArgumentException if the metadata end before
     */
    public long metadataLong(int offset) {
        return requireOpen().getLong(metadataAt(offset, Long.BYTES));
    }

    /**
     * Returns the offset of the payload in {@link #buffer}.
     *
     * @throws IllegalStateException if the message is long
     */
    public int payloadOffset() {
        requireOpen();
        if (isLong) {
            throw new IllegalStateException("the payload of " + length + " bytes is still at rank "
                    + Endpoint.task(origin) + ": have it fetched with into(window, offset, landed), and read it there"
                    + " when landed runs");
        }
        return metadataOffset + metadataLength;
    }

    /**
     * Returns the 32-bit number at {@code offset} of the payload.
     *
     * @throws IllegalArgumentException if the payload ends before
     * @throws IllegalStateException if the message is long
     */
    public int payloadInt(int offset) {
        return requireOpen().getInt(payloadAt(offset, Integer.BYTES));
    }

    /**
     * Returns the 64-bit number at {@code offset} of the payload.
     *
     * @throws IllegalArgumentException if the payload ends before
     * @throws IllegalStateException if the message is long
     */
    public long payloadLong(int offset) {
        return requireOpen().getLong(payloadAt(offset, Long.BYTES));
    }

    private int metadataAt(int offset, int bytes) {
        if (offset < 0 || offset > metadataLength - bytes) {
            throw outside("metadata", offset, bytes, metadataLength);
        }
        return metadataOffset + offset;
    }

    private int payloadAt(int offset, int bytes) {
        final int payload = payloadOffset();
        if (offset < 0 || offset > length - bytes) {
            throw outside("payload", offset, bytes, length);
        }
        return payload + offset;
    }

    private IllegalArgumentException outside(String what, int offset, int bytes, long end) {
        return new IllegalArgumentException(what + " range [" + offset + ", " + offset + " + " + bytes
                + ") lies outside the " + end + " bytes of a message for dispatch id " + dispatchId + " of rank "
                + Endpoint.task(origin));
    }

    /**
     * Lets the payload land in {@code window} at {@code offset}. A long message is fetched after the handler has
     * returned; until {@code landed} has run, nothing else may write to that range, and the window must remain open. A
     * short message is copied by this call. {@code landed} runs in a later {@code advance}, with null or the failure.
     * It does not run if the handler returns below zero or throws: the message then has no location.
     *
     * @return zero, or {@link Status#AGAIN} while there is no room for the completion of a short message; the handler
     *     returns that
     * @throws IllegalArgumentException if the message does not fit there, or the window belongs to another node
     * @throws IllegalStateException if the window is closed, or the handler has deferred the message
     */
    public long into(Window window, long offset, Completion landed) {
        final DirectBuffer buffer = requireOpen();
        if (token != 0) {
            throw new IllegalStateException("the message is deferred already: pass its token to Messenger.accept after"
                    + " the handler has returned, or call into alone");
        }
        if (place.isSet()) {
            throw new IllegalStateException("the message has a location already: call into once for each message");
        }
        if (!isLong && !canComplete.getAsBoolean()) {
            return Status.AGAIN;
        }
        place.set(window, offset, length, landed);
        if (!isLong) {
            window.putBytes(offset, buffer, payloadOffset(), (int) length);
        }
        return 0;
    }

    /**
     * Defers a long message for which there is no location yet, so that later messages of its sender do not wait for
     * it. The handler returns the result. If that is a token, above zero, {@link Messenger#accept} or
     * {@link Messenger#decline} decides later, and only the announcement is kept: the handler copies what it needs of
     * the metadata, the length and the origin. The message keeps one of its sender's slots and its payload until then.
     *
     * <p>A result below zero means that the message is received again: the limit of deferred messages is reached
     * ({@code NodeConfig.withDeferredMessages}). Nothing is deferred if the handler returns below zero or throws; the
     * token is then invalid.
     *
     * @return the token, or {@link Status#AGAIN}
     * @throws IllegalStateException if the handler has called {@link #into}, or the message is short
     */
    public long defer() {
        requireOpen();
        if (place.isSet()) {
            throw new IllegalStateException("the message has a location already: call either into or defer");
        }
        if (token == 0) {
            if (!isLong) {
                throw new IllegalStateException("a short message cannot be deferred, because its payload is here: read"
                        + " it, copy it by into, or return Status.AGAIN to receive it again; isLong tells them apart");
            }
            if (!deferred.hasRoom()) {
                return Status.AGAIN;
            }
            token = deferred.nextToken(Endpoint.task(origin));
        }
        return token;
    }

    private DirectBuffer requireOpen() {
        final DirectBuffer open = lane;
        if (open == null) {
            throw new IllegalStateException("a received message is valid only until its handler returns:"
                    + " copy what is needed later, or let the payload land in a window");
        }
        return open;
    }

    @Override
    public String toString() {
        return lane == null
                ? "no message"
                : (isLong ? "long" : "short") + " message of " + length + " bytes for dispatch id " + dispatchId
                        + " from rank " + Endpoint.task(origin);
    }
}
