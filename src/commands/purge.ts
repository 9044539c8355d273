import { openStore } from '../daemon/open-store.ts'
import { UsageError } from '../model/errors.ts'
import { exitCodes, print } from '../model/process/io.ts'
import { mayExist } from '../store/db/sqlite/database-file.ts'
import { lockStateOf } from '../store/db/sqlite/engine-lock.ts'
import type { Mirror, TenantRow } from '../store/port.ts'
import { addCommand } from './command.ts'
import { loadConfiguration } from './support/configuration.ts'

export const addPurge = addCommand({
  name: 'purge',
  argument: ['<tenant>', 'name of a mirrored tenant that is no longer configured'],
  summary: 'erase all data of a tenant',
  help: `Erases the records of the tenant, their history, its runs, findings, evidence and
waivers. It cannot be undone. The tenant must be removed from the configuration, and
the engine must be stopped. Backups are not changed, and the history of configurations
keeps the name of the tenant until history.retentionDays have passed.

It erases at once and asks nothing, and the data cannot be recovered: run "tenantwatch
backup FILE" first if you may need the evidence.

Exit: 0 erased; 2 the tenant is unknown or still configured; 3 an engine is running on
the database.

Example:
  tenantwatch purge acme`,
  async run({ io, command, args: [name = ''] }) {
    const { settings } = loadConfiguration(io, command)
    if (settings.tenants.some((tenant) => tenant.name === name))
      throw new UsageError('This tenant is configured: remove it from the configuration first')
    const { path } = settings.store
    // A lost mirror does not prove that its data was erased.
    if (path !== null && !mayExist(path) && lockStateOf(path).mirrorMade === false)
      throw new UsageError('There is no mirror yet: nothing to erase')
    // Take the engine's lock: a running engine has data of the tenant in memory.
    await using mirror = await openStore(settings, 'engine', io).catch(async (error) => {
      // A wrong name is reported before the lock.
      await using beside = await openStore(settings, 'beside', io)
      await beside.verify(io.stop)
      await tenantNamed(beside, name)
      throw error
    })
    await mirror.verify(io.stop)
    await mirror.purgeTenant((await tenantNamed(mirror, name)).id)
    print(io, `Erased all data of ${name}`)
    return exitCodes.ok
  },
})

/** @throws UsageError when the tenant is not mirrored. */
async function tenantNamed(mirror: Mirror, name: string): Promise<TenantRow> {
  const tenants = await mirror.tenants()
  const tenant = tenants.find((one) => one.name === name)
  if (tenant !== undefined) return tenant
  const names = tenants.map((one) => one.name).join(', ')
  throw new UsageError(`The mirror has no tenant of this name; it has ${names === '' ? 'none' : names}`)
}
