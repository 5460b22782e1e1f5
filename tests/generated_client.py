"""A Python client made from docs/openapi.yaml by openapi-python-client, as anybody may make one, and calls by it."""

from __future__ import annotations

import importlib
import io
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

SCHEMA = Path(__file__).resolve().parents[1] / "docs" / "openapi.yaml"
GUIDE = SCHEMA.with_name("api.md")


def generate(folder: Path) -> str:
    """Make the client as the guide says, as the package `assay_client` in the folder; what the generator says of it."""
    configuration = folder / "configuration.yaml"
    configuration.write_text(GUIDE.read_text().split("```yaml\n")[1].split("```")[0])
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--path", str(SCHEMA)]
    command += ["--config", str(configuration), "--output-path", str(folder / "assay_client"), "--overwrite"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return "".join(line for line in f"{done.stdout}{done.stderr}".splitlines() if not line.startswith("Generating"))


def modules(package: ModuleType) -> Iterator[str]:
    """The names of all its modules."""
    yield package.__name__
    for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield each.name


@dataclass(frozen=True)
class Caller:
    """Calls of one person by the generated client; an answer that is no success fails with all that it says."""

    site: str
    token: str

    def __call__(self, operation: str, *place: object, body: Any = None, **query: Any) -> Any:
        """What the operation of this name answers, as the client's own class. Each name is there once."""
        client = importlib.import_module("assay_client").AuthenticatedClient(
            base_url=self.site, token=self.token, prefix="Token", raise_on_unexpected_status=True
        )
        package = importlib.import_module("assay_client.api")
        (name,) = [each for each in modules(package) if each.endswith(f".{operation}")]
        module = importlib.import_module(name)
        sent = {} if body is None else {"body": body}
        answer = module.sync_detailed(*place, client=client, **sent, **query)
        assert answer.status_code < 400, (operation, answer.parsed)
        return answer.parsed


def model(name: str, **values: Any) -> Any:
    """One of the client's own models."""
    return getattr(importlib.import_module("assay_client.models"), name)(**values)


def upload(path: Path, name: str = "") -> Any:
    """A file of a multipart call."""
    return importlib.import_module("assay_client.types").File(
        payload=io.BytesIO(path.read_bytes()), file_name=name or path.name
    )
