package org.segno.bench.harness;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.segno.bench.experiment.CacheLine;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;

/**
 * Memory that the parent and the two workers share: the progress of each worker, and the line of the probe.
 *
 * <pre>
 *  offset  length  field              written by  access
 *       0       8  origin step        origin      release
 *       8       4  origin experiment  origin      plain, before its step; -1 before the first
 *      12       4  operations         origin      plain, before its step
 *      16       8  origin compiled ms origin      plain, before its step
 *      24       8  origin waited      origin      plain, before its last step
 *     256       8  echo step          echo        release
 *     264       4  echo experiment    echo        plain, before its step
 *     272       8  echo compiled ms   echo        plain, before its step
 *     280       8  echo waited        echo        plain, before its last step
 *     512       8  probe              both        see CacheLine
 *    4096          LENGTH
 * </pre>
 */
final class ControlBlock {
    static final String FILE_NAME = "control";
    static final int PROBE_OFFSET = 512;

    private static final int LENGTH = 4096;
    private static final int ECHO_OFFSET = 256;
    private static final int EXPERIMENT_OFFSET = 8;
    private static final int OPERATIONS_OFFSET = 12;
    private static final int COMPILED_OFFSET = 16;
    private static final int WAITED_OFFSET = 24;

    private final MappedBlock block;
    private final AtomicBuffer words;

    private ControlBlock(MappedBlock block) {
        this.block = block;
        this.words = block.buffer();
    }

    /** Creates the block. Called by the parent before it starts the workers. */
    static ControlBlock make(Path directory) throws IOException {
        return new ControlBlock(MappedBlock.make(directory.resolve(FILE_NAME), LENGTH));
    }

    /** Maps the block. Called by a worker. */
    static ControlBlock open(Path directory) throws IOException {
        return new ControlBlock(MappedBlock.await(directory.resolve(FILE_NAME)));
    }

    CacheLine probeLine() {
        return new CacheLine(block, PROBE_OFFSET);
    }

    long stepAcquire(Role role) {
        return words.getLongVolatile(offset(role));
    }

    void stepRelease(Role role, long step) {
        words.putLongRelease(offset(role), step);
    }

    int experiment(Role role) {
        return words.getInt(offset(role) + EXPERIMENT_OFFSET);
    }

    void experiment(Role role, int index) {
        words.putInt(offset(role) + EXPERIMENT_OFFSET, index);
    }

    int operations() {
        return words.getInt(OPERATIONS_OFFSET);
    }

    void operations(int operations) {
        words.putInt(OPERATIONS_OFFSET, operations);
    }

    long compiledMs(Role role) {
        return words.getLong(offset(role) + COMPILED_OFFSET);
    }

    void compiledMs(Role role, long compiledMs) {
        words.putLong(offset(role) + COMPILED_OFFSET, compiledMs);
    }

    /**
     * Returns the fraction of the measuring time for which a worker was ready to run but had no core, because other
     * programs ran on it.
     */
    double waited(Role role) {
        return words.getDouble(offset(role) + WAITED_OFFSET);
    }

    void waited(Role role, double part) {
        words.putDouble(offset(role) + WAITED_OFFSET, part);
    }

    private static int offset(Role role) {
        return role == Role.ORIGIN ? 0 : ECHO_OFFSET;
    }
}
