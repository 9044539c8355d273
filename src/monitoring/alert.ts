import type { DashboardId } from './dashboard-ids.ts'
import type { AlertSeverity, MonitoringInput } from './monitoring.ts'
import type { NamedFindings, QueriedTexts } from './named-findings.ts'

/** One condition of an alert. The conditions of one alert differ in severity or in their tenants. */
export interface AlertCase {
  readonly severity: AlertSeverity
  /** How long the condition must be true, as a Prometheus duration; absent = no wait. */
  readonly for?: string
  readonly expr: string
  /** The findings that the condition counts, if any. */
  readonly findings?: NamedFindings
}

/** A Prometheus template, or one for each condition. */
export type AlertText = string | ((condition: AlertCase, queried: QueriedTexts) => string)

/** An alert of the catalogue; texts are Prometheus templates. */
export interface Alert {
  /** Begins with `Tenantwatch`; also the name of its runbook. */
  readonly name: string
  /** The failing state in one sentence that begins with the tenant and names the entity. */
  readonly summary: AlertText
  /** The consequence and what to do; names tenant and entity. */
  readonly description: AlertText
  readonly dashboard: DashboardId
  /** The part of the tenant's status page that shows it; absent = its findings. */
  readonly part?: 'data' | 'holds' | 'secrets' | 'waivers'
  /** The daemon does not answer, or no longer has the tenant, so it cannot serve the runbook or the tenant's page. */
  readonly whileDown?: true
  readonly cases: (input: MonitoringInput) => readonly AlertCase[]
}

/** A rule group; Prometheus evaluates its rules together. */
export interface AlertGroup {
  readonly name: string
  readonly why: string
  readonly alerts: (input: MonitoringInput) => readonly Alert[]
}
