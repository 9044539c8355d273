import type { TenantSettings } from './settings.ts'
import { type Common, readTenant } from './tenant.ts'
import type { Context } from './yaml/context.ts'
import { readList, valueAt } from './yaml/section.ts'

/** Reads `tenants`: at least one, each name once. */
export function readTenants(raw: unknown, common: Common, context: Context): readonly TenantSettings[] {
  const list = readList(raw, ['tenants'], context.report)
  const noList = raw === undefined || raw === null || Array.isArray(raw)
  if (list.length === 0 && noList) context.report.say(['tenants'], 'lists no tenant; want at least one')
  const names = tenantNames(raw)
  for (const [index, name] of names.entries()) {
    const first = names.indexOf(name)
    if (name === undefined || first === index) continue
    context.report.wrong(['tenants', index, 'name'], name, `\`tenants[${first}]\` has this name already`)
  }
  return list.flatMap((item, index) => readTenant(item, ['tenants', index], common, context) ?? [])
}

/** The names as written, also those of tenants with problems. */
export function tenantNames(raw: unknown): readonly (string | undefined)[] {
  if (!Array.isArray(raw)) return []
  return raw.map((item) => {
    const name = valueAt(item, ['name'])
    return typeof name === 'string' ? name : undefined
  })
}
