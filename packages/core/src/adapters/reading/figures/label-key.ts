const uneven = /\s\s|[^\S ]/;

/** A printed label as a key: lower case, with single spaces. */
export function toKey(label: string): string {
  const key = label.toLowerCase();
  return uneven.test(key) ? key.replace(/\s+/g, ' ') : key;
}
