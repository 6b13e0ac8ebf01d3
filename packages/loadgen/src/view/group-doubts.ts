import { listPoints } from '../points/point-name.ts';

/** A quoted text, a status, or a separate number: not part of a name, a version or a percentile. */
const partPattern = /"[^"]*"|\bstatus \d+|(?<![\w.,-])\d+(?:\.\d+)?(?![\w-]|[.,]\d)/g;
const isNumber = (part: string) => /^\d/.test(part);

/** The text with a mark for each number that may differ between points. */
const withoutNumbers = (text: string) => text.replace(partPattern, (part) => (isNumber(part) ? '#' : part));

/** Texts that differ in their numbers only as one text, with ranges: "gaps longer than 10 medians: 2 to 123". */
function mergeTexts(texts: readonly string[]): string {
  const numbers = texts.map((text) => (text.match(partPattern) ?? []).filter(isNumber));
  let at = 0;
  return (texts[0] ?? '').replace(partPattern, (part) => {
    if (!isNumber(part)) return part;
    const values = numbers.map((list) => list[at] ?? part).sort((a, b) => Number(a) - Number(b));
    at++;
    const [least = part, most = part] = [values[0], values.at(-1)];
    return Number(least) === Number(most) ? least : `${least} to ${most}`;
  });
}

/** Doubts about points, with the names of their points. Doubts that differ in their numbers only are one line. */
export function groupDoubts(doubts: readonly { doubt: string; name: string }[], points: number): string[] {
  return [...Map.groupBy(doubts, ({ doubt }) => withoutNumbers(doubt)).values()].map((of) => {
    // A point can have several such doubts.
    const names = [...new Set(of.map(({ name }) => name))];
    const isOfAll = points > 1 && names.length === points;
    const text = mergeTexts(of.map(({ doubt }) => doubt));
    return `${isOfAll ? `All ${points} points` : listPoints(names)}: ${text}.`;
  });
}
