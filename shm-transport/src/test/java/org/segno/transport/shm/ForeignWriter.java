package org.segno.transport.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Half;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.ObservedNode;

/**
 * Thread that writes random words to one area of the files of a running job, as any process of the same user can. Some
 * words stay, others are restored some microseconds later, so that the job goes on and words change between a check and
 * a use.
 */
final class ForeignWriter implements AutoCloseable {
    static final String WHOLE_FILE = "FILE";
    private static final double[] STAYING = {0.002, 0.05, 0.5};
    private static final int[] LONGEST_PAUSE_US = {100, 1000, 5000};
    private static final int LONGEST_BURST = 32;
    private static final int LONGEST_HOLD_US = 300;
    private static final int RECORD_BYTES = 32;
    private static final int CHANGED_LIMIT = 512;
    private static final long SCAN_PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final List<UnsafeBuffer> files = new ArrayList<>();
    private final long[] lengths;
    private final long start;
    private final long length;
    private final SplittableRandom random;
    private final double staying;
    private final int longestPauseUs;
    private final Thread thread = new Thread(this::write, "foreign writer");
    private final long[][] snapshots;
    private final int[][] changed;
    private final int[] changedCounts;
    private long lastScanNs = System.nanoTime();
    private volatile boolean closed;
    private long words;

    private ForeignWriter(List<Path> paths, String area, long seed) {
        final NodeLayout layout = ObservedNode.open(paths.get(0)).memory().layout();
        this.random = new SplittableRandom(seed);
        this.staying = STAYING[random.nextInt(STAYING.length)];
        this.longestPauseUs = LONGEST_PAUSE_US[random.nextInt(LONGEST_PAUSE_US.length)];
        this.start = start(layout, area);
        this.length = length(layout, area);
        this.lengths = lengths(layout);
        for (final Path path : paths) {
            files.add(map(path));
        }
        this.snapshots = new long[files.size()][(int) (length / Long.BYTES)];
        this.changed = new int[files.size()][CHANGED_LIMIT];
        this.changedCounts = new int[files.size()];
        scan();
    }

    static ForeignWriter start(List<Path> paths, String area, long seed) {
        final ForeignWriter writer = new ForeignWriter(paths, area, seed);
        writer.thread.setDaemon(true);
        writer.thread.start();
        return writer;
    }

    /** Returns every area that can be attacked: the parts, two halves, the whole file. */
    static List<String> areas() {
        final List<String> areas = new ArrayList<>();
        for (final Part part : Part.values()) {
            areas.add(part.name());
        }
        areas.addAll(List.of(Half.OWNER.name(), Half.PEERS.name(), WHOLE_FILE));
        return areas;
    }

    private static boolean isHalf(String area) {
        return area.equals(Half.OWNER.name()) || area.equals(Half.PEERS.name());
    }

    private static long start(NodeLayout layout, String area) {
        if (area.equals(WHOLE_FILE)) {
            return 0;
        }
        if (isHalf(area)) {
            return layout.fileOffset(Half.valueOf(area));
        }
        final Part part = Part.valueOf(area);
        return layout.fileOffset(part.half()) + layout.offset(part);
    }

    private static long length(NodeLayout layout, String area) {
        if (area.equals(WHOLE_FILE)) {
            return layout.fileLength();
        }
        return isHalf(area) ? layout.length(Half.valueOf(area)) : layout.length(Part.valueOf(area));
    }

    /** Returns lengths near which an offset leaves the memory that it may reach. */
    private static long[] lengths(NodeLayout layout) {
        final List<Long> all = new ArrayList<>();
        for (final Part part : Part.values()) {
            all.add(layout.length(part));
            all.add(layout.offset(part));
        }
        for (final Half half : Half.values()) {
            all.add(layout.length(half));
            all.add(layout.fileOffset(half));
        }
        all.add(layout.fileLength());
        all.add(2 * layout.fileLength());
        all.add((long) layout.dimensions().laneBytes());
        all.add((long) layout.dimensions().receptionCounters());
        all.add((long) layout.dimensions().fifoSlots());
        return all.stream().mapToLong(Long::longValue).toArray();
    }

