package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

class ConnectionsTest {
    @TempDir
    Path directory;

    @Test
    void shouldAllocateEachIdOnceAndTakeItBack() {
        final Connections connections = new Connections(3);
        assertThat(connections.take()).isZero();
        assertThat(connections.take()).isEqualTo(1);
        assertThat(connections.take()).isEqualTo(2);
        assertThat(connections.take()).isEqualTo((int) Status.BUSY);
        connections.release(1);
        assertThat(connections.free()).isEqualTo(1);
        assertThat(connections.take()).isEqualTo(1);
    }

    @Test
    void shouldRefuseAnUnusedId() {
        final Connections connections = new Connections(2);
        connections.take();
        assertThatThrownBy(() -> connections.release(1)).hasMessageContaining("connection 1 is not taken");
        assertThatThrownBy(() -> connections.release(-1)).hasMessageContaining("connection -1 is not taken");
        assertThatThrownBy(() -> new Connections(0)).hasMessageContaining("count=0");
    }

    @Test
    void shouldWaitForAnIdThatAHandlerReturns() {
        try (InProcessJob job =
                InProcessJob.join(directory, 1, NodeConfig.defaults().withThreading(NodeConfig.Threading.INVOKER))) {
            final Connections connections = new Connections(1);
            final int id = connections.take();
            assertThatThrownBy(() -> connections.take(job.context(0), Deadline.in(10, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class);
            job.context(0).post(() -> {
                connections.release(id);
                return 0;
            });
            assertThat(connections.take(job.context(0), InProcessJob.deadline()))
                    .isEqualTo(id);
        }
    }
}
