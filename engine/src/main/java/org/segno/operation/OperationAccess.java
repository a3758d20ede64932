package org.segno.operation;

import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Operand;
import org.segno.memory.Window;

/** Functions of this package's types for the engine's own packages; not for applications. */
public final class OperationAccess {
    private OperationAccess() {}

    /** Returns the field {@code comparand}. */
    public static long comparand(Rmw change) {
        return change.comparand;
    }

    /** Returns the code of the type of elements. */
    public static int type(Combine combination) {
        return combination.type.code();
    }

    /** Returns the code of the operator in a descriptor. */
    public static int operator(Combine combination) {
        return combination.operator;
    }

    /** Returns the number of the user operator, below zero for an {@link org.segno.combine.Operator}. */
    public static int userOperator(Combine combination) {
        return combination.userOperator();
    }

    /** Returns true if the source is on the left of the operator, and the target on its right. */
    public static boolean isReversed(Combine combination) {
        return combination.isReversed;
    }

    /** Returns the third operand, or null. */
    public static @Nullable Operand third(Combine combination) {
        return combination.third;
    }

    /** Returns the offset of the elements in the third operand. */
    public static long thirdOffset(Combine combination) {
        return combination.thirdOffset;
    }

    /** Returns the counter that is counted down by the combined bytes, or null. */
    public static @Nullable InjectionCounter injectionCounter(Combine combination) {
        return combination.injectionCounter;
    }

    /** Checks the length of a range of elements, and that the third operand and the counter belong to a node. */
    public static void requireOf(Combine combination, NodeMemory node, long length) {
        combination.requireOf(node, length);
    }

    /** Returns the target context: its id if the target is an endpoint, otherwise its number within the client. */
    public static int context(Message message) {
        return message.context();
    }

    /** Returns the number of the handler's context within the client. */
    public static int context(Notification notification) {
        return notification.context();
    }

    /** Returns the dispatch id of the target's handler. */
    public static int dispatchId(Message message) {
        return message.dispatchId();
    }

    /** Returns the dispatch id of the handler. */
    public static int dispatchId(Notification notification) {
        return notification.dispatchId();
    }

    /** Returns the field {@code function}. */
    public static int function(Rmw change) {
        return change.function;
    }

    /** Returns the transport. */
    public static Hint hint(Message message) {
        return message.hint();
    }

    /** Returns the counter that is counted down by the bytes read, or null. */
    public static @Nullable InjectionCounter injectionCounter(Message message) {
        return message.injectionCounter();
    }

    /** Returns the field {@code injectionCounter}. */
    public static @Nullable InjectionCounter injectionCounter(Rmw change) {
        return change.injectionCounter;
    }

    /** Returns true if the payload or the metadata alternate with the round. */
    public static boolean isAlternating(Message message) {
        return message.isAlternating();
    }

    /** Sets or removes the counter of a message. */
    public static void completes(Message message, @Nullable InjectionCounter counter) {
        message.injectionCounter = counter;
    }

    /** Sets or removes the counter of a change. */
    public static void completes(Rmw change, @Nullable InjectionCounter counter) {
        change.injectionCounter = counter;
    }

    /** Returns true if the target is an {@link org.segno.geometry.Endpoint}. */
    public static boolean isToEndpoint(Message message) {
        return message.isToEndpoint();
    }

    /** Returns the field {@code length}. */
    public static long length(Message message) {
        return message.length;
    }

    /** Copies the target and the metadata of another message, and nothing else, and sets another dispatch id. */
    public static Message like(Message message, Message other, int dispatchId) {
        return message.like(other, dispatchId);
    }

    /**
     * Returns the limit of the payload, in bytes, that a record of the target's lanes, or for a reply of its reply
     * lanes, holds in addition to the metadata.
     */
    public static long longest(Message message, Peer target, boolean isReply) {
        return message.longest(target, isReply);
    }

    /** Returns the field {@code metadata}. */
    public static UnsafeBuffer metadata(Message message) {
        return message.metadata;
    }

    /** Returns the length of the metadata in bytes. */
    public static int metadataLength(Message message) {
        return message.metadataLength();
    }

    /** Returns the field {@code metadataOffset}. */
    public static long metadataOffset(Message message) {
        return message.metadataOffset;
    }

    /** Returns the field {@code metadataOperand}. */
    public static @Nullable Operand metadataOperand(Message message) {
        return message.metadataOperand;
    }

    /** Returns the offset of the payload in its operand. */
    public static long offset(Message message) {
        return message.offset();
    }

    /** Returns the field {@code operand}. */
    public static long operand(Rmw change) {
        return change.operand;
    }

    /** Returns true if an immediate send can copy the message: its metadata are short, and it lies in windows. */
    public static boolean isFromWindows(Message message) {
        return message.isFromWindows();
    }

    /** Returns the operand of the payload, or null until it is set. */
    public static @Nullable Operand payload(Message message) {
        return message.payload;
    }

    /** Returns the rank of the target. */
    public static int rank(Message message) {
        return message.rank();
    }

    /** Checks that the message fits in a record of the target's lanes; for a reply, of its reply lanes. */
    public static void requireFits(Message message, Peer target, boolean isReply) {
        message.requireFits(target, isReply);
    }

    /** Checks that the message fits in a descriptor, which has no room for a counter. */
    public static void requireImmediate(Message message, NodeMemory node) {
        message.requireImmediate(node);
    }

    /** Checks that the metadata lie in a window, because a multicast descriptor has no room for them. */
    public static void requireMetadataWindow(Message message) {
        message.requireMetadataWindow();
    }

    /** Checks that the message has a payload, and that its windows and its counter belong to a node. */
    public static void requireOf(Message message, NodeMemory node) {
        message.requireOf(node);
    }

    /** Checks that the result's window and the counter belong to a node. */
    public static void requireOf(Rmw change, NodeMemory node) {
        change.requireOf(node);
    }

    /** Returns the field {@code result}. */
    public static @Nullable Window result(Rmw change) {
        return change.result;
    }

    /** Returns the field {@code resultOffset}. */
    public static long resultOffset(Rmw change) {
        return change.resultOffset;
    }

    /** Returns the window of the payload, or null if it is unset or not a window. */
    public static @Nullable Window window(Message message) {
        return message.payload instanceof Window window ? window : null;
    }
}
