import type { Severity } from '../../model/severity.ts'

/** A member of one of the schema's enumerations: its number and the caption that goes with it. */
export interface Caption {
  readonly id: number
  readonly caption: string
}

/** OCSF: `severity_id`. */
export const severityCaptions: Readonly<Record<Severity, Caption>> = {
  info: { id: 1, caption: 'Informational' },
  low: { id: 2, caption: 'Low' },
  medium: { id: 3, caption: 'Medium' },
  high: { id: 4, caption: 'High' },
  critical: { id: 5, caption: 'Critical' },
}

/** OCSF: `activity_id` of a finding. */
export const activities = {
  create: { id: 1, caption: 'Create' },
  update: { id: 2, caption: 'Update' },
  close: { id: 3, caption: 'Close' },
} as const satisfies Readonly<Record<string, Caption>>

/** OCSF: `status_id` of a finding, where it stands with those who deal with it. */
export const findingStatuses = {
  fresh: { id: 1, caption: 'New' },
  suppressed: { id: 3, caption: 'Suppressed' },
  resolved: { id: 4, caption: 'Resolved' },
  archived: { id: 5, caption: 'Archived' },
} as const satisfies Readonly<Record<string, Caption>>

/** OCSF: `compliance.status_id`, what the check says. */
export const complianceStatuses = {
  pass: { id: 1, caption: 'Pass' },
  fail: { id: 3, caption: 'Fail' },
  other: { id: 99, caption: 'Other' },
} as const satisfies Readonly<Record<string, Caption>>
