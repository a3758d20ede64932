package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.engine.job.Membership;
import org.segno.engine.job.Platform;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeAccess;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.SegnoException;

/** Ranks that do not match: the error names the difference. */
class DifferingRanksTest {
    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @Test
    void shouldNameBothSizesWhenTheyDiffer() {
        final TestProcess host = pool.start(HubProcess.class, pool.job("sizes", 2), Threading.INVOKER, 0);
        host.expect("hosting");
        final TestProcess other = pool.start(Joiner.class, pool.job("sizes", 3), Threading.INVOKER, 1);

        assertThat(other.expect("outcome"))
                .startsWith("SegnoException: ")
                .contains("2")
                .contains("3")
                .contains("SEGNO_SIZE");
        host.signalScenario();
        host.awaitEnd();
        other.awaitEnd();
    }

    @Test
    void shouldWorkWithPeersOfOtherDimensions() {
        final JobConfig job = pool.job("dimensions", 2);
        final TestProcess small = pool.start(JobTest.AllOperations.class, job, Threading.INVOKER, 0);
        final TestProcess large = pool.start(LargerNode.class, job, Threading.DEDICATED, 1);

        small.awaitEnd();
        large.awaitEnd();
    }

    /** Changes one field of a peer's header at a time. */
    @ParameterizedTest
    @CsvSource({
        "0, magic and layout version, restart the job",
        "8, byte order, same version of Segno",
        "12, layout hash, same version of Segno",
        "16, 'job id, upper half', remove the job's directory",
        "24, 'job id, lower half', remove the job's directory",
        "32, rank, remove the job's directory",
        "36, size of the job, SEGNO_SIZE",
        "40, process id, remove the job's directory",
        "56, file length, remove the job's directory",
        "516, offset of, remove the job's directory"
    })
    void shouldNameTheFieldThatDiffersInAPeersHeader(int offset, String field, String remedy) throws Exception {
        final JobConfig job = pool.job("header", 2);
        final TestProcess peer = pool.start(DamagedHeader.class, job, Threading.INVOKER, 1, offset);

        assertThatThrownBy(() -> Node.join(job, ScenarioRun.smallNode()))
                .isExactlyInstanceOf(SegnoException.class)
                .hasMessageContaining("node-1 differs in its " + field)
                .hasMessageContaining("expected")
                .hasMessageContaining("found")
                .hasMessageContaining(remedy);
        peer.signalScenario();
        peer.awaitEnd();
    }

    /** Runs a hub. */
    static final class HubProcess implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            final Membership membership = Membership.register(NodeAccess.settings(run.job()), new IgnoringListener());
            membership.awaitWelcome(0, ScenarioRun.deadline());
            run.print("hosting");
            run.awaitSignal();
            membership.goodbye(0);
        }
    }

    /** Carries out all operations, with a node that is larger in every dimension. */
    static final class LargerNode implements Scenario {
        @Override
        public void run(ScenarioRun run) throws Exception {
            run.onEachNode(
                    run.config()
                            .withFifoSlots(256)
                            .withLaneBudgetBytes(1 << 18)
                            .withCounters(64, 128)
                            .withWindowBytes(1 << 20),
                    JobTest.AllOperations::runAll);
        }
    }

    /** Makes a node file with one wrong word. */
    static final class DamagedHeader implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException, IOException {
            final int rank = run.job().rank();
            final Membership membership = Membership.register(NodeAccess.settings(run.job()), new IgnoringListener());
            membership.awaitWelcome(rank, ScenarioRun.deadline());
            final Path path = membership.directory().resolve("node-" + rank);
            final NodeHeader.Identity identity = new NodeHeader.Identity(
                    membership.jobId().high(),
                    membership.jobId().low(),
                    rank,
                    Platform.pid(),
                    Platform.startTime(Platform.pid()));
            final NodeLayout layout = NodeLayout.of(new NodeDimensions(
                    run.job().size(), run.job().size(), 1, 1, 2, 64, 64, 64, 64, 8, 8, 8, 8, 4096, 4096));
            final NodeFile file = NodeFile.create(path, layout, identity);
            change(path, run.number(0));
            membership.made(rank);
            run.awaitSignal();
            membership.goodbye(rank);
            file.close();
        }

        private static void change(Path path, int offset) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                final ByteBuffer word = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
                channel.read(word, offset);
                word.putInt(0, word.getInt(0) + 1).rewind();
                channel.write(word, offset);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
