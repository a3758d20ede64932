package org.segno.tools.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CoreListTest {
    @Test
    void shouldReadTheListsThatLinuxWrites() {
        assertThat(CoreList.parse("0")).containsExactly(0);
        assertThat(CoreList.parse("0-2,8,10-11")).containsExactly(0, 1, 2, 8, 10, 11);
        assertThat(CoreList.parse("\t4-5\n")).containsExactly(4, 5);
        assertThat(CoreList.parse("\n")).isEmpty();
    }

    @Test
    void shouldSeeAsManyCoresAsTheVirtualMachineDoes() {
        assertThat(CoreList.ofThisProcess())
                .hasSizeGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
    }
}
