import { Feed } from 'feed';

export interface FeedEntry {
  /** What tells it from all others, for good: the part of its id that is ours. */
  id: string;
  title: string;
  summary: string;
  page: string;
  publishedAt: string;
  updatedAt: string;
}

/** Without what XML cannot hold, even escaped. */
const storable = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these very characters are what it removes
  text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' ');

/** Titles and summaries of a feed are HTML, and ours are text. */
const toHtml = (text: string) => storable(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** Where an empty feed was last changed: nothing of it hangs on when it is read. */
const never = '1970-01-01T00:00:00Z';

/**
 * An Atom feed (RFC 4287). Ids of entries are tag URIs (RFC 4151) of the host that hands them out; the feed was updated
 * when the last of its entries was.
 */
export function writeFeed(
  about: { title: string; subtitle: string; self: string; base: string },
  entries: readonly FeedEntry[],
): string {
  const { title, subtitle, self, base } = about;
  const updated = entries
    .map(({ updatedAt }) => Date.parse(updatedAt))
    .reduce((a, b) => Math.max(a, b), Date.parse(never));
  const feed = new Feed({
    id: self,
    title,
    description: subtitle,
    link: `${base}/`,
    feedLinks: { atom: self },
    updated: new Date(updated),
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
