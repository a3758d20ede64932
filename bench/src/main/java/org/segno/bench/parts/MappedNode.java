package org.segno.bench.parts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;

/** Memory of a node of one rank without the node, for parts that are measured alone. */
final class MappedNode {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "segno-bench-part-";
    private static final NodeDimensions DIMENSIONS =
            new NodeDimensions(1, 1, 1, 1, 1, 1024, 1024, 16, 1024, 16, 16, 4, 4, 64 * 1024, 64 * 1024);

    private MappedNode() {}

    /** Creates the file, maps and touches it, and deletes it. The mapping remains. */
    static NodeMemory map() {
        try {
            final Path directory = Files.isWritable(MEMORY)
                    ? Files.createTempDirectory(MEMORY, PREFIX)
                    : Files.createTempDirectory(PREFIX);
            final Path file = directory.resolve("node");
            try (NodeFile made = NodeFile.create(
                    file,
                    NodeLayout.of(DIMENSIONS),
                    new NodeHeader.Identity(0, 0, 0, ProcessHandle.current().pid(), 0))) {
                final NodeMemory memory = made.mapAsOwner();
                memory.touch();
                return memory;
            } finally {
                Files.deleteIfExists(file);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
