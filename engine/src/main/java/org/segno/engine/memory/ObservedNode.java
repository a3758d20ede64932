package org.segno.engine.memory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.segno.status.SegnoException;

/**
 * A node's file that a tool opens and maps read-only from outside, at no cost to the node.
 *
 * <p>The whole header is validated, so that every offset of its layout lies in the mappings. The contents of the parts
 * are not trusted: a reader validates every offset and id that it takes from them. If the file is truncated during an
 * access, the access throws an {@link InternalError}. A process that has a node of the same job must not use this
 * class, because closing any descriptor of a file frees the locks that the process has on it.
 */
public final class ObservedNode {
    private static final Path OPEN_FILES = Path.of("/proc");

    private final NodeHeader header;
    private final NodeMemory memory;

    private ObservedNode(NodeHeader header, NodeMemory memory) {
        this.header = header;
        this.memory = memory;
    }

    /**
     * Opens the file of a node. Its job may be running, stopped or ended.
     *
     * @param path path of the file in a job's directory, or in {@code /proc/PID/fd} once that is gone
     * @throws SegnoException if it cannot be read, is not a regular file, is not a node file, has another version, or
     *     contradicts itself; the message names the reason
     */
    public static ObservedNode open(Path path) {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !isFile(path)) {
            throw new SegnoException(path + " is no node file but a link, a directory, a pipe or a device: remove it");
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            final long length = channel.size();
            if (length < NodeHeader.LENGTH) {
                throw new SegnoException(path + " is too short for a node file: " + length + " bytes, its header has "
                        + NodeHeader.LENGTH);
            }
            final NodeHeader header =
                    new NodeHeader(MappedMemory.of(channel.map(MapMode.READ_ONLY, 0, NodeHeader.LENGTH)));
            final NodeLayout layout = header.checkUnknown(path.toString(), length);
            final NodeFile file = NodeFile.observed(path, channel, layout, header.rank());
            return new ObservedNode(header, file.mapAsObserver());
        } catch (final NoSuchFileException e) {
            throw new SegnoException("there is no node file " + path + " any more", e);
        } catch (final IOException e) {
            throw new SegnoException("cannot read the node file " + path + ": " + e, e);
        }
    }

    /**
     * Checks whether a path can be a node file at all. A pipe cannot, because opening it would block. A link cannot
     * either, except for those of {@code /proc}, which open a file without a name.
     *
     * @param path path of the file
     * @return true if it is a regular file at present
     */
    public static boolean isFile(Path path) {
        return path.startsWith(OPEN_FILES)
                ? Files.isRegularFile(path)
                : Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns the header with the identity, the state and the heartbeat of the node. */
    public NodeHeader header() {
        return header;
    }

    /** Returns the node's memory. Every store to it is a fault. */
    public NodeMemory memory() {
        return memory;
    }
}
