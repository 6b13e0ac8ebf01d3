export type IdPrefix =
  | 'sub'
  | 'sys'
  | 'res'
  | 'acc'
  | 'key'
  | 'sgk'
  | 'ep'
  | 'run'
  | 'sch'
  | 'whk'
  | 'msg'
  | 'con'
  | 'cat';

/** True for text that may be an id of this kind. Other text is neither looked up in the database nor repeated in errors. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[a-z]{2,3}_[0-9a-f]{1,40}$/.test(text);
}
