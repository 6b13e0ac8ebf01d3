#!/usr/bin/env python3
"""Sends a benchmark's output to an Inferboard service: submit.py FILE [fact=value ...]; "-" reads standard input.

INFERBOARD_URL is the service and INFERBOARD_KEY the key, which a service with open registration does not need. Exits with 0 if the result was stored, else with 1.
"""
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

if len(sys.argv) < 2 or not all("=" in fact for fact in sys.argv[2:]):
    sys.exit(__doc__)
path, *facts = sys.argv[1:]
try:
    artifact = sys.stdin.buffer.read() if path == "-" else open(path, "rb").read()
except OSError as error:
    sys.exit(f"{path} cannot be read: {error.strerror}")
query = dict(fact.split("=", 1) for fact in facts) | {"format": "text"}
url = os.environ.get("INFERBOARD_URL", "http://localhost:8787")
key = os.environ.get("INFERBOARD_KEY")
headers = {"Content-Type": "application/octet-stream"} | ({"Authorization": f"Bearer {key}"} if key else {})
request = urllib.request.Request(f"{url}/v1/submissions?{urllib.parse.urlencode(query)}", data=artifact, headers=headers)
try:
    with urllib.request.urlopen(request, timeout=120) as response:
        print(response.read().decode(), end="")
except urllib.error.HTTPError as refusal:
    sys.exit(refusal.read().decode().rstrip())
except OSError as error:
    sys.exit(f"{url} cannot be reached: {getattr(error, 'reason', error)}")
