import fc from 'fast-check';

/** Ranges that no request may reach, listed independently from IANA's registries: first address, prefix length. */
export const forbiddenRanges: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32],
];

export const toNumber = (address: string): number =>
  address.split('.').reduce((value, part) => value * 256 + Number(part), 0);

export const toDotted = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** An address in a forbidden range, as a number. The ends of ranges occur more often than by chance. */
export const forbiddenNumber: fc.Arbitrary<number> = fc.constantFrom(...forbiddenRanges).chain(([first, bits]) => {
  const from = toNumber(first);
  const to = from + 2 ** (32 - bits) - 1;
  return fc.oneof(fc.constantFrom(from, to), fc.integer({ min: from, max: to }));
});

const digitStyles: readonly ((digit: string) => string)[] = [
  (digit) => digit,
  // Full-width, mathematical bold, and percent-encoded digits.
  (digit) => String.fromCodePoint(0xff10 + Number(digit)),
  (digit) => String.fromCodePoint(0x1d7ce + Number(digit)),
  (digit) => `%3${digit}`,
  // Circled digits. Zero is not next to the others in Unicode.
  (digit) => (digit === '0' ? '⓪' : String.fromCodePoint(0x2460 + Number(digit) - 1)),
];

const dots = ['.', '。', '.', '。', '%2e', '%E3%80%82'];

/** Splits the number into one to four parts as inet_aton parses them: the last part takes all remaining bytes. */
function partsOf(value: number, count: number): number[] {
  const bytes = toDotted(value).split('.').map(Number);
  const rest = bytes.slice(count - 1).reduce((sum, byte) => sum * 256 + byte, 0);
  return [...bytes.slice(0, count - 1), rest];
}

/** An obfuscated notation of an IPv4 address. */
export function ipv4Notation(value: number): fc.Arbitrary<string> {
  const part = fc.record({ base: fc.constantFrom(8, 10, 16), zeros: fc.integer({ min: 0, max: 6 }) });
  return fc
    .record({
      count: fc.integer({ min: 1, max: 4 }),
      styles: fc.tuple(part, part, part, part),
      digits: fc.constantFrom(...digitStyles),
      dot: fc.constantFrom(...dots),
      upper: fc.boolean(),
      ending: fc.constantFrom('', '.'),
    })
    .map(({ count, styles, digits, dot, upper, ending }) => {
      const texts = partsOf(value, count).map((number, index) => {
        const { base = 10, zeros = 0 } = styles[index] ?? {};
        const prefix = base === 10 ? '' : base === 8 ? `0${'0'.repeat(zeros)}` : `0x${'0'.repeat(zeros)}`;
        const text = `${prefix}${number.toString(base)}`;
        return (upper ? text.toUpperCase() : text).replace(/\d/g, digits);
      });
      return texts.join(dot) + ending;
    });
}

const hex = (value: number): string => value.toString(16);

/** An IPv6 host in brackets that a router, a kernel or a library converts back to the IPv4 address. */
export function ipv6Notation(value: number): fc.Arbitrary<string> {
  const [high, low] = [Math.floor(value / 65_536), value % 65_536];
  const dotted = toDotted(value);
  const inverted = [high ^ 0xffff, low ^ 0xffff].map(hex).join(':');
  return fc.constantFrom(
    `[::ffff:${dotted}]`,
    `[::FFFF:${hex(high)}:${hex(low)}]`,
    `[0:0:0:0:0:ffff:${hex(high)}:${hex(low)}]`,
    `[::${dotted}]`,
    `[::ffff:0:${dotted}]`,
    `[64:ff9b::${dotted}]`,
    `[64:ff9b:1::${dotted}]`,
    `[2002:${hex(high)}:${hex(low)}::1]`,
    `[2001:0:${hex(high)}:${hex(low)}::1]`,
    `[2001::${inverted}]`,
    `[2606:4700::5efe:${hex(high)}:${hex(low)}]`,
    `[2606:4700::200:5efe:${dotted}]`,
  );
}
