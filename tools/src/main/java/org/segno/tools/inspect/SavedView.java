package org.segno.tools.inspect;

import java.nio.file.Path;
import java.util.List;
import org.segno.engine.descriptor.Descriptor;
import org.segno.pattern.PatternEntry;
import org.segno.pattern.Rounds;
import org.segno.saved.SavedFile;
import org.segno.saved.SavedFile.Section;
import org.segno.tools.inspect.record.Broken;
import org.segno.tools.inspect.record.DescriptorRows;
import org.segno.tools.inspect.record.PatternSection;
import org.segno.tools.output.Quantity;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** View of a file of saved patterns. It has the columns of {@link PatternView}, without execution counts. */
final class SavedView {
    private static final String SCHEMA = "segno-inspect-saved-1";

    private final Path path;
    private final SavedFile file;
    private final Selection selection;

    SavedView(Path path, SavedFile file, Selection selection) {
        this.path = path;
        this.file = file;
        this.selection = selection;
    }

    Report report() {
        final List<Section> sections = file.patterns();
        final String client = file.client().isEmpty() ? "the node's own client" : "client " + file.client();
        final Report report = new Report(
                        SCHEMA,
                        path + " · version " + file.version() + " · rank " + file.rank() + " of " + file.ranks() + " · "
                                + client + " · " + Quantity.of(sections.size(), "pattern"))
                .put("file", path.toString())
                .put("version", file.version())
                .put("rank", file.rank())
                .put("ranks", file.ranks())
                .put("client", file.client());
        if (selection.hasId() && selection.idOr(0) >= sections.size()) {
            throw Selection.nothing("there is no pattern of index " + selection.idOr(0) + " in " + path + ", which has "
                    + sections.size());
        }
        final Table patterns = PatternSection.table();
        final DescriptorRows descriptors = new DescriptorRows("section", new Broken());
        long listed = 0;
        for (int index = 0; index < sections.size(); index++) {
            if (selection.admits(index) && selection.shown(++listed) == listed) {
                add(patterns, index, sections.get(index));
            }
        }
        report.add(patterns.size() == 0 ? "no patterns" : "patterns, as they were saved", patterns);
        report.add(selection.hasId() ? "section, with the names of the job that saved it" : "", descriptors.table());
        note(report, listed);
        if (selection.hasId()) {
            note(report, list(descriptors, sections.get(selection.idOr(0))));
        }
        return report;
    }

    private void note(Report report, long count) {
        if (!selection.more(count).isEmpty()) {
            report.note(selection.more(count));
        }
    }

    private void add(Table patterns, int index, Section section) {
        final PatternSection recorded = new PatternSection(
                section.id(),
                section.first(),
                section.descriptors(),
                section.arms(),
                section.rounds() == Rounds.ALTERNATE ? PatternEntry.ALTERNATE : PatternEntry.ORDERED_BY_CALLER);
        patterns.row(
                file.rank(),
                section.context(),
                index,
                section.id(),
                null,
                null,
                section.first(),
                section.descriptors(),
                recorded.bytes(file.descriptors(), 0),
                recorded.targets(file.descriptors(), 0),
                recorded.roundsName(),
                null);
    }

    private long list(DescriptorRows rows, Section section) {
        final long first = Math.max(section.first(), selection.fromOr(section.first()));
        final long count = Math.max(0, section.first() + section.descriptors() - first);
        for (long slot = first; slot < first + selection.shown(count); slot++) {
            rows.add(file.rank(), file.descriptors(), "slot", slot, slot * Descriptor.LENGTH);
        }
        return count;
    }
}
