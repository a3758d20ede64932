package org.segno.tools.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ShellWordsTest {
    @Test
    void shouldSplitTheWordsThatItJoined() {
        final List<String> words = List.of("-Xmx1g", "two words", "it's", "a\"b", "", "back\\slash", "$HOME");

        assertThat(ShellWords.split(ShellWords.join(words))).isEqualTo(words);
    }

    @Test
    void shouldReadQuotesOfBothKindsAndBackslashes() {
        assertThat(ShellWords.split("  -Da='b c'  \"d \\\" e\" f\\ g '' "))
                .containsExactly("-Da=b c", "d \" e", "f g", "");
        assertThat(ShellWords.split(" ")).isEmpty();
    }

    @Test
    void shouldNameAQuoteWithoutAnEnd() {
        assertThatThrownBy(() -> ShellWords.split("-Da='b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a ' has no end: -Da='b");
    }
}
