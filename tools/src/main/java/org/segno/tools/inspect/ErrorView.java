package org.segno.tools.inspect;

import java.util.ArrayList;
import java.util.List;
import org.segno.tools.inspect.record.Broken;
import org.segno.tools.observe.ErrorEntry;
import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** View of the error logs. With {@code --id} it shows the whole text of one error. */
final class ErrorView implements View {
    private final Selection selection;
    private final Broken broken;
    private final Table errors = Table.of("errors", "rank", "id", "count", "first", "last", "error");
    private final List<String> traces = new ArrayList<>();

    ErrorView(Selection selection, Broken broken) {
        this.selection = selection;
        this.broken = broken;
    }

    @Override
    public void look(ObservedRank rank) {
        final ErrorEntry.Log log = ErrorEntry.read(rank.memory());
        broken.unless(log.damage().isEmpty(), rank.rank(), "error log", log.damage());
        for (int id = 0; id < log.entries().size(); id++) {
            final ErrorEntry entry = log.entries().get(id);
            broken.unless(entry.count() > 0, rank.rank(), "error " + id, "count " + entry.count() + " must be above 0");
            if (selection.admits(id)) {
                errors.row(rank.rank(), id, entry.count(), entry.first(), entry.last(), entry.headline());
                if (selection.hasId()) {
                    entry.text().lines().forEach(traces::add);
                }
            }
        }
    }

    @Override
    public void addTo(Report report) {
        report.add(errors.size() == 0 ? "no errors logged" : "errors, written by the owner", errors);
        traces.forEach(report::note);
    }
}
