import { resolve } from 'node:path'
import { Option } from 'commander'
import { urlOf } from '../daemon/open-store.ts'
import { UsageError } from '../model/errors.ts'
import { exitCodes, type Io } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { textTable } from '../report/table.ts'
import { printWrapped } from '../report/terminal.ts'
import type { OpenOptions } from '../store/db/postgres/open.ts'
import { copyToPostgres } from '../store/db/postgres/postgres-mirror.ts'
import { openFileSource } from '../store/db/sqlite/copy-source.ts'
import { mayExist } from '../store/db/sqlite/database-file.ts'
import { addCommand } from './command.ts'
import { loadConfiguration } from './support/configuration.ts'
import { announce } from './support/io.ts'

export const addMigrateStore = addCommand<{ readonly from: string }>({
  name: 'migrate-store',
  summary: 'copy a mirror from a SQLite file into the empty PostgreSQL database of store.url',
  options: [new Option('--from <file>', 'file of the mirror, the former store.path').makeOptionMandatory()],
  help: `Stop the engine first. Copies everything: records, cursors, history, findings, check
results, waivers, decisions and quarantine. Then compares both sides, table by table.
The file is read as of one instant and not changed.

The database is that of store.url, or of TENANTWATCH_STORE_URL, which replaces a
store.path in the configuration. It must be empty. The copy is one transaction: after
a stop, a kill or a lost connection the database is still empty. Run it again.

Exit: 0 copied and verified; 2 usage or configuration; 3 the copy was refused,
interrupted or differs.

Examples:
  tenantwatch migrate-store --from data/tenantwatch.db
  TENANTWATCH_STORE_URL=postgres://… tenantwatch migrate-store --from data/tenantwatch.db`,
  async run({ io, command, options: { from } }) {
    if (from === '') throw new UsageError('Name the file of the mirror with --from')
    const { settings } = loadConfiguration(io, command)
    const { url } = settings.store
    if (url === null) {
      throw new UsageError(
        'store.url is not set: name the database to copy into with it, instead of store.path, or with TENANTWATCH_STORE_URL',
      )
    }
    const file = resolve(io.cwd, from)
    if (!mayExist(file)) throw new UsageError(`--from names ${file}, which does not exist or is empty`)
    announce(io, 'Copying the mirror and verifying the copy')
    for (const text of await migrate(io, file, urlOf(url, io))) printWrapped(io, text)
    return exitCodes.ok
  },
})

async function migrate(io: Io, from: string, url: OpenOptions['url']): Promise<readonly string[]> {
  const { clock, random, stop: signal } = io
  using source = await openFileSource(from, signal)
  const { place, tables } = await copyToPostgres({ url, clock, random }, { source, signal })
  const rows = tables.map((one) => [one.table, String(one.rows), 'yes'])
  const all = tables.reduce((sum, one) => sum + one.rows, 0)
  return [
    ...textTable(['TABLE', 'ROWS', 'VERIFIED'], rows).split('\n'),
    '',
    `Copied ${all} rows from ${printable(source.file)} to the ${printable(place)}`,
    'Next: set store.url instead of store.path, start the engine, and check that "tenantwatch doctor" finds no failure.',
    'Keep the file until then; afterwards delete it, because it contains names and e-mail addresses.',
  ]
}
