package org.segno.tools.run.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OutputPlanTest {
    private static final OutputPlan.Names NAMES = new OutputPlan.Names(3, 12, "here", "halo-7f3a");

    @Test
    void shouldReadItsWordsInAnyCase() {
        final OutputPlan plan = OutputPlan.of(List.of("TAG", "timestamp", "Merge", "file=out-%r:copy"));

        assertThat(plan).isEqualTo(new OutputPlan(true, true, true, null, "out-%r", true));
        assertThat(plan.captured()).isTrue();
        assertThat(plan.shown()).isTrue();
    }

    @Test
    void shouldLeaveTheStreamsAloneUnlessLinesOrPlacesChange() {
        assertThat(OutputPlan.PLAIN.captured()).isFalse();
        assertThat(OutputPlan.of(List.of("merge")).captured()).isFalse();
        assertThat(OutputPlan.of(List.of("timestamp")).captured()).isTrue();
        assertThat(OutputPlan.of(List.of("dir=d")).shown()).isFalse();
    }

    @Test
    void shouldNameAFileForEachRankAndStreamInADirectory() {
        final OutputPlan apart = OutputPlan.of(List.of("dir=d"));
        final OutputPlan merged = OutputPlan.of(List.of("dir=d", "merge"));

        assertThat(apart.pathOf(false, NAMES)).isEqualTo(Path.of("d/rank-3.out").toAbsolutePath());
        assertThat(apart.pathOf(true, NAMES)).isEqualTo(Path.of("d/rank-3.err").toAbsolutePath());
        assertThat(merged.pathOf(true, NAMES)).isEqualTo(Path.of("d/rank-3.out").toAbsolutePath());
    }

    @Test
    void shouldPutRankHostAndJobIntoTheNameOfAFile() {
        final OutputPlan plan = OutputPlan.of(List.of("file=%r-%R-%h-%j-%%"));

        assertThat(plan.pathOf(true, NAMES))
                .isEqualTo(Path.of("3-03-here-halo-7f3a-%").toAbsolutePath());
    }

    @ParameterizedTest
    @CsvSource({
        "colour, 'takes tag, timestamp, merge, dir=D[:copy] and file=P[:copy]: ''colour'''",
        "tag=1, takes tag",
        "dir, takes tag",
        "dir=, takes tag",
        "file=:copy, takes tag",
        "file=a-%x, 'accepts %r, %R, %h, %j and %% in its pattern: ''a-%x'''",
        "file=a%, accepts %r"
    })
    void shouldNameAnUnknownWord(String word, String message) {
        assertThatThrownBy(() -> OutputPlan.of(List.of(word)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void shouldRefuseTwoPlaces() {
        assertThatThrownBy(() -> OutputPlan.of(List.of("dir=d", "file=f")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not both: dir=d,file=f");
    }
}
