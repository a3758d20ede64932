package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.collective.AlgorithmTable.Row;
import org.segno.context.Client;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;

/** Tables of algorithms from the file that a node's setting names, and the rows that a geometry lists. */
@Timeout(120)
class AlgorithmTableFileTest {
    @TempDir
    Path directory;

    private static long deadline() {
        return InProcessJob.deadline();
    }

    private static Call sum(long bytes) {
        return Call.allreduce(bytes, Objects.requireNonNull(WorldMember.SUM.reduction()));
    }

    private Path file(String... lines) throws Exception {
        return Files.write(directory.resolve("algorithms"), List.of(lines));
    }

    @Test
    void shouldSelectByTheFileOfTheNodesSettingInAllGeometries() throws Exception {
        final Path file =
                file("# measured", "allreduce recursive-doubling any 64", "", "barrier dissemination any any");
        final NodeConfig config = WorldMember.config().withAlgorithmTable(file);
        WorldMember.run(directory, Collections.nCopies(3, config), member -> {
            final Geometry part = Objects.requireNonNull(member.world().split(0, 0, deadline()));
            for (final Geometry geometry : List.of(member.world(), part)) {
                assertThat(geometry.collective(sum(64), deadline()).algorithm()).isEqualTo("recursive-doubling");
                assertThat(geometry.collective(sum(72), deadline()).algorithm()).isEqualTo("slots");
                assertThat(geometry.algorithms(Call.barrier())).startsWith("dissemination");
                geometry.algorithms(AlgorithmTable.defaults());
                assertThat(geometry.prepare(sum(64), deadline()).algorithm()).isEqualTo("slots");
            }
        });
    }

    @Test
    void shouldReportThePathAndTheLineOfABadFileAtAllMembers() throws Exception {
        final Path file = file("# measured", "allreduce slots any many");
        final List<NodeConfig> configs =
                List.of(WorldMember.config(), WorldMember.config().withAlgorithmTable(file));
        try (InProcessJob job = InProcessJob.join(directory, configs)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                assertThatThrownBy(() -> Geometry.world(client, client.context(), "all", deadline()))
                        .isInstanceOf(rank == 1 ? IllegalArgumentException.class : IllegalStateException.class)
                        .hasMessageStartingWith(rank == 1 ? "" : "member 1 (rank 1) could not take part: ")
                        .hasMessageContaining("file=" + file + ": line 2 of the table");
            });
        }
    }

    @Test
    void shouldNameAFileThatCannotBeRead() throws Exception {
        final Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> AlgorithmTable.read(missing))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the table of algorithms cannot be read: file=" + missing);
        final Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xFF, (byte) 0xFE});
        assertThatThrownBy(() -> AlgorithmTable.read(binary))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("file=" + binary);
        final Path text = Files.writeString(directory.resolve("text"), "scan doubling 4 8", StandardCharsets.UTF_8);
        assertThat(AlgorithmTable.read(text).rows().get(0))
                .isEqualTo(new Row(
                        CollectiveKind.SCAN,
                        "doubling",
                        Algorithms.named(CollectiveKind.SCAN, "doubling").description(),
                        4,
                        8));
    }

    @Test
    void shouldListTheAlgorithmsOfACallWithTheirLimits() throws Exception {
        WorldMember.run(directory, 3, member -> {
            final Geometry world = member.world();
            world.algorithms(AlgorithmTable.of(
                    List.of("broadcast binomial 2 any", "broadcast pull any 512", "broadcast star any 1024")));
            final List<Row> rows = world.algorithmRows(Call.broadcast(0, 600));

            assertThat(rows).allSatisfy(row -> {
                assertThat(row.kind()).isEqualTo(CollectiveKind.BROADCAST);
                assertThat(row.description()).isNotEmpty();
                assertThat(row.members()).matches(members -> members == 0 || members >= 3);
            });
            assertThat(rows.get(0)).extracting(Row::algorithm, Row::bytes).containsExactly("pull", 512L);
            assertThat(rows.get(1)).extracting(Row::algorithm, Row::bytes).containsExactly("star", 1024L);
            assertThat(rows.get(rows.size() - 1))
                    .extracting(Row::algorithm, Row::members, Row::bytes)
                    .containsExactly("k-nomial", 0, 0L);
            // No row of an algorithm for several hosts.
            assertThat(rows.stream().map(Row::algorithm).distinct().sorted().toList())
                    .isEqualTo(world.algorithms(Call.broadcast(0, 600)).stream()
                            .sorted()
                            .toList());
            assertThat(rows).noneMatch(row -> row.algorithm().equals("hosts"));
        });
    }
}
