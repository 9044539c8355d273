import { resolve } from 'node:path'
import { UsageError } from '../model/errors.ts'
import { exitCodes } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { describeDuration, toIso } from '../model/time.ts'
import { printWrapped } from '../report/terminal.ts'
import { type Backup, backUpMirror } from '../store/db/sqlite/backup.ts'
import { addCommand } from './command.ts'
import { loadConfiguration } from './support/configuration.ts'
import { announce } from './support/io.ts'

export const addBackup = addCommand({
  name: 'backup',
  argument: ['<file>', 'path of the backup; an existing backup is replaced'],
  summary: 'copy the mirror into one verified file, also while an engine runs',
  help: `Works beside a running engine. The file is replaced only when the new backup is
complete. It contains names and e-mail addresses, like the mirror: only its owner may
read it. To restore: stop the engine, copy the file to store.path, delete the -wal and
-shm beside that, start the engine.

Exit: 0 ok; 2 the path cannot be used for a backup; 3 the backup failed.

Examples:
  tenantwatch backup /backups/tenantwatch.db
  tenantwatch backup "/backups/tenantwatch-$(date +%F).db"`,
  async run({ io, command, args: [file = ''] }) {
    // Only the path of the mirror counts: a job for backups may lack the folder of own checks.
    const { settings } = loadConfiguration(io, command, 'syntax')
    const { path } = settings.store
    if (path === null)
      throw new UsageError(
        'backup copies the file of store.path; back up the database of store.url with pg_dump or point-in-time recovery',
      )
    announce(io, 'Copying the mirror and verifying the copy')
    const made = await backUpMirror({ from: path, to: file === '' ? '' : resolve(io.cwd, file), signal: io.stop })
    printWrapped(io, resultOf(made, io.clock.now()))
    return exitCodes.ok
  },
})

function resultOf({ file, bytes, records, syncedAt }: Backup, now: number): string {
  const size = `${(bytes / 1e6).toFixed(1)} MB`
  const age =
    syncedAt === null ? 'never synced' : `last synced ${toIso(syncedAt)} (${describeDuration(now - syncedAt)} ago)`
  return `${printable(file)}: ${size}, ${records} records, ${age}`
}
