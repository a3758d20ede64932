package org.segno.bench.death;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.segno.bench.death.Death.Wait;
import org.segno.node.JobConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Runner of jobs, one rank of which it kills, or one host of which it stops.
 *
 * <p>The processes of the survivors continue with the next job; a victim is a new process each time. The ranks die in
 * turn; of one host, every third victim is rank 0, which is the job's hub.
 */
final class Killer {
    private final JobLayout layout;
    private final Threading threading;

    private Killer(JobLayout layout, Threading threading) {
        this.layout = layout;
        this.threading = threading;
    }

    /** Kills ranks of jobs of one host or of two. */
    static List<Death> kill(int kills, int hosts, Threading threading) throws IOException, InterruptedException {
        try (JobLayout layout = JobLayout.of(hosts)) {
            final Killer killer = new Killer(layout, threading);
            final List<Death> deaths = new ArrayList<>();
            final List<KillableRank> survivors = new ArrayList<>();
            try {
                while (survivors.size() < layout.size() - 1) {
                    survivors.add(KillableRank.start(threading));
                }
                for (int i = 0; i < kills; i++) {
                    final List<Integer> victims = layout.victims();
                    deaths.add(killer.kill(victims.get(i % victims.size()), survivors));
                }
                return deaths;
            } finally {
                survivors.forEach(KillableRank::close);
            }
        }
    }

    private Death kill(int victimRank, List<KillableRank> survivors) throws IOException, InterruptedException {
        final Map<Integer, KillableRank> others = new TreeMap<>();
        for (final KillableRank survivor : survivors) {
            others.put(others.size() < victimRank ? others.size() : others.size() + 1, survivor);
        }
        try (KillableRank victim = KillableRank.start(threading)) {
            final Threading mode = join(Map.of(victimRank, victim), others, victimRank);

            final long killedNs = victim.kill();

            return new Death(mode, victimRank, layout.isHub(victimRank), waits(others, victimRank, killedNs));
        }
    }

    /** Stops the second of two hosts of jobs: each of its processes, which gives no sign of life from then on. */
    static List<Death> stopHosts(int stops, Threading threading) throws IOException, InterruptedException {
        try (JobLayout layout = JobLayout.of(2)) {
            final Killer killer = new Killer(layout, threading);
            final List<Death> deaths = new ArrayList<>();
            for (int i = 0; i < stops; i++) {
                deaths.add(killer.stopHost());
            }
            return deaths;
        }
    }

    private Death stopHost() throws IOException, InterruptedException {
        final int firstVictim = layout.size() / 2;
        final Map<Integer, KillableRank> victims = new TreeMap<>();
        final Map<Integer, KillableRank> others = new TreeMap<>();
        try {
            for (int rank = 0; rank < layout.size(); rank++) {
                (layout.host(rank) == 0 ? others : victims).put(rank, KillableRank.start(threading));
            }
            final Threading mode = join(victims, others, firstVictim);

            final long stoppedNs = KillableRank.stop(victims.values());

            return new Death(mode, firstVictim, true, waits(others, firstVictim, stoppedNs));
        } finally {
            victims.values().forEach(KillableRank::close);
            others.values().forEach(KillableRank::close);
        }
    }

    /** Lets the processes join a new job, and returns the threading of a victim when all of them wait. */
    private Threading join(Map<Integer, KillableRank> victims, Map<Integer, KillableRank> others, int waitedFor)
            throws IOException {
        final List<String> orders = layout.orders(JobConfig.uniqueName("death"));
        for (final Map.Entry<Integer, KillableRank> victim : victims.entrySet()) {
            victim.getValue().join(orders.get(victim.getKey()), waitedFor);
        }
        for (final Map.Entry<Integer, KillableRank> other : others.entrySet()) {
            other.getValue().join(orders.get(other.getKey()), waitedFor);
        }
        for (final KillableRank other : others.values()) {
            other.expect(KillableRankMain.WAITING);
        }
        Threading mode = threading;
        for (final KillableRank victim : victims.values()) {
            mode = Threading.valueOf(victim.expect(KillableRankMain.WAITING));
        }
        return mode;
    }

    private List<Wait> waits(Map<Integer, KillableRank> others, int victim, long deadNs) throws IOException {
        final List<Wait> waits = new ArrayList<>();
        for (final Map.Entry<Integer, KillableRank> other : others.entrySet()) {
            waits.add(new Wait(
                    layout.host(other.getKey()) == layout.host(victim),
                    Long.parseLong(other.getValue().expect(KillableRankMain.FAILED)) - deadNs));
        }
        return waits;
    }
}
