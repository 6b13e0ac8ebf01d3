#!/bin/sh
# Restarts every process with the current image and settings, one after another, without failed requests.
set -eu
cd "$(dirname "$0")"
docker compose build
# The previous release works with the new schema and keeps running.
docker compose run --rm --no-deps migrate
for service in api-1 api-2 site-1 site-2 worker; do
  echo "$service ..."
  docker compose up --detach --wait --no-deps --force-recreate "$service"
done
