package org.segno.tools.run.remote;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.ProtocolException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.segno.status.OpenFiles;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.process.ByteQueue;
import org.segno.tools.process.ShellWords;
import org.segno.tools.run.channel.ChannelFrame;
import org.segno.tools.run.channel.ChannelFrame.Kind;
import org.segno.tools.run.channel.FrameChannel;
import org.segno.tools.run.plan.HostRanks;
import org.segno.tools.run.process.Event;
import org.segno.tools.run.process.RankExit;
import org.segno.tools.run.process.RankOutputs;

/**
 * The channel to the agent of one host, over the standard streams of a remote shell. One thread sends the specification
 * and then receives. Events are in the order in which the agent has sent them.
 */
final class HostChannel {
    /** Bytes of one stream of a rank that may wait to be written. */
    private static final long OUTPUT_LIMIT = 1 << 20;

    /** Time between the end of the channel and that of the remote shell. */
    private static final long EXIT_LIMIT_MS = 2_000;

    private final int index;
    private final HostRanks ranks;
    private final String command;
    private final Process process;
    private final FrameChannel channel;
    private final RankOutputs outputs;
    private final Consumer<Event> events;
    private final Console console;
    private final Map<Integer, RemoteRank> remotes = new TreeMap<>();
    private final Map<String, ByteQueue> streams = new ConcurrentHashMap<>();
    private final Thread thread;

    /** Used by the thread of the channel, once it has started. */
    private @Nullable ChannelFrame spec;

    private volatile @Nullable InputPump input;
    private volatile boolean ready;
    private volatile boolean discarding;
    private volatile boolean open = true;

    /** Received frames. Written by the thread of the channel. */
    private volatile long frameCount;

    private boolean done;

    private HostChannel(
            int index, HostRanks ranks, Process process, String command, RankOutputs outputs, Reports reports) {
        this.index = index;
        this.ranks = ranks;
        this.process = process;
        this.command = command;
        this.outputs = outputs;
        this.events = reports.events;
        this.console = reports.console;
        this.channel = new FrameChannel(process.getInputStream(), process.getOutputStream());
        ranks.ranks().forEach(rank -> remotes.put(rank, new RemoteRank(this, rank)));
        this.thread = new Thread(this::run, "segno-host-" + ranks.name());
        thread.setDaemon(true);
    }

    /**
     * The receivers of everything that is not output.
     *
     * @param events receives the events, on the thread of the channel
     * @param console receives the messages
     */
    record Reports(Consumer<Event> events, Console console) {}

    /**
     * Starts the remote shell. Does not wait for the agent.
     *
     * @param index the number of the host in events
     * @throws CommandException if the remote shell cannot be started.
     */
    static HostChannel start(
            int index, HostRanks ranks, List<String> remoteShell, RankOutputs outputs, Reports reports) {
        final List<String> words = AgentCommand.words(remoteShell, ranks);
        final ProcessBuilder builder = new ProcessBuilder(AgentCommand.shielded(words)).redirectError(Redirect.INHERIT);
        try {
            final String shown = ShellWords.join(words.subList(0, remoteShell.size() + 1)) + " …";
            return new HostChannel(index, ranks, builder.start(), shown, outputs, reports);
        } catch (final IOException e) {
            throw new CommandException(
                    ExitCode.NOT_FIT,
                    "the remote shell to host " + ranks.name() + " cannot be started: " + e.getMessage() + "; "
                            + OpenFiles.remedy(e, "name another one with --rsh"));
        }
    }

    /** Sends the specification, and receives from then on. */
    void begin(ChannelFrame spec) {
        this.spec = spec;
        thread.start();
    }

    HostRanks ranks() {
        return ranks;
    }

    String name() {
        return ranks.name();
    }

    /** Returns the beginning of the remote shell's command, for messages. */
    String command() {
        return command;
    }

    boolean isReady() {
        return ready;
    }

    /** Returns false once the channel has ended. */
    boolean isOpen() {
        return open;
    }

    RemoteRank rank(int number) {
        final RemoteRank rank = remotes.get(number);
        if (rank == null) {
            throw new IllegalArgumentException("rank " + number + " is not on host " + name());
        }
        return rank;
    }

    void send(ChannelFrame frame) {
        channel.send(frame);
    }

    /** Starts to pass this process's standard input to a rank. */
    void startInput(int rank) {
        final InputPump pump = new InputPump(this, rank);
        input = pump;
        pump.start();
    }

