import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrationsFolder } from './migrate.ts';
import { findMigrationFaults } from '../testing/migration-faults.ts';

/** Migrations before the first release, when no earlier release could be serving. */
const beforeFirstRelease = 9;

const rulesOf = (sql: string) => findMigrationFaults(sql).map(({ rule }) => rule);

test.each([
  ['ALTER TABLE "results" ALTER COLUMN "ordinal" SET DATA TYPE bigint;', 'type changed'],
  ['alter table results alter ordinal type bigint', 'type changed'],
  ['ALTER TABLE "results" ALTER COLUMN "ordinal" TYPE bigint', 'type changed'],
  ['ALTER TABLE "results" DROP COLUMN "extra";', 'column or table removed'],
  ['DROP TABLE "findings" CASCADE;', 'column or table removed'],
  ['ALTER TABLE "results" RENAME COLUMN "extra" TO "more";', 'renamed'],
  ['ALTER TABLE "results" ADD COLUMN "extra" text NOT NULL;', 'must not be null'],
  ['ALTER TABLE "results" ADD COLUMN "extra" text DEFAULT \'\' NOT NULL;', null],
  ['ALTER TABLE "results" ADD COLUMN "extra" text;', null],
  ['ALTER TABLE "results" ALTER COLUMN "extra" SET NOT NULL;', 'must not be null'],
  ['ALTER TABLE "results" ADD COLUMN "at" timestamp with time zone DEFAULT now() NOT NULL;', null],
  [
    'ALTER TABLE "results" ADD COLUMN "id2" uuid DEFAULT gen_random_uuid() NOT NULL;',
    'default that rewrites the table',
  ],
  ['ALTER TABLE "runs" ADD CONSTRAINT "x" CHECK ("runs"."seed" > 0);', 'constraint that scans the table'],
  ['ALTER TABLE "runs" ADD CONSTRAINT "x" CHECK ("runs"."seed" > 0) NOT VALID;', null],
  ['ALTER TABLE "runs" VALIDATE CONSTRAINT "x";', null],
  ['CREATE INDEX "runs_seed" ON "runs" USING btree ("seed");', 'index that blocks writes'],
  ['UPDATE "results" SET "extra" = \'{}\';', 'all rows rewritten'],
  ['ALTER TABLE "rate_limits" SET UNLOGGED;', 'all rows rewritten'],
])('%s', (sql, rule) => {
  expect(rulesOf(sql)).toEqual(rule === null ? [] : [rule]);
});

test('accepts changes to a table that the same migration creates', () => {
  const sql = `CREATE TABLE "notes" ("id" text);
--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "x" FOREIGN KEY ("id") REFERENCES "public"."runs"("id");--> statement-breakpoint
CREATE INDEX "notes_id" ON "notes" USING btree ("id");`;
  expect(rulesOf(sql)).toEqual([]);
  expect(rulesOf(sql.replace('ON "notes"', 'ON "runs"'))).toEqual(['index that blocks writes']);
});

test('applies a stated reason only to its own statement', () => {
  const sql = `-- considered: a table of a few hundred rows
CREATE INDEX "endpoints_model" ON "endpoints" USING btree ("model");--> statement-breakpoint
CREATE INDEX "runs_seed" ON "runs" USING btree ("seed");`;
  expect(rulesOf(sql)).toEqual(['index that blocks writes']);
  expect(rulesOf(sql.replace(': a table of a few hundred rows', ''))).toHaveLength(2);
});

// The previous release serves during the migration.
test('every migration since the first release keeps the previous release working', async () => {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).toSorted();
  const faults = await Promise.all(
    names.slice(beforeFirstRelease).map(async (name) => {
      const found = findMigrationFaults(await readFile(join(migrationsFolder, name), 'utf8'));
      return found.map(({ rule, statement, instead }) => `${name}: ${rule}: ${statement}: ${instead}`);
    }),
  );
  expect(names.length).toBeGreaterThan(beforeFirstRelease);
  expect(faults.flat()).toEqual([]);
});
