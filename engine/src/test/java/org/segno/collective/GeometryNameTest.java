package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GeometryNameTest {
    @Test
    void shouldKeepAShortName() {
        assertThat(GeometryName.derived("all", ".1")).isEqualTo("all.1");
        final String longest = "n".repeat(Geometry.MAX_NAME_BYTES - 2);
        assertThat(GeometryName.derived(longest, ".1")).isEqualTo(longest + ".1");
    }

    @Test
    void shouldHaveALimitHoweverOftenItIsDerived() {
        String name = "all";
        final Set<String> names = new HashSet<>();
        for (int depth = 0; depth < 1000; depth++) {
            assertThat(names.add(name)).as(name).isTrue();
            assertThat(name.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(Geometry.MAX_NAME_BYTES);
            name = GeometryName.derived(name, ".1");
        }
        assertThat(name).startsWith("all.1.1.1").hasSizeBetween(49, Geometry.MAX_NAME_BYTES);
    }

    @Test
    void shouldDifferWhereTheNamesDiffer() {
        final Set<String> names = new HashSet<>();
        final String name = "n".repeat(Geometry.MAX_NAME_BYTES);
        for (int child = 1; child <= 100_000; child++) {
            assertThat(names.add(GeometryName.derived(name, "." + child))).isTrue();
        }
        for (int deaths = 1; deaths <= 1000; deaths++) {
            assertThat(names.add(GeometryName.derived(name, "-" + deaths))).isTrue();
        }
    }

    @Test
    void shouldCutNoCharacterOfSeveralBytes() {
        for (final String letter : new String[] {"\u00e9", "\u20ac", "\ud83d\ude00"}) {
            for (int before = 0; before < 4; before++) {
                final String name = "x".repeat(before) + letter.repeat(40);
                final String derived = GeometryName.derived(name, ".1");
                assertThat(derived.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(46, 49);
                assertThat(new String(derived.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                        .isEqualTo(derived)
                        .startsWith("x".repeat(before) + letter);
            }
        }
    }
}
