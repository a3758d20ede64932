package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.engine.trace.TraceRing;
import org.segno.engine.trace.TraceScope;
import org.segno.engine.trace.TraceSettings;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.SegnoException;

class NodeTraceTest {
    @TempDir
    Path parent;

    @Test
    void shouldTraceNothingUnlessItIsRequested() {
        assertThat(NodeTrace.settings(new Properties(), Map.of("SEGNO_RECORD", " ")))
                .isNull();
    }

    @Test
    void shouldReadVariablesAndBeforeThemProperties() {
        final Map<String, String> variables =
                Map.of("SEGNO_RECORD", "all=/a/b", "SEGNO_RECORD_PAYLOAD", "true", "SEGNO_RECORD_SYNC", "20ms");
        final Properties properties = new Properties();
        assertThat(NodeTrace.settings(properties, variables))
                .isEqualTo(
                        new TraceSettings(TraceScope.ALL, Path.of("/a/b"), true, TraceRing.DEFAULT_BYTES, 20_000_000));

        properties.setProperty("segno.record", "PATTERN=/c=d");
        properties.setProperty("segno.record-ring-bytes", "2m");
        assertThat(NodeTrace.settings(properties, Map.of()))
                .isEqualTo(new TraceSettings(TraceScope.PATTERN, Path.of("/c=d"), false, 2 << 20, 1_000_000_000));
    }

    @ParameterizedTest
    @CsvSource({"/a,4m", "some=/a,4m", "all=/a,3m", "all=/a,512k", "all=/a,2g", "all=/a,x"})
    void shouldNameAMalformedSetting(String record, String bytes) {
        final Map<String, String> variables = Map.of("SEGNO_RECORD", record, "SEGNO_RECORD_RING_BYTES", bytes);

        assertThatThrownBy(() -> NodeTrace.settings(new Properties(), variables))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("SEGNO_RECORD=" + record)
                .hasMessageContaining("SEGNO_RECORD_RING_BYTES a power of two from 1m to 1g: " + bytes);
    }

    @Test
    void shouldFailTheJoinWhenNothingCanStoreTheTrace() {
        System.setProperty("segno.record", "all=" + parent.resolve("journal"));
        try {
            assertThatThrownBy(() -> InProcessJob.join(parent, 1, SmallNodes.config(Threading.INVOKER, 1)))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("SEGNO_RECORD requests a journal, but none is on the class path")
                    .hasMessageContaining("segno-tools");
        } finally {
            System.clearProperty("segno.record");
        }
    }
}
