package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;

/**
 * Copy of one mapped window into another, without any protocol: the limit for the bandwidth of puts. One operation is
 * one copy.
 */
final class PlainCopy implements Side {
    private final Role role;
    private final MappedBlock source;
    private final MappedBlock target;
    private final int size;

    private PlainCopy(Role role, MappedBlock source, MappedBlock target, int size) {
        this.role = role;
        this.source = source;
        this.target = target;
        this.size = size;
    }

    static PlainCopy open(Role role, Path directory, int size) throws IOException {
        final MappedBlock source = MappedBlock.make(directory.resolve("source-" + role), size);
        return new PlainCopy(role, source, MappedBlock.share(role, directory.resolve("target"), size), size);
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        if (role == Role.ECHO) {
            return;
        }
        final long beginNs = System.nanoTime();
        for (int i = 0; i < operations; i++) {
            UnsafeApi.copyMemory(source.address(), target.address(), size);
        }
        figures.set(0, (System.nanoTime() - beginNs) / (double) operations);
    }

    @Override
    public void close() {}
}
