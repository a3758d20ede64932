package org.segno.tools.run.channel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.JobSecret;
import org.segno.engine.trace.TraceScope;
import org.segno.node.NodeSetting;
import org.segno.operation.MessageLimits;
import org.segno.tools.command.Version;
import org.segno.tools.program.Java;
import org.segno.tools.program.Program;
import org.segno.tools.run.plan.Binding;
import org.segno.tools.run.plan.HostRanks;
import org.segno.tools.run.plan.JobPart;
import org.segno.tools.run.plan.JournalPlan;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.plan.Network;
import org.segno.tools.run.plan.OutputPlan;
import org.segno.tools.run.plan.PortRange;

/**
 * The specification of the ranks of one host, which the launcher sends to the host's agent. It contains the secret of
 * the job and is sent over the standard input of the agent alone.
 *
 * @param jobName the name of the job on that host. It differs from host to host, because hosts may share a file system.
 * @param ranks the ranks of the host
 * @param plan the plan of the job, of which the agent uses the programs and the settings of the ranks
 * @param hubs the addresses of the job's hub
 * @param secret the secret of the job
 * @param silence the time after which a silent host is dead
 */
public record HostSpec(
        String jobName,
        HostRanks ranks,
        LaunchPlan plan,
        List<InetSocketAddress> hubs,
        JobSecret secret,
        Duration silence) {
    /** The version of the format. Every change of the format or of the frames changes it. */
    static final int VERSION = 2;

    /** Copies the addresses. */
    public HostSpec {
        hubs = List.copyOf(hubs);
    }

    /** Returns the build of this installation, which both ends must have. */
    private static String build() {
        return "segno " + Version.number() + ", commit " + Version.commit();
    }

    /** Returns the first frame of the channel. */
    public ChannelFrame toFrame() {
        final SpecWriter out = new SpecWriter().text(build());
        out.text(jobName).text(ranks.name()).text(ranks.shellName()).numbers(ranks.ranks());
        writeParts(out);
        final Java java = plan.java();
        final boolean ownJava = java.home().equals(Java.own().home());
        out.text(plan.jobParent().toString());
        out.optionalText(ownJava ? null : java.home()).texts(java.options());
        out.flag(plan.output().merge()).text(plan.binding().name()).number(plan.inputRank());
        out.flag(plan.kept()).flag(plan.joining()).flag(plan.oversubscriptionRefused());
        out.flag(plan.bindingsReported()).optionalText(plan.recordings());
        writeJournal(out);
        out.number(plan.startTimeout().toNanos()).number(plan.killGrace().toNanos());
        out.number(plan.messageLimits().immediateBytes())
                .number(plan.messageLimits().eagerBytes());
        final Map<String, String> settings = new LinkedHashMap<>();
        plan.nodeSettings().forEach((setting, value) -> settings.put(setting.name(), value));
        out.texts(settings);
        out.optionalText(plan.network().net()).optionalText(plan.network().ports());
        out.number(hubs.size());
        hubs.forEach(hub -> out.bytes(hub.getAddress().getAddress()).number(hub.getPort()));
        return ChannelFrame.ofSpec(
                VERSION, out.bytes(secret.bytes()).number(silence.toNanos()).toBytes());
    }

    private void writeJournal(SpecWriter out) {
        final JournalPlan journal = plan.journal();
        out.flag(journal != null);
        if (journal != null) {
            out.text(journal.scope().name()).text(journal.directory().toString());
            out.flag(journal.withPayloads()).number(journal.ringBytes());
            out.number(journal.sync().toNanos());
        }
    }

    private static @Nullable JournalPlan readJournal(SpecReader in) throws IOException {
        if (!in.flag()) {
            return null;
        }
        final TraceScope scope = TraceScope.valueOf(in.text());
        return new JournalPlan(scope, Path.of(in.text()), in.flag(), in.integer(), Duration.ofNanos(in.number()));
    }

    private void writeParts(SpecWriter out) {
        out.number(plan.parts().size());
        for (final JobPart part : plan.parts()) {
            final Program.Words words = part.program().toWords();
            out.number(part.rankCount()).text(words.kind()).text(words.name());
            out.texts(words.words()).texts(words.arguments());
            out.text(part.directory().toString()).texts(part.variables());
        }
    }

    /**
     * Reads the first frame of a channel.
     *
     * @throws IOException if the frame is not fit, or another build of Segno has sent it; the message has the reason.
     */
    public static HostSpec of(@Nullable ChannelFrame frame) throws IOException {
        if (frame == null || frame.kind() != ChannelFrame.Kind.SPEC) {
            throw new IOException("the first frame is no specification: " + frame);
        }
        final SpecReader in = new SpecReader(frame.bytes());
        final String build = frame.value() == VERSION ? in.text() : "segno with version " + frame.value();
        if (!build.equals(build())) {
            throw new IOException("the launcher is " + build + ", this host has " + build()
                    + ": install the same on all hosts, under the same path");
        }
        try {
            return read(in);
        } catch (final IllegalArgumentException e) {
            throw new IOException("the specification of the ranks is malformed: " + e.getMessage(), e);
        }
    }

    private static HostSpec read(SpecReader in) throws IOException {
        final String jobName = in.text();
        final HostRanks ranks = new HostRanks(in.text(), in.text(), false, in.numbers());
        LaunchPlan plan = LaunchPlan.of(readParts(in)).withJobParent(Path.of(in.text()));
        final String home = in.optionalText();
        final List<String> options = in.texts();
        plan = plan.withJava(home == null ? Java.own().with(options) : new Java(Path.of(home), options));
        plan = plan.withOutput(OutputPlan.of(in.flag() ? List.of("merge") : List.of()));
        plan = plan.withBinding(Binding.valueOf(in.text())).withInput(in.integer());
        plan = plan.withKept(in.flag()).withJoining(in.flag()).withOversubscriptionRefused(in.flag());
        plan = plan.withBindingsReported(in.flag());
        final String recordings = in.optionalText();
        plan = plan.withRecordings(recordings == null ? null : Path.of(recordings));
        plan = plan.withJournal(readJournal(in));
        plan = plan.withStartTimeout(Duration.ofNanos(in.number())).withKillGrace(Duration.ofNanos(in.number()));
        plan = plan.withMessageLimits(new MessageLimits(in.integer(), in.number()));
        final Map<NodeSetting, String> settings = new EnumMap<>(NodeSetting.class);
        in.textsByName().forEach((name, value) -> settings.put(NodeSetting.valueOf(name), value));
        plan = plan.withNodeSettings(settings);
        final String net = in.optionalText();
        final String ports = in.optionalText();
        plan = plan.withNetwork(new Network(net, ports == null ? null : PortRange.parse(ports), null));
        final List<InetSocketAddress> hubs = new ArrayList<>();
        final int count = in.integer();
        for (int index = 0; index < count; index++) {
            final InetAddress address = InetAddress.getByAddress(in.bytes());
            hubs.add(new InetSocketAddress(address, in.integer()));
        }
        final JobSecret secret = JobSecret.of(in.bytes());
        final Duration silence = Duration.ofNanos(in.number());
        in.requireEnd();
        return new HostSpec(jobName, ranks, plan, hubs, secret, silence);
    }

    private static List<JobPart> readParts(SpecReader in) throws IOException {
        final int count = in.integer();
        final List<JobPart> parts = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            final int rankCount = in.integer();
            final Program program = Program.of(new Program.Words(in.text(), in.text(), in.texts(), in.texts()));
            parts.add(new JobPart(rankCount, program, Path.of(in.text()), in.textsByName()));
        }
        return parts;
    }
}
