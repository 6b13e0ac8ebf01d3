#!/usr/bin/env node
// Entry point of the client: inferboard submit FILE ...
import { openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ReadStream } from 'node:tty';
import { keepRunning } from '@inferboard/loadgen/view/keep-running';
import { runClient } from './client.ts';
import { localLoginFile } from './local-login.ts';
import { exitCodes, Failure, type Terminal } from './world.ts';

/** The first release of Node that `measure` runs on; the other commands run on 20. */
const measureNode = [22, 19] as const;

/** Questions go to stderr, so that stdout has only the result. Input may be a pipe while the command runs at a terminal. */
function openTerminal(): Terminal | null {
  if (!process.stderr.isTTY) return null;
  let input: ReadStream;
  let isOurs = false;
  if (process.stdin.isTTY) input = process.stdin;
  else {
    try {
      input = new ReadStream(openSync('/dev/tty', 'r'));
      isOurs = true;
    } catch {
      return null;
    }
  }
  let isHidden = false;
  const output = new Writable({
    write(chunk, encoding, done) {
      if (isHidden) done();
      else process.stderr.write(chunk, encoding, done);
    },
  });
  const lines = createInterface({ input, output, terminal: true });
  const closed = new Promise<never>((_, reject) => {
    lines.once('close', () => reject(new Failure(exitCodes.usage, 'No answer was given.')));
  });
  closed.catch(() => {});
  // Ctrl-C reaches the line, not the process, while a line is read.
  lines.once('SIGINT', () => process.exit(130));
  return {
    async ask(question, { isSecret = false } = {}) {
      if (isSecret) process.stderr.write(question);
      isHidden = isSecret;
      const answer = await Promise.race([lines.question(isSecret ? '' : question), closed]);
      isHidden = false;
      if (isSecret) process.stderr.write('\n');
      return answer.trim();
    },
    close() {
      lines.close();
      if (isOurs) input.destroy();
    },
  };
}

/** The version of the package: its `package.json` is above this file, also when it is built. */
function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

async function measure(args: readonly string[]): Promise<void> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantedMajor, wantedMinor] = measureNode;
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    console.error(`measure needs Node ${wantedMajor}.${wantedMinor} or newer; this is ${process.versions.node}.`);
    process.exitCode = exitCodes.usage;
    return;
  }
  // Its own command line: importing it runs it.
  process.argv.splice(2, process.argv.length, ...args);
  await import('@inferboard/loadgen/cli/main');
}

const [name, ...rest] = process.argv.slice(2);
// `measure` calls this as well.
if (name !== 'measure') keepRunning();
if (name === 'measure') await measure(rest);
else if (name === '--version' || name === 'version') console.log(readVersion());
else
  process.exitCode = await runClient(process.argv.slice(2), {
    env: process.env,
    localLogin: localLoginFile(import.meta.url, process.env),
    print: (text) => console.log(text),
    say: (text) => console.error(text),
    readInput: async () => new Uint8Array(await buffer(process.stdin)),
    isRead: process.stdout.isTTY,
    openTerminal,
  });
