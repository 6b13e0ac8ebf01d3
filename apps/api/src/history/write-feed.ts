import { Feed } from 'feed';

export interface FeedEntry {
  /** The permanent unique part of the entry's id. */
  id: string;
  title: string;
  summary: string;
  page: string;
  publishedAt: string;
  updatedAt: string;
}

/** Removes characters that XML cannot contain, even escaped. */
const storable = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these very characters are what it removes
  text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' ');

/** Titles and summaries of a feed are HTML; ours are plain text. */
const toHtml = (text: string) => storable(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/**
 * An Atom feed (RFC 4287). Entry ids are tag URIs (RFC 4151) of the serving host. The feed's update time is that of its newest
 * entry, or `startedAt` without entries: Atom requires a time, and the time of the request would change the ETag.
 */
export function writeFeed(
  about: { title: string; subtitle: string; self: string; base: string; startedAt: string | null },
  entries: readonly FeedEntry[],
): string {
  const { title, subtitle, self, base, startedAt } = about;
  const times = entries.length === 0 ? [startedAt] : entries.map(({ updatedAt }) => updatedAt);
  const feed = new Feed({
    id: self,
    title,
    description: subtitle,
    link: `${base}/`,
    feedLinks: { atom: self },
    updated: new Date(Math.max(...times.map((time) => (time === null ? 0 : Date.parse(time))))),
    author: { name: 'Inferboard', link: `${base}/` },
    generator: 'Inferboard',
    copyright: '',
  });
  const authority = new URL(base).hostname;
  for (const entry of entries) {
    feed.addItem({
      id: `tag:${authority},2026:${entry.id}`,
      title: toHtml(entry.title),
      link: entry.page,
      content: toHtml(entry.summary),
      date: new Date(entry.updatedAt),
      published: new Date(entry.publishedAt),
    });
  }
  return feed.atom1();
}
