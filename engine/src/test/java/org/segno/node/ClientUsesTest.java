package org.segno.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.geometry.Endpoint;
import org.segno.node.NodeConfig.Threading;

/** Clients that are opened and closed as often as a context can be used. */
class ClientUsesTest {
    @TempDir
    Path parent;

    @Test
    void shouldNameTheLimitOfUsesWhenAContextHasHadAll() throws Exception {
        final NodeConfig config =
                SmallNodes.config(Threading.INVOKER, 1).withContexts(2).withLaneBudgetBytes(1 << 16);
        final ClientConfig small =
                ClientConfig.named("often").withContexts(1).withCounters(1, 1).withWindowBytes(128);
        try (InProcessJob job = InProcessJob.join(parent, List.of(config))) {
            final Node node = job.node(0);
            for (int use = 0; use < Endpoint.USES; use++) {
                node.client()
                        .await(node.openClient(small).close(), node.client().context(), InProcessJob.deadline());
            }
            assertThatThrownBy(() -> node.openClient(small))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1 cannot be used again: a context has 1023 uses in a job");
        }
    }
}
