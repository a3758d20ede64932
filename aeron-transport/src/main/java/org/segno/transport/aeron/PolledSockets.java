package org.segno.transport.aeron;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.UdpTransportPoller;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.segno.status.SegnoException;

/**
 * List of the sockets of a poller of Aeron's driver, with one iterator for all loops over it. The pollers make such a
 * loop in each pass. They would allocate an iterator there wherever the JIT has not inlined the loop into the pass.
 * Used within turns of the driver, by one loop at a time.
 */
final class PolledSockets extends ArrayList<Object> {
    private static final long serialVersionUID = 1;

    /** Fields of the receiver's and the sender's poller that hold their sockets. */
    private static final List<String> FIELDS = List.of("channelAndTransports", "transports");

    private final transient Cursor cursor = new Cursor();

    PolledSockets(Collection<?> sockets) {
        super(sockets);
    }

    /**
     * Lets the pollers of a new driver use such lists. Returns that of the receiver.
     *
     * @throws SegnoException if this process hides their fields, or Aeron has others
     */
    static UdpTransportPoller useIn(MediaDriver driver) {
        try {
            useIn(poller(driver, "controlTransportPoller"));
            final UdpTransportPoller ofReceiver = poller(driver, "dataTransportPoller");
            useIn(ofReceiver);
            return ofReceiver;
        } catch (final ReflectiveOperationException | RuntimeException e) {
            throw new SegnoException(
                    "the sockets of Aeron's driver are hidden: " + e + "; use the version of Aeron that Segno names, on"
                            + " the class path, or open its packages io.aeron.driver and io.aeron.driver.media"
                            + " (--add-opens)",
                    e);
        }
    }

    private static UdpTransportPoller poller(MediaDriver driver, String name) throws ReflectiveOperationException {
        final Field field = MediaDriver.Context.class.getDeclaredField(name);
        field.setAccessible(true);
        return (UdpTransportPoller) field.get(driver.context());
    }

    private static void useIn(UdpTransportPoller poller) throws ReflectiveOperationException {
        for (final Field field : poller.getClass().getDeclaredFields()) {
            if (FIELDS.contains(field.getName())) {
                field.setAccessible(true);
                field.set(poller, new PolledSockets((Collection<?>) field.get(poller)));
                return;
            }
        }
        throw new NoSuchFieldException(poller.getClass() + " has none of " + FIELDS);
    }

    /** Returns the one iterator, at its beginning. A loop that is in progress begins again. */
    @Override
    public Iterator<Object> iterator() {
        cursor.next = 0;
        return cursor;
    }

    private final class Cursor implements Iterator<Object> {
        private int next;

        @Override
        public boolean hasNext() {
            return next < size();
        }

        @Override
        public Object next() {
            if (next >= size()) {
                throw new NoSuchElementException("sockets=" + size());
            }
            return get(next++);
        }
    }
}
