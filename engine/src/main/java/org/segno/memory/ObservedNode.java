package org.segno.memory;

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
 * A node's file as a tool sees it from outside: opened and mapped read-only, at no cost to the node.
 *
 * <p>The header is checked in full, so that every offset of its layout lies in the mappings. What stands in the parts is not
 * trusted: whoever reads an offset or an id there checks it. A file that is cut off while it is read ends in an
 * {@link InternalError} of the access. Must not be used by a process that has a node of the same job: closing any descriptor of a
 * file frees the locks that the process has on it.
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
     * Opens the file of a node whose job runs, is stopped, or has ended.
     *
     * @param path where it lies: in a job's directory, or in {@code /proc/PID/fd} once that is gone
     * @throws SegnoException if it cannot be read, is no file, no node file, one of another version, or contradicts itself; says why
     */
    public static ObservedNode open(Path path) {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !isFile(path)) {
            throw new SegnoException(path + " is no node file but a link, a directory, a pipe or the like: remove it");
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            final long length = channel.size();
            if (length < NodeHeader.LENGTH) {
                throw new SegnoException(path + " is too short for a node file: " + length + " bytes, its header has "
                        + NodeHeader.LENGTH);
            }
            final NodeHeader header =
                    new NodeHeader(new MappedMemory(channel.map(MapMode.READ_ONLY, 0, NodeHeader.LENGTH)));
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
     * Says whether something can be a node file at all. A pipe, which would hold up whoever opens it, cannot; nor can a link, but
     * for those of {@code /proc}, by which a file without a name is opened.
     *
     * @param path where it lies
     * @return true if it is a regular file now
     */
    public static boolean isFile(Path path) {
        return path.startsWith(OPEN_FILES)
                ? Files.isRegularFile(path)
                : Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** The header: who the node says it is, its state, its heartbeat. */
    public NodeHeader header() {
        return header;
    }

    /** The node's memory: every store to it is a fault. */
    public NodeMemory memory() {
        return memory;
    }
}
