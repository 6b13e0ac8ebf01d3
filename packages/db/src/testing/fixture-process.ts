import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const started = new Set<ChildProcess>();

/** A process that runs a script from `fixtures/`, for tests of process crashes. */
export interface FixtureProcess {
  readonly pid: number;
  /** The next line of output, parsed as JSON. Rejects with the stderr output if the process ends instead. */
  next<T>(): Promise<T>;
  send(line: string): void;
  /** Resolves when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts `fixtures/<name>.ts`. Call `endFixtures` after the tests. */
export function startFixture(name: string, ...args: string[]): FixtureProcess {
  const script = fileURLToPath(new URL(`./fixtures/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  started.add(child);
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      started.delete(child);
      resolve();
    });
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  if (child.pid === undefined) throw new Error(`${script} did not start`);
  return {
    pid: child.pid,
    next: async () => {
      const line = await lines.next();
      if (!line.done) return JSON.parse(line.value);
      await exited;
      throw new Error(`${name} ended: ${stderr}`);
    },
    send: (line) => child.stdin.write(`${line}\n`),
    kill: async (signal) => {
      child.kill(signal);
      await exited;
    },
  };
}

/** Ends all running fixtures. */
export async function endFixtures(): Promise<void> {
  await Promise.all(
    [...started].map((child) => {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      return closed;
    }),
  );
}