    private static UnsafeBuffer map(Path path) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new UnsafeBuffer(channel.map(MapMode.READ_WRITE, 0, channel.size()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write() {
        while (!closed) {
            if (System.nanoTime() - lastScanNs > SCAN_PERIOD_NS) {
                scan();
            }
            final int burst = 1 + random.nextInt(LONGEST_BURST);
            for (int i = 0; i < burst; i++) {
                writeWord(random.nextInt(files.size()));
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(longestPauseUs)));
        }
    }

    /** Finds the words that the ranks have changed since the last scan. */
    private void scan() {
        lastScanNs = System.nanoTime();
        for (int i = 0; i < files.size(); i++) {
            final UnsafeBuffer file = files.get(i);
            int found = 0;
            for (int word = 0; word < snapshots[i].length; word++) {
                final int offset = (int) start + word * Long.BYTES;
                final long value = file.getLong(offset);
                if (value != snapshots[i][word]) {
                    snapshots[i][word] = value;
                    changed[i][found++ % CHANGED_LIMIT] = offset;
                }
            }
            changedCounts[i] = found == 0 ? changedCounts[i] : Math.min(found, CHANGED_LIMIT);
        }
    }

    /** Copies the words of a record over those of another one. */
    private void copyRecord(UnsafeBuffer file) {
        final long records = length / RECORD_BYTES;
        if (records != 0) {
            final int from = (int) (start + random.nextLong(records) * RECORD_BYTES);
            final int to = offset(files.indexOf(file)) & -RECORD_BYTES;
            if (to >= start) {
                file.putBytes(to, file, from, RECORD_BYTES);
            }
        }
    }

    private void writeWord(int index) {
        final UnsafeBuffer file = files.get(index);
        if (random.nextDouble() < staying / 8) {
            copyRecord(file);
            return;
        }
        final int offset = offset(index);
        final long before = file.getLongVolatile(offset);
        final long value = value(file, offset, before);
        final long after = switch (random.nextInt(4)) {
            case 0 -> (before & 0xFFFF_FFFF_0000_0000L) | (value & 0xFFFF_FFFFL);
            case 1 -> (before & 0xFFFF_FFFFL) | value << Integer.SIZE;
            default -> value;
        };
        file.putLongVolatile(offset, after);
        words++;
        if (random.nextDouble() >= staying) {
            final long untilNs = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(random.nextInt(LONGEST_HOLD_US));
            while (System.nanoTime() - untilNs < 0) {
                Thread.onSpinWait();
            }
            file.compareAndSetLong(offset, after, before);
        }
    }

    /** Returns the offset of a word: often of one that the ranks have changed or that is not zero. */
    private int offset(int index) {
        if (changedCounts[index] != 0 && random.nextBoolean()) {
            return changed[index][random.nextInt(changedCounts[index])];
        }
        int offset = 0;
        final int attempts = random.nextBoolean() ? 1 : 16;
        for (int i = 0; i < attempts; i++) {
            offset = (int) (start + random.nextLong(length / Long.BYTES) * Long.BYTES);
            if (files.get(index).getLong(offset) != 0) {
                return offset;
            }
        }
        return offset;
    }

    private long value(UnsafeBuffer file, int offset, long before) {
        return switch (random.nextInt(14)) {
            case 0 -> random.nextLong();
            case 1 -> random.nextInt();
            case 2 -> random.nextInt(-16, 256);
            case 3 -> -1;
            case 4 -> random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE;
            case 5 -> random.nextBoolean() ? Integer.MAX_VALUE : Integer.MIN_VALUE;
            case 6, 7 -> lengths[random.nextInt(lengths.length)] + random.nextInt(-130, 130);
            case 8 -> before + random.nextInt(-130, 130);
            case 9 -> before ^ 1L << random.nextInt(Long.SIZE);
            case 10 -> withByte(before, random.nextInt());
            case 11 -> withByte(before, random.nextInt(16));
            case 12 -> -lengths[random.nextInt(lengths.length)];
            default -> file.getLong(neighbour(file, offset));
        };
    }

    /** Replaces one byte of a word. */
    private long withByte(long word, long value) {
        final int shift = Byte.SIZE * random.nextInt(Long.BYTES);
        return (word & ~(0xFFL << shift)) | (value & 0xFF) << shift;
    }

    private int neighbour(UnsafeBuffer file, int offset) {
        final int near = offset + Long.BYTES * random.nextInt(-32, 33);
        return Math.max(0, Math.min(near, file.capacity() - Long.BYTES));
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return words + " words, of which " + staying + " stay, pauses up to " + longestPauseUs + " us";
    }
}
