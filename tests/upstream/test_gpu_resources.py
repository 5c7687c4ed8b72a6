"""The MIG profiles of each card, written out: a row of the table that changes by accident differs from these words."""

from constructs_lib.upstream.nvidia.gpu_resources import MIG_CARDS

# As `nvidia-smi mig -lgip` lists the profiles, with the number of each that fit.
WRITTEN_OUT = {
    ("A30", 24): "1g.6gb=4 1g.6gb+me=1 2g.12gb=2 2g.12gb+me=1 4g.24gb=1",
    ("A[18]00", 40): "1g.5gb=7 1g.5gb+me=1 1g.10gb=4 2g.10gb=3 3g.20gb=2 4g.20gb=1 7g.40gb=1",
    ("A[18]00", 80): "1g.10gb=7 1g.10gb+me=1 1g.20gb=4 2g.20gb=3 3g.40gb=2 4g.40gb=1 7g.80gb=1",
    ("H[18]00", 80): "1g.10gb=7 1g.10gb+me=1 1g.20gb=4 2g.20gb=3 3g.40gb=2 4g.40gb=1 7g.80gb=1",
    ("H[18]00", 94): "1g.12gb=7 1g.12gb+me=1 1g.24gb=4 2g.24gb=3 3g.47gb=2 4g.47gb=1 7g.94gb=1",
    ("H[18]00", 96): "1g.12gb=7 1g.12gb+me=1 1g.24gb=4 2g.24gb=3 3g.48gb=2 4g.48gb=1 7g.96gb=1",
    ("H20", 96): "1g.12gb=7 1g.12gb+me=1 1g.24gb=4 2g.24gb=3 3g.48gb=2 4g.48gb=1 7g.96gb=1",
    ("H200", 141): "1g.18gb=7 1g.18gb+me=1 1g.35gb=4 2g.35gb=3 3g.71gb=2 4g.71gb=1 7g.141gb=1",
    ("GH200", 96): "1g.12gb=7 1g.12gb+me=1 1g.24gb=4 2g.24gb=3 3g.48gb=2 4g.48gb=1 7g.96gb=1",
    ("GH200", 144): "1g.18gb=7 1g.18gb+me=1 1g.36gb=4 2g.36gb=3 3g.72gb=2 4g.72gb=1 7g.144gb=1",
    ("B200", 180): "1g.23gb=7 1g.23gb+me=1 1g.45gb=4 2g.45gb=3 3g.90gb=2 4g.90gb=1 7g.180gb=1",
    ("GB200", 186): "1g.23gb=7 1g.23gb+me=1 1g.47gb=4 2g.47gb=3 3g.93gb=2 4g.93gb=1 7g.186gb=1",
    ("B300", 269): "1g.34gb=7 1g.34gb+me=1 1g.67gb=4 2g.67gb=3 3g.135gb=2 4g.135gb=1 7g.269gb=1",
    ("GB300", 278): "1g.35gb=7 1g.35gb+me=1 1g.70gb=4 2g.70gb=3 3g.139gb=2 4g.139gb=1 7g.278gb=1",
    ("RTX PRO 6000", 96): "1g.24gb+me=1 4g.96gb=1 4g.96gb+gfx=1 1g.24gb=4 1g.24gb+gfx=4 1g.24gb-me=4 1g.24gb+me.all=1 2g.48gb=2 2g.48gb+gfx=2 2g.48gb-me=2 2g.48gb+me.all=1",
    ("RTX PRO 5000", 48): "1g.24gb+me=1 2g.48gb=1 2g.48gb+gfx=1 1g.24gb=2 1g.24gb+gfx=2 1g.24gb-me=2 1g.24gb+me.all=1",
    ("RTX PRO 4500", 32): "1g.16gb+me=1 2g.32gb=1 2g.32gb+gfx=1 1g.16gb=2 1g.16gb+gfx=2 1g.16gb-me=2 1g.16gb+me.all=1",
}  # fmt: skip


def test_each_card_has_the_profiles_that_are_written_out_here():
    rows = {(card, memory): profiles for card, by_memory in MIG_CARDS.items() for memory, profiles in by_memory.items()}

    assert {row: " ".join(f"{profile}={most}" for profile, most in profiles.items()) for row, profiles in rows.items()} == WRITTEN_OUT
