#!/usr/bin/env python3
"""Sends a benchmark's output to an Inferboard service: submit.py FILE [fact=value ...]; "-" reads standard input.

INFERBOARD_URL is the service and INFERBOARD_KEY the key. Exits with 0 if the result was stored, else with 1.
"""
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

if len(sys.argv) < 2 or not all("=" in fact for fact in sys.argv[2:]):
    sys.exit(__doc__)
path, *facts = sys.argv[1:]
artifact = sys.stdin.buffer.read() if path == "-" else open(path, "rb").read()
query = dict(fact.split("=", 1) for fact in facts) | {"format": "text"}
url = os.environ.get("INFERBOARD_URL", "http://localhost:8787")
request = urllib.request.Request(
    f"{url}/v1/submissions?{urllib.parse.urlencode(query)}",
    data=artifact,
    headers={"Authorization": f"Bearer {os.environ['INFERBOARD_KEY']}", "Content-Type": "application/octet-stream"},
)
try:
    with urllib.request.urlopen(request, timeout=120) as response:
        print(response.read().decode(), end="")
except urllib.error.HTTPError as refusal:
    sys.exit(refusal.read().decode().rstrip())
except urllib.error.URLError as error:
    sys.exit(f"{url} cannot be reached: {error.reason}")
