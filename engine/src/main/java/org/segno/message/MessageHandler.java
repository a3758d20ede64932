package org.segno.message;

import org.segno.status.Status;

/**
 * Handler for the messages of one dispatch id, on the thread that advances the context. It processes a short message in
 * place and selects the location at which a long one lands, or treats both alike:
 *
 * <pre>{@code
 * messenger.handler(7, message -> message.into(window, 0, landed));
 * }</pre>
 *
 * <p>A handler does not block and does not advance the context. Handlers are called in the order of sending for all
 * messages of one sender.
 *
 * <p>A handler may defer a long message ({@link ReceivedMessage#defer}), so that later messages of its sender do not
 * wait until there is a location for it.
 *
 * <p>A handler may reply to the origin of its message, with a message of any length, by {@link Messenger#send}. As a
 * {@link org.segno.operation.ReplyingHandler} it may also send through its context. A handler of a reply may not send.
 * Requests and replies of both ranks can therefore not wait for each other, as long as the handlers of replies have
 * room: one that returns {@link Status#AGAIN} holds all replies of that rank.
 */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Handles a message. A long message that is neither given a location ({@link ReceivedMessage#into}) nor deferred is
     * declined; its sender is notified of a failure. An exception also declines it, regardless of the location, and is
     * thrown by {@code advance}, once. A short message counts as handled then.
     *
     * @param message valid until this returns; the same object is used for all messages of the messenger
     * @return zero or more when the message is handled; below zero, as {@link Status#AGAIN} or the result of a call
     *     that found no room, to receive it again in a later {@code advance}; until then only the lane of its sender
     *     waits
     */
    long onMessage(ReceivedMessage message);
}
