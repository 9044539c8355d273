/**
 * How long a value that is no longer scraped still holds: over a long weekend. After that the alerts on the watch itself
 * are all that is left, and they do not end.
 */
export const lastKnownFor = '3d'

/** Selects series; matchers are written as in PromQL, empty ones are left out. */
export function series(metric: string, ...matchers: readonly string[]): string {
  const written = matchers.filter((matcher) => matcher !== '')
  return written.length === 0 ? metric : `${metric}{${written.join(',')}}`
}

/** Leaves out what a daemon told that answers and no longer tells it. */
export const unlessAlive = 'unless on (job, instance) tenantwatch_build_info'

/** Leaves out the tenants that some daemon tells of now. */
const unlessExported = 'unless on (tenant) group by (tenant) (tenantwatch_check_enabled)'

/**
 * A condition on what is told now, or was told within the last hour while nobody tells it: what is wrong does not look
 * mended while a daemon restarts, be it under another address. It ends at once where the daemon that told it answers
 * without it, as after a tenant was taken out, and where another one tells of the same tenant now.
 */
export function bridged(labels: string, condition: (read: (selector: string) => string) => string): string {
  return [
    `max by (${labels}) (`,
    `  ${condition((selector) => selector)}`,
    '  or (',
    `    ${condition((selector) => `last_over_time(${selector}[1h])`)}`,
    `    ${unlessAlive}`,
    `    ${unlessExported}`,
    '  )',
    ')',
  ].join('\n')
}

/**
 * The present value, or the last one while nobody tells it: a daemon that died, a target that vanished. It ends at once
 * where the daemon that told it answers without it, and where another one tells of the same tenant now.
 */
export function lastKnown(metric: string, labels: string): string {
  return [
    `max by (${labels}) (${metric})`,
    'or',
    '(',
    `  max by (${labels}) (last_over_time(${metric}[${lastKnownFor}]) ${unlessAlive})`,
    `  ${unlessExported}`,
    ')',
  ].join('\n')
}
