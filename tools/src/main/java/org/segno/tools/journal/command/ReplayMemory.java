package org.segno.tools.journal.command;

import org.segno.context.Client;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.memory.Window;
import org.segno.status.SegnoException;

/**
 * Windows of one rank of a replayed journal, equal at all ranks. Each sender has a part of every receiver's window. If
 * what lands is checked, successive PUTs write one behind the other there, and those of patterns have places of their
 * own. Used by one thread.
 */
final class ReplayMemory {
    /** Least room for payloads on their way, and for PUTs one behind the other. */
    private static final long LEAST_ROOM = 1 << 18;

    private final int rank;
    private final boolean isVerified;
    private final boolean hasPayloads;

    /** Payloads of which the journal has nothing. */
    private final Window made;

    /** Payloads of the journal: those on their way, and behind them those of sections. */
    private final Window recorded;

    private final Window data;
    private final Window scratch;

    /** Copy of what this rank has put at another one, read back from there to be compared. */
    private final Window readBack;

    private final int partBytes;
    private final Room outgoing;
    private final Room sections;
    private final Room landing;
    private final Room landingOfSections;

    /** Range that is given away from its begin to its end. */
    private static final class Room {
        private final long begin;
        private final long length;
        private long used;

        Room(long begin, long length) {
            this.begin = begin;
            this.length = length;
        }

        boolean has(long bytes) {
            return bytes <= length - used;
        }

        long take(long bytes) {
            used += bytes;
            return begin + used - bytes;
        }

        void clear() {
            used = 0;
        }
    }

    /** Opens the windows of a rank. */
    ReplayMemory(Client client, int rank, int size, ReplaySizes sizes, boolean isVerified) {
        final long room = room(sizes);
        this.rank = rank;
        this.isVerified = isVerified;
        this.hasPayloads = sizes.hasPayloads();
        this.outgoing = new Room(0, room);
        this.sections = new Room(room, sizes.sections());
        this.landing = new Room(0, isVerified ? room : sizes.longest());
        this.landingOfSections = new Room(landing.length, isVerified ? sizes.sections() : 0);
        this.partBytes = partBytes(landing.length + landingOfSections.length);
        this.made = client.window(sizes.longest() + Descriptor.MAX_METADATA_LENGTH);
        this.recorded = hasPayloads ? client.window(room + sizes.sections()) : made;
        this.data = client.window((long) size * partBytes);
        this.scratch = client.window(sizes.longest());
        this.readBack = client.window(isVerified ? partBytes : sizes.longest());
        for (long i = 0; i < made.length(); i++) {
            made.putByte(i, ReplayPlace.made(rank, i));
        }
    }

    private static int partBytes(long bytes) {
        if (bytes > Integer.MAX_VALUE - Long.BYTES) {
            throw new SegnoException("the longest operations of the journal need " + bytes
                    + " bytes at each rank, more than a replay can check: replay without --verify");
        }
        return (int) bytes;
    }

    private static long room(ReplaySizes sizes) {
        return Math.max(LEAST_ROOM, 2 * (sizes.longest() + Descriptor.MAX_METADATA_LENGTH));
    }

    /** Returns the bytes that the windows need. */
    static long bytes(int size, ReplaySizes sizes) {
        final long each = room(sizes) + sizes.sections() + 2 * Descriptor.MAX_METADATA_LENGTH;
        return (size + 2L) * each + 3 * sizes.longest();
    }

    /** Returns the window in which PUTs land. */
    Window data() {
        return data;
    }

    /** Returns the window for what is fetched and copied. */
    Window scratch() {
        return scratch;
    }

    /** Returns the window into which a sender reads its part back. */
    Window readBack() {
        return readBack;
    }

    /** Returns the length of the part of one sender. */
    int partBytes() {
        return partBytes;
    }

    /** Returns the offset of the part of a sender. */
    long part(int sender) {
        return (long) sender * partBytes;
    }

    /** Returns the place for an operation that is made up. */
    ReplayPlace anyPlace() {
        return new ReplayPlace(made, 0, 0);
    }

    /**
     * Returns the place for an operation, with what it is to move.
     *
     * @param landed waits until everything that was sent has landed, and compares it; called before a range is used
     *     again
     */
    ReplayPlace place(RecordedOperation operation, RecordedContent content, Runnable landed) {
        final long targetOffset = isVerified && operation.code() == Operation.PUT
                ? take(landing, ReplaySizes.aligned(operation.bytes()), landed)
                : 0;
        if (content.payload() == null && content.metadata() == null) {
            return new ReplayPlace(made, 0, targetOffset);
        }
        final long offset = take(outgoing, ReplaySizes.room(operation), landed);
        final ReplayPlace place = new ReplayPlace(recorded, offset, targetOffset);
        fill(place, operation, content);
        return place;
    }

    private static long take(Room room, long bytes, Runnable landed) {
        if (!room.has(bytes)) {
            landed.run();
            room.clear();
        }
        return room.take(bytes);
    }

    /** Returns a new place for an operation of a section. */
    ReplayPlace placeInSection(RecordedOperation operation) {
        final long room = ReplaySizes.room(operation);
        return new ReplayPlace(
                recorded, hasPayloads ? sections.take(room) : 0, isVerified ? landingOfSections.take(room) : 0);
    }

    /** Writes what an operation is to move, if the journal has any payloads. */
    void fill(ReplayPlace place, RecordedOperation operation, RecordedContent content) {
        if (hasPayloads) {
            place.fill(operation, content, rank);
        }
    }
}
