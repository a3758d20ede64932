# Sourced by the commands: builds an executable jar on first use and when its sources are newer, then becomes its JVM.
# Everything here talks on stderr, because stdout is the command's data.

# Segno's exit code for an environment that is not fit.
readonly NOT_FIT=3

fail() {
    echo "$command_name: $1" >&2
    exit "$NOT_FIT"
}

find_java() {
    if [[ -n ${JAVA_HOME:-} ]]; then
        java="$JAVA_HOME/bin/java"
        [[ -x $java ]] || fail "JAVA_HOME holds no bin/java: JAVA_HOME=$JAVA_HOME; set it to a JDK 17 or later"
    else
        java=$(command -v java) || fail "no java found: install a JDK 17 or later, or set JAVA_HOME"
    fi
    local feature
    feature=$(java_feature)
    [[ $feature =~ ^[0-9]+$ ]] || fail "cannot tell the version of $java; set JAVA_HOME to a JDK 17 or later"
    ((feature >= 17)) || fail "Java 17 or later is needed: $java is Java $feature; set JAVA_HOME to a later JDK"
}

# Prints the feature release of $java. The JDK's release file says it without the time that a JVM takes to start.
java_feature() {
    local line version='' release
    release=$(dirname -- "$(dirname -- "$(readlink -f -- "$java")")")/release
    if [[ -r $release ]]; then
        while IFS= read -r line; do
            [[ $line =~ ^JAVA_VERSION=\"([0-9._]+) ]] && version=${BASH_REMATCH[1]}
        done <"$release"
    fi
    if [[ -z $version ]]; then
        [[ $("$java" -version 2>&1) =~ version\ \"([0-9._]+) ]] && version=${BASH_REMATCH[1]}
    fi
    version=${version#1.}
    echo "${version%%[._]*}"
}

# Whether the jar is missing or something that it is made of is newer. Directories count: a deleted file touches them.
is_stale() {
    local module sources=("$root/pom.xml")
    [[ -f $jar ]] || return 0
    for module in $modules; do
        sources+=("$root/$module/pom.xml")
        [[ -d $root/$module/src/main ]] && sources+=("$root/$module/src/main")
    done
    [[ -n $(find "${sources[@]}" -newer "$jar" -print -quit) ]]
}

# Reads Maven's output and prints its progress: each module, and every fiftieth downloaded file.
progress() {
    awk -v name="$command_name" '
        /^Downloaded from/ { if (++files % 50 == 0) { print name ": " files " files downloaded"; fflush() } }
        /^\[INFO\] Building Segno .*\[[0-9]+\/[0-9]+\]$/ {
            sub(/^\[INFO\] Building /, ""); sub(/ +[0-9][^ ]* +\[/, " ["); print name ": " $0; fflush()
        }' >&2
}

build() {
    local started="$jar.started" log="$jar.log" module=${modules##* }
    # Another first start may have built it while this one waited for the lock.
    is_stale || return 0
    command -v mvn >/dev/null || fail "mvn is needed to build ${jar#"$root"/} on first use: install Maven 3.8.7 or later"
    echo "$command_name: building ${jar#"$root"/}, once" >&2
    mkdir -p -- "$(dirname -- "$jar")"
    touch -- "$started"
    # The profile leaves out tests and checks: they guard changes, not use.
    (cd -- "$root" && mvn -B -Dstyle.color=never -Pcommand -pl "$module" -am package </dev/null 2>&1) | tee -- "$log" | progress \
        || {
            rm -f -- "$started"
            cat -- "$log" >&2
            fail "the build failed, see above; mvn -Pcommand -pl $module -am package repeats it"
        }
    # As old as the build's start, so that a source saved meanwhile is seen as newer.
    touch -r "$started" -- "$jar"
    rm -f -- "$started" "$log"
}

# run_jar NAME MODULES JAR [JVM FLAGS] -- ARGUMENTS: the last module contains the jar, the others are its dependencies.
run_jar() {
    command_name=$1 modules=$2 jar=$root/$3
    shift 3
    local flags=()
    while [[ $1 != -- ]]; do
        flags+=("$1")
        shift
    done
    shift
    find_java
    if is_stale; then
        # The lock is the parent pom itself: no file of its own, and one lock for all commands, as they share modules.
        (flock 9 && build) 9<"$root/pom.xml"
    fi
    exec "$java" "${flags[@]}" -jar "$jar" "$@"
}
