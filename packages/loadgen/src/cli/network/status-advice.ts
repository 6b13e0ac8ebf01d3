/** When to try again, by the header Retry-After: seconds, or a date. */
function againWords(retryAfter: string | null): string {
  const text = retryAfter ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return seconds > 0 ? `Try again in ${seconds} s.` : 'Try again later.';
}

/** What an error status of a server or of a proxy means, and what to do; null if only the message of the server can state it. */
export function statusAdvice(url: URL, { status, headers }: Pick<Response, 'status' | 'headers'>): string | null {
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null && URL.canParse(location, url.href)) {
    const { origin } = new URL(location, url);
    return origin === url.origin ? null : `It redirects to ${origin}. Use that URL.`;
  }
  if (status === 429) return `It limits the rate of requests. ${againWords(headers.get('retry-after'))}`;
  if (status >= 502 && status <= 504)
    return `The server, or a proxy in front of it, is not available. ${againWords(headers.get('retry-after'))}`;
  return status >= 500 ? 'The log of the server has the reason.' : null;
}

/** The same of an Inferboard, whose own errors are documents with a message. */
export const foreignAdvice = (url: URL, response: Pick<Response, 'status' | 'headers'>): string =>
  statusAdvice(url, response) ?? 'It is not an Inferboard service. Check the URL.';
