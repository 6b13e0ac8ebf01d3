declare namespace App {
  interface Locals {
    api: import('./lib/api.ts').Api;
    /** Public base URL, without a trailing slash. */
    origin: string;
    /** Whether the visitor uses HTTPS. */
    isEncrypted: boolean;
    /** API client of the account pages. Uses an API key or a session token; anonymous without either. */
    openAccount(token: string | null): import('./accounts/account-api.ts').AccountApi;
  }
}
