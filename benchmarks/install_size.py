"""What does a default install weigh? Builds the wheel, installs it in an empty environment, adds up."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class InstallSize:
    """Size in MB of 10^6 bytes, byte code included, and how many packages, webdocs itself among them."""

    megabytes: float
    packages: int
    largest: tuple[tuple[str, float], ...]


def measure_install() -> InstallSize:
    """Install the wheel of this checkout as a user would get it today, and measure the folder."""
    tools = Path(sys.executable).parent
    with tempfile.TemporaryDirectory(prefix="webdocs-install-") as folder:
        environment = Path(folder) / "venv"
        wheels = Path(folder) / "wheels"
        _run(str(tools / "hatchling"), "build", "-t", "wheel", "-d", str(wheels))
        _run(str(tools / "uv"), "venv", "--quiet", "--python", sys.executable, str(environment))
        wheel = next(wheels.glob("*.whl"))
        _run(
            *(str(tools / "uv"), "pip", "install", "--quiet", "--compile-bytecode"),
            *("--python", str(environment / "bin" / "python"), str(wheel)),
        )
        return _measure(environment)


def _measure(environment: Path) -> InstallSize:
    site = next((environment / "lib").glob("python*/site-packages"))
    top = sorted(((_size_mb(item), item.name) for item in site.iterdir()), reverse=True)[:6]
    return InstallSize(
        _size_mb(environment),
        sum(1 for _ in site.glob("*.dist-info")),
        tuple((name, size) for size, name in top),
    )


def _size_mb(path: Path) -> float:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(item.lstat().st_size for item in files if item.is_file() or item.is_symlink()) / 1e6


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")


if __name__ == "__main__":
    found = measure_install()
    print(f"{found.megabytes:.0f} MB, {found.packages} packages")
    for name, size in found.largest:
        print(f"  {size:6.1f} MB  {name}")
