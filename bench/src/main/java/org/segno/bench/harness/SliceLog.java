package org.segno.bench.harness;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.SliceFigures;

/**
 * Slices of a run, in a mapped file that the origin writes and the parent reads at the end. It replaces a pipe, so that
 * the parent sleeps while the workers measure.
 *
 * <pre>
 *  offset  length  field
 *       0       8  count         release, after its record
 *      64    64xn  records
 *
 * <p>in a record 0 4 experiment index in the plan 8 8 probe before ns, double 16 8 probe after ns, double 24 32 figures
 * raw, double 64 record length </pre>
 */
final class SliceLog {
    private static final String FILE_NAME = "slices";
    private static final int RECORD_LENGTH = 64;
    private static final int BEFORE_OFFSET = 8;
    private static final int AFTER_OFFSET = 16;
    private static final int FIGURES_OFFSET = 24;

    private final AtomicBuffer words;

    private SliceLog(AtomicBuffer words) {
        this.words = words;
    }

    static SliceLog make(Path directory, int capacity) throws IOException {
        final int length = RECORD_LENGTH * (capacity + 1);
        return new SliceLog(
                MappedBlock.make(directory.resolve(FILE_NAME), length).buffer());
    }

    static SliceLog open(Path directory) throws IOException {
        return new SliceLog(MappedBlock.await(directory.resolve(FILE_NAME)).buffer());
    }

    /** Appends a slice. Called by the origin. */
    void append(int experiment, double probeBeforeNs, double probeAfterNs, SliceFigures figures) {
        final int count = count();
        final int record = RECORD_LENGTH * (count + 1);
        words.putInt(record, experiment);
        words.putDouble(record + BEFORE_OFFSET, probeBeforeNs);
        words.putDouble(record + AFTER_OFFSET, probeAfterNs);
        for (int i = 0; i < SliceFigures.LIMIT; i++) {
            words.putDouble(record + FIGURES_OFFSET + Double.BYTES * i, figures.get(i));
        }
        words.putLongRelease(0, count + 1);
    }

    int count() {
        return (int) words.getLongVolatile(0);
    }

    /** Reads a slice with {@code metricCount} figures. Called by the parent. */
    Slice slice(int index, int metricCount) {
        final int record = RECORD_LENGTH * (index + 1);
        final double[] figures = new double[metricCount];
        for (int i = 0; i < metricCount; i++) {
            figures[i] = words.getDouble(record + FIGURES_OFFSET + Double.BYTES * i);
        }
        return new Slice(
                words.getInt(record),
                words.getDouble(record + BEFORE_OFFSET),
                words.getDouble(record + AFTER_OFFSET),
                figures);
    }

    /** Returns the index of a slice's experiment. */
    int experiment(int index) {
        return words.getInt(RECORD_LENGTH * (index + 1));
    }
}
