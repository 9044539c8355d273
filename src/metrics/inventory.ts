import { knownValues } from '../config/settings.ts'
import { ownerOf } from '../model/owners.ts'
import type { Reason } from '../model/reasons.ts'
import type { Gauge, ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { knownWord } from '../model/text/words.ts'
import { resources } from '../resources/index.ts'
import type { Scalar } from '../store/records/query.ts'
import { type AddSeries, fromMirror, idLabel, labelText } from './family.ts'
import type { ResourceSeries, TenantFacts, TenantGauge } from './tenant-facts.ts'

/**
 * Exported before a full sync is complete, because the expiry of a secret only depends on its client. `client_id` is
 * the key of the mirror: a GUID in lower case, a digest of any other id that may be a name.
 */
const expirations: TenantGauge = {
  name: 'tenantwatch_api_client_secret_expiration_timestamp_seconds',
  help: `When the secret of an API client expires, in seconds since the epoch; days left are (x - time()) / 86400; +Inf = never. ${fromMirror}`,
  labelNames: ['client_id'],
  each({ secrets }, add) {
    for (const { clientId, expiresAt } of secrets) add(expiresAt / 1000, idLabel(clientId))
  },
}

export const expiryChecks = {
  expired: 'api-client-secret-not-expired',
  expiring: 'api-client-secret-not-expiring',
} as const

const waivedNow: TenantGauge = {
  name: 'tenantwatch_api_client_secret_waived',
  help: `1 when a waiver accepts that the secret of an API client has expired or, before, that it expires soon; else 0. ${fromMirror}`,
  labelNames: ['client_id'],
  each({ waived, secrets, posture: { at } }, add) {
    for (const { clientId, expiresAt } of secrets) {
      // Without new data, the finding of a secret that expires soon stays open, and waived, after the expiry.
      add(Number(waived[expiresAt <= at ? 'expired' : 'expiring'].has(clientId)), idLabel(clientId))
    }
  },
}

/** For alerts, which use the last known series while the daemon is down: until when a secret is waived. */
const waivedUntil: TenantGauge = {
  name: 'tenantwatch_api_client_secret_waived_until_timestamp_seconds',
  help: `Until when a waiver accepts the open finding of a check about the expiry of a secret, in seconds since the epoch; absent without one. ${fromMirror}`,
  labelNames: ['client_id', 'check'],
  each({ waived }, add) {
    for (const kind of ['expired', 'expiring'] as const)
      for (const [clientId, untilMs] of waived[kind]) add(untilMs / 1000, idLabel(clientId), expiryChecks[kind])
  },
}

const infos: TenantGauge = {
  name: 'tenantwatch_api_client_info',
  help: `Always 1; the labels have the name and role of an API client and the owner of findings about its secret (empty = none), to be joined by client_id. ${fromMirror}`,
  labelNames: ['client_id', 'client_name', 'role', 'owner'],
  each({ secrets, owners, posture: { tenant } }, add) {
    for (const { clientId: id, name, role } of secrets) {
      const names = name === null ? [] : [name]
      const of = { tenant, check: expiryChecks.expired, entityType: 'api-client', entityId: id }
      const owner = ownerOf(owners, { ...of, names })
      add(1, idLabel(id), labelText(name ?? ''), labelText(role ?? ''), labelText(owner ?? ''))
    }
  },
}

const ownSecret: TenantGauge = {
  name: 'tenantwatch_own_client_secret_expiration_timestamp_seconds',
  help: `When the secret of the API client that the daemon itself uses (ownClientId) expires, in seconds since the epoch; after that no data can be read. ${fromMirror}`,
  labelNames: [],
  each({ secrets }, add) {
    for (const { own, expiresAt } of secrets) if (own) add(expiresAt / 1000)
  },
}

/** Gauges that a resource's descriptor cannot express, in addition to its `gauges`. */
const particular: Readonly<Partial<Record<ResourceName, readonly TenantGauge[]>>> = {
  'api-clients': [expirations, infos, ownSecret, waivedNow, waivedUntil],
}

export const inventories: readonly ResourceSeries[] = resources.map(seriesOf)

function seriesOf(resource: ResourceDefinition): ResourceSeries {
  const { name, path } = resource
  const lookUp = resource.kind === 'feed' ? resource.lookUp : undefined
  return {
    resource: name,
    endpoints: lookUp === undefined ? [path] : [path, lookUp.path],
    holds: holdsOf(resource),
    gauges: [...(resource.gauges ?? []).map((gauge) => describedGauge(resource, gauge)), ...(particular[name] ?? [])],
  }
}

function holdsOf(resource: ResourceDefinition): readonly Reason[] {
  switch (resource.kind) {
    case 'feed':
      return ['shrink_held']
    case 'pagedList':
      return ['shrink_held', 'suspect_empty', ...(resource.self === null ? [] : (['tenant_changed'] as const))]
    case 'whole':
      return resource.contradictedBy === undefined ? [] : ['suspect_empty']
  }
}

type CountGauge = Extract<Gauge, { readonly kind: 'count' }>
type FlagGauge = Extract<Gauge, { readonly kind: 'flag' }>

interface Label {
  /** All results of `labelOfValue`, without duplicates. */
  readonly values: readonly string[]
  readonly labelOfValue: (value: Scalar) => string
}

function describedGauge(resource: ResourceDefinition, gauge: Gauge): TenantGauge {
  const help = `${gauge.help} ${fromMirror}`
  const { name } = gauge
  if (gauge.kind === 'flag')
    return { name, help, labelNames: [], each: (facts, add) => readFlag(resource, gauge, facts, add) }
  const labelNames = Object.keys(gauge.by).map(labelName)
  return { name, help, labelNames, each: (facts, add) => readCounts(resource, gauge, facts, add) }
}

/** Of a resource with one record. */
function readFlag({ name }: ResourceDefinition, { field }: FlagGauge, { counts }: TenantFacts, add: AddSeries): void {
  const { fields = [], groups: [record] = [] } = counts.get(name) ?? {}
  if (record !== undefined) add(Number(record.values[fields.indexOf(field)]))
}

function readCounts(
  resource: ResourceDefinition,
  { by }: CountGauge,
  { counts, settings }: TenantFacts,
  add: AddSeries,
): void {
  const counted = counts.get(resource.name)
  if (counted === undefined) return
  const labels = Object.entries(by).map(([field, values = true]) => {
    return { ...labelOf(resource, field, values, settings), at: counted.fields.indexOf(field) }
  })
  const rows = labels.reduce<readonly (readonly string[])[]>(
    (before, { values }) => before.flatMap((row) => values.map((value) => [...row, value])),
    [[]],
  )
  const sums = new Map(rows.map((row) => [row.join('\n'), 0]))
  for (const { values, count } of counted.groups) {
    const row = labels.map(({ labelOfValue, at }) => labelOfValue(values[at] ?? null)).join('\n')
    sums.set(row, (sums.get(row) ?? 0) + count)
  }
  for (const row of rows) add(sums.get(row.join('\n')) ?? 0, ...row)
}

function labelOf(
  { fields }: ResourceDefinition,
  field: string,
  shown: NonNullable<CountGauge['by'][string]>,
  settings: TenantFacts['settings'],
): Label {
  if (shown === true) return { values: ['true', 'false'], labelOfValue: (value) => String(value === true) }
  const known = ('setting' in shown ? knownValues(settings, shown) : shown).filter(isText)
  const none = fields[field]?.nullable === undefined ? [] : ['none']
  return {
    values: [...new Set([...known.map(labelText), ...none, 'other'])],
    labelOfValue: (value) =>
      value === null && none.length > 0 ? 'none' : labelText(knownWord(known, value) ?? 'other'),
  }
}

function isText(value: string | null): value is string {
  return value !== null
}

function labelName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
