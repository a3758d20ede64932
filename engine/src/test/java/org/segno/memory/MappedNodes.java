package org.segno.memory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of several nodes, really made and mapped, without a job around them. */
public final class MappedNodes implements AutoCloseable {
    private final List<NodeFile> files = new ArrayList<>();
    private final List<NodeMemory> owned = new ArrayList<>();

    private MappedNodes() {}

    /** Makes the files of all ranks in {@code directory}. */
    public static MappedNodes create(Path directory, NodeDimensions dimensions) {
        final MappedNodes nodes = new MappedNodes();
        for (int rank = 0; rank < dimensions.size(); rank++) {
            final NodeFile file = NodeFile.create(
                    directory.resolve("node-" + rank),
                    NodeLayout.of(dimensions),
                    new NodeHeader.Identity(1, 2, rank, 3, 4));
            nodes.files.add(file);
            nodes.owned.add(file.mapAsOwner());
        }
        return nodes;
    }

    /** A node as its owner sees it: the same mapping at every call. */
    public NodeMemory own(int rank) {
        return owned.get(rank);
    }

    /** A node as a peer sees it: a new mapping at every call, in which the owner's half is read-only. */
    public NodeMemory asPeer(int rank) {
        return files.get(rank).mapAsPeer();
    }

    @Override
    public void close() {
        files.forEach(NodeFile::close);
    }
}
