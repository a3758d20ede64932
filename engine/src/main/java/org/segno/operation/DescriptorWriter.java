package org.segno.operation;

import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.counter.CounterPair;
import org.segno.counter.InjectionCounter;
import org.segno.counter.LocalCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.descriptor.Descriptor;
import org.segno.descriptor.Operation;
import org.segno.geometry.Endpoint;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;
import org.segno.memory.Window;

/**
 * Encoder that writes whole descriptors into claimed slots. Its callers have checked all arguments. Used by one thread.
 */
public final class DescriptorWriter {
    private final Memory memory;

    public DescriptorWriter(Memory memory) {
        this.memory = memory;
    }

    public void put(long slot, Target target, long targetOffset, Window source, long sourceOffset, long length) {
        head(slot, Operation.PUT, alternate(target), target.rank());
        memory.putLong(slot + Descriptor.TARGET_OFFSET, Descriptor.pair(target.counter(), target.incarnation()));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, sourceOffset);
        memory.putLong(slot + Descriptor.SOURCE_WINDOW_OFFSET, Descriptor.pair(source.id(), Descriptor.NO_COUNTER));
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, targetOffset);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, length);
    }

    /**
     * Turns a PUT into one that notifies a handler. {@code context} is the node-wide number of the handler's context.
     */
    public void notifies(long slot, int context, int dispatchId) {
        memory.putLong(slot, memory.getLong(slot) | Descriptor.head(0, Descriptor.NOTIFY, 0));
        memory.putLong(slot + Descriptor.OPERAND_OFFSET, dispatchId | (long) context << 16);
    }

    public void completes(long slot, @Nullable InjectionCounter counter) {
        memory.putInt(
                slot + Descriptor.INJECTION_COUNTER_OFFSET, counter == null ? Descriptor.NO_COUNTER : counter.id());
    }

    public void get(long slot, Target source, long sourceOffset, long offset, long length) {
        head(slot, Operation.REMOTE_GET, alternate(source), source.rank());
        memory.putLong(slot + Descriptor.TARGET_OFFSET, Descriptor.pair(source.counter(), source.incarnation()));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, offset);
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, sourceOffset);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, length);
    }

    public void intoWindow(long slot, Window into, InjectionCounter counter) {
        memory.putLong(slot + Descriptor.SOURCE_WINDOW_OFFSET, Descriptor.pair(into.id(), counter.id()));
        memory.putLong(slot + Descriptor.OPERAND_OFFSET, 0);
    }

    public void intoCounter(long slot, ReceptionCounter into, int flags, @Nullable InjectionCounter counter) {
        final long head = memory.getLong(slot);
        memory.putLong(slot, head | Descriptor.head(0, Descriptor.INTO_COUNTER | flags, 0));
        memory.putLong(slot + Descriptor.SOURCE_WINDOW_OFFSET, into.id() & 0xFFFF_FFFFL);
        completes(slot, counter);
        memory.putLong(slot + Descriptor.OPERAND_OFFSET, into.incarnation());
    }

    public void rmw(long slot, Target target, long targetOffset, Rmw change) {
        final Window result = change.result;
        head(slot, Operation.RMW, alternate(target), target.rank());
        memory.putLong(slot + Descriptor.TARGET_OFFSET, Descriptor.pair(target.counter(), target.incarnation()));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, change.resultOffset);
        memory.putLong(slot + Descriptor.SOURCE_WINDOW_OFFSET, result == null ? Descriptor.NO_WINDOW : result.id());
        completes(slot, change.injectionCounter);
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, targetOffset);
        memory.putLong(slot + Descriptor.OPERAND_OFFSET, change.operand);
        memory.putLong(slot + Descriptor.COMPARAND_OFFSET, change.comparand);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, change.function);
    }

    /**
     * Writes an immediate message of at most {@link Descriptor#MAX_IMMEDIATE_LENGTH} bytes to the context of an
     * {@link Endpoint}.
     */
    public void sendImmediate(long slot, long endpoint, int dispatchId, DirectBuffer buffer, int offset, int length) {
        head(slot, Operation.SEND, Descriptor.IMMEDIATE, Endpoint.task(endpoint));
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET,
                dispatchId | (long) Endpoint.context(endpoint) << 16 | (long) length << 40);
        if (length == Long.BYTES) {
            memory.putLong(slot + Descriptor.INLINE_OFFSET, buffer.getLong(offset));
            return;
        }
        for (int i = 0; i < length; i++) {
            memory.putByte(slot + Descriptor.INLINE_OFFSET + i, buffer.getByte(offset + i));
        }
    }

    /**
     * Writes an immediate message with its current bytes. It must have passed {@link Message#requireImmediate}.
     * {@code context} is the node-wide number of the target context.
     */
    public void sendImmediate(long slot, Message message, int context) {
        final Window payload = Objects.requireNonNull(message.window);
        final Window metadata = message.metadataWindow;
        final int metadataLength = message.metadataLength;
        head(slot, Operation.SEND, Descriptor.IMMEDIATE, message.rank);
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET,
                message.dispatchId | (long) context << 16 | (long) metadataLength << 32 | message.length << 40);
        if (metadata == null) {
            putMetadata(slot, message);
        } else {
            metadata.copyShortTo(message.metadataOffset, memory, slot + Descriptor.INLINE_OFFSET, metadataLength);
        }
        // Written after all 24 bytes of metadata, because it overwrites the unused ones.
        payload.copyShortTo(
                message.offset, memory, slot + Descriptor.INLINE_OFFSET + metadataLength, (int) message.length);
    }

    private void putMetadata(long slot, Message message) {
        for (int i = 0; i < Descriptor.MAX_METADATA_LENGTH; i += Long.BYTES) {
            memory.putLong(slot + Descriptor.INLINE_OFFSET + i, message.metadata.getLong(i));
        }
    }

    /**
     * Writes a message, which must have passed {@link Message#requireOf}. {@code context} is the node-wide number of
     * the target context.
     */
    public void send(long slot, Message message, int context) {
        final Window payload = Objects.requireNonNull(message.window);
        final Window metadata = message.metadataWindow;
        head(slot, Operation.SEND, metadata == null ? 0 : Descriptor.METADATA_WINDOW, message.rank);
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET,
                message.dispatchId | (long) context << 16 | (long) message.metadataLength << 32);
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, message.offset);
        final InjectionCounter counter = message.injectionCounter;
        memory.putLong(
                slot + Descriptor.SOURCE_WINDOW_OFFSET,
                Descriptor.pair(payload.id(), counter == null ? Descriptor.NO_COUNTER : counter.id()));
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, message.length);
        if (metadata != null) {
            memory.putLong(slot + Descriptor.METADATA_OFFSET_OFFSET, message.metadataOffset);
            memory.putInt(slot + Descriptor.METADATA_WINDOW_OFFSET, metadata.id());
            return;
        }
        putMetadata(slot, message);
    }

    /**
     * Writes a message to several endpoints. The message must have passed {@link Message#requireOf}, and its metadata
     * must lie in a window.
     *
     * @param count number of endpoints, 1 to {@link Descriptor#MAX_TARGETS}, starting at {@code first}
     */
    public void multicast(long slot, Message message, long[] endpoints, int first, int count) {
        final Window payload = Objects.requireNonNull(message.window);
        final Window metadata = Objects.requireNonNull(message.metadataWindow);
        final InjectionCounter counter = message.injectionCounter;
        head(slot, Operation.MULTICAST, Descriptor.METADATA_WINDOW, Endpoint.task(endpoints[first]));
        memory.putLong(
                slot + Descriptor.TARGET_OFFSET,
                message.dispatchId
                        | (long) Endpoint.context(endpoints[first]) << 16
                        | (long) message.metadataLength << 32
                        | (long) count << 40);
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, message.offset);
        memory.putLong(
                slot + Descriptor.SOURCE_WINDOW_OFFSET,
                Descriptor.pair(payload.id(), counter == null ? Descriptor.NO_COUNTER : counter.id()));
        memory.putLong(slot + Descriptor.METADATA_OFFSET_OFFSET, message.metadataOffset);
        memory.putLong(slot + Descriptor.METADATA_WINDOW_OFFSET, Descriptor.pair(metadata.id(), (int) message.length));
        memory.putLong(slot + Descriptor.FURTHER_TARGETS_OFFSET, 0);
        memory.putLong(slot + Descriptor.FURTHER_TARGETS_OFFSET + Long.BYTES, 0);
        for (int i = 1; i < count; i++) {
            final long endpoint = endpoints[first + i];
            memory.putInt(
                    slot + Descriptor.further(i), Endpoint.task(endpoint) | Endpoint.context(endpoint) << Short.SIZE);
        }
    }

    public void count(long slot, Target target, long amount) {
        head(slot, Operation.COUNT, alternate(target), target.rank());
        memory.putLong(slot + Descriptor.TARGET_OFFSET, Descriptor.pair(target.counter(), target.incarnation()));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, 0);
        memory.putLong(slot + Descriptor.SOURCE_WINDOW_OFFSET, Descriptor.pair(0, Descriptor.NO_COUNTER));
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, amount);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, 0);
    }

    public void waitUntil(long slot, LocalCounter counter, long value) {
        final int flags = counter instanceof CounterPair
                ? Descriptor.ALTERNATE
                : counter instanceof InjectionCounter ? Descriptor.INJECTION : 0;
        head(slot, Operation.WAIT, flags, 0);
        memory.putLong(slot + Descriptor.TARGET_OFFSET, Descriptor.pair(counter.id(), counter.incarnation()));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, 0);
        memory.putLong(slot + Descriptor.SOURCE_WINDOW_OFFSET, Descriptor.pair(0, Descriptor.NO_COUNTER));
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, value);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, 0);
    }

    public void copy(long slot, Window source, long sourceOffset, Window target, long targetOffset, long length) {
        head(slot, Operation.COPY, 0, 0);
        memory.putLong(slot + Descriptor.TARGET_OFFSET, Descriptor.pair(target.id(), 0));
        memory.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, sourceOffset);
        memory.putLong(slot + Descriptor.SOURCE_WINDOW_OFFSET, Descriptor.pair(source.id(), Descriptor.NO_COUNTER));
        memory.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, targetOffset);
        memory.putLong(slot + Descriptor.LENGTH_OFFSET, length);
    }

    /** Checks that a rank has a context of this number. */
    public static void requireContext(NodeMemory target, int context) {
        final int contexts = target.layout().dimensions().contexts();
        if (context < 0 || context >= contexts) {
            throw new IllegalArgumentException(
                    "rank " + target.rank() + " has no such context, it has " + contexts + ": context=" + context);
        }
    }

    private static int alternate(Target target) {
        return target.alternate() ? Descriptor.ALTERNATE : 0;
    }

    private void head(long slot, int operation, int flags, int rank) {
        memory.putLong(slot, Descriptor.head(operation, flags, rank));
    }
}
