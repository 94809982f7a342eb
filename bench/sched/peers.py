# SPDX-License-Identifier: MIT
"""The programs of `run peers`: ours and those of peers/, how each is built, and
what it needs. What is not on the machine is named with its Debian package, and
left out."""
import glob
import os
import shutil
import subprocess
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PEERS = os.path.join(HERE, "peers")
OUR_FLAGS = "-std=c11 -D_GNU_SOURCE -O2".split()
CRATES = "/usr/share/cargo/registry"
TREES = {"fib", "skynet"}
ALL = {"fib", "skynet", "ring", "pingpong"}

# command: function of (workload, workers, size) that gives (words, environment)
Program = namedtuple("Program", "name workloads command")


class Missing(Exception):
    """The Debian package of a peer that is not here."""


def plain(*before, after=(), workers_in=None):
    """A command of words, with the name of the variable of the workers."""
    def command(workload, workers, size):
        env = {workers_in: str(workers)} if workers_in else {}
        return [*before, workload, str(workers), str(size), *after], env
    return command


def output(*command):
    return subprocess.run(command, check=True, text=True, env=os.environ,
                          stdout=subprocess.PIPE).stdout.strip()


def need(tool, package):
    if not shutil.which(tool):
        raise Missing(package)


def compile_ours(source, program, options):
    subprocess.run([options.cc, *OUR_FLAGS, "-I" + TOP, source, options.lib,
                    "-pthread", "-lm", "-o", program], check=True)


# ---- ours -------------------------------------------------------------------
def build_sched(folder, options):
    program = os.path.join(folder, "tasks")
    compile_ours(os.path.join(HERE, "tasks.c"), program, options)
    yield Program("sched/, in C", ALL, plain(program))
    yield Program("... child first", TREES, plain(program, after=["child"]))


def build_language(_folder, options):
    binary = os.path.join(os.path.dirname(options.lib), "cspvm")

    def command(workload, workers, size):
        return [binary, "--procs", str(workers),
                os.path.join(PEERS, "tasks.csp"), workload, str(workers),
                str(size)], {}
    yield Program("cspvm", ALL, command)


# ---- peers ------------------------------------------------------------------
def build_tbb(folder, _options):
    need("g++", "g++")
    if not os.path.exists("/usr/include/tbb/global_control.h"):
        raise Missing("libtbb-dev")
    program = os.path.join(folder, "tbb")
    subprocess.run(["g++", "-O3", os.path.join(PEERS, "tbb.cpp"), "-ltbb",
                    "-o", program], check=True)
    yield Program(f"TBB {output(program, 'version')}", TREES, plain(program))


def build_openmp(folder, _options):
    need("gcc", "gcc")
    program = os.path.join(folder, "openmp")
    subprocess.run(["gcc", "-O3", "-fopenmp", os.path.join(PEERS, "openmp.c"),
                    "-o", program], check=True)
    version = output("gcc", "-dumpfullversion")
    yield Program(f"OpenMP, gcc {version}", TREES,
                  plain(program, workers_in="OMP_NUM_THREADS"))


def debian_tool(name):
    """Debian's, which fits its crates, before one of rustup."""
    own = f"/usr/bin/{name}"
    return own if os.path.exists(own) else shutil.which(name)


MANIFEST = """[package]
name = "peer_{crate}"
version = "0.0.0"
edition = "2021"
[[bin]]
name = "peer_{crate}"
path = "{source}"
[dependencies]
{crate} = {wanted}
[profile.release]
lto = true
codegen-units = 1
panic = "abort"
"""
CARGO_CONFIG = f"""[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "{CRATES}"
"""


def write_file(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def build_crate(folder, crate, wanted):
    """The program and the crate's version, from Debian's crates alone."""
    cargo, rustc = debian_tool("cargo"), debian_tool("rustc")
    if not cargo or not rustc:
        raise Missing("rustc and cargo")
    found = glob.glob(f"{CRATES}/{crate}-[0-9]*")
    if not found:
        raise Missing(f"librust-{crate}-dev")
    home = os.path.join(folder, crate)
    source = os.path.join(PEERS, crate + ".rs")
    write_file(f"{home}/Cargo.toml", MANIFEST.format(
        crate=crate, source=source, wanted=wanted))
    write_file(f"{home}/.cargo/config.toml", CARGO_CONFIG)
    subprocess.run([cargo, "build", "--quiet", "--release", "--offline"],
                   cwd=home, check=True,
                   env={**os.environ, "RUSTC": rustc,
                        "CARGO_HOME": os.path.join(folder, "cargo"),
                        "CARGO_TARGET_DIR": f"{home}/target"})
    version = os.path.basename(found[0])[len(crate) + 1:]
    return f"{home}/target/release/peer_{crate}", version


def build_rayon(folder, _options):
    program, version = build_crate(folder, "rayon", '"*"')
    yield Program(f"Rayon {version}", TREES, plain(program))


def build_tokio(folder, _options):
    program, version = build_crate(
        folder, "tokio",
        '{ version = "*", features = ["rt-multi-thread", "sync"] }')
    yield Program(f"Tokio {version}", ALL, plain(program))


def build_go(folder, _options):
    need("go", "golang-go")
    program = os.path.join(folder, "go")
    subprocess.run(["go", "build", "-o", program, os.path.join(PEERS, "go.go")],
                   check=True, env={**os.environ, "GO111MODULE": "off",
                                    "GOFLAGS": "",
                                    "GOCACHE": os.path.join(folder, "cache")})
    version = output("go", "version").split()[2][len("go"):]
    yield Program(f"Go {version}", ALL, plain(program, workers_in="GOMAXPROCS"))


def build_erlang(folder, _options):
    need("erl", "erlang-base")
    need("erlc", "erlang-base")
    subprocess.run(["erlc", "-o", folder, os.path.join(PEERS, "tasks.erl")],
                   check=True)
    release = "io:put_chars(erlang:system_info(otp_release)), halt()."

    def command(workload, workers, size):
        return ["erl", "+S", f"{workers}:{workers}", "+P", "4000000",
                "-noshell", "-pa", folder, "-s", "tasks", "main", workload,
                str(workers), str(size)], {}
    yield Program(f"Erlang {output('erl', '-noshell', '-eval', release)}", ALL,
                  command)


BUILDS = [("sched/", build_sched), ("cspvm", build_language),
          ("TBB", build_tbb), ("Rayon", build_rayon), ("Tokio", build_tokio),
          ("OpenMP", build_openmp), ("Go", build_go), ("Erlang", build_erlang)]


def build(folder, options):
    """All that can be built here, and what went wrong; what is not installed is
    named."""
    programs, failures = [], []
    for name, how in BUILDS:
        try:
            programs += how(folder, options)
        except Missing as missing:
            print(f"{name} is not here, and left out: Debian package {missing}")
        except subprocess.CalledProcessError as error:
            failures.append(f"{name}: {error.cmd[0]} ended with "
                            f"{error.returncode}")
    return programs, failures
