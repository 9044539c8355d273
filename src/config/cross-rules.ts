import { resourceNames } from '../model/resource-names.ts'
import { isMatch } from '../model/text/glob.ts'
import { formatDuration, parseDuration } from '../model/time.ts'
import { readCron } from './cron.ts'
import { advice, type KeyPath, valueAt } from './mistakes.ts'
import { insecurity } from './values.ts'

interface Context {
  addIssue(issue: {
    readonly code: 'custom'
    readonly message: string
    readonly path: (string | number)[]
    readonly params?: { readonly twin: KeyPath }
  }): void
}

/** Rules over several keys. They also run where other keys are wrong, so that nothing is known of any value. */
export function crossRules(written: unknown, context: Context): void {
  const wrong: Wrong = (path, message) => context.addIssue({ code: 'custom', message, path: [...path] })
  const tenants = listAt(written, 'tenants')
  const waivers = listAt(written, 'waivers')
  const notifications = listAt(written, 'notifications')
  assertUnique(tenants, 'tenants', 'name', context)
  assertUnique(waivers, 'waivers', 'id', context)
  assertUnique(notifications, 'notifications', 'name', context)
  assertFresh([], valueAt(written, ['schedule']), valueAt(written, ['freshness']), wrong)
  for (const [index, tenant] of tenants.entries()) {
    const path = ['tenants', index]
    const inForce = (key: string) => valueAt(tenant, [key]) ?? valueAt(written, [key])
    if (['schedule', 'freshness'].some((key) => valueAt(tenant, [key]) !== undefined))
      assertFresh(path, inForce('schedule'), inForce('freshness'), wrong)
    const isAllowed = valueAt(inForce('api'), ['allowInsecureHttp']) === true
    for (const place of [['baseUrl'], ['auth', 'token', 'oauth2', 'tokenUrl']]) {
      const url = valueAt(tenant, place)
      const problem = typeof url === 'string' ? insecurity(url, isAllowed) : undefined
      if (problem !== undefined) wrong([...path, ...place], problem)
    }
  }
  const owners = listAt(written, 'owners')
  const [names, ownerNames] = [namesIn(tenants), namesIn(owners)]
  for (const [index, rule] of owners.entries()) {
    const tenant = valueAt(rule, ['tenant'])
    if (typeof tenant === 'string' && !names.some((name) => isMatch(tenant, name)))
      wrong(['owners', index, 'tenant'], `it matches no tenant; ${advice(tenant, names)}`)
  }
  const assertKnown = (what: string, name: unknown, known: readonly string[], path: KeyPath) => {
    if (typeof name === 'string' && known.length > 0 && !known.includes(name))
      wrong(path, `there is no such ${what}; ${advice(name, known)}`)
  }
  for (const [index, waiver] of waivers.entries())
    assertKnown('tenant', valueAt(waiver, ['tenant']), names, ['waivers', index, 'tenant'])
  for (const [index, target] of notifications.entries()) {
    for (const [at, tenant] of listAt(target, 'tenants').entries())
      assertKnown('tenant', tenant, names, ['notifications', index, 'tenants', at])
    for (const [at, owner] of listAt(target, 'owners').entries()) {
      const path = ['notifications', index, 'owners', at]
      if (owners.length === 0) wrong(path, 'the configuration has no `owners`')
      else assertKnown('owner', owner, ownerNames, path)
    }
  }
}

function namesIn(items: readonly unknown[]): readonly string[] {
  return items.map((item) => valueAt(item, ['name'])).filter((name) => typeof name === 'string')
}

function listAt(written: unknown, key: string): readonly unknown[] {
  const list = valueAt(written, [key])
  return Array.isArray(list) ? list : []
}

type Wrong = (path: KeyPath, message: string) => void

/** The message follows the place of the value that was there before. */
function assertUnique(list: readonly unknown[], section: string, key: string, context: Context): void {
  const values = list.map((item) => valueAt(item, [key]))
  for (const [index, value] of values.entries()) {
    const first = values.indexOf(value)
    if (typeof value !== 'string' || first === index) continue
    const params = { twin: [section, first, key] }
    context.addIssue({ code: 'custom', message: `has this ${key} already`, path: [section, index, key], params })
  }
}

/** A limit shorter than the interval of full syncs would make data stale between two of them. */
function assertFresh(path: KeyPath, schedule: unknown, freshness: unknown, wrong: Wrong): void {
  for (const name of resourceNames) {
    const [limit, full] = [valueAt(freshness, [name]), valueAt(schedule, [name, 'full'])]
    const limitMs = typeof limit === 'string' ? parseDuration(limit) : undefined
    if (limitMs === undefined || typeof full !== 'string') continue
    const cron = readCron(full)
    if ('problem' in cron || limitMs >= cron.intervalMs) continue
    const least = `expected at least ${formatDuration(cron.intervalMs)}`
    wrong([...path, 'freshness', name], `${least}, the interval of \`schedule.${name}.full\` ("${full}")`)
  }
}
