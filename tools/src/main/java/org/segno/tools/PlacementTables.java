package org.segno.tools;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.segno.tools.observe.ObservedJob;
import org.segno.tools.observe.ObservedRank;
import org.segno.tools.observe.RankPlace;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import org.segno.tools.process.CoreList;
import org.segno.tools.process.MemoryNode;

/** Tables of the memory nodes of this host, and of the place of a job's ranks and of their memory. */
final class PlacementTables {
    private PlacementTables() {}

    static void addNodes(Report report) {
        final Table table = Table.of("memoryNodes", "memoryNode", "cores");
        for (final MemoryNode node : MemoryNode.ofThisHost()) {
            table.row(node.id(), node.cores());
        }
        report.add(
                table.size() == 0 ? "memory nodes (NUMA): not visible" : "memory nodes (NUMA) and their cores", table);
    }

    /** Adds a row for each rank and memory node on which pages of its node's file lie. */
    static void addJob(Report report, ObservedJob job) {
        final Map<Integer, Integer> nodeOfCore = new HashMap<>();
        MemoryNode.ofThisHost()
                .forEach(node -> CoreList.parse(node.cores()).forEach(core -> nodeOfCore.put(core, node.id())));
        final Table table = Table.of("placement", "rank", "pid", "state", "cores", "memoryNode", "bytes", "near");
        for (final ObservedRank rank : job.ranks()) {
            final RankPlace place = RankPlace.of(job, rank);
            final List<Integer> cores = CoreList.parse(place.cores());
            final long pid = rank.identity().pid();
            if (place.bytes().isEmpty()) {
                table.row(rank.rank(), pid, rank.state(), place.cores(), null, null, null);
            }
            place.bytes().forEach((node, bytes) -> {
                final boolean isNear = cores.stream().anyMatch(core -> node.equals(nodeOfCore.get(core)));
                table.row(rank.rank(), pid, rank.state(), place.cores(), node, bytes, isNear);
            });
        }
        report.put("job", job.fullName());
        report.add("cores that the ranks of " + job.name() + " may use, and where the pages of their files lie", table);
    }
}
