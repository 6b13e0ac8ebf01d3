/** Strips the coding from a tag. A list of tags may name the same bytes without a coding or with the coding they were sent in. */
const withoutCoding = (tag: string) => tag.replace(/-(?:br|gzip)"$/, '"');
const tagsOf = (header: string) => header.match(/(?:W\/)?"[^"]*"/g) ?? [];

/** True if `If-None-Match` names this tag. This is a weak comparison. */
export function matchesIfNoneMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  return tagsOf(header).some((etag) => etag.replace(/^W\//, '') === tag);
}

/** True if `If-Match` names the current version of the resource in any coding. Weak tags never match. */
export function matchesIfMatch(header: string, current: string): boolean {
  return header.trim() === '*' || tagsOf(header).some((tag) => withoutCoding(tag) === withoutCoding(current));
}
