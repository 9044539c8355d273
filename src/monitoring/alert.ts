import type { DashboardId } from './dashboard-ids.ts'
import type { MonitoringInput } from './monitoring.ts'
import type { NamedFindings } from './named-findings.ts'

/** How loud an alert is; `none` is for the one that always fires. */
export type AlertSeverity = 'critical' | 'warning' | 'info' | 'none'

/** One condition of an alert. Several of one alert differ in severity or in the tenants they are about. */
export interface AlertCase {
  readonly severity: AlertSeverity
  /** How long it must hold, as Prometheus writes durations; absent = at once. */
  readonly for?: string
  readonly expr: string
  /** The findings it counts, where it counts such. */
  readonly findings?: NamedFindings
}

/** A template of Prometheus, or one for each condition. */
export type AlertText = string | ((condition: AlertCase) => string)

/** An alert of the catalogue; texts are Prometheus templates. */
export interface Alert {
  /** Begins with `Tenantwatch`; also the name of its runbook. */
  readonly name: string
  /** The failing state in one sentence that names the tenant and the entity. */
  readonly summary: AlertText
  /** What follows from it, or what to do; names tenant and entity, too, for it is read alone. */
  readonly description: AlertText
  /** The dashboard that shows more of it. */
  readonly dashboard: DashboardId
  readonly cases: (input: MonitoringInput) => readonly AlertCase[]
}

/** Alerts that belong together; Prometheus evaluates a group in one go. */
export interface AlertGroup {
  readonly name: string
  readonly why: string
  readonly alerts: (input: MonitoringInput) => readonly Alert[]
}
