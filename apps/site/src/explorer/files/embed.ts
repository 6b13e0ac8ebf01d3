const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Maximum size of an embedded chart, and the size without another request. */
export const embedSize = { width: 800, height: 640 };

/**
 * HTML that embeds a chart in another page.
 *
 * @param page URL of the embedded page
 */
export const embedCode = (page: string, title: string, { width, height } = embedSize): string =>
  `<iframe src="${escaped(page)}" width="${width}" height="${height}" style="border:0" title="${escaped(title)}" loading="lazy"></iframe>`;
