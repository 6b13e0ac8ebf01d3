/** A statement that may break the previous release or block others. */
export interface MigrationFault {
  rule: string;
  /** The start of the statement. */
  statement: string;
  /** A non-blocking alternative. */
  instead: string;
}

interface Rule {
  name: string;
  /** Matches a statement in lower case, without comments, with single spaces. */
  forbids: RegExp;
  /** Exempts tables that the same migration creates; the first group captures the table. */
  sparesNew?: RegExp;
  instead: string;
}

const onTable = /^alter table (?:only )?(?:if exists )?"?(\w+)"?/;

/**
 * A migration runs while the previous release serves, in one transaction with all pending ones, and waits at most two seconds
 * for locks. It must not rewrite or scan a large table under a lock, nor remove anything the previous release uses. Removal
 * takes several releases: add the replacement, use it, leave the old one unused for a release, then remove it.
 */
const rules: readonly Rule[] = [
  {
    name: 'type changed',
    forbids: /^alter table .* alter (?:column )?"?\w+"? (?:set data )?type /,
    sparesNew: onTable,
    instead: 'add a column of the new type, fill it in batches, read it, and remove the old one a release later',
  },
  {
    name: 'column or table removed',
    forbids: /^(?:alter table .* drop column|drop table|drop view|drop type)/,
    instead: 'remove it a release after the last one that uses it, and name that one in a comment',
  },
  {
    name: 'renamed',
    forbids: /^alter table .* rename/,
    instead: 'add the new name in addition to the old one',
  },
  {
    name: 'must not be null',
    forbids: /^alter table .* (?:set not null|add column "?\w+"? (?!.*\bdefault\b).*\bnot null)/,
    sparesNew: onTable,
    instead: 'add a check constraint as "not valid", and validate it in a later migration',
  },
  {
    name: 'default that rewrites the table',
    forbids: /^alter table .* add column .* default (?:\w+\.)?(?!now\(\)|true|false|current_timestamp)\w+\(/,
    sparesNew: onTable,
    instead: 'add the column without it, set the default, and fill in batches',
  },
  {
    name: 'constraint that scans the table',
    forbids: /^alter table .* add constraint .*(?:foreign key|check)(?!.*not valid)/,
    sparesNew: onTable,
    instead: 'add it as "not valid", and validate it in a later migration',
  },
  {
    name: 'index that blocks writes',
    forbids: /^create (?:unique )?index (?!concurrently)/,
    sparesNew: /^create (?:unique )?index .* on (?:only )?"?(\w+)"?/,
    instead: 'see "An index on a large table" in docs/operations.md',
  },
  {
    name: 'all rows rewritten',
    forbids: /^(?:update|delete from) "?\w+"?|^alter table .* set (?:un)?logged|^(?:truncate|vacuum|cluster|lock) /,
    instead: 'do it in batches, by a command or by the worker',
  },
];

/** Accepts responsibility for the following statement: `-- considered: why it blocks no one`. */
const considered = /^-- considered: \S.+/m;

const plain = (statement: string) =>
  statement
    .replace(/--.*$/gm, '')
    .replace(/"public"\./g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

/** The faults in a migration's SQL, statement by statement. */
export function findMigrationFaults(migration: string): MigrationFault[] {
  const statements = migration
    .split('--> statement-breakpoint')
    .flatMap((part) => part.split(/;\s*$/m))
    .filter((statement) => plain(statement) !== '');
  const created = new Set(
    statements.flatMap((statement) => /^create table (?:if not exists )?"?(\w+)"?/.exec(plain(statement))?.[1] ?? []),
  );
  return statements.flatMap((statement) => {
    if (considered.test(statement)) return [];
    const text = plain(statement);
    return rules
      .filter(({ forbids, sparesNew }) => forbids.test(text) && !created.has(sparesNew?.exec(text)?.[1] ?? ''))
      .map(({ name, instead }) => ({ rule: name, statement: text.slice(0, 100), instead }));
  });
}
