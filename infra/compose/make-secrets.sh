#!/bin/sh
# Creates the files that compose.yaml expects in secrets/: random keys, the database's address, and a self-signed certificate.
# Replace the certificate with a real one. Existing files are not changed.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

random() { openssl rand -hex 24; }
[ -e postgres_password ] || random >postgres_password
[ -e database_url ] ||
  printf 'postgres://inferboard:%s@postgres:5432/inferboard\n' "$(cat postgres_password)" >database_url
[ -e secret_key ] || random >secret_key
[ -e admin_key ] || random >admin_key
[ -e site_key ] || random >site_key
[ -e tls_key ] ||
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
    -subj "/CN=${SERVER_NAME:-localhost}" -addext "subjectAltName=DNS:${SERVER_NAME:-localhost}" \
    -keyout tls_key -out tls_certificate 2>/dev/null

# The processes run as other users and must read the files. Other users of this machine cannot enter the folder.
chmod 0444 ./*
echo "The admin key is in $(pwd)/admin_key."
