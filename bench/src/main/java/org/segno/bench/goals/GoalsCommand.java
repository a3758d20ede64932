package org.segno.bench.goals;

import java.io.IOException;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.segno.bench.report.SavedRun;
import org.segno.bench.report.SavedRun.SavedRow;
import org.segno.tools.output.Format;
import org.segno.tools.output.Quantity;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code bench goals} command. It compares the figures of links in saved runs with their goals. */
@Command(
        name = "goals",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the medians of links in saved runs beside those of their peers in the same run and state of the"
                    + " cores, and their goals. Measures nothing."
        })
public final class GoalsCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-goals-2";
    private static final int MISSED = 1;
    private static final int UNFIT = 3;
    private static final Pattern MTU = Pattern.compile("Segno INVOKER over Aeron, MTU (\\d+),");
    private static final String MAPPED = "put_lat 8, Segno INVOKER, p50";
    private static final String BESIDE_LINKS = "put_lat 8, Segno INVOKER beside links, p50";
    private static final double LOSS_NS = 200;

    private final DecimalFormat bounds = new DecimalFormat("#,##0.##", DecimalFormatSymbols.getInstance(Locale.ROOT));

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "JSON of a run with rows of links.")
    private List<Path> files = List.of();

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    private int missed;

    /** Pairs of figures that were never measured in the same state. */
    private int unlike;

    @Override
    public Integer call() {
        final Table table = Table.of(
                        "goals", "measure", "mtu", "state", "figure", "beside", "unit", "ratio", "goal", "verdict")
                .numbers(Quantity::ofFigure);
        final StringBuilder title = new StringBuilder("# goals of links");
        try {
            for (final Path file : files) {
                final SavedRun run = SavedRun.read(file);
                title.append("\n# ").append(file.getFileName()).append(": ").append(run.environment());
                table.startGroup();
                add(table, run);
            }
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
        }
        new Report(SCHEMA, title.toString())
                .put("missed", missed)
                .put("unlike", unlike)
                .add(table)
                .note(note())
                .print(spec.commandLine().getOut(), format);
        return missed + unlike == 0 ? 0 : MISSED;
    }

    private void add(Table table, SavedRun run) {
        final SortedSet<Integer> mtus = new TreeSet<>();
        for (final String name : run.rows().keySet()) {
            final Matcher mtu = MTU.matcher(name);
            if (mtu.find()) {
                mtus.add(Integer.valueOf(mtu.group(1)));
            }
        }
        for (final LinkGoal goal : LinkGoal.all()) {
            for (final int mtu : mtus) {
                if (goal.mtus().include(mtu)) {
                    add(table, run, goal, mtu);
                }
            }
        }
        addMapped(table, run);
    }

    private String note() {
        final String goals = missed == 0 ? unlike == 0 ? "all held" : "no other missed" : "missed: " + missed;
        return unlike == 0 ? goals : goals + "; not measured in one state of the cores: " + unlike + ", measure again";
    }

    /** Adds a goal, unless the run lacks one of its rows: MPI is not found everywhere. */
    private void add(Table table, SavedRun run, LinkGoal goal, int mtu) {
        final SavedRow row = run.rows().get(LinkGoal.named(goal.row(), mtu));
        final SavedRow beside = run.rows().get(LinkGoal.named(goal.beside(), mtu));
        if (row == null || (beside == null && !goal.beside().isEmpty())) {
            return;
        }
        final FigurePair pair = FigurePair.of(row, beside);
        table.row(
                goal.measure(),
                Integer.toString(mtu),
                pair.states(),
                pair.figure(),
                pair.other(),
                row.unit(),
                rounded(pair.ratio()),
                text(goal),
                pair.isAlike() ? verdict(goal, beside == null ? pair.figure() : pair.ratio()) : countUnlike(goal));
    }

    /** Adds the time that mapped memory loses if a process also has links. */
    private void addMapped(Table table, SavedRun run) {
        final SavedRow alone = run.rows().get(MAPPED);
        final SavedRow beside = run.rows().get(BESIDE_LINKS);
        if (alone != null && beside != null) {
            final FigurePair pair = FigurePair.of(beside, alone);
            table.row(
                    "8 B PUT by mapped memory beside idle links",
                    "-",
                    pair.states(),
                    pair.figure(),
                    pair.other(),
                    alone.unit(),
                    rounded(pair.ratio()),
                    "<= +200 ns",
                    pair.isAlike() ? count(pair.figure() - pair.other() <= LOSS_NS) : countUnlike());
        }
    }

    private String countUnlike(LinkGoal goal) {
        return Double.isNaN(goal.bound()) ? "" : countUnlike();
    }

    private String countUnlike() {
        unlike++;
        return "other state";
    }

    private String verdict(LinkGoal goal, double figure) {
        return Double.isNaN(goal.bound()) ? "" : count(goal.isHeldBy(figure));
    }

    private String count(boolean isHeld) {
        missed += isHeld ? 0 : 1;
        return isHeld ? "held" : "MISSED";
    }

    private String text(LinkGoal goal) {
        return Double.isNaN(goal.bound()) ? "-" : (goal.isUpper() ? "<= " : ">= ") + bounds.format(goal.bound());
    }

    private static double rounded(double ratio) {
        return Double.isNaN(ratio) ? ratio : Math.round(ratio * 1000) / 1000.0;
    }
}
