"""Talos' releases as the tests of upgrade plans name them: `make pins` renews the library's own table, and their sentences stay as they are."""

from constructs_lib.upstream.talos.releases import TalosRelease

TALOS = {
    "1.8": TalosRelease("1.8.4", (26, 31), {"lts": "535.183.06", "production": "550.90.07"}),
    "1.9": TalosRelease("1.9.6", (27, 32), {"lts": "535.230.02", "production": "550.144.03"}),
    "1.10": TalosRelease("1.10.9", (28, 33), {"lts": "535.247.01", "production": "570.148.08"}),
    "1.11": TalosRelease("1.11.6", (29, 34), {"lts": "535.247.01", "production": "570.172.08"}),
    "1.12": TalosRelease("1.12.12", (30, 35), {"lts": "580.126.20", "production": "570.211.01"}),
    "1.13": TalosRelease("1.13.12", (31, 36), {"lts": "580.178.04", "production": "595.91.07"}),
    "1.14": TalosRelease("1.14.6", (32, 37), {"lts": "580.196.07", "production": "595.112.07"}),
    "1.15": TalosRelease("1.15.0-beta.0", (33, 38), {"lts": "580.196.07", "production": "595.112.07", "new-feature": "615.71.10"}),
}
PREVIEW = "1.15"
