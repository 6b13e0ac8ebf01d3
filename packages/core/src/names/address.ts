/** Domain endings that no name of software, a model or a file has. */
const endings =
  'com|net|org|info|biz|xyz|online|site|website|shop|store|club|page|link|click|top|vip|win|bet|casino|example|invalid|ru|cn';

const address = new RegExp(
  String.raw`:\/\/|(?<![\p{L}\p{N}])www\.|(?<![\p{L}\p{N}.-])\p{L}[\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)*\.(?:${endings})(?![\p{L}\p{N}.-])`,
  'iu',
);

/** Returns the site address in a name; null if there is none. */
export const addressIn = (text: string): string | null => address.exec(text.normalize('NFKC'))?.[0] ?? null;
