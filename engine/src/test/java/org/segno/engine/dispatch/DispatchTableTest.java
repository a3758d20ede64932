package org.segno.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.segno.operation.ActiveMessageHandler;
import org.segno.operation.ReplyingHandler;

/** Handlers by dispatch id, with the one of announcements. */
class DispatchTableTest {
    private static final int HIGHEST = DispatchTable.ANNOUNCEMENTS - 1;

    private final DispatchTable table = new DispatchTable(1);
    private final ActiveMessageHandler handler = (origin, buffer, metadata, metadataLength, payload, length) -> {};
    private final ReplyingHandler replier = (origin, buffer, metadata, metadataLength, payload, length) -> 0;
    private final ReplyingHandler announced = (origin, buffer, metadata, metadataLength, payload, length) -> 0;

    @Test
    void shouldKeepTheHandlerOfAnnouncementsBesideThatOfTheHighestOtherId() {
        table.registerAnnouncements(announced);
        table.register(HIGHEST, handler);
        assertThat(table.handler(HIGHEST)).isSameAs(handler);
        assertThat(table.replier(HIGHEST)).isNull();
        assertThat(table.replier(DispatchTable.ANNOUNCEMENTS)).isSameAs(announced);
        assertThat(table.handler(DispatchTable.ANNOUNCEMENTS)).isNull();

        table.registerReplying(HIGHEST, replier);
        assertThat(table.handler(HIGHEST)).isNull();
        assertThat(table.replier(HIGHEST)).isSameAs(replier);
    }

    @Test
    void shouldHaveNoHandlerOfAnnouncementsBeforeOneIsRegistered() {
        table.register(HIGHEST, handler);
        assertThat(table.replier(DispatchTable.ANNOUNCEMENTS)).isNull();
        table.requireNoAnnouncements();
        table.registerAnnouncements(announced);
        assertThatThrownBy(table::requireNoAnnouncements).hasMessageContaining("has a messenger already");
        assertThatThrownBy(() -> table.register(DispatchTable.ANNOUNCEMENTS, handler))
                .hasMessageContaining("is reserved");
    }

    @Test
    void shouldReplaceTheHandlerOfAnId() {
        table.register(20, handler);
        table.registerReplying(20, replier);
        assertThat(table.handler(20)).isNull();
        assertThat(table.replier(20)).isSameAs(replier);
        assertThat(table.handler(21)).isNull();
        assertThat(table.replier(19)).isNull();
    }
}
