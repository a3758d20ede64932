package org.segno.tools.run.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.segno.engine.job.JobSecret;
import org.segno.node.NodeSetting;
import org.segno.operation.MessageLimits;
import org.segno.tools.program.Java;
import org.segno.tools.program.Program;
import org.segno.tools.run.channel.ChannelFrame.Kind;
import org.segno.tools.run.plan.Binding;
import org.segno.tools.run.plan.HostMap;
import org.segno.tools.run.plan.HostRanks;
import org.segno.tools.run.plan.JobHost;
import org.segno.tools.run.plan.JobPart;
import org.segno.tools.run.plan.JournalPlan;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.plan.MapBy;
import org.segno.tools.run.plan.Network;
import org.segno.tools.run.plan.OutputPlan;
import org.segno.tools.run.plan.PortRange;

final class HostSpecTest {
    private final JobSecret secret = JobSecret.random();
    private HostSpec spec = spec(List.of());

    @BeforeEach
    void useTwoAddresses() throws IOException {
        spec = spec(List.of(
                new InetSocketAddress(InetAddress.getByName("10.1.2.3"), 4000),
                new InetSocketAddress(InetAddress.getByName("2001:db8::1"), 4001)));
    }

    private HostSpec spec(List<InetSocketAddress> hubs) {
        final JobPart first = new JobPart(
                3, Program.command(List.of("sh", "-c", "echo 'ä'")), Path.of("/work dir"), Map.of("A", "1", "B", ""));
        final JobPart second =
                new JobPart(1, Program.main("a.jar:b.jar", "org.Main", List.of("x y")), Path.of("/"), Map.of());
        final LaunchPlan plan = LaunchPlan.of(List.of(first, second))
                .withHosts(HostMap.of(JobHost.parse("a:2,user@b:2"), 4, MapBy.NODE))
                .withJobParent(Path.of("/jobs"))
                .withJava(new Java(Path.of("/jdk"), List.of("-Xmx1g", "-Da=b c")))
                .withOutput(OutputPlan.of(List.of("merge", "tag")))
                .withBinding(Binding.CORE)
                .withInput(3)
                .withKept(true)
                .withJoining(true)
                .withOversubscriptionRefused(true)
                .withBindingsReported(true)
                .withRecordings(Path.of("/recordings"))
                .withJournal(JournalPlan.of("pattern=/journal", true, 1 << 21, Duration.ofMillis(3)))
                .withStartTimeout(Duration.ofMillis(1500))
                .withKillGrace(Duration.ofSeconds(7))
                .withMessageLimits(new MessageLimits(16, 5000))
                .withNodeSettings(Map.of(NodeSetting.TRANSPORT, "aeron", NodeSetting.FIFO_SLOTS, "64"))
                .withNetwork(new Network("10.1.0.0/16", new PortRange(4000, 4100), null));
        final HostRanks ranks = plan.hosts().remote().get(1);
        return new HostSpec("echo-h1-0123456789abcdef", ranks, plan, hubs, secret, Duration.ofMillis(1_750));
    }

    @Test
    void shouldReachTheAgentWhole() throws IOException {
        final HostSpec read = HostSpec.of(spec.toFrame());

        assertThat(read.jobName()).isEqualTo(spec.jobName());
        assertThat(read.plan().journal()).isEqualTo(spec.plan().journal()).isNotNull();
        assertThat(read.ranks().ranks()).containsExactly(1, 3);
        assertThat(read.ranks().name()).isEqualTo("user@b");
        assertThat(read.hubs()).isEqualTo(spec.hubs());
        assertThat(read.secret().bytes()).isEqualTo(secret.bytes());
        final LaunchPlan plan = read.plan();
        assertThat(plan.rankCount()).isEqualTo(4);
        assertThat(plan.parts().get(0).directory()).isEqualTo(Path.of("/work dir"));
        assertThat(plan.parts().get(0).variables()).isEqualTo(Map.of("A", "1", "B", ""));
        for (int part = 0; part < 2; part++) {
            assertThat(plan.parts().get(part).program().toWords())
                    .isEqualTo(spec.plan().parts().get(part).program().toWords());
        }
        assertThat(plan.jobParent()).isEqualTo(Path.of("/jobs"));
        assertThat(plan.java()).isEqualTo(spec.plan().java());
        assertThat(plan.output().merge()).isTrue();
        assertThat(plan.binding()).isEqualTo(Binding.CORE);
        assertThat(plan.inputRank()).isEqualTo(3);
        assertThat(plan.kept()).isTrue();
        assertThat(plan.joining()).isTrue();
        assertThat(plan.oversubscriptionRefused()).isTrue();
        assertThat(plan.bindingsReported()).isTrue();
        assertThat(plan.recordings()).isEqualTo(Path.of("/recordings"));
        assertThat(plan.startTimeout()).isEqualTo(Duration.ofMillis(1500));
        assertThat(plan.killGrace()).isEqualTo(Duration.ofSeconds(7));
        assertThat(plan.messageLimits()).isEqualTo(new MessageLimits(16, 5000));
        assertThat(plan.nodeSettings()).isEqualTo(spec.plan().nodeSettings());
        assertThat(plan.network()).isEqualTo(spec.plan().network());
    }

    @Test
    void shouldUseTheAgentsOwnJavaUnlessTheUserNamedOne() throws IOException {
        final LaunchPlan plan = spec.plan().withJava(Java.own());
        final HostSpec own = new HostSpec(spec.jobName(), spec.ranks(), plan, spec.hubs(), secret, spec.silence());

        assertThat(HostSpec.of(own.toFrame()).plan().java()).isEqualTo(Java.own());
        assertThat(new String(own.toFrame().bytes(), StandardCharsets.UTF_8))
                .doesNotContain(Java.own().home().toString());
    }

    @Test
    void shouldNotShowTheSecretInAnyText() {
        final String digits = HexFormat.of().formatHex(secret.bytes());

        assertThat(spec.toString() + spec.toFrame())
                .doesNotContain(digits)
                .doesNotContain(Arrays.toString(secret.bytes()))
                .doesNotContain(digits.substring(0, 8));
    }

    @Test
    void shouldRefuseAnotherBuildAndNameBoth() {
        final byte[] other = new SpecWriter().text("segno 0.0.9, commit abc").toBytes();

        assertThatThrownBy(() -> HostSpec.of(ChannelFrame.ofSpec(HostSpec.VERSION, other)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the launcher is segno 0.0.9, commit abc, this host has segno ")
                .hasMessageContaining("install the same on all hosts");
        assertThatThrownBy(() -> HostSpec.of(ChannelFrame.ofSpec(HostSpec.VERSION + 1, new byte[0])))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the launcher is segno with version " + (HostSpec.VERSION + 1));
    }

    @Test
    void shouldRefuseATruncatedOrExtendedSpecification() {
        final byte[] whole = spec.toFrame().bytes();

        for (int length = 0; length < whole.length; length++) {
            final byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> HostSpec.of(ChannelFrame.ofSpec(HostSpec.VERSION, cut)))
                    .as("%d of %d bytes", length, whole.length)
                    .isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() ->
                        HostSpec.of(ChannelFrame.ofSpec(HostSpec.VERSION, Arrays.copyOf(whole, whole.length + 1))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("1 bytes after its last value");
    }

    @Test
    void shouldRefuseAnotherFirstFrame() {
        assertThatThrownBy(() -> HostSpec.of(ChannelFrame.of(Kind.START)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the first frame is no specification");
        assertThatThrownBy(() -> HostSpec.of(null)).isInstanceOf(IOException.class);
    }
}
