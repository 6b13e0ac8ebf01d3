import { execFileSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { read, root } from '../support/infra.ts';

/** A queue of the driver, as decision 0029 describes it. */
interface Queue {
  readonly length: number;
  push(item: number): number;
  shift(): number | undefined;
  remove(item: number): number | null;
}

let createQueue: () => Queue;
beforeAll(async () => {
  const { href } = new URL('node_modules/postgres/src/queue.js', root);
  createQueue = ((await import(href)) as { default: () => Queue }).default;
});

test('the driver that is installed is mended, in images too', () => {
  execFileSync(process.execPath, ['scripts/mend-driver.mjs', '--check'], { cwd: root, stdio: 'pipe' });
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  expect(scripts.postinstall).toContain('scripts/mend-driver.mjs');
  expect(read('infra/Dockerfile')).toMatch(/^RUN node scripts\/mend-driver\.mjs/m);
});

describe('a queue of the driver', () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('push') },
      { weight: 3, arbitrary: fc.constant('shift') },
      fc.nat(200),
    ),
    { maxLength: 400 },
  );

  test('gives what came first, whatever left meanwhile', () => {
    fc.assert(
      fc.property(steps, (asked) => {
        const [queue, model] = [createQueue(), [] as number[]];
        let next = 0;
        for (const step of asked) {
          if (step === 'push') {
            queue.push(next);
            model.push(next);
            next += 1;
          } else if (step === 'shift') {
            // The driver asks for one where there is one.
            if (model.length > 0) expect(queue.shift()).toBe(model.shift());
          } else {
            const item = next - 1 - step;
            const place = model.indexOf(item);
            if (place >= 0) model.splice(place, 1);
            expect(queue.remove(item)).toBe(place < 0 ? null : item);
          }
          expect(queue.length).toBe(model.length);
        }
      }),
    );
  });

  test('keeps nothing of those that left, where it is never empty', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const queue = createQueue();
    for (const item of [1, 2, 3]) queue.push(item);
    const before = heap();
    for (let i = 0; i < 2_000_000; i += 1) queue.push(queue.shift() ?? 0);
    // 16 MB where each keeps its place.
    expect(heap() - before).toBeLessThan(2 ** 21);
    expect(queue.length).toBe(3);
  });
});
