const number = String.raw`\d+(?:\.\d+)?`;
const lengths = `(?:(?:uniform|normal|lognormal)-${number}-${number}|${number})`;
const form = new RegExp(
  `^(?:prefix-(?<groups>\\d+)x(?<tokens>\\d+)(?:-|$))?` +
    `(?:(?:lengths-|turns-(?<turns>\\d+)-(?:think-(?<think>${lengths})-)?)(?<input>${lengths})-to-(?<output>${lengths}))?$`,
  'u',
);

const count = (text: string) => Number(text).toLocaleString('en-US');

/** "normal-512-64" as "512 ± 64", with a unit. */
function rangeOf(name: string, unit = ''): string {
  const [kind = '', a = '', b = ''] = name.split('-');
  if (kind === 'uniform') return `${count(a)}–${count(b)}${unit}`;
  if (kind === 'normal') return `${count(a)} ± ${count(b)}${unit}`;
  return kind === 'lognormal' ? `${count(a)}${unit} (log-normal, σ ${b})` : `${count(kind)}${unit}`;
}

const mixForm = /^mix((?:-\d+x\d+-\d+)+)$/u;

/** "mix-100x20-3-50x5-1" as the shares of its shapes. Null for any other name. */
function mixTitle(name: string): string | null {
  const shapes = mixForm.exec(name)?.[1] ?? '';
  const parts = [...shapes.matchAll(/(\d+)x(\d+)-(\d+)/gu)];
  const total = parts.reduce((sum, [, , , weight]) => sum + Number(weight), 0);
  const shares = parts.map(([, input = '', output = '', weight]) => {
    const percent = Number(((100 * Number(weight)) / total).toPrecision(3));
    return `${percent} % ${count(input)} → ${count(output)} tokens`;
  });
  return shares.length === 0 ? null : `Mix: ${shares.join(', ')}`;
}

/**
 * The name of made-up prompts in words: "4-turn conversations, 200 → 100 tokens per turn, think time 2 s". Null for any other
 * name. Reads the names that `scenarioOfPrompts` and `scenarioOfMix` make.
 */
export function promptsTitle(name: string): string | null {
  const { groups, tokens, turns, think, input, output } = form.exec(name)?.groups ?? {};
  const ofLengths =
    input !== undefined && output !== undefined ? `${rangeOf(input)} → ${rangeOf(output)} tokens` : null;
  const parts = [
    turns === undefined ? ofLengths : `${turns}-turn conversations, ${ofLengths} per turn`,
    think === undefined ? null : `think time ${rangeOf(think, ' s')}`,
    groups === undefined || tokens === undefined
      ? null
      : `${count(groups)} shared ${groups === '1' ? 'prefix' : 'prefixes'} of ${count(tokens)} tokens`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? mixTitle(name) : parts.join(', ');
}

/** True for the name of made-up prompts that repeat earlier ones: conversations and shared prefixes. */
export const sharesPrefixes = (name: string): boolean =>
  /^(?:turns|prefix)-\d/u.test(name) && promptsTitle(name) !== null;
