import { NameSchema } from '../text/text.ts';
import { addressIn } from './address.ts';

/** Lower-case letters that look like a Latin letter after folding. */
const lookalikes: Record<string, string> = {
  ...{
    а: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    һ: 'h',
    н: 'h',
    і: 'i',
    ј: 'j',
    к: 'k',
    ӏ: 'l',
    м: 'm',
    о: 'o',
    р: 'p',
    п: 'n',
  },
  ...{ ԛ: 'q', г: 'r', ѕ: 's', т: 't', ѵ: 'v', ԝ: 'w', х: 'x', у: 'y', ү: 'y', ь: 'b' },
  ...{ α: 'a', β: 'b', ϲ: 'c', ε: 'e', η: 'n', ι: 'i', ϳ: 'j', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x' },
  ...{ γ: 'y', ω: 'w', ζ: 'z', μ: 'm', հ: 'h', ո: 'n', օ: 'o', զ: 'q', ս: 'u', ց: 'g' },
  ...{
    ɑ: 'a',
    ᴀ: 'a',
    ʙ: 'b',
    ᴄ: 'c',
    ᴅ: 'd',
    ɗ: 'd',
    ᴇ: 'e',
    ɛ: 'e',
    ꜰ: 'f',
    ɡ: 'g',
    ɢ: 'g',
    ʜ: 'h',
    ı: 'i',
    ɪ: 'i',
    ɩ: 'i',
  },
  ...{ ȷ: 'j', ᴊ: 'j', ᴋ: 'k', ʟ: 'l', ᴍ: 'm', ɴ: 'n', ᴏ: 'o', ᴘ: 'p', ʀ: 'r', ꜱ: 's', ᴛ: 't', ᴜ: 'u', ᴠ: 'v', ᴡ: 'w' },
  ...{ ʏ: 'y', ᴢ: 'z', ø: 'o', đ: 'd', ħ: 'h', ł: 'l' },
};

/** Normalizes account names for comparison. Names that look alike or differ only in case or separators are equal. */
export function nameKey(name: string): string {
  const letters = name.normalize('NFKC').toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return [...letters]
    .map((letter) => lookalikes[letter] ?? letter)
    .join('')
    .replace(/0/g, 'o')
    .replace(/[1|]/g, 'l')
    .replace(/[\s._-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

/** Names that would impersonate this service. */
const reserved = [
  ...[
    'admin',
    'administrator',
    'root',
    'system',
    'inferboard',
    'moderator',
    'official',
    'staff',
    'support',
    'security',
  ],
  ...['anonymous', 'everyone', 'unspecified', 'null', 'undefined', 'api', 'sample-data'],
];

/** Characters that imitate another letter of a reserved name. */
const stands: Record<string, string> = { l: 'i', '!': 'i', '3': 'e', '4': 'a', '@': 'a', '5': 's', $: 's', '7': 't' };
const replaced = (name: string) => [...nameKey(name)].map((letter) => stands[letter] ?? letter).join('');
const spelled = (name: string) => replaced(name).replace(/[^\p{L}\p{N}]/gu, '');

/** Prefix of accounts that own imported results. */
const importPrefix = 'import-';

/** Prefix of accounts created for submissions without a key. */
export const anonymousPrefix = 'anonymous-';

const reservedKeys = new Set(reserved.map(spelled));

/** True if a name would look like an account of the service's operators. */
export const isReservedName = (name: string): boolean =>
  reservedKeys.has(spelled(name)) ||
  [importPrefix, anonymousPrefix].some((prefix) => replaced(name).startsWith(prefix));

/** The name of a new account. */
export const AccountNameSchema = NameSchema.refine((name) => !isReservedName(name), {
  error: ({ input }) => `"${input}" is reserved for the operators of this service`,
})
  .refine((name) => nameKey(name) !== '', 'must contain a letter or a digit')
  .superRefine((name, context) => {
    const found = addressIn(name);
    if (found !== null) context.addIssue({ code: 'custom', message: `must not contain a URL or address: "${found}"` });
  })
  .meta({ type: 'string', minLength: 1, maxLength: 200 });
