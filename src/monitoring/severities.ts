import type { Severity } from '../model/severity.ts'

/** Values of the label `severity`; `none` is for the watchdog, which always fires. */
export const alertSeverities = ['critical', 'warning', 'info', 'none'] as const

export type AlertSeverity = (typeof alertSeverities)[number]

/** Severities of findings with alerts that are not also values of the label. */
export const findingSeverities = ['high', 'medium'] as const satisfies readonly Severity[]

export type FindingSeverity = (typeof findingSeverities)[number]
