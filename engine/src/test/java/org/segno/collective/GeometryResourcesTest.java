package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/** Room for geometries and collectives that is not free again. */
class GeometryResourcesTest {
    @TempDir
    Path directory;

    @Test
    void shouldNameTheContextThatIsToBeAdvancedBeforeClosedWindowsAreFree() throws Exception {
        final NodeConfig config = NodeConfig.defaults()
                .withThreading(NodeConfig.Threading.INVOKER)
                .withContexts(2)
                .withWindows(4)
                .withWindowBytes(1 << 16);
        try (InProcessJob job = InProcessJob.join(directory, List.of(config))) {
            final Client client = job.node(0).client();
            final Context idle = client.context(1);
            idle.barrier(InProcessJob.deadline());
            final Context[] contexts = {client.context(0)};
            final GeometryResources resources = new GeometryResources(client, contexts);
            resources.until(Deadline.in(100, TimeUnit.MILLISECONDS));
            final List<Window> windows = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                windows.add(resources.window(64));
            }
            windows.forEach(resources::close);
            assertThatThrownBy(() -> resources.window(64))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("4 closed before are not free yet")
                    .hasMessageContaining("context 1 of rank 0")
                    .hasMessageContaining("advance that context");
            // An engine shows every 64 passes that it is quiet. Two such points are awaited.
            for (int i = 0; i < 2 * 64; i++) {
                idle.advance();
            }
            resources.until(InProcessJob.deadline());
            resources.window(64);
        }
    }
}
