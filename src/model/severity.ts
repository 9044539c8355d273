export const severities = ['info', 'low', 'medium', 'high', 'critical'] as const

export type Severity = (typeof severities)[number]

export function isAtLeast(severity: Severity, floor: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(floor)
}
