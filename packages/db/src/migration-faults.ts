/** A statement that the release before this one may not survive, or that makes others wait. */
export interface MigrationFault {
  rule: string;
  /** Its beginning. */
  statement: string;
  /** How the same is done while others work. */
  instead: string;
}

interface Rule {
  name: string;
  /** Of a statement in small letters, without comments, with single spaces. */
  forbids: RegExp;
  /** Tables that the same migration creates are nobody's yet: the first group is the table. */
  sparesNew?: RegExp;
  instead: string;
}

const onTable = /^alter table (?:only )?(?:if exists )?"?(\w+)"?/;

/**
 * A migration runs while the release before it serves, in one transaction with all that are pending, and queues for its
 * locks two seconds at most. So nothing may rewrite or read through a large table under a lock, and nothing that the
 * release before it uses may go: it is added, then used, then left alone for a release, and then removed.
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
    instead: 'add the new name beside the old one',
  },
  {
    name: 'must not be null',
    forbids: /^alter table .* (?:set not null|add column "?\w+"? (?!.*\bdefault\b).*\bnot null)/,
    sparesNew: onTable,
    instead: 'add a check constraint that is not valid, and validate it a migration later',
  },
  {
    name: 'default that rewrites the table',
    forbids: /^alter table .* add column .* default (?:\w+\.)?(?!now\(\)|true|false|current_timestamp)\w+\(/,
    sparesNew: onTable,
    instead: 'add the column without it, set the default, and fill in batches',
  },
  {
    name: 'constraint that reads the table through',
    forbids: /^alter table .* add constraint .*(?:foreign key|check)(?!.*not valid)/,
    sparesNew: onTable,
    instead: 'add it "not valid", and validate it a migration later',
  },
  {
    name: 'index that stops writers',
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

/** A comment that takes the responsibility for the statement after it: `-- considered: why nobody has to wait`. */
const considered = /^-- considered: \S.+/m;

const plain = (statement: string) =>
  statement
    .replace(/--.*$/gm, '')
    .replace(/"public"\./g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

/** What is wrong with a migration's SQL, statement by statement. */
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
