package org.segno.engine.writer;

import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.Peer;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.LocalCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Operand;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Combine;
import org.segno.operation.Message;
import org.segno.operation.OperationAccess;
import org.segno.operation.Rmw;

/**
 * Encoder that writes whole descriptors into claimed slots. Its callers have checked all arguments. Used by one thread.
 */
public final class DescriptorWriter {
    private final Memory memory;

    public DescriptorWriter(Memory memory) {
        this.memory = memory;
    }

    /** Writes a PUT, without its ranges, that is reported to {@code counter}, if there is one. */
    public void put(long slot, Target target, Operand source, @Nullable InjectionCounter counter) {
        putWords(memory, slot, putHead(target, source), target(target), source(source, counter));
    }

    /** Writes a PUT whose bytes are in place. */
    public void inPlace(long slot, Target target, long targetOffset, long length) {
        head(slot, Operation.PUT, Descriptor.IN_PLACE | alternate(target), target.rank());
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET, Descriptor.counterTarget(target.counter(), target.incarnation()));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, 0);
        memory.putLong(
                slot + Descriptor.SOURCE_OPERAND_OFFSET,
                Descriptor.source(Descriptor.NO_WINDOW, Descriptor.NO_COUNTER));
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, targetOffset);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, length);
    }

    /**
     * Writes a SEND without metadata, of a payload that lies nowhere, to a context that does not accept it. The engine
     * refuses or skips it.
     */
    public void unsendable(long slot, int rank, int context, int dispatchId, long length) {
        head(slot, Operation.SEND, 0, rank);
        memory.putLong(slot + Descriptor.TARGET_OFFSET, Descriptor.messageTarget(dispatchId, context, 0, 0));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, 0);
        memory.putLong(
                slot + Descriptor.SOURCE_OPERAND_OFFSET,
                Descriptor.source(Descriptor.NO_WINDOW, Descriptor.NO_COUNTER));
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, length);
    }

    /**
     * Writes a PUT from a window into a slot of {@code memory}, without its ranges, that is reported to
     * {@code counter}, if there is one.
     */
    public static void put(Memory memory, long slot, Target target, Window source, @Nullable InjectionCounter counter) {
        putWords(memory, slot, putHead(target, source), target(target), source(source, counter));
    }

    /** Writes the words of a PUT that {@link #putHead}, {@link #target} and {@link #source} have computed. */
    public static void putWords(Memory memory, long slot, long head, long target, long source) {
        memory.putLong(slot, head);
        memory.putLong(slot + Descriptor.TARGET_OFFSET, target);
        memory.putLong(slot + Descriptor.SOURCE_OPERAND_OFFSET, source);
    }

    /** Writes the ranges of a PUT. */
    public void putRanges(long slot, long targetOffset, long sourceOffset, long length) {
        putRanges(memory, slot, targetOffset, sourceOffset, length);
    }

    /** Writes the ranges of a PUT into a slot of {@code memory}. */
    public static void putRanges(Memory memory, long slot, long targetOffset, long sourceOffset, long length) {
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, sourceOffset);
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, targetOffset);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, length);
    }

    /** Returns the first word of a PUT. */
    public static long putHead(Target target, Operand source) {
        return Descriptor.head(Operation.PUT, alternate(target) | sourceFlags(source), target.rank());
    }

    /** Returns the target word of a PUT. */
    public static long target(Target target) {
        return Descriptor.counterTarget(target.counter(), target.incarnation());
    }

    /** Returns the source word of a PUT. */
    public static long source(Operand source, @Nullable InjectionCounter counter) {
        return Descriptor.source(MemoryAccess.operand(source), id(counter));
    }

    private void source(long slot, Operand source) {
        memory.putLong(
                slot + Descriptor.SOURCE_OPERAND_OFFSET,
                Descriptor.source(MemoryAccess.operand(source), Descriptor.NO_COUNTER));
    }

    private static int sourceFlags(Operand source) {
        return MemoryAccess.operandFlags(source, Descriptor.SOURCE_COUNTER, Descriptor.ALTERNATE_SOURCE);
    }

    private static int flags(Operand payload, @Nullable Operand metadata) {
        return sourceFlags(payload)
                | (metadata == null
                        ? 0
                        : Descriptor.METADATA_WINDOW
                                | MemoryAccess.operandFlags(
                                        metadata, Descriptor.METADATA_COUNTER, Descriptor.ALTERNATE_METADATA));
    }

    /**
     * Turns a PUT into one that notifies a handler. {@code context} is the id of the handler's context.
     */
    public void notifies(long slot, int context, int dispatchId) {
        memory.putLong(slot, Descriptor.withFlags(memory.getLong(slot), Descriptor.NOTIFY));
        memory.putLong(slot + Descriptor.OPERAND_OFFSET, Descriptor.notice(dispatchId, context));
    }

    public void completes(long slot, @Nullable InjectionCounter counter) {
        memory.putInt(slot + Descriptor.INJECTION_COUNTER_OFFSET, id(counter));
    }

    public void get(long slot, Target source, long sourceOffset, long offset, long length) {
        head(slot, Operation.REMOTE_GET, alternate(source), source.rank());
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET, Descriptor.counterTarget(source.counter(), source.incarnation()));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, offset);
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, sourceOffset);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, length);
    }

    public void intoWindow(long slot, Window into, InjectionCounter counter) {
        memory.putLong(slot + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(into.id(), counter.id()));
        memory.putLong(slot + Descriptor.OPERAND_OFFSET, 0);
    }

    public void intoCounter(long slot, ReceptionCounter into, int flags, @Nullable InjectionCounter counter) {
        memory.putLong(slot, Descriptor.withFlags(memory.getLong(slot), Descriptor.INTO_COUNTER | flags));
        memory.putLong(slot + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(into.id(), id(counter)));
        memory.putLong(slot + Descriptor.OPERAND_OFFSET, into.incarnation());
    }

    public void rmw(long slot, Target target, long targetOffset, Rmw change) {
        final Window result = OperationAccess.result(change);
        head(slot, Operation.RMW, alternate(target), target.rank());
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET, Descriptor.counterTarget(target.counter(), target.incarnation()));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, OperationAccess.resultOffset(change));
        memory.putLong(
                slot + Descriptor.SOURCE_OPERAND_OFFSET,
                Descriptor.source(
                        result == null ? Descriptor.NO_WINDOW : result.id(),
                        id(OperationAccess.injectionCounter(change))));
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, targetOffset);
        memory.putLong(slot + Descriptor.OPERAND_OFFSET, OperationAccess.operand(change));
        memory.putLong(slot + Descriptor.COMPARAND_OFFSET, OperationAccess.comparand(change));
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, OperationAccess.function(change));
    }

    /**
     * Writes an immediate message of at most {@link Descriptor#MAX_IMMEDIATE_LENGTH} bytes to the context of an
     * {@link Endpoint}.
     */
    public void sendImmediate(long slot, long endpoint, int dispatchId, DirectBuffer buffer, int offset, int length) {
        head(slot, Operation.SEND, Descriptor.IMMEDIATE, Endpoint.task(endpoint));
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET,
                Descriptor.messageTarget(dispatchId, Endpoint.contextId(endpoint), 0, length));
        if (length == Long.BYTES) {
            memory.putLong(slot + Descriptor.INLINE_OFFSET, buffer.getLong(offset));
        } else {
            putBody(slot + Descriptor.INLINE_OFFSET, buffer, offset, length);
        }
    }

    /** Copies words as long as there are any, because the engine reads words: one stored in bytes would be late. */
    private void putBody(long body, DirectBuffer buffer, int offset, int length) {
        int done = 0;
        for (; done <= length - Long.BYTES; done += Long.BYTES) {
            memory.putLong(body + done, buffer.getLong(offset + done));
        }
        for (; done < length; done++) {
            memory.putByte(body + done, buffer.getByte(offset + done));
        }
    }

    /**
     * Writes an immediate message with its current bytes. It must have passed {@link Message#requireImmediate}.
     * {@code context} is the id of the target context.
     */
    public void sendImmediate(long slot, Message message, int context) {
        final Window payload = Objects.requireNonNull(OperationAccess.window(message));
        final Window metadata = (Window) OperationAccess.metadataOperand(message);
        final int metadataLength = OperationAccess.metadataLength(message);
        head(slot, Operation.SEND, Descriptor.IMMEDIATE, OperationAccess.rank(message));
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET,
                Descriptor.messageTarget(OperationAccess.dispatchId(message), context, metadataLength, (int)
                        OperationAccess.length(message)));
        if (metadata == null) {
            putMetadata(slot, message);
        } else {
            MemoryAccess.copyShortTo(
                    metadata,
                    OperationAccess.metadataOffset(message),
                    memory,
                    slot + Descriptor.INLINE_OFFSET,
                    metadataLength);
        }
        // Written after all 24 bytes of metadata, because it overwrites the unused ones.
        MemoryAccess.copyShortTo(
                payload,
                OperationAccess.offset(message),
                memory,
                slot + Descriptor.INLINE_OFFSET + metadataLength,
                (int) OperationAccess.length(message));
    }

    private void putMetadata(long slot, Message message) {
        for (int i = 0; i < Descriptor.MAX_INLINE_METADATA_LENGTH; i += Long.BYTES) {
            memory.putLong(
                    slot + Descriptor.INLINE_OFFSET + i,
                    OperationAccess.metadata(message).getLong(i));
        }
    }

    /**
     * Writes a message, which must have passed {@link Message#requireOf}. {@code context} is the id of the target
     * context.
     */
    public void send(long slot, Message message, int context) {
        final Operand payload = Objects.requireNonNull(OperationAccess.payload(message));
        final Operand metadata = OperationAccess.metadataOperand(message);
        head(slot, Operation.SEND, flags(payload, metadata), OperationAccess.rank(message));
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET,
                Descriptor.messageTarget(
                        OperationAccess.dispatchId(message), context, OperationAccess.metadataLength(message), 0));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, OperationAccess.offset(message));
        final InjectionCounter counter = OperationAccess.injectionCounter(message);
        memory.putLong(
                slot + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(MemoryAccess.operand(payload), id(counter)));
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, OperationAccess.length(message));
        if (metadata != null) {
            memory.putLong(slot + Descriptor.METADATA_OFFSET_OFFSET, OperationAccess.metadataOffset(message));
            memory.putInt(slot + Descriptor.METADATA_OPERAND_OFFSET, MemoryAccess.operand(metadata));
            return;
        }
        putMetadata(slot, message);
    }

    /**
     * Writes a message to several endpoints. The message must have passed {@link Message#requireOf}, and its metadata
     * must not be given by value.
     *
     * @param count number of endpoints, 1 to {@link Descriptor#MAX_TARGETS}, starting at {@code first}
     */
    public void multicast(long slot, Message message, long[] endpoints, int first, int count) {
        final Operand payload = Objects.requireNonNull(OperationAccess.payload(message));
        final Operand metadata = Objects.requireNonNull(OperationAccess.metadataOperand(message));
        final InjectionCounter counter = OperationAccess.injectionCounter(message);
        head(slot, Operation.MULTICAST, flags(payload, metadata), Endpoint.task(endpoints[first]));
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET,
                Descriptor.messageTarget(
                        OperationAccess.dispatchId(message),
                        Endpoint.contextId(endpoints[first]),
                        OperationAccess.metadataLength(message),
                        count));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, OperationAccess.offset(message));
        memory.putLong(
                slot + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(MemoryAccess.operand(payload), id(counter)));
        memory.putLong(slot + Descriptor.METADATA_OFFSET_OFFSET, OperationAccess.metadataOffset(message));
        memory.putLong(
                slot + Descriptor.METADATA_OPERAND_OFFSET,
                Descriptor.metadata(MemoryAccess.operand(metadata), (int) OperationAccess.length(message)));
        memory.putLong(slot + Descriptor.FURTHER_TARGETS_OFFSET, 0);
        memory.putLong(slot + Descriptor.FURTHER_TARGETS_OFFSET + Long.BYTES, 0);
        for (int i = 1; i < count; i++) {
            final long endpoint = endpoints[first + i];
            memory.putInt(
                    slot + Descriptor.further(i),
                    Descriptor.furtherTarget(Endpoint.task(endpoint), Endpoint.contextId(endpoint)));
        }
    }

    public void count(long slot, Target target, long amount) {
        head(slot, Operation.COUNT, alternate(target), target.rank());
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET, Descriptor.counterTarget(target.counter(), target.incarnation()));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, 0);
        memory.putLong(slot + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(0, Descriptor.NO_COUNTER));
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, amount);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, 0);
    }

    public void waitUntil(long slot, LocalCounter counter, long value) {
        final int flags = counter instanceof CounterPair
                ? Descriptor.ALTERNATE
                : counter instanceof InjectionCounter ? Descriptor.INJECTION : 0;
        head(slot, Operation.WAIT, flags, 0);
        memory.putLong(slot + Descriptor.TARGET_OFFSET, Descriptor.counterTarget(counter.id(), counter.incarnation()));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, 0);
        memory.putLong(slot + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(0, Descriptor.NO_COUNTER));
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, value);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, 0);
    }

    public void copy(long slot, Operand source, long sourceOffset, Operand target, long targetOffset, long length) {
        final int targetFlags = MemoryAccess.operandFlags(target, Descriptor.TARGET_COUNTER, Descriptor.ALTERNATE);
        head(slot, Operation.COPY, sourceFlags(source) | targetFlags, 0);
        memory.putLong(slot + Descriptor.TARGET_OFFSET, Descriptor.operandTarget(MemoryAccess.operand(target)));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, sourceOffset);
        source(slot, source);
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, targetOffset);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, length);
    }

    /** Writes a COMBINE, except for the range of its target. */
    public void combine(long slot, Operand source, long sourceOffset, Operand target, Combine how) {
        final Operand third = OperationAccess.third(how);
        final int targetFlags = MemoryAccess.operandFlags(target, Descriptor.TARGET_COUNTER, Descriptor.ALTERNATE);
        final int thirdFlags = third == null
                ? (OperationAccess.isReversed(how) ? Descriptor.REVERSED : 0)
                : Descriptor.THIRD
                        | MemoryAccess.operandFlags(third, Descriptor.THIRD_COUNTER, Descriptor.ALTERNATE_THIRD);
        head(slot, Operation.COMBINE, sourceFlags(source) | targetFlags | thirdFlags, 0);
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET,
                Descriptor.combineTarget(
                        MemoryAccess.operand(target), OperationAccess.type(how), OperationAccess.operator(how)));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, sourceOffset);
        memory.putLong(slot + Descriptor.SOURCE_OPERAND_OFFSET, source(source, OperationAccess.injectionCounter(how)));
        memory.putLong(slot + Descriptor.OPERAND_OFFSET, third == null ? 0 : OperationAccess.thirdOffset(how));
        memory.putLong(
                slot + Descriptor.COMPARAND_OFFSET,
                third == null ? 0 : Integer.toUnsignedLong(MemoryAccess.operand(third)));
    }

    /** Writes the range of the target of a COMBINE. */
    public void combineRange(long slot, long targetOffset, long length) {
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, targetOffset);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, length);
    }

    /** Checks that a rank has a context of this number. */
    public static void requireContext(Peer target, int context) {
        final int contexts = target.dimensions().contexts();
        if (context < 0 || context >= contexts) {
            throw new IllegalArgumentException(
                    "rank " + target.rank() + " has no such context, it has " + contexts + ": context=" + context);
        }
    }

    private static int id(@Nullable InjectionCounter counter) {
        return counter == null ? Descriptor.NO_COUNTER : counter.id();
    }

    private static int alternate(Target target) {
        return target.alternate() ? Descriptor.ALTERNATE : 0;
    }

    private void head(long slot, int operation, int flags, int rank) {
        memory.putLong(slot, Descriptor.head(operation, flags, rank));
    }
}