    /** Drops output for which there is no room, so that it does not hold up the events behind it. */
    void discardOutput() {
        discarding = true;
        streams.values().forEach(ByteQueue::discard);
    }

    /** Waits for the end of the channel and until all output is written, but no longer than both rest. */
    void finish(long limitMs) throws InterruptedException {
        long before;
        do {
            before = frameCount;
            thread.join(limitMs);
        } while (thread.isAlive() && frameCount != before);
        for (final ByteQueue stream : streams.values()) {
            stream.awaitEmpty(limitMs);
        }
    }

    /** Lets the agent end itself and its ranks, if it still runs. Does not wait. */
    void hangUp() throws InterruptedException {
        discardOutput();
        channel.hangUp();
    }

    /** Waits for the end of the remote shell, and kills it at the deadline. */
    void end(long deadlineNs) throws InterruptedException {
        if (!process.waitFor(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            process.destroyForcibly();
        }
    }

    private void run() {
        String problem = "";
        boolean isText = false;
        long count = 0;
        try {
            if (spec != null) {
                send(spec);
                // It contains the secret and is not needed any more.
                spec = null;
            }
            for (ChannelFrame frame = channel.read(); frame != null; frame = channel.read()) {
                receive(frame);
                frameCount = ++count;
            }
        } catch (final ProtocolException e) {
            isText = true;
            problem = ": " + e.getMessage();
        } catch (final IOException e) {
            problem = ": " + e.getMessage();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        streams.values().forEach(ByteQueue::end);
        final String reason = isText ? talkative() : lost(exitStatus());
        open = false;
        events.accept(Event.hostEnded(index, done ? "" : reason + problem));
    }

    private void receive(ChannelFrame frame) throws IOException, InterruptedException {
        switch (frame.kind()) {
            case READY -> {
                ready = true;
                events.accept(Event.of(Event.Kind.HOST_READY, index));
            }
            case STARTED -> {
                remote(frame).started(frame.value());
                console.detail("rank " + frame.rank() + " is pid " + frame.value() + " on host " + name());
            }
            case OUT, ERR -> output(frame);
            case TAKEN -> {
                final InputPump pump = input;
                if (pump != null) {
                    pump.taken(frame.value());
                }
            }
            case EXITED -> {
                remote(frame);
                events.accept(Event.exited(frame.rank(), (int) frame.value() & 0xff));
            }
            case MESSAGE -> print(frame);
            case FAILED ->
                events.accept(Event.hostFailed(index, (int) frame.value(), "host " + name() + ": " + frame.text()));
            case DONE -> done = true;
            default -> throw new IOException("no agent sends " + frame);
        }
    }

    private RemoteRank remote(ChannelFrame frame) throws IOException {
        final RemoteRank rank = remotes.get(frame.rank());
        if (rank == null) {
            throw new IOException("no rank of the host: " + frame);
        }
        return rank;
    }

    private void output(ChannelFrame frame) throws IOException, InterruptedException {
        remote(frame);
        final boolean ofError = frame.kind() == Kind.ERR;
        final ByteQueue stream = streams.computeIfAbsent(frame.rank() + (ofError ? " err" : " out"), unused -> {
            final ByteQueue queue = new ByteQueue(OUTPUT_LIMIT);
            outputs.start(frame.rank(), ofError, queue);
            return queue;
        });
        if (discarding) {
            stream.discard();
        }
        final byte[] bytes = frame.bytes();
        if (bytes.length == 0) {
            stream.end();
        } else {
            stream.put(bytes);
        }
    }

    private void print(ChannelFrame frame) {
        final String text = "host " + name() + ": " + frame.text();
        switch (frame.level()) {
            case DETAIL -> console.detail(text);
            case MESSAGE -> console.message(text);
            case PROBLEM -> console.problem(text);
        }
    }

    private String talkative() {
        return "host " + name() + ": the remote shell prints text where the agent's frames belong: run '"
                + command.replace("…", "true")
                + "', which must print nothing, and look for the text in the start-up files of that host, such as"
                + " ~/.bashrc";
    }

    private String lost(String status) {
        final String remedy = ready
                ? "; its ranks " + ranks.ranks() + " are lost"
                : " before its ranks were started: run '" + command.replace("…", "true")
                        + "' to see whether the host is reachable, and install segno there under the same path";
        return "host " + name() + ": '" + command + "' " + status + remedy;
    }

    private String exitStatus() {
        try {
            if (process.waitFor(EXIT_LIMIT_MS, TimeUnit.MILLISECONDS)) {
                return "ended with " + RankExit.describe(process.exitValue());
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "closed its output";
    }
}
