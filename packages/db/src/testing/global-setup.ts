import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import type { TestProject } from 'vitest/node';
import { isServing, readPostmaster, stopPostmaster } from '../embedded/postmaster.ts';
import { startEmbedded } from '../embedded/start.ts';
import { migrate, migrationsFolder } from '../migrations/migrate.ts';
import { withDatabase } from './connection.ts';
import { listAbandonedFolders, makeTempFolder } from './temp-folder.ts';

interface Server {
  readonly adminUrl: string;
  stop(): Promise<void>;
}

async function sweepKilledRuns(): Promise<void> {
  for (const folder of await listAbandonedFolders()) {
    try {
      for (const cluster of [join(folder, 'postgres'), join(folder, 'data', 'postgres')]) {
        const server = await readPostmaster(cluster);
        if (server && (await isServing(server.pid, cluster))) await stopPostmaster(server.pid, cluster, null);
      }
      await rm(folder, { recursive: true, force: true });
    } catch {
      // Belongs to another user.
    }
  }
}

async function startServer(): Promise<Server> {
  if (process.env.DATABASE_URL) return { adminUrl: process.env.DATABASE_URL, stop: async () => {} };
  await sweepKilledRuns();
  const dataDir = await makeTempFolder();
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const embedded = await startEmbedded({ dataDir, log: () => {}, fsync: false });
    return {
      adminUrl: embedded.url,
      stop: async () => {
        await embedded.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function createTemplate(sql: Sql, adminUrl: string, template: string): Promise<void> {
  await sql`create database ${sql(template)}`;
  if (existsSync(join(migrationsFolder, 'meta', '_journal.json'))) await migrate(withDatabase(adminUrl, template));
  // An open connection to the template makes every clone fail.
  await sql`alter database ${sql(template)} with allow_connections false`;
}

/** Starts one server with a migrated template database for the whole run. Test files clone the template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  const template = `ib_template_${randomBytes(6).toString('hex')}`;
  const sql = postgres(server.adminUrl, { max: 1, connect_timeout: 10, onnotice: () => {} });
  const teardown = async () => {
    try {
      // The template, and those that tests made from it.
      const made = await sql<{ name: string }[]>`
        select datname as name from pg_database where starts_with(datname, ${template})`;
      for (const { name } of made) await sql`drop database ${sql(name)} with (force)`;
    } finally {
      await sql.end({ timeout: 1 });
      await server.stop();
    }
  };
  try {
    await createTemplate(sql, server.adminUrl, template);
  } catch (error) {
    await teardown().catch(() => {});
    throw error;
  }
  project.provide('databaseAdminUrl', server.adminUrl);
  project.provide('databaseTemplate', template);
  project.provide('databaseOutlivesRun', Boolean(process.env.DATABASE_URL));
  return teardown;
}
