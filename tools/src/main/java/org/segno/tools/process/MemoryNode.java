package org.segno.tools.process;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A memory node (NUMA) of this host: memory and the cores to which it is near.
 *
 * @param id its number
 * @param cores numbers of the cores, in the form of Linux: {@code 0-3,8}; empty for memory without cores
 */
public record MemoryNode(int id, String cores) {
    private static final Path NODES = Path.of("/sys/devices/system/node");
    private static final String PREFIX = "node";

    /** Returns the memory nodes of this host, or none if the system does not show them. */
    public static List<MemoryNode> ofThisHost() {
        return in(NODES);
    }

    static List<MemoryNode> in(Path directory) {
        final List<MemoryNode> nodes = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, PREFIX + "[0-9]*")) {
            for (final Path entry : entries) {
                final String number = entry.getFileName().toString().substring(PREFIX.length());
                nodes.add(new MemoryNode(
                        Integer.parseInt(number),
                        Files.readString(entry.resolve("cpulist")).trim()));
            }
        } catch (final IOException | DirectoryIteratorException ignored) {
            // A kernel without NUMA, or a container that hides it.
            return List.of();
        }
        nodes.sort(Comparator.comparingInt(MemoryNode::id));
        return nodes;
    }
}
