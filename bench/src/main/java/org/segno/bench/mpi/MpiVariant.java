package org.segno.bench.mpi;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.Role;

/**
 * A way in which MPI carries out an exchange.
 *
 * @param packed true to copy all pieces for the other rank into one message
 * @param tcp true for TCP between the ranks, in place of what the MPI prefers on one host
 * @param network network of TCP
 */
record MpiVariant(boolean packed, boolean tcp, LinkNetwork network) {
    /**
     * Settings for Open MPI, which otherwise refuses two processes on one core or as root, yields in every wait, or
     * binds processes to cores. Each process binds itself.
     */
    private static final List<String> SETTINGS = List.of(
            "OMPI_ALLOW_RUN_AS_ROOT=1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
            "OMPI_MCA_rmaps_base_oversubscribe=1",
            "OMPI_MCA_hwloc_base_binding_policy=none",
            "OMPI_MCA_mpi_yield_when_idle=0");

    /** Settings for TCP: of Open MPI, then of MPICH over UCX, over libfabric and over sockets of its own. */
    private static final List<String> TCP_SETTINGS = List.of(
            "OMPI_MCA_pml=ob1",
            "OMPI_MCA_btl=tcp,self",
            "UCX_TLS=tcp,self",
            "FI_PROVIDER=tcp",
            "MPIR_CVAR_NOLOCAL=1",
            "MPIR_CVAR_CH3_NOLOCAL=1");

    /** Returns the way that the MPI prefers on one host. */
    static MpiVariant preferred(boolean packed) {
        return new MpiVariant(packed, false, LinkNetwork.LOOPBACK);
    }

    String peer() {
        return (tcp ? "MPI over TCP" : "MPI") + (packed ? " packed" : " message for message");
    }

    /** Returns the program's name of the way. */
    String mode() {
        return packed ? "packed" : "single";
    }

    /** Returns arguments of the launcher that place the ranks: each in its namespace, as if that were a host. */
    List<String> placement() {
        return network.isBetweenNamespaces()
                ? List.of("-host", String.join(",", network.namespaces()), "-n", "2")
                : List.of("-n", "2");
    }

    /** Returns a script in place of a remote shell, which executes a command in the namespace that is named first. */
    static String entry() {
        return "#!/bin/sh\nnamespace=$1\nshift\nexec ip netns exec \"$namespace\" sh -c \"$*\"\n";
    }

    /**
     * Returns assignments of variables for the launcher.
     *
     * @param entry file with the text of {@link #entry()}
     */
    List<String> settings(Path entry) {
        final List<String> settings = new ArrayList<>(SETTINGS);
        if (tcp) {
            settings.addAll(TCP_SETTINGS);
            final String networks = network.isBetweenNamespaces()
                    ? network.address(Role.ORIGIN) + "/32," + network.address(Role.ECHO) + "/32"
                    : network.address(Role.ORIGIN) + "/8";
            settings.add("OMPI_MCA_btl_tcp_if_include=" + networks);
        }
        if (network.isBetweenNamespaces()) {
            settings.add("OMPI_MCA_plm_rsh_agent=sh " + entry);
            settings.add("HYDRA_LAUNCHER=rsh");
            settings.add("HYDRA_LAUNCHER_EXEC=" + entry);
        }
        return settings;
    }
}
