import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings, writeSettings } from './settings.ts';

const login = { url: 'http://127.0.0.1:8787', key: 'ib_key', signing: null };

test('stores a login in a new folder that only the user can read', async () => {
  const place = await mkdtemp(join(tmpdir(), 'inferboard-login-'));
  try {
    const file = join(place, 'a/b/config.json');
    await writeSettings(file, login);
    expect(await readSettings(file)).toEqual(login);
    expect([(await stat(file)).mode & 0o777, (await stat(join(place, 'a/b'))).mode & 0o777]).toEqual([0o600, 0o700]);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});

// The recursive mkdir of Node does not end there.
test('rejects a folder below /proc', async ({ skip }) => {
  if (!existsSync('/proc/self')) skip();
  await expect(writeSettings('/proc/none/inferboard/config.json', login)).rejects.toThrow(
    /^\/proc\/none\/inferboard\/config\.json cannot be written: ENOENT.* Set XDG_CONFIG_HOME to another folder/,
  );
});
