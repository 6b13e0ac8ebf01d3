import { readFileSync } from 'node:fs';
import type { SessionHeader } from './journal.ts';
import { RecordsError } from './records-error.ts';

/**
 * A text that no other process has, also after a reboot: the boot and the start time, which Linux states. Null for a process that
 * does not run or has ended (a zombie), and on other systems.
 */
function markOf(pid: number): string | null {
  try {
    // The name of the program is in parentheses and may contain spaces. The start time is the 20th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    if (fields?.[0] === 'Z') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${fields?.[19]}`;
  } catch {
    return null;
  }
}

/** This process, as a journal states it. */
export function thisProcess(): NonNullable<SessionHeader['process']> | null {
  const mark = markOf(process.pid);
  return mark === null ? null : { pid: process.pid, mark };
}

/** Rejects records that another process still writes: both would measure the same points. @throws RecordsError */
export function checkEnded(file: string, { process: writer }: SessionHeader): void {
  if (writer == null || writer.pid === process.pid || markOf(writer.pid) !== writer.mark) return;
  throw new RecordsError(
    `Process ${writer.pid} still measures ${file}. Wait until it ends, or end it with kill ${writer.pid}.`,
  );
}
