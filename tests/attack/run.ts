import { type Attack, Missed } from './attack.ts';
import { families } from './families.ts';
import { readFirstPage } from './first-page.ts';
import type { World } from './world.ts';

interface Prepared extends Attack {
  family: string;
}

const firstPage = 'first page';

/** The differences between two readings of the first page, in a few words. */
function differenceOf(before: readonly string[], after: readonly string[]): string | null {
  const places = Math.max(before.length, after.length);
  const place = Array.from({ length: places }, (_, at) => at).find((at) => before[at] !== after[at]);
  if (place === undefined) return null;
  const [was = '', is = ''] = [before[place], after[place]];
  const at = [...was].findIndex((letter, index) => letter !== is[index]);
  const near = (text: string) => text.slice(Math.max(0, at - 40), at + 80);
  return `was "${near(was)}", is "${near(is)}"`;
}

/** Runs all attacks in sequence and reports the expected and the actual outcome of each. */
export async function attackAll(
  world: World,
  { only = null, say }: { only?: string | null; say: (line: string) => void },
): Promise<{ attempts: number; missed: number }> {
  const chosen = Object.entries(families).filter(([family]) => only === null || !(only in families) || family === only);
  const prepared: Prepared[] = [];
  for (const [family, prepare] of chosen)
    prepared.push(...(await prepare(world)).map((attack) => ({ ...attack, family })));
  const isNamed = only !== null && !(only in families);
  const attacks = isNamed ? prepared.filter(({ name }) => name.includes(only)) : prepared;
  if (attacks.length === 0)
    throw new Error(`There is no attack "${only}"; kinds: ${Object.keys(families).join(', ')}.`);
  let missed = 0;
  const report = (held: boolean, [family, name, must, happened]: string[]) => {
    if (!held) missed += 1;
    say(`${held ? 'held  ' : 'MISSED'}  ${family}: ${name}\n          must: ${must}\n          ${happened}`);
  };
  const before = await readFirstPage(world);
  for (const { family, name, must, attempt } of attacks) {
    const started = performance.now();
    const took = () => `(${Math.round(performance.now() - started)} ms)`;
    try {
      const happened = await attempt();
      report(true, [family, name, must, `${happened} ${took()}`]);
    } catch (error) {
      const happened = error instanceof Missed ? error.message : `broke off: ${error}`;
      report(false, [family, name, must, `${happened} ${took()}`]);
    }
  }
  const difference = differenceOf(before, await readFirstPage(world));
  report(difference === null, [
    firstPage,
    'all of the above',
    'the first page does not change',
    difference ?? 'as it was',
  ]);
  return { attempts: attacks.length + 1, missed };
}
