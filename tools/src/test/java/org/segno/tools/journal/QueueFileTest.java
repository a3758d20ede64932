package org.segno.tools.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Our reader of a queue's files, compared with the queue's own. */
class QueueFileTest {
    private static final int DOCUMENTS = 10_000;

    @TempDir
    Path directory;

    @Test
    void shouldFindTheDocumentsThatTheQueueFinds() throws IOException {
        final List<String> own = new ArrayList<>();
        try (ChronicleQueue queue = SingleChronicleQueueBuilder.binary(directory.toFile())
                        .rollCycle(RollCycles.FAST_DAILY)
                        .build();
                ExcerptAppender appender = queue.createAppender()) {
            for (int i = 0; i < DOCUMENTS; i++) {
                final byte[] bytes = new byte[72 + i % 50];
                bytes[i % bytes.length] = (byte) i;
                appender.writeBytes(Bytes.wrapForRead(bytes));
            }
            try (ExcerptTailer tailer = queue.createTailer()) {
                final Bytes<byte[]> read = Bytes.allocateElasticOnHeap();
                while (tailer.readBytes(read)) {
                    own.add(text(read.toByteArray()));
                    read.clear();
                }
            }
        }

        assertThat(own).hasSize(DOCUMENTS);
        assertThat(documents()).isEqualTo(own);
    }

    private List<String> documents() throws IOException {
        final List<String> found = new ArrayList<>();
        final Path path;
        try (Stream<Path> files = Files.list(directory)) {
            path = files.filter(each -> each.toString().endsWith(".cq4"))
                    .findFirst()
                    .orElseThrow();
        }
        try (QueueFile file = QueueFile.open(path)) {
            for (int length = file.next(); length >= 0; length = file.next()) {
                final byte[] bytes = new byte[length];
                assertThat(file.copy(ByteBuffer.wrap(bytes), length)).isTrue();
                found.add(text(bytes));
            }
        }
        return found;
    }

    private static String text(byte[] bytes) {
        return bytes.length + ":" + Arrays.hashCode(bytes);
    }
}
