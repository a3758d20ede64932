package org.segno.tools;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.collective.AlgorithmTable;
import org.segno.engine.job.JobVariables;
import org.segno.engine.job.SettingNames;
import org.segno.engine.memory.NodeLayout;
import org.segno.link.TransportProvider;
import org.segno.node.NodeSetting;
import org.segno.tools.command.ExitCode;
import org.segno.tools.command.Version;
import org.segno.tools.observe.JobOptions;
import org.segno.tools.output.Format;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code segno info} command. It prints the version, transports, links, memory nodes and settings. */
@Command(
        name = "info",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description = {
            "Show version, commit, transports, layout versions, what links between hosts would use, memory nodes"
                    + " (NUMA) and their cores; with --config every setting; with --algorithms those of collectives;"
                    + " with JOB where its ranks and their memory are placed."
        })
final class InfoCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-info-1";

    /** Transports of the design, each with the way to get it. */
    private static final Map<String, String> TRANSPORTS = new LinkedHashMap<>();

    static {
        TRANSPORTS.put("shm", "not on the class path: add org.segno:segno-shm-transport");
        TRANSPORTS.put("aeron", "not on the class path: add org.segno:segno-aeron-transport");
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "JOB", arity = "0..1", description = "a job of this host, whose placement is shown")
    private @Nullable String job;

    @Mixin
    private final JobOptions options = new JobOptions();

    @Option(names = "--config", description = "list every setting: name, value, source, default, meaning")
    private boolean config;

    @Option(
            names = "--algorithms",
            description = "list the algorithms of collectives, in the order in which they are selected")
    private boolean algorithms;

    @Option(
            names = "--algorithm-table",
            paramLabel = "F",
            description = "with --algorithms: file with the table that selects them, default the library's table")
    private @Nullable String algorithmTable;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table, csv, json or ndjson, default ${DEFAULT-VALUE}")
    private Format format = Format.TABLE;

    InfoCommand() {}

    @Override
    public Integer call() {
        final String title = "segno " + Version.number() + " · commit " + Version.commit() + " · JDK "
                + System.getProperty("java.version") + " · layout " + NodeLayout.VERSION;
        final Report report = new Report(SCHEMA, title)
                .put("version", Version.number())
                .put("commit", Version.commit())
                .put("jdk", System.getProperty("java.version"))
                .put("layoutVersion", NodeLayout.VERSION)
                .put("layoutHash", Integer.toHexString(NodeLayout.hash()))
                .add(transports());
        LinkTables.addTo(report);
        PlacementTables.addNodes(report);
        if (job != null) {
            PlacementTables.addJob(report, options.open(job));
        }
        if (config) {
            report.add(settings());
        }
        if (algorithms) {
            report.add(algorithmTable());
        }
        report.print(spec.commandLine().getOut(), format);
        return ExitCode.DONE;
    }

    /** Returns the algorithms of collectives. The first row applies whose limits a call does not exceed. */
    private Table algorithmTable() {
        final Table table = Table.of("algorithms", "collective", "algorithm", "members", "bytes", "meaning");
        for (final AlgorithmTable.Row row : selecting().rows()) {
            table.row(
                    row.kind().toString(),
                    row.algorithm(),
                    row.members() == 0 ? "by name" : limit(row.members(), Integer.MAX_VALUE),
                    row.members() == 0 ? "" : limit(row.bytes(), Long.MAX_VALUE),
                    row.description());
        }
        return table;
    }

    private AlgorithmTable selecting() {
        final String file = algorithmTable;
        if (file == null || file.equals(NodeSetting.ALGORITHM_TABLE.defaultText())) {
            return AlgorithmTable.defaults();
        }
        try {
            return AlgorithmTable.read(Path.of(file));
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(), "Invalid value for option '--algorithm-table': " + e.getMessage(), e);
        }
    }

    private static String limit(long value, long any) {
        return value == any ? "any" : "to " + value;
    }

    private static Table transports() {
        final Table table = Table.of("transports", "transport", "available", "reason");
        table.row("process", true, "built in: links between ranks of one process, for tests");
        final Map<String, String> missing = new LinkedHashMap<>(TRANSPORTS);
        final Iterator<TransportProvider> factories =
                ServiceLoader.load(TransportProvider.class).iterator();
        while (true) {
            try {
                if (!factories.hasNext()) {
                    break;
                }
                final TransportProvider provider = factories.next();
                missing.remove(provider.name());
                table.row(provider.name(), true, provider.getClass().getName());
            } catch (final ServiceConfigurationError broken) {
                // The provider is listed but cannot be loaded. The iterator continues with the next one.
                table.row("?", false, String.valueOf(broken.getMessage()));
            }
        }
        missing.forEach((name, reason) -> table.row(name, false, reason));
        return table;
    }

    /** Returns the settings of all commands, each name once, and those that the engine itself reads. */
    private static Table settings() {
        final Table table = Table.of(
                "settings",
                "name",
                "value",
                "source",
                "default",
                "commands",
                "option",
                "variable",
                "property",
                "meaning");
        final Settings settings = new Settings(System.getenv(), System.getProperties());
        final Map<String, List<String>> commands = new TreeMap<>();
        final Map<String, OptionSpec> options = new TreeMap<>();
        // No values from the environment, so that a default is a default.
        final CommandLine top = Segno.commandLine(new String[0], Map.of());
        collect(top, "segno", options, commands);
        options.forEach((name, option) -> {
            final Settings.Standing standing = settings.standing(option);
            table.row(
                    name,
                    standing.value() == null ? defaultOf(name, option) : standing.value(),
                    standing.source(),
                    defaultOf(name, option),
                    String.join(" ", commands.getOrDefault(name, List.of())),
                    "--" + name,
                    SettingNames.variable(name),
                    SettingNames.property(name),
                    meaning(option));
        });
        final boolean isVariable = SettingNames.isSet(System.getenv(JobVariables.DIR));
        final boolean isProperty = SettingNames.isSet(System.getProperty("segno.dir"));
        table.row(
                "dir",
                JobOptions.parent(),
                isProperty ? "property segno.dir" : isVariable ? "variable " + JobVariables.DIR : "default",
                "/dev/shm",
                "all",
                null,
                JobVariables.DIR,
                SettingNames.property("dir"),
                "parent of job directories");
        return table;
    }

    private static void collect(
            CommandLine command, String name, Map<String, OptionSpec> options, Map<String, List<String>> commands) {
        for (final OptionSpec option : command.getCommandSpec().options()) {
            final String setting = Settings.nameOf(option);
            if (setting != null && (!option.inherited() || name.equals("segno"))) {
                options.putIfAbsent(setting, option);
                commands.computeIfAbsent(setting, unknown -> new ArrayList<>()).add(name);
            }
        }
        command.getSubcommands().forEach((sub, line) -> collect(line, sub, options, commands));
    }

    /** Returns the default of an option; of a setting of the ranks' nodes, the value that the nodes have without it. */
    private static @Nullable String defaultOf(String name, OptionSpec option) {
        final String own = option.typeInfo().isBoolean() ? "false" : null;
        final String value = option.defaultValue() == null ? own : option.defaultValue();
        return value == null
                ? NodeSetting.named(name).map(NodeSetting::defaultText).orElse(null)
                : value;
    }

    private static String meaning(OptionSpec option) {
        return String.join(" ", option.description()).replace(", default ${DEFAULT-VALUE}", "");
    }
}
