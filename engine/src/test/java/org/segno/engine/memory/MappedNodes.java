package org.segno.engine.memory;

import java.io.IOException;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.segno.engine.memory.NodeLayout.Half;

/** Files of several nodes, really made and mapped, without a job around them. */
public final class MappedNodes implements AutoCloseable {
    private final List<NodeFile> files = new ArrayList<>();
    private final List<NodeMemory> owned = new ArrayList<>();

    private MappedNodes() {}

    /** Makes the files of all ranks in {@code directory}. */
    public static MappedNodes create(Path directory, NodeDimensions dimensions) {
        return create(directory, dimensions, dimensions.size());
    }

    /** Makes the files of the first {@code count} ranks, each with lanes of itself and the ranks after it. */
    static MappedNodes create(Path directory, NodeDimensions dimensions, int count) {
        final MappedNodes nodes = new MappedNodes();
        for (int rank = 0; rank < count; rank++) {
            final int first = dimensions.mapped() == dimensions.size() ? 0 : rank;
            final NodeFile file = NodeFile.create(
                    directory.resolve("node-" + rank),
                    NodeLayout.of(dimensions),
                    new NodeHeader.Identity(1, 2, rank, 3, 4),
                    IntStream.range(first, first + dimensions.mapped()).toArray());
            nodes.files.add(file);
            nodes.owned.add(file.mapAsOwner());
        }
        return nodes;
    }

    /** Makes files as above, with arenas in segments of {@code segmentLength}, whole pages. */
    public static MappedNodes createSegmented(Path directory, NodeDimensions dimensions, long segmentLength)
            throws IOException {
        final MappedNodes nodes = create(directory, dimensions);
        for (int rank = 0; rank < dimensions.size(); rank++) {
            final NodeMemory whole = nodes.own(rank);
            final Memory arena = nodes.files.get(rank).segmented(Half.ARENA, MapMode.READ_WRITE, segmentLength);
            nodes.owned.set(rank, new NodeMemory(rank, whole.layout(), whole.owner(), whole.peers(), arena));
        }
        return nodes;
    }

    /** Returns a node as its owner sees it: the same mapping at every call. */
    public NodeMemory own(int rank) {
        return owned.get(rank);
    }

    /** Returns a node as a peer sees it: a new mapping at every call, in which the owner's half is read-only. */
    public NodeMemory asPeer(int rank) {
        return files.get(rank).mapAsPeer();
    }

    @Override
    public void close() {
        files.forEach(NodeFile::close);
    }
}
