import type { ChildProcess } from 'node:child_process';
import { AggregatorRegistry } from 'prom-client';
import type { Figures, ToMember, ToPrimary } from './messages.ts';

/** Prometheus scrapes time out after ten seconds by default. */
const patience_ms = 5000;

let last = 0;

/** @throws Error if the process exits or does not respond in time */
function figuresOf(child: ChildProcess): Promise<Figures> {
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(impatient);
      child.off('message', take).off('exit', give);
    };
    const give = () => {
      finish();
      reject(new Error('a process did not send its figures'));
    };
    const take = (message: ToPrimary) => {
      if (message.type !== 'figures' || message.id !== id) return;
      finish();
      resolve(message.figures);
    };
    const impatient = setTimeout(give, patience_ms);
    child.on('message', take).once('exit', give);
    child.send({ type: 'figures_asked', id } satisfies ToMember, (error) => {
      if (error) give();
    });
  });
}

/** In the first process: answers a process's request with the sum of the metrics of all processes. */
export function collectFigures(child: ChildProcess, members: ReadonlySet<ChildProcess>): void {
  child.on('message', (message: ToPrimary) => {
    if (message.type !== 'figures_of_all_asked') return;
    const send = (text: string | null) => {
      if (child.connected)
        child.send({ type: 'figures_of_all', id: message.id, text } satisfies ToMember, () => undefined);
    };
    Promise.all([...members].map(figuresOf))
      .then((figures) => AggregatorRegistry.aggregate(figures).metrics())
      .then(send, () => send(null));
  });
}
