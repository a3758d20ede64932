package org.segno.bench.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.SliceFigures;

/** The plans and, where an MPI is found, the program in C, which checks what it receives. */
class MpiTest {
    @TempDir
    private Path directory;

    @Test
    void shouldFindAnMpiOnlyWithItsCompilerAndItsLauncher() throws IOException {
        final String path = "/does/not/exist::" + directory;
        make("mpicc");
        assertThat(MpiTools.find(path)).isEmpty();
        make("mpirun");
        assertThat(MpiTools.find(path)).contains(new MpiTools(directory.resolve("mpicc"), directory.resolve("mpirun")));
        assertThat(MpiTools.find("")).isEmpty();
    }

    @Test
    void shouldFindEachMpiOnce() throws IOException {
        script("mpicc", "Open MPI");
        script("mpirun", "mpirun (Open MPI) 4.1.4");
        script("mpicc.openmpi", "Open MPI");
        Files.createSymbolicLink(directory.resolve("mpirun.openmpi"), directory.resolve("mpirun"));
        script("mpicc.mpich", "MPICH");
        script("mpirun.mpich", "HYDRA build details:\n    Version:      4.0.2\n    Release Date: Thu");

        assertThat(MpiTools.all(directory.toString()))
                .extracting(MpiTools::version)
                .containsExactly("mpirun (Open MPI) 4.1.4", "MPICH 4.0.2");
        assertThat(MpiTools.all("")).isEmpty();
    }

    private void script(String name, String prints) throws IOException {
        final Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\necho '" + prints + "'\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void shouldNameTheToolThatIsMissing() throws IOException {
        final String path = directory.toString();
        assertThat(MpiTools.missing(path)).isEqualTo("mpicc and mpirun");
        make("mpicc");
        assertThat(MpiTools.missing(path)).isEqualTo("mpirun");
    }

    @Test
    void shouldReportACompilerThatBuildsNothing() throws IOException {
        final Path broken = Files.writeString(directory.resolve("mpicc"), "#!/bin/sh\necho no headers >&2\nexit 1\n");
        assertThat(broken.toFile().setExecutable(true)).isTrue();

        assertThat(new MpiTools(broken, broken).defect())
                .hasValueSatisfying(why -> assertThat(why).contains(broken.toString(), "no headers"));
    }

    private void make(String name) throws IOException {
        final Path file = Files.createFile(directory.resolve(name));
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void shouldListEachMessageAtItsSenderAndAtItsReceiver() {
        assertThat(MpiPlan.of(DemoExchange.NEIGHBOURS_8, 0).lines())
                .startsWith("1 1 16384 16384 0", "256")
                .hasSize(1 + 1 + 256 + 1 + 256 + 2);
        assertThat(MpiPlan.of(DemoExchange.FFT, 1).lines())
                .startsWith("1 4 262144 262144 0", "1024")
                .hasSize(1 + 1 + 1024 + 1 + 1024 + 8);
        assertThat(MpiPlan.ofSpikes(1).lines())
                .startsWith("48 1 32000 51200 1", "32000")
                .hasSize(1 + 1 + 32_000 + 1 + 3_200 + 96);
    }

    @Test
    void shouldSendOneMessageThereAndOneBack() {
        assertThat(MpiPlan.ofTwoWays(0, 1024, 8).lines())
                .containsExactly("1 2 1024 1024 0", "1", "1 0 1024 ", "1", "1 0 8 0 ", "1 0", "0", "0", "1 0");
        assertThat(MpiPlan.ofTwoWays(1, 1024, 8).lines())
                .containsExactly("1 2 1024 1024 0", "1", "0 0 8 ", "1", "0 0 1024 0 ", "0", "1 0", "1 0", "0");
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void shouldMeasureACorrectExchangeIfAnMpiIsFound(boolean packed, boolean tcp) throws IOException {
        final Optional<MpiTools> tools = MpiTools.find(System.getenv().getOrDefault("PATH", ""));
        assumeTrue(tools.isPresent(), "no mpicc and mpirun on the PATH");
        final MpiVariant variant = new MpiVariant(packed, tcp ? LinkNetwork.LOOPBACK : null);
        final Path own = Files.createDirectories(directory.resolve("run").resolve("0"));
        final CompletableFuture<MpiSide> other =
                CompletableFuture.supplyAsync(() -> open(Role.ECHO, own, tools, variant));

        try (MpiSide origin = open(Role.ORIGIN, own, tools, variant);
                MpiSide echo = other.join()) {
            final SliceFigures figures = new SliceFigures();
            final CompletableFuture<Void> slice = CompletableFuture.runAsync(() -> echo.slice(16, new SliceFigures()));
            origin.slice(16, figures);
            slice.join();
            assertThat(figures.get(0)).isPositive();
        }
    }

    @Test
    void shouldStartAProcessInEachNamespace() throws Exception {
        final LinkNetwork network = LinkNetwork.between(List.of("a=10.77.0.2", "b=10.77.0.3"), List.of(1472));
        final MpiVariant variant = new MpiVariant(false, network);

        assertThat(new MpiVariant(false, LinkNetwork.LOOPBACK).placement(directory))
                .isEmpty();
        assertThat(directory).isEmptyDirectory();
        final Path agent = directory.resolve("agent");
        assertThat(variant.placement(directory))
                .containsSequence("--host", "10.77.0.2:1,10.77.0.3:1")
                .containsSequence("plm_rsh_agent", "/bin/sh " + agent)
                .containsSequence("oob_tcp_if_include", "10.77.0.2/24");
        assertThat(variant.settings()).contains("OMPI_MCA_btl_tcp_if_include=10.77.0.2/24");

        // A program that prints how it is called, in place of the one that enters namespaces.
        final Path ip = Files.writeString(directory.resolve("ip"), "#!/bin/sh\necho \"$@\"\n");
        assertThat(ip.toFile().setExecutable(true)).isTrue();
        final ProcessBuilder builder =
                new ProcessBuilder("/bin/sh", agent.toString(), "10.77.0.3", "PATH=/usr/bin", "orted", "--daemonize");
        builder.environment().put("PATH", directory + ":" + System.getenv("PATH"));
        final Process called = builder.start();
        assertThat(new String(called.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("netns exec b sh -c PATH=/usr/bin orted --daemonize\n");
    }

    private static MpiSide open(Role role, Path directory, Optional<MpiTools> tools, MpiVariant variant) {
        try {
            return MpiSide.open(
                    role, directory, tools.orElseThrow(), MpiPlan.of(DemoExchange.FFT, role.rank()), variant, 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
