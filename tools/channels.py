"""`make release`: what other channels need of the release's files, beside them: a Homebrew formula, and entries for the registries of aqua and mise.

All three install talos-gpu.pyz. It needs nothing but Python, so the formula needs no list of resources.
https://docs.brew.sh/Formula-Cookbook, https://aquaproj.github.io/docs/reference/registry-config, https://mise.jdx.dev/contributing.html#adding-tools
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

from constructs_lib.cli.own_version import VERSION
from tools.publishing import NAME, Publication, publication

DESCRIPTION = "Check and set up NVIDIA GPUs on Talos Linux"

# Homebrew reads the version from the address. Its detection takes a file that begins with #! for no archive, so the file is staged under its own name.
_FORMULA = """\
class TalosGpu < Formula
  desc "{description}"
  homepage "{address}"
  url "{address}/releases/download/v{version}/talos-gpu.pyz"
  sha256 "{digest}"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    libexec.install "talos-gpu.pyz"
    (bin/"talos-gpu").write <<~SH
      #!/bin/bash
      exec "#{{Formula["python@3.13"].opt_bin}}/python3.13" -I -S "#{{libexec}}/talos-gpu.pyz" "$@"
    SH
  end

  test do
    assert_match "talos-gpu #{{version}}", shell_output("#{{bin}}/talos-gpu --version")
    (testpath/"pod.yaml").write <<~YAML
      apiVersion: v1
      kind: Pod
      metadata: {{name: half}}
      spec: {{containers: [{{name: a, image: a, resources: {{limits: {{nvidia.com/gpu: 0.5}}}}}}]}}
    YAML
    assert_match "TG045", shell_output("#{{bin}}/talos-gpu check --talos 1.14 pod.yaml", 1)
  end
end
"""

_AQUA = """\
# yaml-language-server: $schema=https://raw.githubusercontent.com/aquaproj/aqua/main/json-schema/registry.json
packages:
  - type: github_release
    repo_owner: {owner}
    repo_name: {name}
    description: {description}
    asset: talos-gpu.pyz
    format: raw
    files:
      - name: talos-gpu
    supported_envs:
      - linux
      - darwin
    checksum:
      type: github_release
      asset: SHA256SUMS
      algorithm: sha256
    github_artifact_attestations:
      signer_workflow: {owner}/{name}/.github/workflows/release.yml
"""

_MISE = """\
backends = ["aqua:{owner}/{name}"]
bins = ["talos-gpu"]
description = "{description}"
os = ["linux", "macos"]
test = {{ cmd = "talos-gpu --version", expected = "talos-gpu {{{{version}}}}" }}
version_order = "semver"
"""

FILES = {"talos-gpu.rb": _FORMULA, "aqua-registry.yaml": _AQUA, "mise-registry.toml": _MISE}


def write_channels(release: Path, now: Publication) -> None:
    """Write the three files beside talos-gpu.pyz."""
    digest = hashlib.sha256((release / "talos-gpu.pyz").read_bytes()).hexdigest()
    for name, template in FILES.items():
        text = template.format(
            address=now.release_address, owner=now.owner, name=NAME, version=VERSION, digest=digest, description=DESCRIPTION
        )
        (release / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write a Homebrew formula, and entries for the registries of aqua and mise.")
    parser.add_argument("release", type=Path, help="the folder with talos-gpu.pyz")
    write_channels(parser.parse_args().release, publication())
