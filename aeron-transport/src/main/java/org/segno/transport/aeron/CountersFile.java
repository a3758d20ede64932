package org.segno.transport.aeron;

import io.aeron.CncFileDescriptor;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Function;
import org.agrona.IoUtil;
import org.agrona.SemanticVersion;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/** Counters file of Aeron's driver, which tools read while its process runs. */
final class CountersFile {
    private CountersFile() {}

    /**
     * Reads the counters.
     *
     * @param file of the driver's directory, which may have been deleted since it was opened
     * @throws IOException if it cannot be read, or another version of Aeron has written it
     */
    static <T> T read(Path file, Function<CountersReader, T> reader) throws IOException {
        return map(file, mapped -> {
            final UnsafeBuffer description = description(mapped);
            return reader.apply(new CountersReader(
                    CncFileDescriptor.createCountersMetaDataBuffer(mapped, description),
                    CncFileDescriptor.createCountersValuesBuffer(mapped, description),
                    StandardCharsets.US_ASCII));
        });
    }

    /**
     * Returns the id of the process that runs, or ran, the driver.
     *
     * @throws IOException as {@link #read} does
     */
    static long pid(Path file) throws IOException {
        return map(file, mapped -> CncFileDescriptor.pid(description(mapped)));
    }

    private static UnsafeBuffer description(MappedByteBuffer mapped) {
        final UnsafeBuffer description = CncFileDescriptor.createMetaDataBuffer(mapped);
        final int version = description.getInt(CncFileDescriptor.cncVersionOffset(0));
        if (version != CncFileDescriptor.CNC_VERSION) {
            throw new IllegalStateException("its version is " + SemanticVersion.toString(version) + ", not "
                    + SemanticVersion.toString(CncFileDescriptor.CNC_VERSION));
        }
        return description;
    }

    private static <T> T map(Path file, Function<MappedByteBuffer, T> reader) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            final MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            try {
                return reader.apply(mapped);
            } catch (final RuntimeException e) {
                throw new IOException("cannot read the counters of Aeron's driver in " + file + ": " + e, e);
            } finally {
                IoUtil.unmap(mapped);
            }
        }
    }
}
