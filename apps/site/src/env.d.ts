declare namespace App {
  interface Locals {
    api: import('./lib/api.ts').Api;
    /** Base of the addresses that people see, without a trailing slash. */
    origin: string;
  }
}
