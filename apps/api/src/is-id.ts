/** True for text that may be an id of this kind; what is not one is not worth asking the database, nor repeating. */
export function isId(
  prefix: 'sub' | 'sys' | 'res' | 'acc' | 'key' | 'ep' | 'run' | 'sch' | 'whk' | 'con' | 'cat',
  text: string,
): boolean {
  return text.startsWith(`${prefix}_`) && /^[a-z]{2,3}_[0-9a-f]{1,40}$/.test(text);
}
