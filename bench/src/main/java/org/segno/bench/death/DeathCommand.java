package org.segno.bench.death;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.segno.node.NodeConfig.Threading;
import org.segno.tools.output.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code bench death} command. It kills ranks and measures the time until the other ranks detect it. */
@Command(
        name = "death",
        mixinStandardHelpOptions = true,
        description = {
            "Kills one rank of a running job after the other with SIGKILL, and measures the time from right before the"
                    + " kill until the wait of each other rank has ended with an error that names the victim. Takes"
                    + " about two minutes.",
            "With --hosts 2, two of four ranks are on each of two hosts, which are both this machine and reach each"
                    + " other by the loopback interface. With --silent, a kill is SIGSTOP to all processes of the"
                    + " second host: it is silent, and dead after 2 s."
        })
public final class DeathCommand implements Callable<Integer> {
    private static final int LIMIT_EXCEEDED = 1;
    private static final int UNFIT = 3;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--kills",
            paramLabel = "N",
            description = "Number of ranks to kill with each threading. Default: 100.")
    private int kills = 100;

    @Option(names = "--hosts", paramLabel = "N", description = "Hosts of a job, 1 or 2. Default: 1.")
    private int hosts = 1;

    @Option(names = "--silent", description = "Stops one of two hosts instead of killing a rank.")
    private boolean silent;

    @Option(
            names = "--limit-ms",
            paramLabel = "MS",
            description = "Exit code 1 if a wait ends later than this. Default: 250.")
    private double limitMs = 250;

    @Option(
            names = "--threading",
            paramLabel = "MODE",
            split = ",",
            description = "Threads of the engines. Default: invoker and dedicated.")
    private List<Threading> threadings = List.of(Threading.INVOKER, Threading.DEDICATED);

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    @Override
    public Integer call() throws InterruptedException {
        if (kills < 1) {
            throw new ParameterException(spec.commandLine(), "--kills must be 1 or more: " + kills);
        }
        if (hosts < 1 || hosts > 2) {
            throw new ParameterException(spec.commandLine(), "--hosts must be 1 or 2: " + hosts);
        }
        final PrintWriter errors = spec.commandLine().getErr();
        try {
            final List<Death> deaths = new ArrayList<>();
            for (final Threading threading : threadings) {
                deaths.addAll(silent ? Killer.stopHosts(kills, threading) : Killer.kill(kills, hosts, threading));
            }
            final DeathReport report = new DeathReport(deaths, silent ? 2 : hosts, silent, limitMs);
            final PrintWriter out = spec.commandLine().getOut();
            report.report().print(out, format);
            return report.isHeld() ? 0 : LIMIT_EXCEEDED;
        } catch (IOException e) {
            errors.println("bench: " + e.getMessage());
            return UNFIT;
        } catch (WrongEndException e) {
            errors.println("bench: " + e.getMessage());
            return LIMIT_EXCEEDED;
        }
    }
}
