import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTools } from './tools-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inferboard-tools-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['text.json', 'x', /text\.json is not JSON \(.+\)\. Write a list, such as \[/],
  ['object.json', '{"type": "function"}', /object\.json is not a list with tool definitions\. Write a list/],
  ['entry.json', '[{"type": "x"}]', /entry\.json: these entries .* are not definitions of tools: 1\. Write a list/],
])('the error of %s states the fault and the fix', async (name, content, words) => {
  const path = join(folder, name);
  await writeFile(path, content);
  await expect(readTools(path)).rejects.toThrow(words);
});

test('the error of a missing file says what to check', async () => {
  await expect(readTools(join(folder, 'absent.json'))).rejects.toThrow(
    /absent\.json cannot be read\. Check the path\./,
  );
});
