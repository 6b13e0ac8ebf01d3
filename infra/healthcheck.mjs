// Exits with 0 if the process of this container is ready: /readyz on the probe port.
const url = `http://127.0.0.1:${process.env.PROBE_PORT}/readyz`;
const answer = await fetch(url, { signal: AbortSignal.timeout(2500) }).catch(() => null);
process.exit(answer?.ok === true ? 0 : 1);
