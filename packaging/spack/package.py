# SPDX-License-Identifier: BSD-2-Clause
from spack.package import *


class Iotrace(MakefilePackage):
    """Traces the I/O of programs, and converts, checks and analyzes such traces."""

    git = "https://example.org/iotrace.git"
    license("BSD-2-Clause")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("xxhash")
    depends_on("bzip2")
    depends_on("libdeflate")
    depends_on("xz")
    depends_on("libsodium")
    # Loaded when the first archive is opened.
    depends_on("libarchive", type=("build", "link", "run"))

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.spec["libarchive"].prefix.lib)

    # The program finds its files by paths that both steps know.
    def build(self, spec, prefix):
        make(f"prefix={prefix}")

    def install(self, spec, prefix):
        make(f"prefix={prefix}", "install")
