import { isMap, type KeyPath, valueAt } from './yaml/key-path.ts'

/** The sections that a tenant may set for itself, with the depth of the keys that it replaces. */
const depths: Readonly<Record<string, number>> = { api: 1, freshness: 1, checks: 2, resources: 2, schedule: 2 }

/** The configuration where each section of a tenant has the general keys that the tenant does not set. */
export function withGeneral(raw: Readonly<Record<string, unknown>>): unknown {
  const { tenants } = raw
  if (!Array.isArray(tenants)) return raw
  const whole = tenants.map((tenant: unknown) => {
    if (!isMap(tenant)) return tenant
    return mapEntries(tenant, ([key, own]) => {
      const depth = depths[key]
      return depth === undefined ? own : merged(generalOf(raw, key), own, depth)
    })
  })
  return { ...raw, tenants: whole }
}

/** The path at which a setting is written: that of the general section, unless the tenant sets the key itself. */
export function writtenPath(raw: unknown, path: KeyPath): KeyPath {
  const [top, , section = ''] = path
  const depth = top === 'tenants' ? depths[section] : undefined
  if (depth === undefined || path.length < 4) return path
  const own = path.slice(0, 3 + depth)
  const general = path.slice(2)
  const isOwn = valueAt(raw, own) !== undefined || valueAt(raw, general.slice(0, 1 + depth)) === undefined
  return isOwn ? path : general
}

function generalOf(raw: Readonly<Record<string, unknown>>, key: string): unknown {
  const general = raw[key]
  if (key !== 'schedule' || !isMap(general)) return general
  const { evaluate, timezone, ...resources } = general
  return resources
}

function merged(general: unknown, own: unknown, depth: number): unknown {
  if (depth === 0) return own
  const [below, above] = [general ?? {}, own ?? {}]
  if (!isMap(below) || !isMap(above)) return above
  // Object.fromEntries, unlike an assignment, takes a key such as __proto__ as it is.
  const replaced = Object.entries(above).map(([key, value]) => [key, merged(below[key], value, depth - 1)])
  return Object.fromEntries([...Object.entries(below), ...replaced])
}

function mapEntries(map: Readonly<Record<string, unknown>>, of: (entry: [string, unknown]) => unknown): object {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, of([key, value])]))
}
