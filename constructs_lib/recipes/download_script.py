"""The shell commands of the Job that downloads a model, and of the container that waits for the files."""

from __future__ import annotations

_MARKER = ".complete"
BEFORE = f"""\
if [ -e "$FOLDER/{_MARKER}" ]; then echo "$MODEL is on the volume"; exit 0; fi
echo "downloading $MODEL, revision $REVISION, to $FOLDER"
mkdir -p "$FOLDER"
"""
AFTER = f"""
touch "$FOLDER/{_MARKER}"
echo "$MODEL is on the volume"
"""
FROM_THE_HUB = 'hf download "$MODEL" --revision "$REVISION" --local-dir "$FOLDER" --exclude "$EXCEPT"'
DOWNLOAD_SECONDS = 3600
"""The seconds that a download may take before the Deployment is called failed: 45 GB at 100 Mbit/s. The pod waits
longer, and the state heals itself."""

WAIT = f"""\
until [ -e "$FOLDER/{_MARKER}" ]; do
  echo "waiting for the Job $JOB-*, which downloads $MODEL: kubectl logs --selector app.kubernetes.io/name=$JOB"
  sleep 5
done
"""
