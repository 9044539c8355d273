/** How long the last value of a missing series is used: a long weekend. Then only alerts about the daemon fire. */
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

/** Restricts to tenants that a living replica knows but does not own, so that possibly nobody exports them. */
const whileUnowned = 'and on (tenant) tenantwatch_tenant_owned == 0'

/** Excludes tenants that a living replica knows, whose last value may be one of another daemon. */
const unlessKnown = 'unless on (tenant) tenantwatch_tenant_owned'

/**
 * A condition on the current value, or on the last one within an hour while the series is missing, so that an alert
 * does not resolve while a daemon restarts or moves, or a tenant changes replicas. The last value is not used once the
 * daemon answers without the series, as after a tenant was removed, or another daemon exports the tenant.
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
 * The current value, or the last one while the series is missing, as after a crash. The last value is not used once the
 * daemon answers without the series, or another daemon exports the tenant. While no replica owns the tenant, the rule
 * repeats its own last result, because several replicas may have exported the tenant before.
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
