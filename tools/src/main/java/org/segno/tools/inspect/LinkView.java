package org.segno.tools.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.segno.tools.inspect.record.Broken;
import org.segno.tools.observe.LinkCounts;
import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import org.segno.transport.aeron.DriverCounts;
import org.segno.transport.aeron.ObservedLink;

/** View of the links over Aeron: the counts of each process, its links, and the datagrams that it has refused. */
final class LinkView implements View {
    private static final String WHERE = "links";
    private static final String REFUSED = "refused";
    private static final List<String> COUNTS = DriverCounts.names().stream()
            .filter(name -> !name.startsWith(REFUSED))
            .toList();

    private final Selection selection;
    private final Broken broken;
    private final Table drivers;
    private final Table links = Table.of(
            WHERE,
            "rank",
            "peer",
            "engine",
            "addresses",
            "mtu",
            "bytesSent",
            "bytesReceived",
            "backPressured",
            "lossReported",
            "lossOfPeer");
    private final Table refused = Table.of(REFUSED, "rank", "reason", "datagrams");
    private final List<String> notes = new ArrayList<>();

    LinkView(Selection selection, Broken broken) {
        this.selection = selection;
        this.broken = broken;
        final List<String> columns = new ArrayList<>(List.of("rank", "pid"));
        columns.addAll(COUNTS);
        columns.addAll(List.of(REFUSED, "file"));
        this.drivers = new Table("drivers", columns);
    }

    @Override
    public void look(ObservedRank rank) {
        final Optional<Path> file = LinkCounts.file(rank);
        if (file.isEmpty()) {
            return;
        }
        try {
            addDriver(rank, file.get(), DriverCounts.read(file.get()));
            addLinks(
                    rank,
                    ObservedLink.read(file.get()).stream()
                            .filter(link -> link.end().node() == rank.rank())
                            .toList());
        } catch (final IOException e) {
            broken.add(rank.rank(), WHERE, String.valueOf(e.getMessage()));
        }
    }

    private void addDriver(ObservedRank rank, Path file, Map<String, Long> counts) {
        final List<@Nullable Object> row =
                new ArrayList<>(List.of(rank.rank(), rank.identity().pid()));
        long sum = 0;
        for (final Map.Entry<String, Long> count : counts.entrySet()) {
            final long value = count.getValue();
            broken.unless(value >= 0, rank.rank(), WHERE, count.getKey() + " " + value);
            if (COUNTS.contains(count.getKey())) {
                row.add(value);
            } else {
                sum += value;
                addRefused(rank, count.getKey().substring(REFUSED.length()), value);
            }
        }
        row.addAll(List.of(sum, file));
        drivers.row(row.toArray());
    }

    private void addRefused(ObservedRank rank, String reason, long datagrams) {
        if (datagrams != 0) {
            refused.row(rank.rank(), reason.toLowerCase(Locale.ROOT), datagrams);
        }
    }

    private void addLinks(ObservedRank rank, List<ObservedLink> found) {
        final int size = rank.memory().layout().dimensions().size();
        for (int i = 0; i < found.size(); i++) {
            final ObservedLink link = found.get(i);
            final int peer = link.end().peer();
            final boolean isPeer = peer >= 0 && peer < size && peer != rank.rank();
            broken.unless(isPeer, rank.rank(), WHERE, "a link to rank " + peer + " of " + size);
            final boolean isCounted = link.bytesSent() >= 0 && link.bytesReceived() >= 0 && link.backPressured() >= 0;
            broken.unless(isCounted, rank.rank(), "link to rank " + peer, "a count is negative");
            if (i < selection.shown(found.size())) {
                links.row(
                        rank.rank(),
                        peer,
                        link.end().engine(),
                        link.addresses(),
                        link.mtu(),
                        link.bytesSent(),
                        link.bytesReceived(),
                        link.backPressured(),
                        link.lossReported(),
                        link.lossOfPeer());
            }
        }
        final String more = selection.more(found.size());
        if (!more.isEmpty()) {
            notes.add("rank " + rank.rank() + " links: " + more);
        }
    }

    @Override
    public void addTo(Report report) {
        report.add(
                drivers.size() == 0
                        ? "no links over Aeron"
                        : "counts of each process since its start, in the counters file of its driver",
                drivers);
        report.add(
                links.size() == 0 ? "" : "open links: bytes of their streams with headers, each counted once", links);
        report.add(
                drivers.size() == 0
                        ? ""
                        : refused.size() == 0
                                ? "no datagrams refused"
                                : "refused datagrams; those that are stale are late duplicates",
                refused);
        notes.forEach(report::note);
    }
}
