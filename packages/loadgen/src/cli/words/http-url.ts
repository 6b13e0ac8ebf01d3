/** True for an http or https URL. */
export const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** A text as a URL with its scheme; null if it is not a host, such as "localhost:8000". */
export const withScheme = (text: string): string | null =>
  /^[\w.-]+(?::\d+)?(?:\/|$)/.test(text) && URL.canParse(`http://${text}`) ? `http://${text}` : null;
