package org.segno.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first program as three processes that a shell script starts with the variables of other launchers. */
class OtherLaunchersTest {
    private static final String SCRIPT = """
            for rank in 0 1 2; do
                env %s "$0" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx64m \\
                    --add-exports=java.base/jdk.internal.misc=ALL-UNNAMED -cp "$1" "$2" &
            done
            wait
            """;

    @TempDir
    Path directory;

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "PMIX_RANK=$rank PMIX_NAMESPACE=prterun-here-1@1 OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3"
                + " OMPI_COMM_WORLD_LOCAL_RANK=$rank OMPI_COMM_WORLD_LOCAL_SIZE=3",
        "OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 SEGNO_JOB=open-mpi",
        "PMI_RANK=$rank PMI_SIZE=3 SEGNO_JOB=hydra",
        "SLURM_PROCID=$rank SLURM_NTASKS=3 SLURM_LOCALID=$rank SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_NNODES=1"
    })
    void shouldBeRanksOfOneJob(String variables) throws Exception {
        assertThat(output(variables).lines())
                .containsExactlyInAnyOrder(
                        "rank 0 of 3 received 1000 values from rank 2",
                        "rank 1 of 3 received 1000 values from rank 0",
                        "rank 2 of 3 received 1000 values from rank 1");
        assertThat(directory).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({"PMIX_RANK=7 PMI_RANK=$rank PMI_SIZE=3 SEGNO_JOB=both"})
    void shouldFailWithBothValuesIfTwoLaunchersDisagree(String variables) throws Exception {
        assertThat(output(variables))
                .contains("two launchers disagree about the rank: PMIX_RANK=7, PMI_RANK=0")
                .contains("two launchers disagree about the rank: PMIX_RANK=7, PMI_RANK=2");
    }

    private String output(String variables) throws Exception {
        final String java =
                Path.of(System.getProperty("java.home"), "bin", "java").toString();
        final ProcessBuilder builder = new ProcessBuilder(
                        "sh",
                        "-c",
                        SCRIPT.formatted(variables),
                        java,
                        System.getProperty("java.class.path"),
                        FirstProgram.class.getName())
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.matches("(SEGNO|PMIX?|OMPI|SLURM)_.*"));
        builder.environment().put("SEGNO_DIR", directory.toString());
        final Process script = builder.start();
        try {
            script.getOutputStream().close();
            final String output = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(script.waitFor(60, TimeUnit.SECONDS)).as(output).isTrue();
            return output;
        } finally {
            script.descendants().forEach(ProcessHandle::destroyForcibly);
            script.destroyForcibly();
        }
    }
}
