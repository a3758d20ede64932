package org.segno.transport.aeron;

import io.aeron.driver.status.SystemCounterDescriptor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

/**
 * Counts of all links of a process since its start. They lie in the counters file of Aeron's driver, so that tools read
 * them while the process runs.
 */
public final class DriverCounts {
    /** Name of the file in the directory of a driver. */
    public static final String FILE = "cnc.dat";

    /** Names of the directories of drivers in that of their job, as a pattern for files. */
    public static final String DIRECTORIES = "aeron-*";

    static final String DIRECTORY_PREFIX = "aeron-";

    /** Aeron's type of these counters. The key of each is empty; its label is its name. */
    private static final int TYPE_ID = 7_301;

    private static final String REFUSED = "refused";

    private final CountersManager manager;
    private final AtomicCounter links;
    private final AtomicCounter datagramsSent;
    private final AtomicCounter datagramsReceived;
    private final AtomicCounter backPressured;
    private final Map<DatagramRefusal, AtomicCounter> refused = new EnumMap<>(DatagramRefusal.class);

    /** Creates the counters of a driver, before its first pass. */
    DriverCounts(CountersManager manager) {
        this.manager = manager;
        links = manager.newCounter("links", TYPE_ID);
        datagramsSent = manager.newCounter("datagramsSent", TYPE_ID);
        datagramsReceived = manager.newCounter("datagramsReceived", TYPE_ID);
        backPressured = manager.newCounter("backPressured", TYPE_ID);
        for (final DatagramRefusal reason : DatagramRefusal.values()) {
            refused.put(reason, manager.newCounter(nameOf(reason), TYPE_ID));
        }
    }

    private static String nameOf(DatagramRefusal reason) {
        final String word = reason.name();
        return REFUSED + word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT);
    }

    /** Returns the number of counters that the driver can have. */
    int limit() {
        return manager.maxCounterId() + 1;
    }

    /** Makes the counter of a link, within a turn of the driver. */
    LinkCounter ofLink(AeronEnd end, LinkAccess incoming, AeronAddress address) {
        return LinkCounter.make(manager, end, incoming, address);
    }

    /** Sets the number of open links. */
    void links(int count) {
        links.setRelease(count);
    }

    /** Counts a datagram that leaves. Called within turns of the driver, as the next method is. */
    void sent() {
        datagramsSent.incrementRelease();
    }

    /** Returns the number of datagrams that were received and not dropped. */
    long datagramsReceived() {
        return datagramsReceived.getPlain();
    }

    /** Counts a datagram that was received and not dropped. */
    void received() {
        datagramsReceived.incrementRelease();
    }

    /** Counts a frame that had no room. Any engine's thread. */
    void backPressured() {
        backPressured.increment();
    }

    /** Counts a datagram that was dropped. */
    void refused(DatagramRefusal reason) {
        Objects.requireNonNull(refused.get(reason)).increment();
    }

    /** Returns the number of datagrams that were dropped for a reason. */
    long refusals(DatagramRefusal reason) {
        return Objects.requireNonNull(refused.get(reason)).get();
    }

    /** Returns the names of all counts, in the order of {@link #read}. */
    public static List<String> names() {
        final List<String> names = new ArrayList<>(List.of("links", "bytesSent", "bytesReceived", "datagramsSent"));
        names.addAll(List.of("datagramsReceived", "backPressured", "retransmitted", "lossReported"));
        for (final DatagramRefusal reason : DatagramRefusal.values()) {
            names.add(nameOf(reason));
        }
        return names;
    }

    /**
     * Reads the counts of a running process by their names: open links; bytes and datagrams of both directions; frames
     * without room; datagrams sent again; losses reported to peers; dropped datagrams by reason.
     *
     * @param file of the driver's directory, which may have been deleted since it was opened
     * @throws IOException if it cannot be read, or another version of Aeron has written it
     */
    public static Map<String, Long> read(Path file) throws IOException {
        return CountersFile.read(file, DriverCounts::read);
    }

    /**
     * Returns the id of the process that runs the driver of a counters file.
     *
     * @param file as {@link #read} takes it
     * @throws IOException as {@link #read} does
     */
    public static long pid(Path file) throws IOException {
        return CountersFile.pid(file);
    }

    private static Map<String, Long> read(CountersReader counters) {
        final Map<String, Long> counts = new LinkedHashMap<>();
        names().forEach(name -> counts.put(name, 0L));
        counts.put("bytesSent", value(counters, SystemCounterDescriptor.BYTES_SENT));
        counts.put("bytesReceived", value(counters, SystemCounterDescriptor.BYTES_RECEIVED));
        counts.put("retransmitted", value(counters, SystemCounterDescriptor.RETRANSMITS_SENT));
        counts.put("lossReported", value(counters, SystemCounterDescriptor.NAK_MESSAGES_SENT));
        counters.forEach((id, typeId, key, label) -> {
            if (typeId == TYPE_ID) {
                counts.computeIfPresent(label, (name, none) -> counters.getCounterValue(id));
            }
        });
        return counts;
    }

    private static long value(CountersReader counters, SystemCounterDescriptor counter) {
        return counters.getCounterValue(counter.id());
    }
}
