const typeWords: Record<string, string> = {
  ...{ array: 'a list', object: 'an object', record: 'an object', int: 'a whole number' },
};

const boundWords: Record<string, string> = { '<=': 'at most', '>=': 'at least', '<': 'below', '>': 'above' };

/** A message of the schema library in plain English, such as "must be a number"; other messages are unchanged. */
export function inWords(message: string): string {
  const [, type] = /^Invalid input: expected (\w+)/.exec(message) ?? [];
  if (type !== undefined) return `must be ${typeWords[type] ?? `a ${type}`}`;
  const [, values] = /^Invalid option: expected one of (.+)$/.exec(message) ?? [];
  if (values !== undefined) return `must be one of ${values.split('|').join(', ')}`;
  if (message === 'Invalid input') return 'has an invalid value';
  const [, kind, bound = '', number] =
    /^Too (?:big|small): expected (\w+) to (?:have|be) ([<>]=?)(\S+)/.exec(message) ?? [];
  if (number === undefined) return message;
  const limit = `${boundWords[bound]} ${number}`;
  if (kind === 'string') return `must have ${limit} ${number === '1' ? 'character' : 'characters'}`;
  return kind === 'array' ? `must have ${limit} ${number === '1' ? 'item' : 'items'}` : `must be ${limit}`;
}
