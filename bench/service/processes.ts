import { readdir, readFile } from 'node:fs/promises';

/** Linux counts CPU time in hundredths of a second. */
const tick_ms = 10;

interface ProcessTimes {
  pid: number;
  parent: number;
  /** CPU time of the process and of its exited children. */
  cpu_ms: number;
}

async function readTimes(pid: number): Promise<ProcessTimes | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { pid, parent: fields[1] ?? 0, cpu_ms: (user + system + childUser + childSystem) * tick_ms };
}

/** A process and its descendants. */
async function readFamily(root: number): Promise<ProcessTimes[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = (await Promise.all(pids.map(readTimes))).filter((process) => process !== null);
  const byParent = Map.groupBy(all, ({ parent }) => parent);
  const family = all.filter(({ pid }) => pid === root);
  for (const { pid } of family) family.push(...(byParent.get(pid) ?? []));
  return family;
}

/** Total CPU time so far of some processes and their descendants. */
export async function cpuOf(roots: readonly number[]): Promise<number> {
  const families = await Promise.all(roots.map(readFamily));
  return families.flat().reduce((sum, { cpu_ms }) => sum + cpu_ms, 0);
}

/** Memory in MB (10^6 bytes). `own` divides shared pages equally between their processes. */
export interface Memory {
  pid: number;
  resident: number;
  own: number;
}

async function readMemory(pid: number): Promise<Memory | null> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => null);
  if (text === null) return null;
  const read = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024) / 1e6;
  return { pid, resident: read('Rss'), own: read('Pss') };
}

/** Memory of a process and its descendants. */
export async function memoryOf(root: number): Promise<Memory[]> {
  const family = await readFamily(root);
  return (await Promise.all(family.map(({ pid }) => readMemory(pid)))).filter((memory) => memory !== null);
}

/** The largest process of a process tree, in MB. */
export const largest = (memory: readonly Memory[]): number => Math.max(...memory.map(({ resident }) => resident));

/** Resident memory of a process in MB. Unlike `readMemory`, it does not walk the page tables, which takes milliseconds. */
async function readResident(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024) / 1e6;
}

/** Samples a process tree and keeps the maximum memory of a single process. */
export function watchMemory(root: number): { stop(): number } {
  let most = 0;
  const look = async () => {
    const family = await readFamily(root);
    most = Math.max(most, ...(await Promise.all(family.map(({ pid }) => readResident(pid)))));
  };
  const timer = setInterval(() => void look(), 250);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}
