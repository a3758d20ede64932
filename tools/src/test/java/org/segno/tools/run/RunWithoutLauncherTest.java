package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.program.Java;
import org.segno.tools.program.Program;

/**
 * Ranks of two hosts that no launcher of Segno has started: variables name their places, the job's hub and the file
 * with the secret. Two parents of job directories act as two hosts.
 */
@Timeout(120)
final class RunWithoutLauncherTest {
    private static final int SIZE = 4;
    private static final int LOCAL_SIZE = 2;
    private static final long LIMIT_S = 60;
    private static final String SECRET = "0123456789abcdef".repeat(4);
    private static final String OTHER_SECRET = "0123456789abcdeF".repeat(3) + "0".repeat(16);

    @TempDir
    private Path directory = Path.of("");

    private final List<Process> ranks = new ArrayList<>();
    private final Path[] hosts = new Path[SIZE / LOCAL_SIZE];
    private String hub = "";
    private String startTimeout = "30s";

    @BeforeEach
    void makeHosts() throws IOException {
        for (int host = 0; host < hosts.length; host++) {
            hosts[host] = Files.createDirectory(directory.resolve("host-" + host));
        }
        secret(0, SECRET, "rw-------");
        secret(1, SECRET, "rw-------");
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            hub = "127.0.0.1:" + free.getLocalPort();
        }
    }

    @AfterEach
    void endRanks() {
        ranks.forEach(Process::destroyForcibly);
    }

    @Test
    @Tag("long")
    void shouldJoinExchangeAndEnd() throws Exception {
        for (int rank = SIZE - 1; rank >= 0; rank--) {
            start(rank, StreamingRank.class, "1");
        }
        for (final Process rank : ranks) {
            assertThat(exitCode(rank)).as(errors()).isZero();
        }
        for (int rank = 0; rank < SIZE; rank++) {
            assertThat(output(rank)).endsWith("received all\n");
        }
        assertThat(errors()).isEmpty();
        assertThat(hosts[0]).isEmptyDirectory();
        assertThat(hosts[1]).isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void shouldRefuseAHostWithAnotherSecret() throws Exception {
        secret(1, OTHER_SECRET, "rw-------");
        startTimeout = "12s";
        start(0, JoiningRank.class, "leave");
        startTimeout = "6s";
        start(2, JoiningRank.class, "leave");

        assertThat(exitCode(ranks.get(1))).isNotZero();
        assertThat(error(2)).contains(hub, "does not know the job's secret");
        assertThat(exitCode(ranks.get(0))).isNotZero();
        assertThat(error(0)).contains("waits for ranks 1, 2, 3");
        assertThat(hosts[0]).isEmptyDirectory();
        assertThat(hosts[1]).isEmptyDirectory();
    }

    @Test
    void shouldRefuseAFileOfTheSecretThatOthersMayRead() throws Exception {
        secret(0, SECRET, "rw-r--r--");
        start(0, JoiningRank.class, "leave");

        assertThat(exitCode(ranks.get(0))).isNotZero();
        assertThat(error(0)).contains("must be this user's, with mode 0600: " + secretFile(0) + "; chmod 600 it");
        assertThat(hosts[0]).isEmptyDirectory();
    }

    private Path secretFile(int host) {
        return directory.resolve("secret-" + host);
    }

    private void secret(int host, String text, String mode) throws IOException {
        final Path file = Files.writeString(secretFile(host), text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private void start(int rank, Class<?> main, String argument) throws IOException {
        final int host = rank / LOCAL_SIZE;
        final ProcessBuilder builder = new ProcessBuilder(
                        Program.main(System.getProperty("java.class.path"), main.getName(), List.of(argument))
                                .command(Java.own()))
                .redirectOutput(file("out", rank).toFile())
                .redirectError(Redirect.to(file("err", rank).toFile()));
        final Map<String, String> variables = new HashMap<>();
        variables.put("SEGNO_JOB", "plain");
        variables.put("SEGNO_RANK", String.valueOf(rank));
        variables.put("SEGNO_SIZE", String.valueOf(SIZE));
        variables.put("SEGNO_LOCAL_RANK", String.valueOf(rank % LOCAL_SIZE));
        variables.put("SEGNO_LOCAL_SIZE", String.valueOf(LOCAL_SIZE));
        variables.put("SEGNO_DIR", hosts[host].toString());
        variables.put("SEGNO_HUB", hub);
        variables.put("SEGNO_SECRET_FILE", secretFile(host).toString());
        variables.put("SEGNO_START_TIMEOUT", startTimeout);
        builder.environment().keySet().removeIf(name -> name.startsWith("SEGNO_"));
        builder.environment().putAll(variables);
        ranks.add(builder.start());
    }

    private static int exitCode(Process rank) throws InterruptedException {
        assertThat(rank.waitFor(LIMIT_S, TimeUnit.SECONDS)).isTrue();
        return rank.exitValue();
    }

    private Path file(String stream, int rank) {
        return directory.resolve(stream + "-" + rank);
    }

    private String output(int rank) throws IOException {
        return Files.readString(file("out", rank));
    }

    private String error(int rank) throws IOException {
        return Files.readString(file("err", rank));
    }

    private String errors() throws IOException {
        final StringBuilder all = new StringBuilder();
        for (int rank = 0; rank < SIZE; rank++) {
            all.append(error(rank));
        }
        return all.toString();
    }
}
