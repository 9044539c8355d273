/**
 * How long the last known value of a missing series is used: a long weekend. After that only the alerts about the daemon
 * itself still fire.
 */
export const lastKnownFor = '3d'

/** Selects series; matchers are written as in PromQL, empty ones are left out. */
export function series(metric: string, ...matchers: readonly string[]): string {
  const written = matchers.filter((matcher) => matcher !== '')
  return written.length === 0 ? metric : `${metric}{${written.join(',')}}`
}

/** Increase of a counter whose series may begin with its first event, which `increase()` alone misses. */
export function increaseFromFirst(counter: string, range: string): string {
  return `${counter} unless ${counter} offset ${range} or increase(${counter}[${range}])`
}

/** Excludes earlier series of a daemon that now answers without them. */
export const unlessAlive = 'unless on (job, instance) tenantwatch_build_info'

/** Excludes tenants that a daemon exports now. */
const unlessExported = 'unless on (tenant) group by (tenant) (tenantwatch_check_enabled)'

/** Tenants that a living replica knows and does not own: it no longer exports them, and another one may not yet. */
const whileUnowned = 'and on (tenant) tenantwatch_tenant_owned == 0'

/** Excludes series of daemons that are gone for tenants that a living replica knows. */
const unlessKnown = 'unless on (tenant) tenantwatch_tenant_owned'

/**
 * A condition on the current value, or on the last value within an hour while the series is missing, so that an alert does
 * not resolve while a daemon restarts or moves, or a tenant goes from one replica to another. It ends at once when the
 * daemon answers without the series, as after a tenant was removed, and when another daemon exports the tenant.
 */
export function bridged(labels: string, condition: (read: (selector: string) => string) => string): string {
  const last = condition((selector) => `last_over_time(${selector}[1h])`)
  return [
    `max by (${labels}) (`,
    `  ${condition((selector) => selector)}`,
    '  or (',
    `    ${last}`,
    `    ${unlessAlive}`,
    `    ${unlessKnown}`,
    `    ${unlessExported}`,
    '  )',
    '  or (',
    `    ${last}`,
    `    ${whileUnowned}`,
    `    ${unlessExported}`,
    '  )',
    ')',
  ].join('\n')
}

/**
 * The current value, or the last one while the series is missing, as after a crash. It ends at once when the daemon answers
 * without the series, and when another daemon exports the tenant. Between two replicas the rule repeats its own last
 * result: each of them may have owned the tenant at another time.
 */
export function lastKnown(record: string, metric: string, labels: string): string {
  return [
    `max by (${labels}) (${metric})`,
    'or',
    '(',
    `  max by (${labels}) (last_over_time(${metric}[${lastKnownFor}]) ${unlessAlive})`,
    `  ${unlessKnown}`,
    `  ${unlessExported}`,
    ')',
    'or',
    '(',
    `  ${record}`,
    `  ${whileUnowned}`,
    `  ${unlessExported}`,
    ')',
  ].join('\n')
}
