import { grouped } from './text/words.ts'

export const severities = ['info', 'low', 'medium', 'high', 'critical'] as const
export const highestFirst = severities.toReversed()

export type Severity = (typeof severities)[number]

export function isAtLeast(severity: Severity, floor: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(floor)
}

/** Numbers of findings; a severity without any may be absent. */
export type SeverityCounts = Partial<Record<Severity, number>>

export const noFindings: Readonly<Record<Severity, number>> = { info: 0, low: 0, medium: 0, high: 0, critical: 0 }

/** The sum over these severities. */
export function total(counts: Readonly<SeverityCounts>, among: readonly Severity[] = severities): number {
  return among.reduce((sum, severity) => sum + (counts[severity] ?? 0), 0)
}

/** `2 critical`, `131 high`: those of which there are findings. */
export function countsInWords(counts: Readonly<SeverityCounts>): readonly string[] {
  const some = highestFirst.filter((severity) => (counts[severity] ?? 0) > 0)
  return some.map((severity) => `${grouped(counts[severity] ?? 0)} ${severity}`)
}
