const isHtml = (text: string) => /^\s*<(?:!doctype|html|head|body)\b/i.test(text);

/** The title of an HTML page, else its text; another text as it is. Proxies respond with pages. */
export function withoutMarkup(text: string): string {
  if (!isHtml(text)) return text;
  const title = /<title[^>]*>([^<]+)/i.exec(text)?.[1]?.trim() ?? '';
  const body = text.replace(/<(script|style)\b.*?<\/\1>/gis, ' ').replace(/<[^>]*>?/g, ' ');
  return title === '' ? body.replace(/\s+/g, ' ').trim() : title;
}
