package org.segno.tools;

import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;
import org.segno.tools.observe.JobOptions;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import org.segno.transport.aeron.HostLinks;
import org.segno.transport.aeron.LinkSpace;

/** Tables of what links over Aeron would use on this host, with the settings of this process. */
final class LinkTables {
    private LinkTables() {}

    static void addTo(Report report) {
        final Table links = Table.of("links", "name", "value", "setting", "meaning");
        links.row("aeron", HostLinks.aeronVersion(), null, "version of the library");
        links.row("ports", ports(), HostLinks.PORT_RANGE, "UDP ports: a link takes one at each end");
        links.row(
                "socketBytes",
                HostLinks.socketBytes(),
                "net.core.rmem_max",
                "receive buffer that the system grants of " + HostLinks.SOCKET_BYTES + ": the limit of a window");
        links.row(
                "driverBytes",
                LinkSpace.ofProcess(0),
                "SEGNO_DIR",
                "files of each process that has links, more if ranks x engines > 200; below " + JobOptions.parent());
        report.add("links over Aeron", links);
        report.add(
                "addresses for links, the longest datagram there, and the files of a link at each end in "
                        + JobOptions.parent(),
                addresses());
    }

    private static String ports() {
        try {
            return HostLinks.ports();
        } catch (final SegnoException invalid) {
            return String.valueOf(invalid.getMessage());
        }
    }

    private static Table addresses() {
        final Table table = Table.of("linkAddresses", "interface", "address", "mtu", "linkBytes", "use");
        try {
            for (final HostLinks.Address each : HostLinks.addresses()) {
                final @Nullable Integer mtu = each.mtu() == 0 ? null : Integer.valueOf(each.mtu());
                table.row(
                        each.interfaceName(),
                        each.address(),
                        mtu,
                        mtu == null ? null : LinkSpace.ofEnd(mtu),
                        each.use());
            }
        } catch (final SegnoException invalid) {
            table.row(null, null, null, null, invalid.getMessage());
        }
        return table;
    }
}
