package org.segno.tools.run.plan;

import java.util.ArrayList;
import java.util.List;
import org.segno.tools.output.Quantity;

/** The host of each rank of a job. */
public final class HostMap {
    private final List<HostRanks> hosts;
    private final int[] indexOf;

    private HostMap(List<HostRanks> hosts, int rankCount) {
        this.hosts = List.copyOf(hosts);
        indexOf = new int[rankCount];
        for (int index = 0; index < this.hosts.size(); index++) {
            for (final int rank : this.hosts.get(index).ranks()) {
                indexOf[rank] = index;
            }
        }
    }

    /** Returns the map of a job whose ranks all run on this host. */
    static HostMap ofThisHost(int rankCount) {
        return new HostMap(List.of(HostRanks.all(rankCount)), rankCount);
    }

    /** Returns the number of slots of all hosts. */
    public static int slots(List<JobHost> hosts) {
        return hosts.stream().mapToInt(JobHost::slots).sum();
    }

    /**
     * Places the ranks on the hosts. Hosts without a rank are omitted.
     *
     * @throws IllegalArgumentException if there are more ranks than slots; the message contains both.
     */
    public static HostMap of(List<JobHost> given, int rankCount, MapBy order) {
        final List<JobHost> all = JobHost.merged(given);
        final int slots = slots(all);
        if (rankCount > slots) {
            throw new IllegalArgumentException(Quantity.of(rankCount, "rank") + " on " + Quantity.of(slots, "slot")
                    + " of " + Quantity.of(all.size(), "host") + ": use -n " + slots
                    + ", or give the hosts more slots (" + all.get(0).name() + ":"
                    + (all.get(0).slots() + rankCount - slots) + ")");
        }
        final List<List<Integer>> ranks = new ArrayList<>();
        all.forEach(host -> ranks.add(new ArrayList<>()));
        int index = 0;
        for (int rank = 0; rank < rankCount; rank++) {
            while (ranks.get(index).size() == all.get(index).slots()) {
                index = (index + 1) % all.size();
            }
            ranks.get(index).add(rank);
            index = order == MapBy.NODE ? (index + 1) % all.size() : index;
        }
        final List<HostRanks> used = new ArrayList<>();
        for (int host = 0; host < all.size(); host++) {
            if (!ranks.get(host).isEmpty()) {
                final JobHost place = all.get(host);
                used.add(new HostRanks(place.name(), place.shellName(), place.isThisHost(), ranks.get(host)));
            }
        }
        return new HostMap(used, rankCount);
    }

    /** Returns the hosts that have ranks, in the order in which the user named them. */
    public List<HostRanks> hosts() {
        return hosts;
    }

    /** Returns the host of a rank. */
    public HostRanks of(int rank) {
        return hosts.get(indexOf[rank]);
    }

    /** Returns the ranks of this host, possibly none. */
    public HostRanks here() {
        return hosts.stream().filter(HostRanks::isThisHost).findFirst().orElse(HostRanks.all(0));
    }

    /** Returns the other hosts. */
    public List<HostRanks> remote() {
        return hosts.stream().filter(host -> !host.isThisHost()).toList();
    }

    /** Returns true if a rank runs on another host. */
    public boolean isRemote() {
        return !remote().isEmpty();
    }
}
