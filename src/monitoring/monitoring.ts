import type { CheckFacts } from '../evaluate/check.ts'
import type { Severity } from '../model/severity.ts'
import type { Threshold } from './thresholds.ts'

export const alertSeverities = ['critical', 'warning', 'info', 'none'] as const

/** Severity label of an alert; `none` is for the watchdog, which always fires. */
export type AlertSeverity = (typeof alertSeverities)[number]

export interface Links {
  /** Address of an alert's runbook, with {name} for the name of the alert; null = no links to runbooks. */
  readonly runbooks: string | null
  /** The same for alerts about a daemon that does not answer. */
  readonly runbooksWhileDown: string | null
  /** Grafana's address, without a trailing slash; null = no links to it. */
  readonly grafana: string | null
  /** The address of the status page, without a trailing slash; null = no links to it. */
  readonly page: string | null
}

/** Labels and annotations of every alert of an installation. */
export interface AlertMarks {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly severities: SeverityLabels
}

/**
 * Replacements for values of the label `severity`, by value or by the severity of an alert's findings, which takes
 * precedence. `critical` is both.
 */
export type SeverityLabels = Readonly<Partial<Record<AlertSeverity | FindingSeverity, string>>>

/** Severities of findings with alerts that are not also values of the label. */
export const findingSeverities = ['high', 'medium'] as const satisfies readonly Severity[]
export type FindingSeverity = (typeof findingSeverities)[number]

/** A check with the severities its findings can have under the configuration. */
export interface MonitoredCheck extends Pick<CheckFacts, 'id' | 'title' | 'remediation' | 'alert'> {
  readonly severities: readonly Severity[]
}

/** Input of the generated rules and dashboards. */
export interface MonitoringInput {
  readonly checks: readonly MonitoredCheck[]
  /** Value of the label `job` that Prometheus gives the daemon's scrapes. */
  readonly job: string
  readonly links: Links
  readonly marks: AlertMarks
  /** Days before the expiry of a secret from which the alerts ExpiryNear and ExpiryImminent fire. */
  readonly secretDays: readonly Threshold<{ readonly near: number; readonly imminent: number }>[]
  /** Seconds without an evaluation after which evaluation counts as stalled. */
  readonly evaluationStalledSeconds: number
}
