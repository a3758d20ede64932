package org.segno.saved;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.reuse.CounterGroup;
import org.segno.saved.SavedContent.SavedCounter;

class SavedCounterTest {
    @TempDir
    Path directory;

    @Test
    void shouldKnowBytesOfACountersOwnAgainBehindMoreWindows() throws IOException {
        final SavedCounter before =
                own("before", NodeSize.small().windowBytes(1 << 16).dimensions());
        final SavedCounter after =
                own("after", NodeSize.small().windowBytes(1 << 17).dimensions());

        assertThat(after.isLike(before)).isTrue();
        assertThat(after.covered()).startsWith("8 bytes of its own for sources 1");
    }

    private SavedCounter own(String name, NodeDimensions dimensions) throws IOException {
        try (MappedNodes nodes = MappedNodes.create(Files.createDirectory(directory.resolve(name)), dimensions)) {
            return SavedCounter.of(new CounterGroup(nodes.own(0)).inLine(8, 1));
        }
    }
}
