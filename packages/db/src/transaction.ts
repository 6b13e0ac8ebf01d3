import type { Database, Transaction } from './client.ts';

export type { Transaction };

/** Whatever can run a query: the pool, or a transaction. */
export type Queryable = Database['db'] | Transaction;
