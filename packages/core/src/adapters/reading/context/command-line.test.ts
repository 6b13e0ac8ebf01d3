import { expect, test } from 'vitest';
import { ArtifactText } from '../text/artifact-text.ts';
import { findCommand, optionValues } from './command-line.ts';

const isServer = ([word = '']: readonly string[]) => /(?:^|[/\\])example-server(?:\.exe)?$/.test(word);
const modelOf = (text: string) => {
  const command = findCommand(new ArtifactText(text.split('\n')), 1, isServer);
  return command === null ? null : (optionValues(command, '-m').at(-1) ?? null);
};

test.each([
  ['example-server -m /models/a.gguf', '/models/a.gguf'],
  ['user@host:~$ ./example-server -m "/my models/a.gguf"', '/my models/a.gguf'],
  ['example-server -m /my\\ models/a.gguf', '/my models/a.gguf'],
  ['Command: /opt/example/example-server -m /models/a.gguf -ngl all', '/models/a.gguf'],
  ['cmd: example-server -m /models/a.gguf', '/models/a.gguf'],
  ['**Command:** example-server -m /models/a.gguf', '/models/a.gguf'],
  [
    'PS C:\\Users\\me\\git\\x> .\\build_2025\\bin\\example-server.exe -m J:\\llm\\models\\a.gguf',
    'J:\\llm\\models\\a.gguf',
  ],
  ['PS C:\\My Files> & "C:\\My Files\\example-server.exe" -m "D:\\my models\\a.gguf"', 'D:\\my models\\a.gguf'],
  ['C:\\x>example-server.exe -m models\\a.gguf', 'models\\a.gguf'],
  ['.\\example-server.exe -m models\\a.gguf', 'models\\a.gguf'],
  ['docker exec -e PYTHONUNBUFFERED=1 box example-server -m /models/a.gguf', '/models/a.gguf'],
  ['$ kubectl exec -it deployment/box -- example-server -m /models/a.gguf', '/models/a.gguf'],
  ['numactl -N 0 -m 0 ./build/bin/example-server -m /models/a.gguf', '/models/a.gguf'],
  ['`CUDA_VISIBLE_DEVICES=0 example-server -m /models/a.gguf`', '/models/a.gguf'],
  ['- `example-server -m /models/a.gguf`:', '/models/a.gguf'],
  ['Without delay (command: `example-server -m /models/a.gguf`):', '/models/a.gguf'],
])('reads the command and its model from %s', (line, model) => {
  expect(modelOf(line)).toBe(model);
});

test.each([
  'I ran example-server -m /models/a.gguf yesterday',
  'This command needs example-server -m /models/a.gguf',
  'example-server is fast',
  'docker users run example-server with podman -m',
  'Run `example-server -m /models/a.gguf` or `example-server -m /models/b.gguf`',
])('reads no command from %s', (line) => {
  expect(modelOf(line)).toBeNull();
});

test.each([
  ['a backslash', 'example-server \\\n  -c 8 \\\n  -m /models/a.gguf'],
  ['an argument after a backslash', 'example-server \\\n  serve \\\n  -m /models/a.gguf'],
  ['a backslash without a space', 'example-server -c 8\\\n-m /models/a.gguf'],
  ['spaces after the backslash', 'example-server -c 8 \\   \n  -m /models/a.gguf'],
  ['the mark of cmd.exe', 'example-server.exe -c 8 ^\n  -m /models/a.gguf'],
  ['the mark of PowerShell', '.\\example-server.exe -c 8 `\n  -m /models/a.gguf'],
  ['a lost mark', 'example-server   \n --port 8 \\\n -m /models/a.gguf'],
])('reads the options after %s', (_, text) => {
  expect(modelOf(text)).toBe('/models/a.gguf');
});

test.each(['example-server \\\nprints -m a', 'example-server -c 8\n-m is missing', 'example-server -c 8\n-----\n'])(
  'does not continue %j',
  (text) => {
    expect(modelOf(text)).toBeNull();
  },
);
