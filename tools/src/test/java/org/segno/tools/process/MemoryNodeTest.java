package org.segno.tools.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MemoryNodeTest {
    @TempDir
    private Path directory = Path.of("");

    private void write(String node, String cores) throws IOException {
        Files.writeString(Files.createDirectory(directory.resolve(node)).resolve("cpulist"), cores + "\n");
    }

    @Test
    void shouldReadTheNodesInOrderAndMemoryWithoutCores() throws IOException {
        write("node10", "");
        write("node1", "4-7,12-15");
        write("node0", "0-3,8-11");
        Files.writeString(directory.resolve("online"), "0-1,10\n");

        assertThat(MemoryNode.in(directory))
                .containsExactly(new MemoryNode(0, "0-3,8-11"), new MemoryNode(1, "4-7,12-15"), new MemoryNode(10, ""));
        assertThat(MemoryNode.in(directory.resolve("missing"))).isEmpty();
    }

    @Test
    void shouldFindTheCoresOfThisProcessOnThisHost() {
        final List<MemoryNode> nodes = MemoryNode.ofThisHost();
        assumeTrue(!nodes.isEmpty(), "the system does not show memory nodes");

        final List<Integer> cores = new ArrayList<>();
        nodes.forEach(node -> cores.addAll(CoreList.parse(node.cores())));
        assertThat(cores).containsAll(CoreList.ofThisProcess()).doesNotHaveDuplicates();
    }
}
