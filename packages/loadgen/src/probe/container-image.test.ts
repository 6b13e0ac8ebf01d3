import { watch } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { findContainerImage } from './container-image.ts';

afterEach(() => vi.unstubAllEnvs());

test('does not wait for a daemon that hangs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inferboard-docker-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const docker = '#!/bin/sh\necho called > "$(dirname "$0")/called"\nexec sleep 60\n';
  await writeFile(join(folder, 'docker'), docker, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  const patience = new AbortController();
  const watcher = watch(folder, (_event, name) => name === 'called' && patience.abort());
  onTestFinished(() => watcher.close());
  expect(await findContainerImage(new URL('http://127.0.0.1:8000'), patience.signal)).toBeNull();
});
