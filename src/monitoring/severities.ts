/** Values of the label `severity`, which for alerts about findings is theirs; `none` is for the watchdog, which always fires. */
export const alertSeverities = ['critical', 'high', 'medium', 'none'] as const

export type AlertSeverity = (typeof alertSeverities)[number]
