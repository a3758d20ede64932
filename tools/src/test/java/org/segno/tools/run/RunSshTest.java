package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/** Jobs over {@code ssh}, to a server of the test on this host. Skipped where no such server can run. */
final class RunSshTest {
    private static final long LIMIT_S = 30;

    @TempDir
    private Path directory = Path.of("");

    private Path jobs = Path.of("");
    private String shell = "";
    private String host = "";
    private @Nullable Process server;

    @BeforeEach
    void startServer() throws Exception {
        jobs = Files.createDirectory(directory.resolve("jobs"));
        final Optional<Path> program = Stream.of((System.getenv("PATH") + ":/usr/sbin").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).resolve("sshd"))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(program.isPresent(), "there is no sshd on this host");
        makeKey("host-key");
        makeKey("user-key");
        final int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        final Path config = Files.write(
                directory.resolve("config"),
                List.of(
                        "Port " + port,
                        "ListenAddress 127.0.0.1",
                        "HostKey " + directory.resolve("host-key"),
                        "AuthorizedKeysFile " + directory.resolve("user-key.pub"),
                        "PidFile none",
                        "StrictModes no",
                        "PermitRootLogin yes"));
        final String words = program.orElseThrow() + " -f " + config;
        final Path report = directory.resolve("report");
        assumeTrue(wait(start(words + " -t", report)) == 0, () -> "sshd cannot run on this host: " + read(report));
        final Path log = directory.resolve("log");
        server = start("exec " + words + " -D -e", log);
        SegnoProcess.await(() -> read(log).contains("Server listening"), "the server");
        shell = "ssh -p " + port + " -i " + directory.resolve("user-key")
                + " -o BatchMode=yes -o LogLevel=ERROR -o StrictHostKeyChecking=no -o UserKnownHostsFile="
                + directory.resolve("known-hosts");
        host = System.getProperty("user.name") + "@127.0.0.1";
        assumeTrue(
                wait(start(shell + " " + host + " true", report)) == 0,
                () -> "ssh to a server of the test is refused: " + read(report) + read(log));
    }

    private void makeKey(String name) throws Exception {
        final Process process =
                start("ssh-keygen -q -t ed25519 -N '' -f " + directory.resolve(name), directory.resolve("key-report"));
        assumeTrue(wait(process) == 0, () -> "no key: " + read(directory.resolve("key-report")));
    }

    private static Process start(String line, Path output) throws IOException {
        return new ProcessBuilder("sh", "-c", line)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static int wait(Process process) throws InterruptedException {
        assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            return String.valueOf(e);
        }
    }

    @AfterEach
    void endServer() {
        if (server != null) {
            server.descendants().forEach(ProcessHandle::destroyForcibly);
            server.destroyForcibly();
        }
    }

    @Test
    void shouldRunRanksByTheUsersShellWithTheVariablesOfX() throws Exception {
        try (SegnoProcess segno = run(
                "-H",
                "localhost," + host + ":2",
                "--stdin",
                "1",
                "-x",
                "GIVEN=it's",
                "--",
                "sh",
                "-c",
                "echo $SEGNO_RANK $SEGNO_LOCAL_SIZE ${SSH_CONNECTION:+by ssh} $GIVEN; cat; exit $((SEGNO_RANK == 1))")) {
            try (OutputStream input = segno.process().getOutputStream()) {
                input.write("input\n".getBytes(StandardCharsets.UTF_8));
            }
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(1);
            assertThat(segno.output()).contains("1 2 by ssh it's");
            assertThat(segno.error()).containsPattern("rank 1 \\(host " + host + ", pid \\d+\\) ended with 1 ");
        }
        assertThat(jobs).isEmptyDirectory();
    }

    @Test
    void shouldEndTheRanksOfTheOtherSideWhenTheLauncherIsKilled() throws Exception {
        try (SegnoProcess segno = run("-H", host + ":2", "--", "sh", "-c", "echo $$; exec sleep 60")) {
            final List<String> pids = segno.awaitOutput(2);
            segno.signal("KILL");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 9);
            pids.forEach(pid -> SegnoProcess.awaitGone(Long.parseLong(pid)));
        }
    }

    private SegnoProcess run(String... arguments) throws IOException {
        return SegnoProcess.start(
                Map.of("SEGNO_DIR", jobs.toString()),
                Stream.concat(Stream.of("run", "--rsh", shell), Stream.of(arguments))
                        .toArray(String[]::new));
    }
}
