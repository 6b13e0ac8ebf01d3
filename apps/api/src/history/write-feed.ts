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

/** The `updated` date of an empty feed. It must not depend on the time of the request. */
const never = '1970-01-01T00:00:00Z';

/**
 * An Atom feed (RFC 4287). Entry ids are tag URIs (RFC 4151) of the serving host. The feed's update time is that of its newest
 * entry.
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
