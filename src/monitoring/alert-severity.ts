export const alertSeverities = ['critical', 'warning', 'info', 'none'] as const

/** Severity label of an alert; `none` is for the watchdog, which always fires. */
export type AlertSeverity = (typeof alertSeverities)[number]
