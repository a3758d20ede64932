package org.segno.geometry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointLayoutTest {
    @Test
    void shouldMatchItsTableInMemory() {
        final ByteBuffer memory = ByteBuffer.allocate(Endpoint.LENGTH).order(ByteOrder.LITTLE_ENDIAN);

        memory.putLong(0, Endpoint.of(0x01020304, 5, 6, 7, 0x123));

        assertThat(memory.getInt(Endpoint.TASK_OFFSET)).isEqualTo(0x01020304);
        assertThat(memory.getShort(Endpoint.CONTEXT_OFFSET)).isEqualTo((short) (7 | 0x123 << 6));
        assertThat(memory.get(Endpoint.OFFSET_OFFSET)).isEqualTo((byte) 6);
        assertThat(memory.get(Endpoint.CLIENT_OFFSET)).isEqualTo((byte) 5);
        assertThat(Endpoint.LENGTH).isEqualTo(8);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0, 0, 0", "2147483647, 63, 63, 63, 1022", "65535, 1, 2, 3, 512", "1, 0, 63, 0, 1"})
    void shouldReturnItsParts(int task, int client, int offset, int context, int use) {
        final long endpoint = Endpoint.of(task, client, offset, context, use);

        assertThat(Endpoint.task(endpoint)).isEqualTo(task);
        assertThat(Endpoint.client(endpoint)).isEqualTo(client);
        assertThat(Endpoint.offset(endpoint)).isEqualTo(offset);
        assertThat(Endpoint.context(endpoint)).isEqualTo(context);
        assertThat(Endpoint.use(endpoint)).isEqualTo(use);
        assertThat(Endpoint.contextId(endpoint)).isEqualTo(Endpoint.idOf(context, use));
        assertThat(Endpoint.contextOf(Endpoint.contextId(endpoint))).isEqualTo(context);
        assertThat(Endpoint.useOf(Endpoint.contextId(endpoint))).isEqualTo(use);
        assertThat(endpoint).isNotNegative();
    }

    @Test
    void shouldBeOfTheFirstUseUnlessOneIsGiven() {
        assertThat(Endpoint.of(3, 1, 0, 2)).isEqualTo(Endpoint.of(3, 1, 0, 2, 0));
        assertThatThrownBy(() -> Endpoint.of(0, 0, 0, 0, Endpoint.USES)).hasMessageContaining("use=1023");
        assertThatThrownBy(() -> Endpoint.of(0, 0, 0, 0, -1)).hasMessageContaining("use=-1");
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, 0, 0, task=-1", "0, 64, 0, 0, client=64", "0, 0, -1, 0, offset=-1", "0, 0, 0, 64, context=64"})
    void shouldNameThePartThatIsOutOfRange(int task, int client, int offset, int context, String named) {
        assertThatThrownBy(() -> Endpoint.of(task, client, offset, context))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named);
    }

    @Test
    void shouldDescribeItsDestination() {
        assertThat(Endpoint.toString(Endpoint.of(3, 1, 0, 2)))
                .isEqualTo("context 0 of client 1 of rank 3 (its context 2)");
        assertThat(Endpoint.toString(Endpoint.of(3, 1, 0, 2, 4)))
                .isEqualTo("context 0 of client 1 of rank 3 (its context 2 in use 4)");
    }
}
