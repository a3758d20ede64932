package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.segno.engine.packet.Frame;

class LinkKeyTest {
    private static final byte[] SECRET = secret();

    private static byte[] secret() {
        final byte[] secret = new byte[32];
        for (int i = 0; i < secret.length; i++) {
            secret[i] = (byte) i;
        }
        return secret;
    }

    /** Computed by another implementation of HMAC-SHA-256. */
    @Test
    void shouldBeThatOfEveryBuild() {
        assertThat(LinkKey.derive(SECRET, 0x1122334455667788L, 0x99aabbccddeeff00L, 3, 7, 1))
                .isEqualTo(new LinkKey(1530997021, -7278787813711525595L, 391828622163893918L));
    }

    @Test
    void shouldDependOnEachOfItsSources() {
        final byte[] other = SECRET.clone();
        other[31]++;
        final Set<LinkKey> keys = new HashSet<>();
        keys.add(LinkKey.derive(SECRET, 1, 2, 3, 4, 0));
        keys.add(LinkKey.derive(other, 1, 2, 3, 4, 0));
        keys.add(LinkKey.derive(SECRET, 0, 2, 3, 4, 0));
        keys.add(LinkKey.derive(SECRET, 1, 0, 3, 4, 0));
        keys.add(LinkKey.derive(SECRET, 1, 2, 4, 3, 0));
        keys.add(LinkKey.derive(SECRET, 1, 2, 0, 4, 0));
        keys.add(LinkKey.derive(SECRET, 1, 2, 3, 0, 0));
        keys.add(LinkKey.derive(SECRET, 1, 2, 3, 4, 1));
        assertThat(keys).hasSize(8);
        assertThat(keys.stream().map(LinkKey::session).distinct()).hasSize(8);
        assertThat(keys.stream().map(key -> key.hash().hash(new UnsafeBuffer(SECRET), 0, 32)))
                .doesNotHaveDuplicates();
    }

    @Test
    void shouldBeginEachStreamAtATermThatTheKeyYields() {
        final Set<Integer> terms = new HashSet<>();
        for (int engine = 0; engine < 4; engine++) {
            final LinkKey key = LinkKey.derive(SECRET, 1, 2, 3, 4, engine);
            for (int stream = 0; stream < Frame.STREAMS; stream++) {
                terms.add(key.initialTermId(stream));
                assertThat(key.initialTermId(stream)).isEqualTo(key.initialTermId(stream));
            }
        }
        assertThat(terms).hasSize(4 * Frame.STREAMS);
    }

    @Test
    void shouldRefuseAShortSecret() {
        assertThatThrownBy(() -> LinkKey.derive(new byte[15], 1, 2, 3, 4, 0)).hasMessageContaining("length=15");
    }

    @Test
    void shouldNotBePartOfAText() {
        final LinkKey key = new LinkKey(1234567, 2345678, 3456789);
        assertThat(key.toString()).doesNotContain("1234567", "2345678", "3456789");
    }
}
