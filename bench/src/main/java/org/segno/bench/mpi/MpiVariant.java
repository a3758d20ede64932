package org.segno.bench.mpi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.Role;

/**
 * A way in which MPI carries out an exchange.
 *
 * @param packed true to copy all pieces for the other rank into one message
 * @param network network of TCP, in place of what the MPI prefers on one host; null for the latter
 */
record MpiVariant(boolean packed, @Nullable LinkNetwork network) {
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
        return new MpiVariant(packed, null);
    }

    String peer() {
        return (network == null ? "MPI" : "MPI over TCP") + (packed ? " packed" : " message for message");
    }

    /** Returns the program's name of the way. */
    String mode() {
        return packed ? "packed" : "single";
    }

    /** Returns assignments of variables for the launcher. */
    List<String> settings() {
        final List<String> settings = new ArrayList<>(SETTINGS);
        if (network != null) {
            settings.addAll(TCP_SETTINGS);
            settings.add("OMPI_MCA_btl_tcp_if_include="
                    + (network.isBetweenNamespaces() ? interfaceOf(network) : "127.0.0.0/8"));
        }
        return settings;
    }

    /**
     * Returns options of Open MPI's launcher in the namespace of the origin, which start a process in each namespace
     * and use no other interface than that between them; nothing on one host.
     *
     * @param directory for the program that the launcher calls in place of a remote shell
     */
    List<String> placement(Path directory) throws IOException {
        if (network == null || !network.isBetweenNamespaces()) {
            return List.of();
        }
        final Path agent = directory.resolve("agent");
        Files.writeString(
                agent,
                "#!/bin/sh\n# Called with a host and the words of a command.\nshift\nexec "
                        + String.join(" ", network.entry(Role.ECHO)) + " sh -c \"$*\"\n");
        // It is called through its shell: the directory may forbid execution.
        return List.of(
                "--host",
                network.address(Role.ORIGIN) + ":1," + network.address(Role.ECHO) + ":1",
                "--mca",
                "plm_rsh_agent",
                "/bin/sh " + agent,
                "--mca",
                "oob_tcp_if_include",
                interfaceOf(network));
    }

    /** Returns the addresses next to that of the origin, between which the interface is. */
    private static String interfaceOf(LinkNetwork network) {
        return network.address(Role.ORIGIN) + "/24";
    }
}
