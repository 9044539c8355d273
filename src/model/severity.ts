export const severities = ['info', 'low', 'medium', 'high', 'critical'] as const

export type Severity = (typeof severities)[number]

export function isAtLeast(severity: Severity, floor: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(floor)
}

/** Numbers of findings; a severity without any may be absent. */
export type SeverityCounts = Partial<Record<Severity, number>>

/** The sum over all severities. */
export function total(counts: Readonly<SeverityCounts>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** True when there is at least one finding. */
export function hasAny(counts: Readonly<SeverityCounts>): boolean {
  return Object.values(counts).some((count) => count > 0)
}
